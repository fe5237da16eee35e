// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// Every policy runs on the scenario as it is, then on each change of it. A change that the scenario cannot
// take, and a name that two variants would have in results, are refused.
func TestVariants(t *testing.T) {
	s, err := scenario.Parse("tiny.yaml", []byte(tinyScenario), nil)
	if err != nil {
		t.Fatal(err)
	}
	slow := &scenario.Change{Label: "slow", Settings: []strict.Setting{{Path: "workload.jobs[0].map-length", Value: "20s"}}}
	list, err := experiment.Variants(s, s.Policies, []*scenario.Change{slow})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range list {
		got = append(got, v.Policy.Label())
		if (v.Scenario == s) != (v.Change == nil) {
			t.Errorf("%s runs on the wrong scenario", v.Policy.Label())
		}
	}
	if want := "fifo|srpt|fifo, slow|srpt, slow"; strings.Join(got, "|") != want {
		t.Errorf("variants %s, want %s", strings.Join(got, "|"), want)
	}
	for name, c := range map[string]struct {
		change *scenario.Change
		want   string
	}{
		"unknown path": {&scenario.Change{Label: "x", Settings: []strict.Setting{{Path: "cluster.rakcs", Value: "3"}}}, "did you mean"},
		"same name":    {&scenario.Change{Label: "slow"}, "is compared twice"},
	} {
		if _, err := experiment.Variants(s, s.Policies, []*scenario.Change{slow, c.change}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Prices are named where clusters do not cost the same, and nothing is said where they do or one is not known.
func TestPrices(t *testing.T) {
	s, err := scenario.Parse("tiny.yaml", []byte(tinyScenario), nil)
	if err != nil {
		t.Fatal(err)
	}
	with := func(label string, nodes int, price float64) experiment.Variant {
		changed := *s
		changed.Cluster.Classes = slices.Clone(s.Cluster.Classes)
		changed.Cluster.Classes[0].Nodes, changed.Cluster.Classes[0].Price = nodes, price
		return experiment.Variant{Scenario: &changed, Policy: scenario.PolicyChoice{As: label}}
	}
	for _, c := range []struct {
		other experiment.Variant
		want  string
	}{
		{with("b", 2, 10), ""}, {with("b", 1, 0), ""}, {with("b", 3, 1000.5), "The clusters do not cost the same: a 20, b 3001.5."},
	} {
		if got := experiment.Prices([]experiment.Variant{with("a", 2, 10), c.other}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
