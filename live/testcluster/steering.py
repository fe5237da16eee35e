#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""steering.py YARDMASTER marp | fbq | sweep | reproduce | faults | all [REPETITIONS]: what live controllers are worth on the test cluster.

Runs inside cluster.py run; make live CASES="marp sweep" calls it for these. marp: makespan of a batch of SleepJobs under the
queue's own share of 0.2, and with cbt and marp-auto at work, beside what the simulator predicts. fbq: mean completion of five
small jobs behind two large ones, without and with fbq's order. sweep: sweeps by Hadoop Streaming against the same sweeps here,
byte by byte, also one that is killed and resumed. reproduce: the same of figures of a paper. faults: the ResourceManager, the
controller or both are killed in the middle. Prints what was measured, paired by repetition, with the machine's load beside it,
and fails if it is not as it should be, or if anything is left changed. With YARD_KEEP=DIR logs and recordings are kept there,
and otherwise after a failure.
"""
import os, shutil, statistics, subprocess, sys, time, traceback

import faults, predict, session, sweeps
from session import SCRATCH, Controller, batch, check, conf, loads, put_share, say


# A master takes 512 of 8192 MiB, a share of 0.0625: start lets as many run as the queue's own share, increase lets one more in.
CBT = "{cbt: {start: 0.2, increase: 0.07, decrease: 0.07, reset: 0.2, raise: 10s, settle: 1s, begin: 1s}}"
TUNERS = {"share 0.2": "", "cbt": CBT, "marp-auto": "marp-auto"}


def marp(repetitions):
    jobs = [("b%d" % i, 512, 2, 30, False, 0) for i in range(7)]
    before, runs = conf(), {name: [] for name in TUNERS}
    for r in range(repetitions):
        for name, tuner in TUNERS.items():
            log = os.path.join(SCRATCH, "%s-%d.log" % (name, r + 1))
            # Beside the fixed share marp-auto looks on, so that the machine has as much to do, and writes down what containers take of it.
            with Controller("%s-%d" % (name, r + 1), "tune", "--tuner", tuner or "marp-auto", "--cpu", "containers", "--disk", "host",
                            "--interval", "2s", "--max", "0.7", "--log", log, acts=bool(tuner)) as controller:
                run = batch(jobs)
            run.lead, run.log = run.submitted() - controller.began, log
            check(conf() == before, "%s, repetition %d: the configuration is as it was" % (name, r + 1))
            runs[name].append(run)
            say("        %s, repetition %d: makespan %.1f s (%s; its client took %.1f s to start)" % (name, r + 1, run.makespan(), loads(), run.client))
    for name in ("cbt", "marp-auto"):
        ratios = [b.makespan() / a.makespan() for a, b in zip(runs["share 0.2"], runs[name])]
        check(all(x < 1 for x in ratios), "%s: makespan %s of that with the fixed share, in each repetition below 1" % (name, " ".join("%.2f" % x for x in ratios)))
    predict.makespans(runs, TUNERS)


def fbq(repetitions):
    # Four nodes of 2048 MiB are 8 containers of 1024 MiB, and nothing is left over that a small job could slip into. The masters
    # of the large jobs take two, so that 6 of their maps run at once: 2 x 24 maps are eight waves. A wave takes 12 s of
    # sleep and 5 to 25 s until its processes have started, by the machine's load, so that the large jobs hold the queue for
    # two to five minutes. The small jobs come in the first wave, and their masters run their maps themselves, as Hadoop has it for
    # jobs that are small. Under fifo they wait for the eighth wave. fbq takes a large job to its second level when it has had 60 s
    # of one container, 10 s of six: the second wave is the second large job's, and the small jobs are next when that
    # ends, after less than a third of the time.
    jobs = [("large%d" % i, 1024, 24, 12, False, 0) for i in range(2)] + [("small%d" % i, 512, 2, 5, True, 0) for i in range(5)]
    jobs[1] = jobs[1][:5] + (30,)  # the small ones come when the large ones are at work
    before, times = conf(), {"fifo": [], "fbq": []}
    put_share("0.6")  # all masters may run: the order decides about containers
    try:
        for r in range(repetitions):
            for name in times:
                if name == "fifo":
                    small = batch(jobs, "small").apps
                else:
                    with Controller("fbq-%d" % (r + 1), "order", "--policy", "{fbq: {limits: [60s]}}"):
                        small = batch(jobs, "small").apps
                times[name].append(statistics.mean((a["finishedTime"] - a["startedTime"]) / 1000 for a in small))
                say("        %s, repetition %d: small jobs end after %.1f s in the mean (%s)" % (name, r + 1, times[name][-1], loads()))
    finally:
        put_share("")
    check(conf() == before, "fbq: the configuration is as it was")
    ratios = [b / a for a, b in zip(times["fifo"], times["fbq"])]
    check(all(x <= 0.7 for x in ratios), "fbq: mean completion of small jobs %s of that under fifo, in each repetition at most 0.70" % " ".join("%.2f" % x for x in ratios))


def main():
    steps = {"marp": marp, "fbq": fbq, "sweep": sweeps.sweep, "reproduce": sweeps.reproduce, "faults": faults.run}
    if sys.argv[2] not in (*steps, "all"):
        say("%s: no such case; allowed: %s, all" % (sys.argv[2], ", ".join(steps)))
        return 2
    chosen = list(steps) if sys.argv[2] == "all" else [sys.argv[2]]
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    say("        logs in " + SCRATCH)
    for name in chosen:
        begin = time.monotonic()
        try:
            steps[name](repetitions)
        except (OSError, RuntimeError, subprocess.SubprocessError) as e:
            traceback.print_exc()
            check(False, "%s: %s" % (name, e))
        say("        %s took %.0f s" % (name, time.monotonic() - begin))
    if session.failed:
        return 1
    if not os.environ.get("YARD_KEEP"):
        shutil.rmtree(SCRATCH)
    return 0


if __name__ == "__main__":
    sys.exit(main())
