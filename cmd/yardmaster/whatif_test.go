// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/result"
)

// elapsed returns the mean elapsed time of every policy of a comparison.
func elapsed(t *testing.T, folder string) map[string]float64 {
	t.Helper()
	s := parseJSON[result.ComparisonSummary](t, read(t, folder, "summary.json"))
	out := map[string]float64{}
	for i, label := range s.Policies {
		out[label] = s.Metrics["mean_elapsed"][i].Mean
	}
	return out
}

// A setting of a policy that is named on the command line alone has its effect, as a what-if and with --set, also beside
// another one; what was changed is explained from the folder and can be changed again.
func TestSettingsOfPlainNames(t *testing.T) {
	inFolder(t, strings.Split(small, "policies:")[0])
	const skips = "policy.delay.node-skips=100000; policy.delay.node-wait=1h; policy.fair.by=pool"
	must(t, "compare", "s.yaml", "--policies", "fair,delay", "--what-if", skips, "--seeds", "2", "--out", "asked")
	asked := elapsed(t, "asked")
	for _, p := range []string{"fair", "delay"} {
		if was, is := asked[p], asked[p+", "+skips]; is == 0 || was == is {
			t.Errorf("%s takes %v before and %v after", p, was, is)
		}
	}
	must(t, "explain", "asked", "3", "--policy", "delay, "+skips, "--no-what-if")

	must(t, "compare", "s.yaml", "--policies", "fair,delay", "--set", "policy.fair.by=pool", "--set", "policy.delay.node-skips=100000", "--set", "policy.delay.node-wait=1h", "--seeds", "2", "--out", "set")
	set := elapsed(t, "set")
	for _, p := range []string{"fair", "delay"} {
		if set[p] != asked[p+", "+skips] {
			t.Errorf("%s takes %v with --set and %v as a what-if", p, set[p], asked[p+", "+skips])
		}
	}
	must(t, "explain", "set", "3", "--policy", "fair", "--no-what-if")
	yardmaster("compare", "s.yaml", "--policies", "fifo,fair", "--what-if", "policy.delay.node-skips=3").want(t, exitRefused, `found "delay"; allowed: a parameter of what is compared: fifo, fair`)
	yardmaster("compare", "s.yaml", "--policies", "fifo,fair", "--what-if", "policy=delay").want(t, exitRefused, "found 2 policies that are compared; allowed: one")
}

// A what-if goes on from what another one made: its label, commas and all, is a policy of the result. Where the label stands for a
// changed scenario, the next what-if is one of that; beside files of settings, which run on the scenario as it was, it is refused.
func TestWhatIfGoesOn(t *testing.T) {
	inFolder(t, strings.Split(small, "policies:")[0])
	const patient, larger = "delay, policy.delay.node-skips=7", "delay, nodes=+1"
	must(t, "compare", "s.yaml", "--policies", "delay", "--what-if", "policy.delay.node-skips=7", "--what-if", "nodes=+1", "--what-if", "nodes=+3; policy.delay.rack-skips=9", "--seeds", "1", "--out", "one")
	one := elapsed(t, "one")
	must(t, "compare", "one", "--policies", patient, "--what-if", "policy.delay.rack-skips=9", "--seeds", "1", "--out", "two")
	two := elapsed(t, "two")
	if was := one[patient]; two[patient] != was || two[patient+", policy.delay.rack-skips=9"] == 0 {
		t.Errorf("it goes on from %v with %v", was, two)
	}
	must(t, "compare", "one", "--policies", larger, "--what-if", "nodes=+2; policy.delay.rack-skips=9", "--seeds", "1", "--out", "three")
	three := elapsed(t, "three")
	if was, is := one[larger], one["delay, nodes=+3; policy.delay.rack-skips=9"]; three[larger] != was || three[larger+", nodes=+2; policy.delay.rack-skips=9"] != is || was == is {
		t.Errorf("it goes on from %v to %v with %v", was, is, three)
	}
	must(t, "compare", "three", "--policies", larger+", nodes=+2; policy.delay.rack-skips=9", "--what-if", "nodes=-3", "--seeds", "1", "--out", "four")
	four := elapsed(t, "four")
	if back := four[larger+", nodes=+2; policy.delay.rack-skips=9, nodes=-3"]; back == 0 || back == one[larger] {
		t.Errorf("back where it began: %v", four)
	}
	must(t, "explain", "three", "3", "--policy", larger, "--no-what-if")
	withSettings(t)
	must(t, "compare", "s.yaml", "--policies", "delay", "--what-if", "nodes=+1", "--seeds", "1", "--out", "one")
	yardmaster("compare", "one", "--policies", larger, "--capacity", "old.xml").want(t, exitRefused, `found "delay, nodes=+1", which ran on a changed scenario, beside --capacity`)
}

// The changed file of Hadoop 1 comes out of a what-if on a file of settings, directly or through the day as it was.
func TestCapacityWriteHadoop1(t *testing.T) {
	withSettings(t)
	site := strings.Replace(oldXML, "<configuration>", "<configuration>\n<!-- kept by the storage team -->", 1)
	write(t, "old.xml", site)
	const change, property = "policy.capacity.queues[0].minimum-user-limit-percent=25", "mapred.capacity-scheduler.queue.prod.minimum-user-limit-percent"
	must(t, "compare", "s.yaml", "--capacity", "old.xml", "--what-if", change, "--seeds", "2", "--out", "cost")
	must(t, "run", "s.yaml", "--capacity", "old.xml", "--out", "day")
	must(t, "compare", "day", "--policies", "old.xml", "--what-if", change, "--seeds", "2", "--out", "later")
	for _, folder := range []string{"cost", "later"} {
		must(t, "capacity", "write", folder, "--out", folder+".xml")
		checkChanged(t, read(t, folder+".xml"), site, property, "25")
		must(t, "run", "s.yaml", "--capacity", folder+".xml", "--out", folder+"-tried")
		wantSame(t, folder+"-tried", folder+"/old.xml, "+change, "jobs.csv", "series.csv")
	}
	yardmaster("capacity", "write", "cost", "--out", "old.xml").want(t, exitRefused, "allowed: another file than the one")
}
