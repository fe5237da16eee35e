# SPDX-License-Identifier: Apache-2.0
"""Sweeps that run on the test cluster by Hadoop Streaming, beside the same sweeps here."""
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


SWEEP = ["sweep", "--set", "policy=fifo,fair,fbq,srpt,delay", "--set", "cluster.racks=1,4", "--seeds", "2"]
SEARCH = ["search", "--over", "policy.fbq.limits=[100s],[400s],[1600s]", "--objective", "mean_elapsed", "--seeds", "2"]
RUNS = 20  # of the sweep


def start(command, folder, *more):
    """Starts a command into a folder beside the scenario; what the hadoop command says goes to a file beside it."""
    with open(os.path.join(SCRATCH, folder + ".err"), "a") as log:
        return subprocess.Popen([YARDMASTER, command[0], SCRATCH + "/swept.yaml"] + command[1:] + ["--quiet", "--out", os.path.join(SCRATCH, folder)] + list(more),
                                stdout=subprocess.DEVNULL, stderr=log)


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


def half_done():
    """The streaming job whose tasks have ended in part; None if there is none."""
    apps = (get("/apps?states=RUNNING").get("apps") or {}).get("app") or []
    return next((a["id"] for a in apps if 25 <= a["progress"] <= 75), None)


def splits(folder):
    """How many runs each job of a command had."""
    with open(os.path.join(SCRATCH, folder + ".err")) as f:
        return [int(n) for n in re.findall(r"number of splits:(\d+)", f.read())]


def run(_):
    with open(SCRATCH + "/swept.yaml", "w") as f:
        f.write(SCENARIO)
    jar = [os.path.join(LIB, f) for f in os.listdir(LIB) if f.startswith("hadoop-streaming-") and f.endswith(".jar") and "sources" not in f][0]
    cluster = ["--on", "hadoop", "--hadoop", os.path.join(RUN, "bin/hadoop"), "--streaming-jar", jar, "--hadoop-set", "mapreduce.job.queuename=root.batch"]
    files = ("sweep.csv", "summary.json")
    done(start(SWEEP, "here"))

    begin = time.monotonic()
    done(start(SWEEP, "there", *cluster))
    check(same("here", "there", *files), "sweep: %d runs on the cluster in %.0f s equal those here byte by byte (%s)" % (RUNS, time.monotonic() - begin, loads()))

    killed = start(SWEEP, "killed", *cluster)
    until(300, lambda: half_done() or killed.poll() is not None, "the sweep's job to be in its middle")
    job = half_done()
    kill_all(killed)
    kill(job)
    done(start(SWEEP, "killed", *cluster))
    jobs = splits("killed")
    check(same("here", "killed", *files) and len(jobs) == 2 and 0 < jobs[1] < RUNS, "sweep: killed in the middle with its job and resumed, the same bytes; jobs of %s runs" % " and ".join(map(str, jobs)))

    done(start(SEARCH, "found-here"))
    begin = time.monotonic()
    done(start(SEARCH, "found-there", *cluster))
    check(same("found-here", "found-there", "summary.json"), "search: jobs of %s runs on the cluster in %.0f s find what is found here, byte by byte (%s)" % (" and ".join(map(str, splits("found-there"))), time.monotonic() - begin, loads()))
