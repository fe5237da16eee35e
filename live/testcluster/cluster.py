#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cluster.py [--nodes N] up | down | run COMMAND…: a real Hadoop cluster on this machine, for tests.

NameNode, ResourceManager, JobHistoryServer and N nodes, each a DataNode and a NodeManager of 2 GiB, on loopback alone.
up starts it and leaves it running; down ends every process that up started, and the containers that they left; run
does both around a command, whatever becomes of the command. The folder is $YARD_CLUSTER, by default out/ beside this
file: run/ has configuration, logs and data of the cluster that is or was up, run/bin/hadoop a hadoop command for it.

Exit code 0: done; 1: the cluster did not come up, or what the command returned; 3: Java 17, Maven or the jars are missing
(0 with --optional).
"""
import argparse, glob, json, os, shutil, signal, socket, subprocess, sys, time, urllib.request
from xml.sax.saxutils import escape

import conf

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.abspath(os.environ.get("YARD_CLUSTER", os.path.join(HERE, "out")))
RUN, LIB = os.path.join(OUT, "run"), os.environ.get("YARD_CLUSTER_LIB", os.path.join(OUT, "lib"))
PIDS = os.path.join(OUT, "pids.json")
RM, HISTORY, NAMES = "http://localhost:8088", "http://localhost:19888", "http://127.0.0.1:9870"
OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"
SMALL = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Djdk.net.hosts.file=%s/conf/hosts" % RUN
SERVER = "org.apache.hadoop."
DAEMONS = {  # main class and heap
    "namenode": (SERVER + "hdfs.server.namenode.NameNode", "256m"),
    "datanode": (SERVER + "hdfs.server.datanode.DataNode", "128m"),
    "resourcemanager": (SERVER + "yarn.server.resourcemanager.ResourceManager", "384m"),
    "nodemanager": (SERVER + "yarn.server.nodemanager.NodeManager", "192m"),
    "historyserver": (SERVER + "mapreduce.v2.hs.JobHistoryServer", "256m"),
}


def say(text):
    print("testcluster: " + text, file=sys.stderr, flush=True)


def missing():
    """What is not on this machine, as words; empty if everything is."""
    lacks = [tool for tool in ("java", "mvn") if not shutil.which(tool)]
    if "java" not in lacks:
        text = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
        if '"17.' not in text and '"17"' not in text:
            lacks.append("java 17 (found %s)" % text.split("\n")[0])
    return " and ".join(lacks)


def fetch():
    """Fetches the jars, unless they are there."""
    if os.path.exists(os.path.join(LIB, ".complete")):
        return
    say("fetching Hadoop 3.4.2 (181 jars, 95 MB)")
    subprocess.run(["mvn", "-q", "-B", "dependency:copy-dependencies", "-f", os.path.join(HERE, "pom.xml"), "-DoutputDirectory=" + LIB],
                   check=True, stdout=sys.stderr)
    open(os.path.join(LIB, ".complete"), "w").close()


# Processes. A process is its id and the time of its start: an id alone may be somebody else's by now.

def started(pid):
    """When a process was started, None if there is none or it is a zombie."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return None if fields[0] == "Z" else fields[19]
    except OSError:
        return None


def known():
    try:
        with open(PIDS) as f:
            return json.load(f)
    except (OSError, ValueError):
        return []


def remember(name, pid):
    list_ = known() + [[name, pid, started(pid)]]
    with open(PIDS + ".new", "w") as f:
        json.dump(list_, f)
    os.rename(PIDS + ".new", PIDS)


def left():
    """Processes whose command names the cluster's folder: containers that outlived their NodeManager."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        pid = int(path.split("/")[2])
        try:
            with open(path, "rb") as f:
                if (RUN + "/").encode() in f.read() and pid != os.getpid():
                    found.append(["container", pid, started(pid)])
        except OSError:
            pass
    return found


def end(processes, sig):
    for name, pid, start in processes:
        if start is not None and started(pid) == start:
            try:
                os.kill(pid, sig)
            except ProcessLookupError:
                pass


def alive(processes):
    return [p for p in processes if p[2] is not None and started(p[1]) == p[2]]


def down():
    order = {"historyserver": 0, "nodemanager": 1, "resourcemanager": 2}
    daemons = sorted(known(), key=lambda p: order.get(p[0].rstrip("0123456789"), 3))
    end(daemons, signal.SIGTERM)
    until(20, lambda: not alive(daemons))
    for p in alive(daemons):
        say("%s did not end by itself" % p[0])
    end(daemons, signal.SIGKILL)
    until(5, lambda: not alive(daemons))
    for _ in range(10):  # a container's shell may just be starting its JVM
        rest = left()
        if not rest:
            break
        end(rest, signal.SIGKILL)
        time.sleep(0.2)
    still = alive(daemons) + left()
    if os.path.exists(PIDS):
        os.remove(PIDS)
    if still:
        say("still there: %s" % ", ".join("%s %d" % (p[0], p[1]) for p in still))
        return 1
    say("down, no process left")
    return 0


def until(seconds, condition):
    """Waits for a condition; reports whether it came."""
    end_ = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end_:
            return False
        time.sleep(0.25)
    return True


# Start.

def configure(nodes):
    shutil.rmtree(RUN, ignore_errors=True)
    for folder in ("conf/webapps/hdfs", "conf/webapps/datanode", "logs", "tmp", "bin"):  # the jar of HDFS lacks its pages: empty ones do
        os.makedirs(os.path.join(RUN, folder))
    put = lambda name, text: open(os.path.join(RUN, name), "w").write(text)
    for file, properties in conf.SITES.items():
        rows = ["<property><name>%s</name><value>%s</value></property>" % (k, escape(v.replace("{run}", RUN).replace("{lib}", LIB).replace("{jvm}", SMALL)))
                for k, v in properties.items()]
        put("conf/" + file, "<configuration>\n" + "\n".join(rows) + "\n</configuration>\n")
    put("conf/log4j.properties", conf.LOG4J)
    own = ["127.0.0.1 localhost", "127.0.0.1 " + socket.gethostname()]
    put("conf/hosts", "\n".join(own + ["127.0.0.%d node%d" % (10 + i, i) for i in nodes]) + "\n")
    put("conf/topology.table", "".join("node%d /rack%d\n127.0.0.%d /rack%d\n" % (i, (i + 1) // 2, 10 + i, (i + 1) // 2) for i in nodes))
    put("bin/hadoop", HADOOP % {"java": java(), "opens": OPENS, "small": SMALL, "run": RUN, "lib": LIB})
    os.chmod(os.path.join(RUN, "bin/hadoop"), 0o755)


# What the tests need of the real command. A jar that is none of the caller's is one of the cluster's.
HADOOP = """#!/bin/bash
# hadoop jar JAR ARGS | hadoop fs ARGS | hadoop classpath | hadoop version, for the test cluster
export HADOOP_CONF_DIR=%(run)s/conf
hadoop() { exec %(java)s %(opens)s %(small)s -Xmx256m -Dyard.node=localhost -Dyard.port=0 -cp "%(run)s/conf:%(lib)s/*" "$@"; }
what=$1; shift
case $what in
  jar) jar=$1; shift; [ -e "$jar" ] || jar=%(lib)s/$jar; hadoop org.apache.hadoop.util.RunJar "$jar" "$@";;
  fs|dfs) hadoop org.apache.hadoop.fs.FsShell "$@";;
  classpath) echo "%(run)s/conf:%(lib)s/*";;
  version) hadoop org.apache.hadoop.util.VersionInfo;;
  *) echo "hadoop $what: not in the test cluster; allowed: jar, fs, classpath, version" >&2; exit 2;;
esac
"""


def java():
    return os.path.join(os.environ["JAVA_HOME"], "bin/java") if os.environ.get("JAVA_HOME") else os.path.realpath(shutil.which("java"))


def launch(name, node="localhost", number=0):
    kind = name.rstrip("0123456789")
    main, heap = DAEMONS[kind]
    env = dict(os.environ, HADOOP_CONF_DIR=RUN + "/conf", JAVA_HOME=os.path.dirname(os.path.dirname(java())))
    with open("%s/logs/%s.log" % (RUN, name), "w") as log:
        p = subprocess.Popen([java(), OPENS] + SMALL.split() + ["-Xmx" + heap, "-Dyard.node=" + node, "-Dyard.port=%d" % number,
                             "-Dhadoop.log.dir=%s/logs" % RUN, "-cp", "%s/conf:%s/*" % (RUN, LIB), main],
                             cwd=RUN, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    remember(name, p.pid)


def number(url, *path):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "application/json"}), timeout=5) as f:
            value = json.load(f)
        for key in path:
            value = value[key]
        return value
    except (OSError, ValueError, KeyError, IndexError):
        return None


def ready(nodes):
    at = "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState"
    return number(RM + "/ws/v1/cluster/metrics", "clusterMetrics", "activeNodes") == nodes and number(NAMES + at, "beans", 0, "NumLiveDataNodes") == nodes


def hadoop(*args):
    subprocess.run([os.path.join(RUN, "bin/hadoop")] + list(args), check=True, stderr=subprocess.DEVNULL)


def busy():
    """Whether there is a cluster already, this one or somebody else's, which is left alone."""
    if alive(known()):
        say("a cluster is up already in %s: down first" % OUT)
        return True
    for port in (8088, 8020, 9870, 19888):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                say("somebody listens at 127.0.0.1:%d: not ours, and it is left alone" % port)
                return True
    return False


def up(count):
    begin, nodes = time.monotonic(), range(1, count + 1)
    os.makedirs(OUT, exist_ok=True)
    configure(nodes)
    with open(RUN + "/logs/format.log", "w") as log:
        subprocess.run([java(), OPENS] + SMALL.split() + ["-Dyard.node=localhost", "-Dyard.port=0", "-cp", "%s/conf:%s/*" % (RUN, LIB), DAEMONS["namenode"][0],
                       "-format", "-nonInteractive"], check=True, cwd=RUN, stdout=log, stderr=log)
    launch("namenode")
    launch("resourcemanager")
    for i in nodes:
        launch("datanode%d" % i, "node%d" % i, i)
        launch("nodemanager%d" % i, "node%d" % i, i)
    # Everybody's staging folders; all users write there.
    if not until(300, lambda: ready(count)):
        say("the nodes did not come up in 300 s: see %s/logs" % RUN)
        return 1
    hadoop("fs", "-mkdir", "-p", "/staging/history", "/user", "/tmp")
    hadoop("fs", "-chmod", "1777", "/staging", "/staging/history", "/user", "/tmp")
    launch("historyserver")
    if not until(180, lambda: number(HISTORY + "/ws/v1/history/info", "historyInfo") is not None):
        say("the JobHistoryServer did not come up in 180 s: see %s/logs" % RUN)
        return 1
    say("up in %.0f s: %d nodes, ResourceManager %s, JobHistoryServer %s" % (time.monotonic() - begin, count, RM, HISTORY))
    return 0


def around(command):
    """Runs a command for which the cluster is up. Whatever the command has started ends with it."""
    env = dict(os.environ, PATH=RUN + "/bin:" + os.environ["PATH"], YARD_RM=RM, YARD_HISTORY=HISTORY, YARD_RUN=RUN)
    p = subprocess.Popen(command, env=env, start_new_session=True)
    try:
        return p.wait()
    finally:
        for sig in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(p.pid, sig)
            except ProcessLookupError:
                break
            until(10, lambda: p.poll() is not None and not group(p.pid))


def group(leader):
    """Whether a process of a group is left that is no zombie."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as f:
                fields = f.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[0] != "Z" and int(fields[2]) == leader:
            return True
    return False


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["up", "down", "run"])
    p.add_argument("--nodes", type=int, default=int(os.environ.get("NODES", 4)), choices=range(1, 10), metavar="N", help="1 to 9, 4 if left out")
    p.add_argument("--optional", action="store_true", help="what is missing to run is no failure")
    p.add_argument("command", nargs=argparse.REMAINDER)
    o = p.parse_args()
    if o.what == "down":
        return down()
    lacks = missing()
    if lacks:
        say("skipped, no cluster: %s not found (Java 17 and Maven are needed)" % lacks)
        return 0 if o.optional else 3
    try:
        fetch()
    except subprocess.CalledProcessError:
        say("skipped, no cluster: the jars of Hadoop could not be fetched")
        return 0 if o.optional else 3
    if busy():
        return 1

    def stop(*_):
        sys.exit(1)

    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sig, stop)
    code = 1
    try:
        code = up(o.nodes)
        if code == 0 and o.what == "run":
            code = around(o.command)
    finally:
        if o.what == "run" or code != 0:
            code = down() or code
    return code


if __name__ == "__main__":
    sys.exit(main())
