// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"testing"

	"github.com/yardmaster/yardmaster/yarn/conf"
)

// monitored is properties of two leaves with a monitor, and more.
func monitored(more ...string) conf.Properties {
	p := conf.Properties{monitors + "enable": "true", Prefix + "root.queues": "a,b", Prefix + "root.a.capacity": "60", Prefix + "root.b.capacity": "40"}
	for i := 0; i < len(more); i += 2 {
		p[more[i]] = more[i+1]
	}
	return p
}

// The defaults are those of the release. Without the monitor nothing is read, and every queue is closed.
func TestPreemptionDefaults(t *testing.T) {
	want := Preemption{On: true, Interval: 3000, Wait: 15000, PerRound: 0.1, Ignored: 0.1, Natural: 0.2, BalanceWait: 300000,
		Inner: Inner{Threshold: 0.5, Most: 0.2, Careful: true}}
	if s, err := Read(monitored()); err != nil || s.Preemption != want || s.Queues[1].Closed || !s.Queues[1].InnerClosed {
		t.Errorf("%v %+v", err, s)
	}
	for _, off := range []conf.Properties{monitored(monitors+"enable", "false", preempt+"max_wait_before_kill", "long"), monitored(monitors+"policies", "org.example.Other")} {
		if s, err := Read(off); err != nil || s.Preemption != (Preemption{}) || !s.Queues[1].Closed {
			t.Errorf("%v %+v", err, s)
		}
	}
}

// A queue that does not say whether it is closed is as its parent.
func TestClosed(t *testing.T) {
	s, err := Read(monitored(inner+"enabled", "true", Prefix+"root.disable_preemption", "true", Prefix+"root.b.disable_preemption", "false",
		Prefix+"root.b.intra-queue-preemption.disable_preemption", "true"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ closed, inner bool }{{true, false}, {true, false}, {false, true}} {
		if q := &s.Queues[i]; q.Closed != want.closed || q.InnerClosed != want.inner {
			t.Errorf("%s: closed %t, within %t", q.Path, q.Closed, q.InnerClosed)
		}
	}
}

// What the release cannot read it does not start with, if there is a monitor.
func TestPreemptionFaults(t *testing.T) {
	for name, c := range map[string]struct{ value, want string }{
		preempt + "max_wait_before_kill":       {"15s", `NumberFormatException:For input string: "15s"`},
		preempt + "natural_termination_factor": {"a fifth", `NumberFormatException:For input string: "a fifth"`},
		preempt + "total_preemption_per_round": {"10%", `NumberFormatException:For input string: "10%"`},
		inner + "preemption-order-policy":      {"youngest", "IllegalArgumentException:No enum constant org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy.IntraQueuePreemptionOrderPolicy.YOUNGEST"},
	} {
		if _, err := Read(monitored(name, c.value)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
