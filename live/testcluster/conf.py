# SPDX-License-Identifier: Apache-2.0
"""The configuration files of the test cluster, by file. {run}, {lib} and {jvm} stand for its folder, its jars and the
options of its small JVMs; ${yard.node} and ${yard.port} are what each daemon is started with."""

SITES = {
    "core-site.xml": {
        "fs.defaultFS": "hdfs://localhost:8020",
        "hadoop.tmp.dir": "{run}/tmp",
        "net.topology.node.switch.mapping.impl": "org.apache.hadoop.net.TableMapping",
        "net.topology.table.file.name": "{run}/conf/topology.table",
        "hadoop.proxyuser.root.hosts": "*",
        "hadoop.proxyuser.root.groups": "*",
    },
    "hdfs-site.xml": {
        "dfs.replication": "2",
        "dfs.blocksize": "8388608",
        "dfs.permissions.enabled": "false",
        "dfs.namenode.name.dir": "{run}/name",
        "dfs.namenode.rpc-bind-host": "127.0.0.1",
        "dfs.namenode.http-address": "127.0.0.1:9870",
        "dfs.namenode.safemode.extension": "0",
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        "dfs.datanode.data.dir": "{run}/data-${yard.node}",
        "dfs.datanode.hostname": "${yard.node}",
        # DataNodes are told apart by their ports, not by their addresses.
        "dfs.datanode.address": "127.0.0.1:1986${yard.port}",
        "dfs.datanode.http.address": "127.0.0.1:1964${yard.port}",
        "dfs.datanode.ipc.address": "127.0.0.1:1967${yard.port}",
    },
    "yarn-site.xml": {
        "yarn.resourcemanager.hostname": "localhost",
        "yarn.resourcemanager.bind-host": "127.0.0.1",
        "yarn.resourcemanager.webapp.address": "localhost:8088",
        "yarn.resourcemanager.scheduler.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler",
        # Lets PUT /scheduler-conf change the queues; a restart forgets it.
        "yarn.scheduler.configuration.store.class": "memory",
        "yarn.cluster.max-application-priority": "10",
        "yarn.scheduler.minimum-allocation-mb": "256",
        "yarn.scheduler.maximum-allocation-mb": "2048",
        "yarn.scheduler.maximum-allocation-vcores": "4",
        "yarn.nodemanager.hostname": "${yard.node}",
        "yarn.nodemanager.address": "${yard.node}:8041",
        "yarn.nodemanager.localizer.address": "${yard.node}:8040",
        "yarn.nodemanager.webapp.address": "${yard.node}:8042",
        "yarn.nodemanager.local-dirs": "{run}/nm-${yard.node}/local",
        "yarn.nodemanager.log-dirs": "{run}/nm-${yard.node}/logs",
        "yarn.nodemanager.resource.memory-mb": "2048",
        "yarn.nodemanager.resource.cpu-vcores": "8",
        "yarn.nodemanager.vmem-check-enabled": "false",
        "yarn.nodemanager.pmem-check-enabled": "false",
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99",
        "yarn.nodemanager.aux-services": "mapreduce_shuffle",
        "yarn.application.classpath": "{run}/conf",
    },
    "mapred-site.xml": {
        "mapreduce.framework.name": "yarn",
        "mapreduce.application.classpath": "{lib}/*",
        "mapreduce.shuffle.port": "0",
        "mapreduce.map.memory.mb": "512",
        "mapreduce.reduce.memory.mb": "512",
        "mapreduce.map.java.opts": "-Xmx240m {jvm}",
        "mapreduce.reduce.java.opts": "-Xmx240m {jvm}",
        "mapreduce.task.io.sort.mb": "32",
        "mapreduce.map.speculative": "false",
        "mapreduce.reduce.speculative": "false",
        "mapreduce.jobhistory.address": "localhost:10020",
        "mapreduce.jobhistory.webapp.address": "localhost:19888",
        "mapreduce.jobhistory.admin.address": "localhost:10033",
        "mapreduce.jobhistory.move.interval-ms": "2000",
        "yarn.app.mapreduce.am.staging-dir": "/staging",
        "yarn.app.mapreduce.am.resource.mb": "512",
        "yarn.app.mapreduce.am.command-opts": "-Xmx320m {jvm}",
    },
    "capacity-scheduler.xml": {
        "yarn.scheduler.capacity.root.queues": "prod,batch",
        "yarn.scheduler.capacity.root.prod.capacity": "60",
        "yarn.scheduler.capacity.root.prod.maximum-capacity": "100",
        "yarn.scheduler.capacity.root.prod.user-limit-factor": "2",
        "yarn.scheduler.capacity.root.batch.capacity": "40",
        "yarn.scheduler.capacity.root.batch.maximum-capacity": "70",
        "yarn.scheduler.capacity.root.batch.user-limit-factor": "2",
        "yarn.scheduler.capacity.root.batch.minimum-user-limit-percent": "50",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "0.2",
        "yarn.scheduler.capacity.node-locality-delay": "4",
    },
}

LOG4J = """log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
"""
