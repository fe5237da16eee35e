#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen.py --out DIR [--n 50] [--seed 1] [--sched capacity|fair|both] [--plain|--wide|--preempt [--sizes]]: writes random scenarios for the oracle (README.md).
--plain: every container is 1024 MB and 1 vcore and there is no pre-emption, so that nothing is ever reserved or killed.
--preempt: containers as --plain, with pre-emption: nothing is reserved, and containers are killed. With --sizes containers
have many sizes, so that some are reserved.
--wide: as --plain with more kinds of settings and steps, Capacity Scheduler only.
The same seed gives the same files. Every scenario is a function of (seed, index) only."""
import argparse, json, os, random
PLAIN = PREEMPT = False
C = "yarn.scheduler.capacity."
P = "yarn.resourcemanager.monitor.capacity.preemption."
DRC = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"

def split(r, k, total=100):
    cuts = sorted(r.sample(range(1, total), k - 1)) if k > 1 else []
    return [b - a for a, b in zip([0] + cuts, cuts + [total])]

def tree(r, depth, budget):
    """list of (path, [children names]); leaves have no children"""
    out, todo, left, serial = [], [("root", 0)], budget, 0
    while todo:
        path, d = todo.pop(0)
        kids = []
        if d < depth and left > 0 and (d == 0 or r.random() < 0.5):
            k = min(left, r.randint(2 if d == 0 else 1, 6))
            for _ in range(k):
                kids.append("q%d" % serial); serial += 1
            left -= k
            todo += [(path + "." + x, d + 1) for x in kids]
        out.append((path, kids))
    return out

def capacity(r):
    conf, q = {}, tree(r, r.randint(1, 4), r.randint(2, 30))
    weights = r.random() < 0.2
    for path, kids in q:
        if kids:
            conf[C + path + ".queues"] = ",".join(kids)
            caps = [r.randint(1, 9) for _ in kids] if weights else split(r, len(kids))
            for x, c in zip(kids, caps):
                p = path + "." + x
                conf[C + p + ".capacity"] = "%dw" % c if weights else str(c)
                if r.random() < 0.5: conf[C + p + ".maximum-capacity"] = str(r.randint(max(c if not weights else 30, 20), 100))
            if r.random() < 0.25:
                conf[C + path + ".ordering-policy"] = "priority-utilization"
                for x in kids: conf[C + path + "." + x + ".priority"] = str(r.randint(0, 3))
        else:
            if r.random() < 0.7: conf[C + path + ".user-limit-factor"] = str(r.choice([0.5, 1, 1.5, 2, 4, 10, -1]))
            if r.random() < 0.5: conf[C + path + ".minimum-user-limit-percent"] = str(r.choice([10, 20, 25, 33, 50, 100]))
            if r.random() < 0.4: conf[C + path + ".maximum-am-resource-percent"] = str(r.choice([0.05, 0.1, 0.3, 0.5, 1]))
            if r.random() < 0.4:
                conf[C + path + ".ordering-policy"] = "fair"
                if r.random() < 0.3: conf[C + path + ".ordering-policy.fair.enable-size-based-weight"] = "true"
            if r.random() < 0.1: conf[C + path + ".max-parallel-apps"] = str(r.randint(1, 3))
            w = r.choice([0.5, 1.5, 2])
            if r.random() < 0.1 and w * float(conf.get(C + path + ".minimum-user-limit-percent", 100)) <= 100: conf[C + path + ".user-settings.u0.weight"] = str(w)
            if r.random() < 0.08: conf[C + path + ".maximum-applications"] = str(r.randint(1, 4))
    conf[C + "maximum-am-resource-percent"] = str(r.choice([0.1, 0.2, 0.5, 1]))
    if r.random() < 0.5: conf[C + "resource-calculator"] = DRC
    conf[C + "node-locality-delay"] = str(r.choice([-1, 0, 1, 2, 4, 40]))
    if r.random() < 0.3: conf[C + "rack-locality-additional-delay"] = str(r.choice([0, 1, 3]))
    if r.random() < 0.2: conf[C + "rack-locality-full-reset"] = "false"
    conf[C + "per-node-heartbeat.maximum-offswitch-assignments"] = str(r.choice([1, 1, 2, 5]))
    if r.random() < 0.3: conf[C + "per-node-heartbeat.maximum-container-assignments"] = str(r.choice([1, 2, 5]))
    if r.random() < 0.1: conf[C + "per-node-heartbeat.multiple-assignments-enabled"] = "false"
    if r.random() < 0.2: conf[C + "reservations-continue-look-all-nodes"] = "false"
    pre = PREEMPT or r.random() < 0.6 and not PLAIN
    if pre:
        conf["yarn.resourcemanager.scheduler.monitor.enable"] = "true"
        conf[P + "total_preemption_per_round"] = str(r.choice([0.1, 0.3, 1.0]))
        conf[P + "natural_termination_factor"] = str(r.choice([0.2, 0.5, 1.0]))
        conf[P + "max_ignored_over_capacity"] = str(r.choice([0.0, 0.1, 0.2]))
        conf[P + "max_wait_before_kill"] = str(r.choice([3000, 6000, 15000]))
        if r.random() < 0.4: conf[P + "intra-queue-preemption.enabled"] = "true"; conf[P + "intra-queue-preemption.preemption-order-policy"] = r.choice(["userlimit_first", "priority_first"])
        if r.random() < 0.2: conf[P + "select_based_on_reserved_containers"] = "true"
        if r.random() < 0.2: conf[C + "lazy-preemption-enabled"] = "true"
    if PREEMPT: preemption(r, conf, q, weights)
    return conf, [p for p, k in q if not k], pre, q, weights

def preemption(r, conf, q, weights):
    """puts more settings of pre-emption over those of a scenario, in which queues may use more than their guarantee"""
    for path, kids in q:
        if not kids and r.random() < 0.7: conf[C + path + ".user-limit-factor"] = str(r.choice([4, 10, -1]))
        if not kids and r.random() < 0.5: conf[C + path + ".maximum-am-resource-percent"] = str(r.choice([0.3, 0.5, 1]))
        if r.random() < 0.7: conf.pop(C + path + ".maximum-capacity", None)
    if r.random() < 0.7: conf[C + "per-node-heartbeat.maximum-offswitch-assignments"] = "5"
    if r.random() < 0.3: conf[P + "intra-queue-preemption.enabled"] = "true"; conf[P + "intra-queue-preemption.preemption-order-policy"] = r.choice(["userlimit_first", "priority_first"])
    conf[P + "total_preemption_per_round"] = str(r.choice([0.1, 0.3, 1.0]))
    conf.pop(C + "lazy-preemption-enabled", None)
    if PLAIN: conf.pop(P + "select_based_on_reserved_containers", None)
    elif r.random() < 0.3: conf[P + "select_based_on_reserved_containers"] = "true"
    if r.random() < 0.2: conf[P + "conservative-drf"] = "true"
    if r.random() < 0.15: conf[P + "additional_res_balance_based_on_reserved_containers"] = "true"
    if conf.get(P + "intra-queue-preemption.enabled"):
        if r.random() < 0.5: conf[P + "intra-queue-preemption.minimum-threshold"] = str(r.choice([0.0, 0.2, 0.8]))
        if r.random() < 0.5: conf[P + "intra-queue-preemption.max-allowable-limit"] = str(r.choice([0.1, 0.5, 1.0]))
        if r.random() < 0.2: conf[P + "intra-queue-preemption.conservative-drf"] = "false"
    for path, kids in q:
        if r.random() < 0.05: conf[C + path + ".disable_preemption"] = "true"
        elif r.random() < 0.03: conf[C + path + ".disable_preemption"] = "false"
        if r.random() < 0.05: conf[C + path + ".intra-queue-preemption.disable_preemption"] = "true"
    if r.random() < 0.15:
        conf[P + "preemption-to-balance-queue-after-satisfied.enabled"] = "true"
        conf[P + "preemption-to-balance-queue-after-satisfied.max-wait-before-kill"] = str(r.choice([3000, 9000]))
    if r.random() < 0.03: conf[P + "observe_only"] = "true"
    for path, kids in q:                                             # queues without a guarantee, and priorities
        if len(kids) > 1 and not weights and r.random() < 0.2 and not dict(q)[path + "." + kids[0]]:
            one, two = (C + path + "." + k + ".capacity" for k in kids[:2])
            conf[two] = str(int(conf[one]) + int(conf[two])); conf[one] = "0"
        if kids and r.random() < 0.3:
            conf[C + path + ".ordering-policy"] = "priority-utilization"
            for k in kids: conf[C + path + "." + k + ".priority"] = str(r.randint(0, 3))

def fairxml(r, q, pol, pre):
    kids = dict(q)
    def el(path, name):
        ks = kids.get(path, [])
        s = "<queue name='%s'%s>" % (name, " type='parent'" if ks else "")
        s += "<weight>%s</weight>" % r.choice([1, 1, 2, 3, 0.5])
        if r.random() < 0.3: s += "<minResources>%d mb,%d vcores</minResources>" % (r.randint(1, 8) * 1024, r.randint(1, 8))
        if r.random() < 0.3: s += "<maxResources>%d mb,%d vcores</maxResources>" % (r.randint(8, 40) * 1024, r.randint(8, 40))
        if r.random() < 0.2: s += "<maxRunningApps>%d</maxRunningApps>" % r.randint(1, 4)
        if not ks:
            if r.random() < 0.4: s += "<maxAMShare>%s</maxAMShare>" % r.choice([0.1, 0.3, 0.7, -1.0])
            if r.random() < 0.25: s += "<schedulingPolicy>fifo</schedulingPolicy>"
        if pre and r.random() < 0.7: s += "<fairSharePreemptionTimeout>%d</fairSharePreemptionTimeout><fairSharePreemptionThreshold>%s</fairSharePreemptionThreshold>" % (r.randint(1, 6), r.choice([0.5, 0.8, 1.0]))
        if pre and r.random() < 0.4: s += "<minSharePreemptionTimeout>%d</minSharePreemptionTimeout>" % r.randint(1, 6)
        return s + "".join(el(path + "." + k, k) for k in ks) + "</queue>"
    return "<allocations>%s<defaultQueueSchedulingPolicy>%s</defaultQueueSchedulingPolicy></allocations>" % ("".join(el("root." + k, k) for k in kids["root"]), pol)

def fair(r):
    q = tree(r, r.randint(1, 4), r.randint(2, 20))
    pre = r.random() < 0.6 and not PLAIN
    F = "yarn.scheduler.fair."
    conf = {F + "assignmultiple": str(r.random() < 0.6).lower()}
    if r.random() < 0.3: conf[F + "dynamic.max.assign"] = "false"; conf[F + "max.assign"] = str(r.choice([-1, 1, 2, 4]))
    if r.random() < 0.4: conf[F + "locality.threshold.node"] = str(r.choice([0.1, 0.5, 1.0])); conf[F + "locality.threshold.rack"] = str(r.choice([0.1, 0.5, 1.0]))
    if r.random() < 0.2: conf[F + "sizebasedweight"] = "true"
    if r.random() < 0.3: conf[F + "reservable-nodes"] = str(r.choice([0.05, 0.3, 1.0]))
    if r.random() < 0.4: conf["yarn.resource-types.memory-mb.increment-allocation"] = str(r.choice([256, 512, 1024]))
    if pre:
        conf[F + "preemption"] = "true"; conf[F + "preemption.cluster-utilization-threshold"] = str(r.choice([0.0, 0.5, 0.8]))
        conf[F + "waitTimeBeforeKill"] = str(r.choice([0, 2000, 5000])); conf[F + "waitTimeBeforeNextStarvationCheck"] = str(r.choice([1000, 5000]))
    pol = r.choice(["fair", "drf"])
    return conf, [p for p, k in q if not k], pre, q, pol

def scenario(seed, i, sched):
    r = random.Random("%d/%d/%s" % (seed, i, sched))
    racks = r.randint(1, 4)
    nodes = [{"name": "n%02d" % k, "rack": "/r%d" % r.randrange(racks), "mem": r.choice([4096, 8192, 8192, 12288, 16384]), "vc": r.choice([4, 8, 8, 16])} for k in range(r.randint(2, 20))]
    if PREEMPT: nodes = nodes[:r.randint(1, 6)]
    if PLAIN:
        for n in nodes: n["vc"] = 16
    if r.random() < 0.3: nodes[-1]["late"] = True
    sc = {"scheduler": sched, "name": "%s%s-%d-%03d" % ("preempt-" if PREEMPT else "plain-" if PLAIN else "", sched, seed, i), "nodes": nodes}
    if sched == "capacity": conf, leaves, pre, q, w = capacity(r)
    else:
        conf, leaves, pre, q, w = fair(r)
        sc["allocations"] = fairxml(r, q, w, pre)
    conf["yarn.scheduler.maximum-allocation-mb"] = "16384"; conf["yarn.scheduler.maximum-allocation-vcores"] = "16"
    conf["yarn.scheduler.minimum-allocation-mb"] = "1024" if PLAIN else str(r.choice([256, 512, 1024, 1024]))
    conf["yarn.cluster.max-application-priority"] = "10"
    conf["yarn.resourcemanager.am.max-attempts"] = "4"
    sc["conf"] = conf
    users = ["u%d" % k for k in range(r.randint(1, 6))]
    napps, rounds = r.randint(2, 40), r.randint(12, 40)
    steps, t = [], 0
    apps = []
    for a in range(1, napps + 1):
        apps.append({"app": a, "queue": r.choice(leaves), "user": r.choice(users), "prio": r.choice([0, 0, 0, 1, 3, 5]), "mem": r.choice([512, 1024, 1024, 1536, 2048]), "vc": r.choice([1, 1, 2]),
                     "at": r.randrange(max(1, rounds * 2 // 3)), "end": r.randrange(rounds) + rounds // 3})
    if PLAIN:
        for a in apps: a["mem"], a["vc"] = 1024, 1
    if PREEMPT:                                                      # some queues fill the cluster before others come
        early = r.sample(leaves, r.randint(1, max(1, len(leaves) // 2)))
        for a in apps:
            a["at"] = r.randrange(max(1, rounds // 4)) if a["queue"] in early else rounds // 4 + r.randrange(max(1, rounds // 3))
            a["end"] = rounds // 2 + r.randrange(rounds)
    names = [n["name"] for n in nodes]; rack = {n["name"]: n["rack"] for n in nodes}; up = [n["name"] for n in nodes if not n.get("late")]
    def asks(a):
        reqs = []
        for prio in r.sample([5, 10, 20], r.randint(1, 3)):
            mem, vc, n = r.choice([512, 700, 1024, 1024, 2048, 3072, 6144]), r.choice([1, 1, 1, 2, 4]), r.randint(1, 25)
            if r.random() < 0.1: mem = r.choice([8192, 12288, 16384, 20000])
            if PLAIN: mem, vc = 1024, 1
            if r.random() < 0.5:
                host, rk = {}, {}
                for _ in range(n):
                    hs = r.sample(names, min(len(names), r.randint(1, 3)))
                    for h in hs: host[h] = host.get(h, 0) + 1
                    for x in sorted({rack[h] for h in hs}): rk[x] = rk.get(x, 0) + 1
                strict = r.random() < 0.12
                reqs += [{"prio": prio, "mem": mem, "vc": vc, "at": h, "n": host[h]} for h in sorted(host)]
                reqs += [dict({"prio": prio, "mem": mem, "vc": vc, "at": x, "n": rk[x]}, **({"relax": False} if strict else {})) for x in sorted(rk)]
                reqs.append(dict({"prio": prio, "mem": mem, "vc": vc, "at": "*", "n": n}, **({"relax": False} if strict else {})))
            else: reqs.append({"prio": prio, "mem": mem, "vc": vc, "at": "*", "n": n})
        return {"op": "ask", "app": a, "defer": True, "reqs": reqs}
    alive = []
    for k in range(rounds):
        t = k * 1000
        for a in apps:
            if a["at"] == k:
                steps.append({"op": "submit", "t": t, **{x: a[x] for x in ("app", "queue", "user", "prio", "mem", "vc")}})
                steps.append(asks(a["app"])); alive.append(a["app"])
        if k == rounds // 3 and any(n.get("late") for n in nodes): steps.append({"op": "node", "t": t, "node": names[-1]}); up.append(names[-1])
        if sched == "fair": steps.append({"op": "update", "t": t})
        if pre and (sched == "fair" or k % 3 == 2): steps.append({"op": "preempt", "t": t + 10})
        order = list(up)
        if r.random() < 0.5: r.shuffle(order)
        for j, n in enumerate(order): steps.append({"op": "hb", "t": t + 20 + j * 900 // len(order), "node": n})
        steps.append({"op": "registerAll", "t": t + 950})
        for a in alive:
            if r.random() < 0.12: steps.append(asks(a))
            elif r.random() < 0.7: steps.append({"op": "ask", "app": a, "reqs": []})
            for _ in range(r.choice([0, 0, 0, 0, 0, 1] if PREEMPT else [0, 0, 0, 1, 2])): steps.append({"op": "finish", "app": a, "pick": r.randrange(100)})
        for a in apps:
            if a["end"] == k and a["app"] in alive: steps.append({"op": "kill" if r.random() < 0.15 else "end", "app": a["app"]}); alive.remove(a["app"])
        if r.random() < 0.02 and len(up) > 2: x = r.choice(up); up.remove(x); steps.append({"op": "lost", "t": t + 990, "node": x})
        if k == rounds // 2:
            steps.append({"op": "dump"})
            if r.random() < 0.3:
                if sched == "fair": steps.append({"op": "refresh", "allocations": fairxml(r, q, w, pre)})
                else:
                    ch = {C + "maximum-am-resource-percent": str(r.choice([0.1, 0.4, 0.8]))}
                    for path, kids in q:
                        if kids and not w and r.random() < 0.5:
                            for x, c in zip(kids, split(r, len(kids))):
                                ch[C + path + "." + x + ".capacity"] = str(c); ch[C + path + "." + x + ".maximum-capacity"] = "100"
                    steps.append({"op": "refresh", "conf": ch})
    steps.append({"op": "dump"})
    sc["steps"] = steps
    return sc

def wide_conf(r, conf, q, weights):
    """puts settings over those of a plain scenario that those never have; returns the size of all containers"""
    leaves = [p for p, kids in q if not kids]
    parents = [p for p, kids in q if kids]
    size = r.choice([256, 512, 1000, 1024, 1024, 3000])
    conf["yarn.scheduler.minimum-allocation-mb"] = str(size)
    if r.random() < 0.2: conf["yarn.scheduler.minimum-allocation-vcores"] = "2"
    conf["yarn.resourcemanager.am.max-attempts"] = str(r.choice([1, 2, 3]))
    conf["yarn.cluster.max-application-priority"] = str(r.choice([0, 3, 10]))
    mode = r.random()
    if mode < 0.2 and not weights:                                   # absolute capacities, at times more than there is
        total = r.choice([16, 40, 100, 300]) * 1024
        def fill(path, mem, vc):
            kids = dict(q)[path]
            for k, part in zip(kids, split(r, len(kids)) if kids else []):
                m, v = mem * part // 100, max(1, vc * part // 100)
                conf[C + path + "." + k + ".capacity"] = "[memory=%d,vcores=%d]" % (m, v)
                conf.pop(C + path + "." + k + ".maximum-capacity", None)
                if r.random() < 0.3: conf[C + path + "." + k + ".maximum-capacity"] = "[memory=%d,vcores=%d]" % (m * 2, v * 2)
                fill(path + "." + k, m, v)
        fill("root", total, total // 1024)
    elif mode < 0.35:                                                # vectors
        conf[C + "legacy-queue-mode.enabled"] = "false"
        for path in parents:
            kids = dict(q)[path]
            for k, part in zip(kids, split(r, len(kids))):
                def amount(absolute): return r.choice(["%d%%" % part, "%dw" % r.randint(1, 5), str(absolute)])
                conf[C + path + "." + k + ".capacity"] = "[memory=%s,vcores=%s]" % (amount(r.randint(1, 8) * 1024), amount(r.randint(1, 8)))
                conf.pop(C + path + "." + k + ".maximum-capacity", None)
    elif not weights and r.random() < 0.3:                           # fractions and queues without a guarantee
        for path in parents:
            kids = dict(q)[path]
            if len(kids) == 3: caps = ["33.33", "33.33", "33.34"]
            elif len(kids) == 2: caps = r.choice([["0", "100"], ["12.5", "87.5"], ["66.67", "33.33"]])
            else: continue
            for k, c in zip(kids, caps):
                conf[C + path + "." + k + ".capacity"] = c
                conf[C + path + "." + k + ".maximum-capacity"] = r.choice(["-1", "100", "100"])
    if r.random() < 0.2: conf[C + "user.max-parallel-apps"] = str(r.randint(1, 4))
    if r.random() < 0.2: conf[C + "user.u1.max-parallel-apps"] = str(r.randint(1, 3))
    if r.random() < 0.2: conf[C + r.choice(parents) + ".max-parallel-apps"] = str(r.randint(1, 5))
    if r.random() < 0.1: conf[C + "max-parallel-apps"] = str(r.randint(1, 6))
    if r.random() < 0.2: conf[C + "maximum-applications"] = str(r.choice([3, 10, 50]))
    if r.random() < 0.1: conf[C + "global-queue-max-application"] = str(r.choice([1, 3, 20]))
    if r.random() < 0.3: conf[C + "minimum-user-limit-percent"] = str(r.choice([12.5, 33.3, 50]))
    if r.random() < 0.3: conf[C + "user-limit-factor"] = str(r.choice([0.25, 1.3, 3, -1]))
    for p in leaves:
        if r.random() < 0.05: conf[C + p + ".state"] = "STOPPED"
        percent = float(conf.get(C + p + ".minimum-user-limit-percent", conf.get(C + "minimum-user-limit-percent", 100)))
        for u in ("u0", "u1", "u2"):
            if r.random() < 0.15:
                w = r.choice([0.3, 0.7, 1, 1.1, 2.5])
                if w * percent <= 100: conf[C + p + ".user-settings." + u + ".weight"] = str(w)
                else: conf.pop(C + p + ".user-settings." + u + ".weight", None)
        if float(conf.get(C + p + ".user-settings.u0.weight", 1)) * percent > 100: conf.pop(C + p + ".user-settings.u0.weight", None)
    return size

def wide(seed, i):
    """a scenario of one container size, so that nothing is reserved, with everything else varied"""
    r = random.Random("wide/%d/%d" % (seed, i))
    racks = r.randint(1, 4)
    conf, leaves, _, q, weights = capacity(r)
    conf["yarn.scheduler.maximum-allocation-mb"] = "16384"; conf["yarn.scheduler.maximum-allocation-vcores"] = "16"
    size = wide_conf(r, conf, q, weights)
    nodes = [{"name": "n%02d" % k, "rack": "/r%d" % r.randrange(racks), "mem": r.choice([4096, 5000, 8192, 12288, 16384]), "vc": r.choice([3, 8, 16, 64])} for k in range(r.randint(1, 12))]
    for n in nodes:
        if r.random() < 0.15: n["late"] = True
    names = [n["name"] for n in nodes]; rack = {n["name"]: n["rack"] for n in nodes}
    up = [n["name"] for n in nodes if not n.get("late")]; down = [n for n in names if n not in up]
    users = ["u%d" % k for k in range(r.randint(1, 20))] if r.random() < 0.3 else ["u%d" % k for k in range(r.randint(1, 4))]
    steps, apps, t, serial = [], [], 0, 0
    def add(op, **fields): steps.append({"op": op, "t": t, **fields})
    def requests():
        out = []
        for prio in r.sample([1, 5, 10, 20], r.randint(1, 3)):
            mem, n, strict = r.randint(max(1, size // 2), size), r.randint(0, 12), r.random() < 0.15
            relax = {"relax": False} if strict else {}
            if r.random() < 0.5:
                for h in sorted(r.sample(names, r.randint(1, len(names)))): out.append({"prio": prio, "mem": mem, "at": h, "n": r.randint(0, 4)})
                for x in sorted(set(rack.values())): out.append({"prio": prio, "mem": mem, "at": x, "n": r.randint(0, 8), **relax})
                out.append({"prio": prio, "mem": mem, "at": "*", "n": n, **relax})
            else: out.append({"prio": prio, "mem": mem, "at": "*", "n": n})
        return out
    def refreshed():
        ch = {C + "maximum-am-resource-percent": str(r.choice([0.1, 0.4, 0.8]))}
        for p in leaves:
            if r.random() < 0.3: ch[C + p + ".user-limit-factor"] = r.choice(["0.7", "2", None])
            if r.random() < 0.2: ch[C + p + ".minimum-user-limit-percent"] = r.choice(["20", "35.5"])
            if r.random() < 0.2: ch[C + p + ".ordering-policy"] = r.choice(["fifo", "fair"])
            if r.random() < 0.2: ch[C + p + ".max-parallel-apps"] = r.choice(["1", "2", "5", None])
            if r.random() < 0.1: ch[C + p + ".maximum-applications"] = r.choice(["2", "30", None])
            if r.random() < 0.1: ch[C + p + ".user-settings.u0.weight"] = r.choice(["0.5", None])
        if r.random() < 0.3: ch[C + "node-locality-delay"] = str(r.choice([0, 2, 9]))
        return ch
    for k in range(r.randint(10, 35)):
        t = k * 1000
        for _ in range(r.choice([0, 0, 1, 1, 2, 5])):
            serial += 1
            leaf = r.choice(leaves)
            where = r.choice([leaf, leaf, leaf, leaf.split(".")[-1]])
            if r.random() < 0.03: where = r.choice(["nowhere", "root", "root.nowhere"])
            add("submit", app=serial, queue=where, user=r.choice(users), prio=r.choice([0, 0, 1, 3, 20]), mem=r.randint(1, size), vc=1, **({"attempts": r.randint(1, 3)} if r.random() < 0.2 else {}))
            steps.append({"op": "ask", "app": serial, "defer": r.random() < 0.9, "reqs": requests()})
            apps.append(serial)
        for n in r.sample(up, len(up)):
            t += r.randint(0, 30)
            done = [{"app": r.choice(apps), "pick": r.randrange(50)} for _ in range(r.choice([0, 0, 1, 3]))] if apps else []
            if len(done) == 1 and r.random() < 0.3: done[0]["exit"] = r.choice([1, -100, -102])
            add("hb", node=n, **({"done": done} if done else {}))
        if r.random() < 0.9: add("registerAll")
        for a in apps:
            x = r.random()
            if x < 0.15: add("ask", app=a, reqs=requests(), defer=r.random() < 0.5, show=True)
            elif x < 0.2: add("ask", app=a, reqs=[], release=[r.randint(2, 9) for _ in range(3)], show=True)
            elif x < 0.7: add("ask", app=a, reqs=[])
            for _ in range(r.choice([0, 0, 0, 1, 3])): add("finish", app=a, pick=r.randrange(100))
            if r.random() < 0.02: add("finish", app=a, c="am", exit=r.choice([0, 1, 143, -100, -101, -102]))
            if r.random() < 0.06: add(r.choice(["end", "end", "kill"]), app=a)
        if r.random() < 0.05 and len(up) > 1: x = up.pop(r.randrange(len(up))); down.append(x); add("lost", node=x)
        if r.random() < 0.15 and down: x = down.pop(r.randrange(len(down))); up.append(x); add("node", node=x)
        if r.random() < 0.07: add("refresh", conf=refreshed())
        if r.random() < 0.15: add("dump")
        apps = apps[-30:]
    add("dump")
    return {"scheduler": "capacity", "name": "wide-%d-%03d" % (seed, i), "nodes": nodes, "conf": conf, "steps": steps}

def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--out", required=True); ap.add_argument("--n", type=int, default=50); ap.add_argument("--seed", type=int, default=1); ap.add_argument("--sched", default="both"); ap.add_argument("--plain", action="store_true"); ap.add_argument("--wide", action="store_true"); ap.add_argument("--preempt", action="store_true"); ap.add_argument("--sizes", action="store_true")
    o = ap.parse_args(); global PLAIN, PREEMPT; PREEMPT = o.preempt; PLAIN = o.plain or o.wide or PREEMPT and not o.sizes; os.makedirs(o.out, exist_ok=True)
    for i in range(o.n):
        s = o.sched if o.sched != "both" else ("capacity" if i % 2 == 0 else "fair")
        sc = wide(o.seed, i) if o.wide else scenario(o.seed, i, s)
        with open(os.path.join(o.out, sc["name"] + ".json"), "w") as f:
            head = {k: v for k, v in sc.items() if k != "steps"}
            f.write(json.dumps(head, indent=1)[:-2] + ',\n "steps": [\n' + ",\n".join("  " + json.dumps(x) for x in sc["steps"]) + "\n ]\n}\n")
main()
