# SPDX-License-Identifier: Apache-2.0
"""Faults of the real thing: a ResourceManager, a controller, and both are killed while a share is steered."""
import os, signal, subprocess, time

import cluster
from session import QUEUE, RM, SCRATCH, YARDMASTER, Controller, check, conf, number, say, until

KEY = "yarn.scheduler.capacity.%s.maximum-am-resource-percent" % QUEUE


def share():
    """The queue's own share as the configuration has it; None if it has none."""
    return dict(conf()).get(KEY)


def answers():
    return number(RM + "/ws/v1/cluster/metrics", "clusterMetrics", "activeNodes")


def restart(down_for):
    """Kills the ResourceManager, and starts another that forgets what was put into the scheduler's configuration."""
    nodes = answers()
    old = [p for p in cluster.known() if p[0] == "resourcemanager"]
    cluster.end(old, signal.SIGKILL)
    until(20, lambda: not cluster.alive(old), "the ResourceManager's end")
    time.sleep(down_for)  # nobody answers meanwhile
    cluster.launch("resourcemanager")
    until(180, lambda: answers() == nodes, "the nodes to come back")


def live(*args):
    return subprocess.run([YARDMASTER, "live"] + list(args) + [RM, "--queue", QUEUE, "--user", "root", "--state", os.path.join(SCRATCH, "state")],
                          capture_output=True, text=True)


def run(_):
    before, was = conf(), share()
    tune = ("tune", "--tuner", "{prj: {share: 0.4}}")
    with Controller("restart", *tune):
        until(60, lambda: share() == "0.4", "the share to be set")
        restart(10)
        until(60, lambda: share() == "0.4", "the share to be set again")
        say("        the ResourceManager was killed and came back without the share; the controller has set it again")
    check(conf() == before, "the ResourceManager restarted in the middle: the configuration is as it was")

    with Controller("killed", *tune) as killed:
        until(60, lambda: share() == "0.4", "the share to be set")
        killed.kill()
    check(share() == "0.4", "kill -9 of the controller leaves the share that it set")
    again = live(*tune, "--apply")
    check(again.returncode == 2 and "live restore" in again.stderr, "the next controller is refused and told how to restore")
    back = live("restore")
    check(back.returncode == 0 and conf() == before, "restored from the journal: the configuration is as it was (%s)" % back.stdout.strip())

    with Controller("both", *tune) as killed:
        until(60, lambda: share() == "0.4", "the share to be set")
        killed.kill()
    restart(0)
    back = live("restore")
    check(back.returncode == 0 and conf() == before and share() == was, "controller and ResourceManager killed: restore finds the configuration as it was, and leaves it")
    back = live("restore")
    check(back.returncode == 0 and "nothing is left changed" in back.stdout, "nothing is left to restore")
