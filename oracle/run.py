#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py [--seed N] [--cases N] [--wide|--preempt [--sizes]] [--optional]: holds yardmaster decide against the release.

Draws scenarios, lets the resource manager of Hadoop and yardmaster decide, and compares line by line. Lines of a
scenario after its first difference count as different. Shows the first difference with the limits that both sides
see just before it. Exit code 0: everything is equal; 1: something differs; 2: it could not be run (0 with --optional).
"""
import argparse, glob, json, os, random, shutil, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
NO_DECISION = ("skip", "refused-commit")
BATCH = 150  # scenarios in one JVM: the resource manager leaves something behind at each stop


def decisions(path):
    """The lines of a log that are decisions or limits."""
    with open(path) as f:
        return [line.rstrip() for line in f if line.split(" ", 3)[2].strip() not in NO_DECISION]


def first_difference(a, b):
    """The place of the first line that differs, None if all are equal."""
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return i
    return None if len(a) == len(b) else min(len(a), len(b))


class Sides:
    """Both sides of a comparison: what they are given and where their answers go."""

    def __init__(self, work):
        self.work = work
        self.program = os.path.join(work, "yardmaster")
        subprocess.run(["go", "build", "-o", self.program, "./cmd/yardmaster"], cwd=ROOT, check=True)

    def decide(self, name, files):
        """Lets both decide; returns the folders of the release's and of our answers."""
        theirs, ours = (os.path.join(self.work, name, side) for side in ("release", "yardmaster"))
        for folder in (theirs, ours):
            os.makedirs(folder, exist_ok=True)
        with open(os.path.join(self.work, name, "oracle.log"), "w") as log:
            for i in range(0, len(files), BATCH):
                subprocess.run([os.path.join(HERE, "oracle.sh"), "-o", theirs] + files[i:i + BATCH], stderr=log, check=True)
            subprocess.run([self.program, "decide", "--output", ours] + files, stderr=log, check=True)
        return theirs, ours

    def state(self, scenario, step):
        """The limits of both sides just before a step."""
        with open(scenario) as f:
            sc = json.load(f)
        sc["steps"] = sc["steps"][:step - 1] + [{"op": "dump"}]
        cut = os.path.join(self.work, "before.json")
        with open(cut, "w") as f:
            json.dump(sc, f)
        return [[line for line in decisions(os.path.join(d, "before.out")) if line.startswith("%d " % step)] for d in self.decide("before", [cut])]


def show(sides, scenario, theirs, ours, at):
    """Prints a difference, the decisions before it and the limits around it."""
    print("\n%s: decision %d of %d differs" % (scenario, at + 1, len(theirs)))
    for line in theirs[max(0, at - 5):at]:
        print("  both       " + line)
    x = theirs[at] if at < len(theirs) else "(nothing more)"
    y = ours[at] if at < len(ours) else "(nothing more)"
    print("  release    " + x)
    print("  yardmaster " + y)
    step = min(int(line.split()[0]) for line in (x, y) if not line.startswith("("))
    words = {w for line in (x, y) for w in line.split() if w.startswith(("queue=", "node="))}
    before, mine = sides.state(scenario, step)
    print("limits before step %d:" % step)
    for line in before:
        if line not in mine:
            print("  release    " + line)
    for line in mine:
        if line not in before:
            print("  yardmaster " + line)
        elif words & set(line.split()) or " d-cluster " in line:
            print("  both       " + line)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, help="of the scenarios; a new one is drawn without it")
    p.add_argument("--cases", type=int, default=100)
    p.add_argument("--wide", action="store_true", help="draw more kinds of settings and steps")
    p.add_argument("--preempt", action="store_true", help="draw scenarios with pre-emption")
    p.add_argument("--sizes", action="store_true", help="with --preempt: containers of many sizes, so that some are reserved")
    p.add_argument("--optional", action="store_true", help="what is missing to run is no failure")
    p.add_argument("--show", type=int, default=1, help="how many differences are shown")
    o = p.parse_args()
    missing = [tool for tool in ("java", "javac", "mvn") if not shutil.which(tool)]
    if missing:
        print("oracle: nothing was compared with the release: %s not found (Java 17 and Maven are needed)" % " and ".join(missing))
        return 0 if o.optional else 2
    try:
        subprocess.run([os.path.join(HERE, "build.sh")], check=True)
    except subprocess.CalledProcessError:
        print("oracle: nothing was compared with the release: its jars could not be fetched, or the driver not compiled")
        return 0 if o.optional else 2
    seed = o.seed if o.seed is not None else random.SystemRandom().randrange(1, 10**6)
    work = os.path.join(HERE, "out")
    kind = "wide" if o.wide else "preempt" if o.preempt else "plain"
    name = "%s%s-%d" % (kind, "-sizes" if o.sizes else "", seed)
    drawn = os.path.join(work, name, "scenarios")
    shutil.rmtree(os.path.join(work, name), ignore_errors=True)
    print("oracle: %d scenarios of seed %d%s" % (o.cases, seed, "" if kind == "plain" else ", " + kind), flush=True)
    subprocess.run([sys.executable, os.path.join(HERE, "gen.py"), "--out", drawn, "--n", str(o.cases), "--seed", str(seed), "--sched", "capacity",
                    "--" + kind] + (["--sizes"] if o.sizes else []), check=True)
    files = sorted(glob.glob(os.path.join(drawn, "*.json")))
    sides = Sides(work)
    folders = sides.decide(name, files)
    lines = equal_lines = equal = shown = 0
    for f in files:
        out = os.path.basename(f)[:-len("json")] + "out"
        theirs, ours = (decisions(os.path.join(folder, out)) for folder in folders)
        at = first_difference(theirs, ours)
        lines += len(theirs)
        equal_lines += len(theirs) if at is None else min(at, len(theirs))
        equal += at is None
        if at is not None:
            shown += 1
            if shown <= o.show:
                show(sides, f, theirs, ours, at)
            else:
                print("%s differs too" % f)
    print("oracle: %d of %d scenarios and %d of %d lines (%.3f %%) are as the release decides, seed %d"
          % (equal, len(files), equal_lines, lines, 100 * equal_lines / max(lines, 1), seed))
    return 0 if equal == len(files) else 1


if __name__ == "__main__":
    sys.exit(main())
