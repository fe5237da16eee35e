#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""steering.py YARDMASTER marp | fbq | sweep | all [REPETITIONS]: what live controllers are worth on the test cluster.

Runs inside cluster.py run. marp: makespan of a batch of SleepJobs under the queue's own share of 0.2, and with cbt and
marp-auto at work. fbq: mean completion of five small jobs behind two large ones, without and with fbq's order. sweep: a
sweep by Hadoop Streaming against the same sweep here, byte by byte, also one that is killed and resumed. Prints what was
measured, paired by repetition, and fails if it is not as it should be, or if anything is left changed.
"""
import filecmp, json, os, signal, statistics, subprocess, sys, tempfile, time, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.abspath(os.environ.get("YARD_CLUSTER", os.path.join(HERE, "out")))
RUN, LIB = os.path.join(OUT, "run"), os.environ.get("YARD_CLUSTER_LIB", os.path.join(OUT, "lib"))
RM = "http://localhost:8088"
QUEUE = "root.prod"
YARDMASTER = os.path.abspath(sys.argv[1])
SCRATCH = tempfile.mkdtemp(prefix="steering-")
OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"
faults = []


def say(text):
    print(text, flush=True)


def check(holds, text):
    say(("holds   " if holds else "FAILS   ") + text)
    if not holds:
        faults.append(text)


def get(path):
    request = urllib.request.Request(RM + "/ws/v1/cluster" + path, headers={"Accept": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as f:
        return json.load(f)


def conf():
    return sorted((p["name"], p["value"]) for p in get("/scheduler-conf?user.name=root")["property"])


def put_share(value):
    body = "<sched-conf><update-queue><queue-name>%s</queue-name><params><entry><key>maximum-am-resource-percent</key><value>%s</value></entry></params></update-queue></sched-conf>" % (QUEUE, value)
    request = urllib.request.Request(RM + "/ws/v1/cluster/scheduler-conf?user.name=root", data=body.encode(), method="PUT",
                                     headers={"Content-Type": "application/xml", "Accept": "application/json"})
    urllib.request.urlopen(request, timeout=60).read()


def kill(app):
    request = urllib.request.Request(RM + "/ws/v1/cluster/apps/%s/state?user.name=root" % app, data=b'{"state":"KILLED"}', method="PUT",
                                     headers={"Content-Type": "application/json", "Accept": "application/json"})
    urllib.request.urlopen(request, timeout=60).read()


def batch(lines, wanted=""):
    """Submits SleepJobs: user, name, maps, seconds of a map, pause behind it. Returns the applications whose names begin with
    what is wanted when they have ended; the others are ended then."""
    plan = os.path.join(SCRATCH, "plan")
    with open(plan, "w") as f:
        for user, name, maps, seconds, pause in lines:
            f.write("%s %s %s %d %g %g\n" % (user, QUEUE, name, maps, seconds, pause))
    java = os.path.join(os.environ["JAVA_HOME"], "bin/java") if os.environ.get("JAVA_HOME") else "java"
    out = subprocess.run([java, OPENS, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-Djdk.net.hosts.file=%s/conf/hosts" % RUN, "-Dyard.node=localhost", "-Dyard.port=0", "-cp", "%s/conf:%s/*" % (RUN, LIB), os.path.join(HERE, "Batch.java"), plan],
                         stdout=subprocess.PIPE, stderr=open(os.path.join(SCRATCH, "batch.err"), "w"), text=True, check=True).stdout
    ids = [line.split()[1] for line in out.splitlines() if " application_" in line]
    if len(ids) != len(lines):
        raise RuntimeError("%d of %d jobs were submitted" % (len(ids), len(lines)))
    end = time.monotonic() + 1200
    while time.monotonic() < end:
        apps = [a for a in (get("/apps/" + i)["app"] for i in ids) if a["name"].startswith(wanted)]
        if all(a["finishedTime"] > 0 for a in apps):
            if any(a["finalStatus"] != "SUCCEEDED" for a in apps):
                raise RuntimeError("a job failed: %s" % [(a["name"], a["finalStatus"], a["diagnostics"][:200]) for a in apps])
            others = [i for i in ids if i not in [a["id"] for a in apps]]
            for i in others:
                kill(i)
            while any(get("/apps/" + i)["app"]["finishedTime"] == 0 for i in others):
                time.sleep(1)
            return apps
        time.sleep(1)
    raise RuntimeError("the batch did not end in 20 minutes")


class Controller:
    """A yardmaster live command around a batch."""

    def __init__(self, name, *args):
        self.log = os.path.join(SCRATCH, name + ".out")
        self.args = [YARDMASTER, "live"] + list(args) + [RM, "--queue", QUEUE, "--user", "root", "--state", os.path.join(SCRATCH, "state"), "--apply"]

    def __enter__(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.args, stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        if self.process.poll() is not None:
            faults.append("the controller ended by itself: " + open(self.log).read()[-2000:])
            return
        self.process.send_signal(signal.SIGINT)
        self.process.wait(120)


def makespan(apps):
    return (max(a["finishedTime"] for a in apps) - min(a["startedTime"] for a in apps)) / 1000


def marp(repetitions):
    # A master takes 512 of 8192 MiB, a share of 0.0625: start lets as many run as the queue's own share, increase lets one more in.
    cbt = "{cbt: {start: 0.2, increase: 0.07, decrease: 0.07, reset: 0.2, raise: 10s, settle: 1s, begin: 1s}}"
    jobs = [("alice", "b%d" % i, 2, 30, 0) for i in range(7)]
    before, times = conf(), {"share 0.2": [], "cbt": [], "marp-auto": []}
    for r in range(repetitions):
        for name in times:
            if name == "share 0.2":
                took = makespan(batch(jobs))
            else:
                log = os.path.join(SCRATCH, "%s-%d.log" % (name, r + 1))
                with Controller("%s-%d" % (name, r + 1), "tune", "--tuner", cbt if name == "cbt" else name, "--cpu", "containers", "--disk", "host",
                                "--interval", "2s", "--max", "0.7", "--log", log):
                    took = makespan(batch(jobs))
                check(conf() == before, "%s, repetition %d: the configuration is as it was" % (name, r + 1))
            times[name].append(took)
            say("        %s, repetition %d: makespan %.1f s" % (name, r + 1, took))
    for name in ("cbt", "marp-auto"):
        ratios = [b / a for a, b in zip(times["share 0.2"], times[name])]
        check(all(x < 1 for x in ratios), "%s: makespan %s of that with the fixed share, in each repetition below 1" % (name, " ".join("%.2f" % x for x in ratios)))


def fbq(repetitions):
    jobs = [("alice", "large%d" % i, 16, 15, 0) for i in range(2)] + [("alice", "small%d" % i, 2, 5, 0) for i in range(5)]
    jobs[1] = jobs[1][:4] + (30,)  # the small ones come when the large ones are at work
    times = {"fifo": [], "fbq": []}
    put_share("0.6")  # all masters run: the order decides about containers
    try:
        for r in range(repetitions):
            for name in times:
                if name == "fifo":
                    small = batch(jobs, "small")
                else:
                    with Controller("fbq-%d" % (r + 1), "order", "--policy", "{fbq: {limits: [100s]}}"):
                        small = batch(jobs, "small")
                times[name].append(statistics.mean((a["finishedTime"] - a["startedTime"]) / 1000 for a in small))
                say("        %s, repetition %d: small jobs end after %.1f s in the mean" % (name, r + 1, times[name][-1]))
    finally:
        put_share("")
    ratios = [b / a for a, b in zip(times["fifo"], times["fbq"])]
    check(all(x <= 0.7 for x in ratios), "fbq: mean completion of small jobs %s of that under fifo, in each repetition at most 0.70" % " ".join("%.2f" % x for x in ratios))


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


def sweep(_):
    with open(SCRATCH + "/swept.yaml", "w") as f:
        f.write(SCENARIO)
    hadoop = os.path.join(RUN, "bin/hadoop")
    jar = [os.path.join(LIB, f) for f in os.listdir(LIB) if f.startswith("hadoop-streaming-") and f.endswith(".jar") and "sources" not in f][0]
    grid = ["sweep", SCRATCH + "/swept.yaml", "--set", "policy=fifo,fair,fbq,srpt,delay", "--set", "cluster.racks=1,4", "--seeds", "2", "--quiet"]
    subprocess.run([YARDMASTER] + grid + ["--out", SCRATCH + "/here"], check=True, stdout=subprocess.DEVNULL)
    there = [YARDMASTER] + grid + ["--on", "hadoop", "--hadoop", hadoop, "--streaming-jar", jar, "--hadoop-set", "mapreduce.job.queuename=root.batch"]

    def same(folder):
        return all(filecmp.cmp(SCRATCH + "/here/" + f, folder + "/" + f, shallow=False) for f in ("sweep.csv", "summary.json"))

    begin = time.monotonic()
    subprocess.run(there + ["--out", SCRATCH + "/there"], check=True, stdout=subprocess.DEVNULL)
    check(same(SCRATCH + "/there"), "sweep: 20 runs on the cluster in %.0f s equal those here byte by byte" % (time.monotonic() - begin))
    p = subprocess.Popen(there + ["--out", SCRATCH + "/killed"], stdout=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + 240
    while time.monotonic() < end and p.poll() is None and (get("/apps?states=RUNNING").get("apps") or {}).get("app") is None:
        time.sleep(1)
    time.sleep(15)
    os.killpg(p.pid, signal.SIGKILL)
    p.wait()
    subprocess.run(there + ["--out", SCRATCH + "/killed"], check=True, stdout=subprocess.DEVNULL)
    check(same(SCRATCH + "/killed"), "sweep: killed in the middle and resumed, the same bytes")


def main():
    steps = {"marp": marp, "fbq": fbq, "sweep": sweep}
    chosen = list(steps) if sys.argv[2] == "all" else [sys.argv[2]]
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    say("        logs in " + SCRATCH)
    for name in chosen:
        steps[name](repetitions)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
