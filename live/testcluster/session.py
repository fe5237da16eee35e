# SPDX-License-Identifier: Apache-2.0
"""What the measurements on the test cluster share: the ResourceManager's answers, batches of SleepJobs, controllers.

Runs inside cluster.py run; the command line is that of steering.py.
"""
import json, os, signal, subprocess, sys, tempfile, time, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.abspath(os.environ.get("YARD_CLUSTER", os.path.join(HERE, "out")))
RUN, LIB = os.path.join(OUT, "run"), os.environ.get("YARD_CLUSTER_LIB", os.path.join(OUT, "lib"))
RM, HISTORY = "http://localhost:8088", "http://localhost:19888"
QUEUE = "root.prod"
YARDMASTER = os.path.abspath(sys.argv[1])
SCRATCH = tempfile.mkdtemp(prefix="steering-", dir=os.environ.get("YARD_KEEP"))
OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"
failed = []


def say(text):
    print(text, flush=True)


def check(holds, text):
    say(("holds   " if holds else "FAILS   ") + text)
    if not holds:
        failed.append(text)


def get(path):
    request = urllib.request.Request(RM + "/ws/v1/cluster" + path, headers={"Accept": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as f:
        return json.load(f)


def number(url, *path):
    """A value in an answer in JSON, by its path; None if it is not there."""
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as f:
            value = json.load(f)
        for key in path:
            value = value[key]
        return value
    except (OSError, ValueError, KeyError, TypeError):
        return None


def until(seconds, condition, what):
    """Waits for a condition, and returns what it is then."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise RuntimeError("waited %d s in vain for %s" % (seconds, what))
        time.sleep(0.5)


def loads():
    return "load %.1f" % os.getloadavg()[0]


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


class Run:
    """What became of a batch: its applications, how many seconds its client took until the first was submitted, for how many
    a controller had been at work by then, and what it wrote down."""

    def __init__(self, apps, client):
        self.apps, self.client, self.lead, self.log = apps, client, 0, ""

    def submitted(self):
        return min(a["startedTime"] for a in self.apps) / 1000

    def makespan(self):
        return max(a["finishedTime"] for a in self.apps) / 1000 - self.submitted()


def batch(lines, wanted=""):
    """Submits SleepJobs: name, MiB of its containers, maps, seconds of a map, whether its master runs them, pause behind it. Returns the
    run of the applications whose names begin with what is wanted when they have ended; the others are ended then. It begins when nothing of the
    last batch is left, and fails if it has not had the cluster for itself: whatever else starts there makes everything slower."""
    until(600, lambda: get("/metrics")["clusterMetrics"]["containersAllocated"] == 0, "the cluster to be empty")
    begin = time.time()
    ids = submit(lines)
    end = time.monotonic() + 1200
    while time.monotonic() < end:
        everything = [get("/apps/" + i)["app"] for i in ids]
        apps = [a for a in everything if a["name"].startswith(wanted)]
        if all(a["finishedTime"] > 0 for a in apps):
            if any(a["finalStatus"] != "SUCCEEDED" for a in apps):
                raise RuntimeError("a job failed: %s" % [(a["name"], a["finalStatus"], a["diagnostics"][:200]) for a in apps])
            others = [i for i in ids if i not in [a["id"] for a in apps]]
            for i in others:
                kill(i)
            while any(get("/apps/" + i)["app"]["finishedTime"] == 0 for i in others):
                time.sleep(1)
            alone(ids, begin)
            return Run(apps, min(a["startedTime"] for a in everything) / 1000 - begin)
        time.sleep(1)
    raise RuntimeError("the batch did not end in 20 minutes")


def submit(lines):
    """Submits the lines of a batch, and returns the ids of their applications."""
    plan = os.path.join(SCRATCH, "plan")
    with open(plan, "w") as f:
        for name, memory, maps, seconds, uber, pause in lines:
            f.write("alice %s %s %d %d %g %s %g\n" % (QUEUE, name, memory, maps, seconds, str(uber).lower(), pause))
    java = os.path.join(os.environ["JAVA_HOME"], "bin/java") if os.environ.get("JAVA_HOME") else "java"
    out = subprocess.run([java, OPENS, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-Djdk.net.hosts.file=%s/conf/hosts" % RUN, "-Dyard.node=localhost", "-Dyard.port=0", "-cp", "%s/conf:%s/*" % (RUN, LIB), os.path.join(HERE, "Batch.java"), plan],
                         stdout=subprocess.PIPE, stderr=open(os.path.join(SCRATCH, "batch.err"), "w"), text=True, check=True).stdout
    ids = [line.split()[1] for line in out.splitlines() if " application_" in line]
    if len(ids) != len(lines):
        raise RuntimeError("%d of %d jobs were submitted" % (len(ids), len(lines)))
    return ids


def alone(ids, begin):
    """Fails if applications other than these have been there since a time in seconds."""
    apps = (get("/apps").get("apps") or {}).get("app") or []
    others = [a for a in apps if a["id"] not in ids and (a["finishedTime"] == 0 or a["finishedTime"] / 1000 > begin)]
    if others:
        raise RuntimeError("the batch did not have the cluster for itself, its times tell nothing: %s" % ", ".join("%s of %s in %s" % (a["name"], a["user"], a["queue"]) for a in others))


class Controller:
    """A yardmaster live command around a batch; it acts unless it is told to look on."""

    def __init__(self, name, *args, acts=True):
        self.killed = False
        self.log = os.path.join(SCRATCH, name + ".out")
        self.args = [YARDMASTER, "live"] + list(args) + [RM, "--queue", QUEUE, "--user", "root", "--state", os.path.join(SCRATCH, "state")] + ["--apply"] * acts

    def __enter__(self):
        self.began = time.time()
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.args, stdout=log, stderr=log)
        return self

    def kill(self):
        """Ends the command without a chance to put anything back."""
        self.process.kill()
        self.process.wait()
        self.killed = True

    def __exit__(self, *_):
        if self.killed:
            return
        if self.process.poll() is not None:
            failed.append("the controller ended by itself: " + open(self.log).read()[-2000:])
            return
        self.process.send_signal(signal.SIGINT)
        self.process.wait(120)
