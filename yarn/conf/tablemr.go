// SPDX-License-Identifier: Apache-2.0

package conf

const (
	ownDefault = "the default holds"
	once       = "a task runs once at a time unless faults.speculation.on is set"
	noFailure  = "tasks do not fail by themselves"
	noUber     = "every task has a container of its own"
	always     = "nodes do not judge their own health or the memory of containers"
)

// mapReduce are the properties of jobs and of their application master.
var mapReduce = []Entry{
	{"mapreduce.am.max-attempts", "2", "whole number", ""},
	{"mapreduce.job.maps", "2", "whole number", "the number of maps is that of the workload"},
	{"mapreduce.job.maxtaskfailures.per.tracker", "3", "whole number", noFailure},
	{"mapreduce.job.priority", "", "priority", "the priority is that of the workload"},
	{"mapreduce.job.queuename", "default", "queue", "the queue is that of the workload"},
	{"mapreduce.job.reduce.slowstart.completedmaps", "0.05", "share", ""},
	{"mapreduce.job.reducer.preempt.delay.sec", "0", "seconds", ownDefault},
	{"mapreduce.job.reducer.unconditional-preempt.delay.sec", "300", "seconds", ownDefault},
	{"mapreduce.job.reduces", "1", "whole number", "the number of reduces is that of the workload"},
	{"mapreduce.job.running.map.limit", "0", "whole number", "as many maps run as the scheduler lets"},
	{"mapreduce.job.running.reduce.limit", "0", "whole number", "as many reduces run as the scheduler lets"},
	{"mapreduce.job.speculative.minimum-allowed-tasks", "10", "whole number", once},
	{"mapreduce.job.speculative.retry-after-no-speculate", "1000", "milliseconds", once},
	{"mapreduce.job.speculative.retry-after-speculate", "15000", "milliseconds", once},
	{"mapreduce.job.speculative.slowtaskthreshold", "1.0", "number", once},
	{"mapreduce.job.speculative.speculative-cap-running-tasks", "0.1", "number", once},
	{"mapreduce.job.speculative.speculative-cap-total-tasks", "0.01", "number", once},
	{"mapreduce.job.ubertask.enable", "false", "boolean", noUber},
	{"mapreduce.map.cpu.vcores", "1", "vcores", ""},
	{"mapreduce.map.maxattempts", "4", "whole number", noFailure},
	{"mapreduce.map.memory.mb", "1024", "MB", ""},
	{"mapreduce.map.speculative", "true", "boolean", once},
	{"mapreduce.reduce.cpu.vcores", "1", "vcores", ""},
	{"mapreduce.reduce.maxattempts", "4", "whole number", noFailure},
	{"mapreduce.reduce.memory.mb", "1024", "MB", ""},
	{"mapreduce.reduce.speculative", "true", "boolean", once},
	{"yarn.app.mapreduce.am.job.node-blacklisting.enable", "true", "boolean", noFailure},
	{"yarn.app.mapreduce.am.job.reduce.preemption.limit", "0.5", "share", ownDefault},
	{"yarn.app.mapreduce.am.job.reduce.rampup.limit", "0.5", "share", ownDefault},
	{"yarn.app.mapreduce.am.resource.cpu-vcores", "1", "vcores", ""},
	{"yarn.app.mapreduce.am.resource.mb", "1536", "MB", ""},
	{"yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "1000", "milliseconds", ownDefault},
}

// nodes are the properties of NodeManagers, and those of Hadoop's Scheduler Load Simulator about nodes and containers.
var nodes = []Entry{
	{"yarn.nodemanager.disk-health-checker.enable", "true", "boolean", always},
	{"yarn.nodemanager.opportunistic-containers-max-queue-length", "0", "whole number", "there are no containers without a guarantee"},
	{"yarn.nodemanager.pmem-check-enabled", "true", "boolean", always},
	{"yarn.nodemanager.resource.cpu-vcores", "8", "vcores", "nodes are those of the scenario or of a nodes file"},
	{"yarn.nodemanager.resource.detect-hardware-capabilities", "false", "boolean", "nodes are those of the scenario or of a nodes file"},
	{"yarn.nodemanager.resource.memory-mb", "8192", "MB", "nodes are those of the scenario or of a nodes file"},
	{"yarn.nodemanager.vmem-check-enabled", "true", "boolean", always},
	{"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1000", "milliseconds", ownDefault},
	{"yarn.resourcemanager.opportunistic-container-allocation.enabled", "false", "boolean", "there are no containers without a guarantee"},
	{"yarn.sls.am.container.memory", "1024", "MB", ""},
	{"yarn.sls.am.container.vcores", "1", "vcores", ""},
	{"yarn.sls.am.heartbeat.interval.ms", "1000", "milliseconds", ""},
	{"yarn.sls.container.memory.mb", "1024", "MB", ""},
	{"yarn.sls.container.vcores", "1", "vcores", ""},
	{"yarn.sls.nm.heartbeat.interval.ms", "1000", "milliseconds", ""},
	{"yarn.sls.nm.memory.mb", "10240", "MB", ""},
	{"yarn.sls.nm.vcores", "10", "vcores", ""},
}

// acts says of properties that are not modelled what their default does in the release.
var acts = map[string]string{
	"mapreduce.map.maxattempts":                          "a map that fails is run again",
	"mapreduce.map.speculative":                          "slow maps are run a second time",
	"mapreduce.reduce.maxattempts":                       "a reduce that fails is run again",
	"mapreduce.reduce.speculative":                       "slow reduces are run a second time",
	"yarn.app.mapreduce.am.job.node-blacklisting.enable": "a job avoids nodes on which its tasks failed",
	"yarn.nodemanager.pmem-check-enabled":                "containers above their memory are killed",
	"yarn.nodemanager.vmem-check-enabled":                "containers above 2.1 times their memory are killed",
}

// since says of properties with which release they came, where that is after 3.3.
var since = map[string]string{
	cs + "<q>.auto-queue-creation-v2.enabled":                   "3.4",
	cs + "<q>.auto-queue-creation-v2.max-queues":                "3.4",
	cs + "<q>.auto-queue-creation-v2.maximum-queue-depth":       "3.4",
	cs + "<q>.auto-queue-creation-v2.queue-auto-removal.enable": "3.4",
	cs + "auto-queue-creation-v2.queue-expiration-time":         "3.4",
	cs + "legacy-queue-mode.enabled":                            "3.4",
	cs + "mapping-rule-format":                                  "3.4",
	cs + "mapping-rule-json":                                    "3.4",
	cs + "mapping-rule-json-file":                               "3.4",
}
