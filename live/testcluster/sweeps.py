# SPDX-License-Identifier: Apache-2.0
"""Runs that are maps of Hadoop Streaming jobs on the test cluster, beside the same runs here: sweeps, a search, figures of a paper."""
import filecmp, glob, os, re, signal, subprocess, time

from session import LIB, RUN, SCRATCH, YARDMASTER, check, get, kill, loads, until

SCENARIO = """
seeds: 2
cluster: {racks: 2, classes: [{nodes: 8, map-slots: 2, reduce-slots: 1}]}
workload:
  generate:
    jobs: 60
    arrivals: {process: poisson, load: 90%}
    classes:
      - {name: tiny, share: 3, maps: {kind: uniform, low: 1, high: 4}, noise: {kind: lognormal, cv: 0.4}}
      - {name: large, maps: {kind: uniform, low: 8, high: 30}, reduces: {kind: uniform, low: 1, high: 4}, shuffle-tail: 2s}
"""
FILE = os.path.join(SCRATCH, "swept.yaml")

SWEEP = ["sweep", FILE, "--out", "swept", "--set", "policy=fifo,fair,fbq,srpt,delay", "--set", "cluster.racks=1,4", "--seeds", "2"]
SEARCH = ["search", FILE, "--out", "found", "--over", "policy.fbq.limits=[100s],[400s],[1600s]", "--objective", "mean_elapsed", "--seeds", "2"]
FIGURES = ["reproduce", "deadline-2010/four-jobs", "--quick"]
RUNS = {"sweep": 20, "reproduce": 18}


def cluster():
    """The flags that have a command's runs run on the cluster."""
    jar = [f for f in os.listdir(LIB) if f.startswith("hadoop-streaming-") and f.endswith(".jar") and "sources" not in f][0]
    return ["--on", "hadoop", "--hadoop", os.path.join(RUN, "bin/hadoop"), "--streaming-jar", os.path.join(LIB, jar), "--hadoop-set", "mapreduce.job.queuename=root.batch"]


def start(command, folder, *more):
    """Starts a command in a folder of its own. What it prints is in the file printed there, what the hadoop command says in said."""
    at = os.path.join(SCRATCH, folder)
    os.makedirs(at, exist_ok=True)
    with open(os.path.join(at, "printed"), "w") as printed, open(os.path.join(at, "said"), "a") as said:
        return subprocess.Popen([YARDMASTER] + command + ["--quiet"] + list(more), cwd=at, stdout=printed, stderr=said)


def done(process):
    if process.wait() != 0:
        raise RuntimeError("%s ended with exit code %d" % (" ".join(process.args), process.returncode))


def same(here, there, *files):
    return all(filecmp.cmp(os.path.join(SCRATCH, here, f), os.path.join(SCRATCH, there, f), shallow=False) for f in files)


def kill_all(process):
    """Kills a process and those that it has started, as a machine that breaks down does."""
    children = []
    for path in glob.glob("/proc/%d/task/*/children" % process.pid):
        with open(path) as f:
            children += [int(pid) for pid in f.read().split()]
    process.kill()
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    process.wait()


# Six maps at a time, with all their input read, are at most 6/18 of what the maps of the smallest job here have to do, and its
# set-up is 5 % of it: a job beyond 40 % has ended maps, and one below 75 % has maps left.
SIX_MAPS = ["--hadoop-set", "mapreduce.job.running.map.limit=6"]


def half_done():
    """The streaming job that has ended some of its maps and not all; None if there is none."""
    apps = (get("/apps?states=RUNNING").get("apps") or {}).get("app") or []
    return next((a["id"] for a in apps if a["name"].startswith("yardmaster ") and 40 <= a["progress"] <= 75), None)


def resumed(command, folder):
    """Runs a command on the cluster that is killed with its job in the middle, and runs it again. Returns how many runs each job had."""
    flags = cluster() + SIX_MAPS
    killed = start(command, folder, *flags)
    job = until(600, lambda: half_done() or killed.poll() is not None, "the job to be in its middle")
    if job is True:
        raise RuntimeError("%s ended before it could be killed, exit code %d" % (command[0], killed.returncode))
    kill_all(killed)
    kill(job)
    done(start(command, folder, *flags))
    return splits(folder)


def splits(folder):
    """How many runs each job of a command had."""
    with open(os.path.join(SCRATCH, folder, "said")) as f:
        return [int(n) for n in re.findall(r"number of splits:(\d+)", f.read())]


def in_part(jobs, runs):
    """Whether these are a job of all runs and one of some of them."""
    return len(jobs) == 2 and jobs[0] == runs and 0 < jobs[1] < runs


def words(jobs):
    return "jobs of %s runs" % " and ".join(map(str, jobs))


def sweep(_):
    with open(FILE, "w") as f:
        f.write(SCENARIO)
    files = ("swept/sweep.csv", "swept/summary.json")
    done(start(SWEEP, "here"))

    begin = time.monotonic()
    done(start(SWEEP, "there", *cluster()))
    check(same("here", "there", *files), "sweep: %d runs on the cluster in %.0f s equal those here byte by byte (%s)" % (RUNS["sweep"], time.monotonic() - begin, loads()))

    jobs = resumed(SWEEP, "killed")
    check(same("here", "killed", *files) and in_part(jobs, RUNS["sweep"]), "sweep: killed in the middle with its job and resumed, the same bytes; " + words(jobs))

    done(start(SEARCH, "found-here"))
    begin = time.monotonic()
    done(start(SEARCH, "found-there", *cluster()))
    check(same("found-here", "found-there", "found/summary.json"), "search: %s on the cluster in %.0f s find what is found here, byte by byte (%s)" % (words(splits("found-there")), time.monotonic() - begin, loads()))


def reproduce(_):
    as_json = FIGURES + ["--format", "json"]
    done(start(as_json, "json-here"))
    begin = time.monotonic()
    done(start(as_json, "json-there", *cluster()))
    check(same("json-here", "json-there", "printed") and splits("json-there") == [RUNS["reproduce"]],
          "reproduce: %s on the cluster in %.0f s, the JSON that is printed here, byte by byte (%s)" % (words(splits("json-there")), time.monotonic() - begin, loads()))

    done(start(FIGURES, "table-here"))
    jobs = resumed(FIGURES, "table-killed")
    check(same("table-here", "table-killed", "printed") and in_part(jobs, RUNS["reproduce"]), "reproduce: killed in the middle with its job and resumed, the table that is printed here, byte by byte; " + words(jobs))
    kept = [f for name in ("json-there", "table-killed") for f in glob.glob(os.path.join(SCRATCH, name, "results", "*"))]
    check(not kept, "reproduce: no journal is left" + "".join(" but " + f for f in kept))
