// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

// TestRoles: a scenario that spells the roles of a preset out gets the results of the preset; labels,
// settings of single roles, comparisons and manifests work as for any policy.
func TestRoles(t *testing.T) {
	inFolder(t, small)
	must(t, "run", "s.yaml", "--policy", "delay", "--out", "preset")
	must(t, "run", "s.yaml", "--set", "policy={order: fair, place: delay}", "--out", "roles")
	wantSame(t, "preset", "roles", "jobs.csv", "series.csv")
	must(t, "run", "s.yaml", "--set", "policy={order: fair, place: {delay: {node-skips: 0, rack-skips: 0, node-wait: 0s, rack-wait: 0s}}}", "--out", "impatient")
	must(t, "run", "s.yaml", "--policy", "fair", "--out", "fair")
	wantSame(t, "impatient", "fair", "jobs.csv")
	must(t, "run", "s.yaml", "--set", "policy={order: fair, place: delay}", "--set", "policy.place.delay.node-wait=0s",
		"--set", "policy.place.delay.rack-wait=0s", "--set", "policy.place.delay.node-skips=0", "--set", "policy.place.delay.rack-skips=0", "--out", "set")
	wantSame(t, "set", "fair", "jobs.csv")
	if m := readManifest(t, "roles"); len(m.Policies) != 1 || m.Policies[0] != "fair+delay" {
		t.Errorf("manifest names %q", m.Policies)
	}
	o := must(t, "compare", "s.yaml", "--set", "policies=[fifo, {order: {fbq: {limits: [60s]}}, place: delay, as: mine}]", "--out", "compared")
	if !strings.Contains(o.out, "mine") {
		t.Errorf("the comparison does not name its combination:\n%s", o.out)
	}
	must(t, "explain", "roles", "3")
}

// TestPoliciesOfRoles: help lists the roles and what can play them.
func TestPoliciesOfRoles(t *testing.T) {
	if list := must(t, "policies").out; !strings.Contains(list, "place     ") || !strings.Contains(list, "local, delay, chances") {
		t.Errorf("policies lacks the roles:\n%s", list)
	}
	for _, text := range []string{"goes with the orders", "parts:", "whole:"} {
		if one := must(t, "policies", "partition").out; !strings.Contains(one, text) {
			t.Errorf("policies partition lacks %q:\n%s", text, one)
		}
	}
	yardmaster("policies", "plaice").want(t, exitRefused, "unknown policy")
}
