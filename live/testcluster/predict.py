# SPDX-License-Identifier: Apache-2.0
"""What the simulator says a batch takes under each tuner, from what was observed of it under the fixed share alone. Beside it stands what
it says from the lengths of each run itself: where the two differ the machine has been another, or the jobs have slowed each other down."""
import csv, itertools, json, os, statistics, subprocess, time

from session import HISTORY, SCRATCH, YARDMASTER, check, number, say

# The test cluster and its batch. The lengths are observed, and so is what a process takes of the processor: in a SleepJob that is to
# start it. Processes that start together slow each other down.
SCENARIO = """
name: marp-live
seeds: 1
reference: false
cluster:
  room: yarn
  classes: [{name: node, nodes: 4, nodes-per-host: 4, memory: 2GiB, vcores: 8, cores: %(cores)d}]
durations: resources
tasks: {start-up: %(sleep).3fs, start-cpu: %(cpu).3fs}
yarn:
  minimum-memory: 256MiB
  memory-increment: 256MiB
  am-memory: 512MiB
  am-share-formula: capacity
  am-share: 0.2
  am-start-up: %(waits).3fs
  am-start-cpu: %(cpu).3fs
  am-stay: %(stays).3fs
  reload-every: 0s
  reload-wait: 0s
workload:
  jobs:
%(jobs)s
policies: [{fifo: , as: %(name)s%(tuner)s}]
"""


def history(apps):
    """When each job of these applications was set up, when its last map began and when the last one ended, in milliseconds, by application;
    waits until the JobHistoryServer knows all."""
    jobs = {a["id"]: a["id"].replace("application_", "job_") for a in apps}
    at = HISTORY + "/ws/v1/history/mapreduce/jobs"
    for _ in range(120):
        known = {j["id"]: j["startTime"] for j in number(at, "jobs", "job") or []}
        if all(j in known for j in jobs.values()):
            tasks = {a: number(at + "/%s/tasks" % j, "tasks", "task") for a, j in jobs.items()}
            return {a: (known[j], max(t["startTime"] for t in tasks[a]), max(t["finishTime"] for t in tasks[a])) for a, j in jobs.items()}
        time.sleep(0.5)
    raise RuntimeError("the JobHistoryServer does not know all jobs of the batch after a minute")


def busy(log):
    """What containers took of the processors while a tuner looked at them, in seconds: the idle share of each look holds until the next."""
    looks = []
    with open(log) as f:
        for line in f:
            words = line.split()
            if words[0] == "at" and "idle" in words:
                looks.append((seconds(words[1]), float(words[words.index("idle") + 1])))
    return sum((later - at) * (100 - idle) / 100 for (at, idle), (later, _) in zip(looks, looks[1:])) * os.cpu_count()


def seconds(text):
    """A time in a tuner's log: 500ms or 12.5s."""
    return float(text[:-2]) / 1000 if text.endswith("ms") else float(text[:-1])


def observed(runs):
    """Mean lengths in seconds: how long a master takes until its job is set up, how long maps take from then on when none waits for
    a container, how long the job takes from there to its end, which no map's container waits for, how far apart the jobs are
    submitted, and what one of the processes, a master and two maps for each job, takes of the processor."""
    launch, start, work, tail, apart, cpu = [], [], [], [], [], []
    for run in runs:
        told = history(run.apps)
        usual = statistics.median(last - begun for begun, last, _ in told.values())  # until the maps of most jobs have begun
        for a in run.apps:
            begun, last, ended = told[a["id"]]
            launch.append(a["launchTime"] - a["startedTime"])
            start.append(begun - a["launchTime"])
            work.append(ended - begun - max(last - begun - usual, 0))
            tail.append(a["finishedTime"] - ended)
        cpu.append(busy(run.log) / 3 / len(run.apps))
        apart.append((max(a["startedTime"] for a in run.apps) / 1000 - run.submitted()) / (len(run.apps) - 1))
    # The shortest launch is of a master that no limit held back.
    return {"start": (min(launch) + statistics.mean(start)) / 1000, "work": statistics.mean(work) / 1000, "cpu": statistics.mean(cpu), "tail": statistics.mean(tail) / 1000, "apart": statistics.mean(apart)}


def stay(runs):
    """How long a master stays after its job's end, in seconds, from runs under the fixed share: the one that leaves first makes room for the
    first one that waits."""
    left = []
    for run in runs:
        first = min(a["finishedTime"] for a in run.apps)
        left.append(min(a["launchTime"] for a in run.apps if a["launchTime"] > first) - first - min(a["launchTime"] - a["startedTime"] for a in run.apps))
    return max(statistics.mean(left), 0) / 1000


def predicted(name, tuner, runs, lengths, file):
    """The makespan that the simulator says, with what a job takes after its last map, and how long in the mean masters take to start and
    the maps of a job to run. The tuner has been at work before the first job comes, as long as it has in the runs."""
    lead, count = statistics.mean(run.lead for run in runs), len(runs[0].apps)
    jobs = "\n".join("    - {name: b%d, submit: %.3fs, maps: 2, no-input: true, map-memory: 512MiB}" % (i, lead + i * lengths["apart"]) for i in range(count))
    file = os.path.join(SCRATCH, file)
    with open(file + ".yaml", "w") as f:
        f.write(SCENARIO % dict(lengths, stays=lengths["tail"] + lengths["stay"], jobs=jobs, name=name, tuner=tuner and ", tuner: " + tuner, cores=os.cpu_count()))
    subprocess.run([YARDMASTER, "compare", file + ".yaml", "--quiet", "--out", file], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(file, "summary.json")) as f:
        makespan = json.load(f)["metrics"]["makespan"][0]["mean"] + lengths["tail"]
    with open(os.path.join(file, name, "jobs.csv")) as f:
        jobs = list(csv.DictReader(f))
    return makespan, statistics.mean(float(j["blame_am_starting"]) for j in jobs), statistics.mean(float(j["execution"]) for j in jobs)


def idled(fixed, lengths):
    """Adds to the lengths under the fixed share how long a master waits for others and how long a map sleeps: what is left of their time
    without what starting takes, which is longer than the processor's time where processes start together. The simulator says how
    much longer."""
    lengths["waits"], lengths["sleep"] = max(lengths["start"] - lengths["cpu"], 0), max(lengths["work"] - lengths["cpu"], 0)
    for _ in range(4):
        _, start, work = predicted("share 0.2", "", fixed, lengths, "fitted")
        lengths["waits"] = max(lengths["waits"] + lengths["start"] - start, 0)
        lengths["sleep"] = max(lengths["sleep"] + lengths["work"] - work, 0)
    return lengths


def makespans(runs, tuners):
    """Holds predictions against the runs of each tuner; that without one is the fixed share."""
    fixed = next(runs[name] for name, tuner in tuners.items() if not tuner)
    lengths = idled(fixed, dict(observed(fixed), stay=stay(fixed)))
    seen, said = {}, {}
    for name, tuner in tuners.items():
        file, own = name.replace(" ", "-"), dict(lengths, **observed(runs[name]))
        took, own["cpu"], own["waits"], own["sleep"] = own["cpu"], 0, own["start"], own["work"]  # how much processes slow each other down is part of the lengths
        seen[name] = statistics.mean(run.makespan() for run in runs[name])
        said[name] = predicted(name, tuner, runs[name], lengths, "predicted-" + file)[0]
        itself = predicted(name, tuner, runs[name], own, "itself-" + file)[0]
        say("        %s: %.1f s until a job is set up, %.1f s of maps, %.1f s to its end (%.1f s of the processor for each process); from these lengths %.1f s are predicted: %+.0f %%" % (name, own["start"], own["work"], own["tail"], took, itself, 100 * (itself / seen[name] - 1)))
    for name in tuners:
        off = said[name] / seen[name] - 1
        check(abs(off) <= 0.25, "%s: makespan predicted from the fixed share %.1f s, seen %.1f s in the mean: %+.0f %%, at most 25 %% either way" % (name, said[name], seen[name], 100 * off))
    for a, b in itertools.combinations(tuners, 2):
        shorter = [x.makespan() < y.makespan() for x, y in zip(runs[a], runs[b])]
        if all(shorter) or not any(shorter):
            first, last = (a, b) if shorter[0] else (b, a)
            check(said[first] < said[last], "%s takes less than %s in every repetition, and by the prediction (%.1f and %.1f s)" % (first, last, said[first], said[last]))
        else:
            say("        %s takes less than %s in %d of %d repetitions: the cluster has no order that could be predicted" % (a, b, sum(shorter), len(shorter)))
