# SPDX-License-Identifier: Apache-2.0
"""What the simulator says a batch takes under each tuner, from what was observed of it under the fixed share alone."""
import json, os, statistics, subprocess, time

from session import HISTORY, SCRATCH, YARDMASTER, check, number, say

# The test cluster and its batch. The lengths are observed; a SleepJob's maps use no CPU worth counting.
SCENARIO = """
name: marp-live
seeds: 1
reference: false
cluster:
  room: yarn
  classes: [{name: node, nodes: 4, nodes-per-host: 4, memory: 2GiB, vcores: 8, cores: %(cores)d}]
durations: resources
tasks: {start-up: %(work).3fs}
yarn:
  minimum-memory: 256MiB
  memory-increment: 256MiB
  am-memory: 512MiB
  am-share-formula: capacity
  am-share: 0.2
  am-start-up: %(start).3fs
  am-stay: %(stay).3fs
  reload-every: 0s
  reload-wait: 0s
workload:
  jobs:
%(jobs)s
policies:
%(policies)s
"""


def history(apps):
    """When each job of these applications was set up, in milliseconds, by application; waits until the JobHistoryServer knows all."""
    wanted = {a["id"].replace("application_", "job_"): a["id"] for a in apps}
    for _ in range(120):
        known = {j["id"]: j["startTime"] for j in number(HISTORY + "/ws/v1/history/mapreduce/jobs", "jobs", "job") or []}
        if all(j in known for j in wanted):
            return {wanted[j]: known[j] for j in wanted}
        time.sleep(0.5)
    raise RuntimeError("the JobHistoryServer does not know all jobs of the batch after a minute")


def observed(runs):
    """Lengths in seconds, from runs under the fixed share: how long a master takes until its job is set up, how long the job
    works from then on, how long the master stays after the job's end, and how far apart the jobs are submitted."""
    launch, start, work, stay, apart = [], [], [], [], []
    for apps in runs:
        begun = history(apps)
        launch += [a["launchTime"] - a["startedTime"] for a in apps]
        start += [begun[a["id"]] - a["launchTime"] for a in apps]
        work += [a["finishedTime"] - begun[a["id"]] for a in apps]
        first = min(a["finishedTime"] for a in apps)  # the master that leaves first makes room for the first one that waits
        stay.append(min(a["launchTime"] for a in apps if a["launchTime"] > first) - first)
        apart.append((max(a["startedTime"] for a in apps) - min(a["startedTime"] for a in apps)) / (len(apps) - 1))
    launch = min(launch)  # of a master that no limit held back
    return {"start": (launch + statistics.mean(start)) / 1000, "work": statistics.mean(work) / 1000,
            "stay": max(statistics.mean(stay) - launch, 0) / 1000, "apart": statistics.mean(apart) / 1000}


def makespans(fixed, tuners, seen):
    lengths = observed(fixed)
    jobs = "\n".join("    - {name: b%d, submit: %.3fs, maps: 2, no-input: true, map-memory: 512MiB}" % (i, i * lengths["apart"]) for i in range(len(fixed[0])))
    policies = "\n".join("  - {fifo: , as: %s%s}" % (name, tuner and ", tuner: " + tuner) for name, tuner in tuners.items())
    file = os.path.join(SCRATCH, "marp-live.yaml")
    with open(file, "w") as f:
        f.write(SCENARIO % dict(lengths, jobs=jobs, policies=policies, cores=os.cpu_count()))
    out = os.path.join(SCRATCH, "predicted")
    subprocess.run([YARDMASTER, "compare", file, "--quiet", "--out", out], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(out, "summary.json")) as f:
        said = {m["policy"]: m["mean"] for m in json.load(f)["metrics"]["makespan"]}
    say("        observed under the fixed share: %(start).1f s until a job is set up, %(work).1f s of work, %(stay).1f s until its master has left" % lengths)
    for name in tuners:
        off = said[name] / seen[name] - 1
        check(abs(off) <= 0.25, "%s: makespan predicted %.1f s, seen %.1f s in the mean: %+.0f %%, at most 25 %% either way" % (name, said[name], seen[name], 100 * off))
    order = lambda of: sorted(tuners, key=of.get)
    check(order(said) == order(seen), "the order of makespans is predicted: %s" % " < ".join(order(said)))
