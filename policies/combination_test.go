// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
)

// scenario is where a combination stands.
type scenario struct {
	Policy policies.Combination `yaml:"policy"`
}

func combine(text string) (policies.Combination, strict.Errors) {
	var s scenario
	n, errs := strict.Parse("s.yaml", []byte("policy: "+text))
	errs = append(errs, strict.Decode(n, &s)...)
	return s.Policy, errs
}

func TestCombinationReads(t *testing.T) {
	for _, c := range []struct {
		text, name, again string // what it is written as; empty: as it was read
		can               policy.Can
		promises          policy.Promise
		needs             policy.Need
	}{
		{"{order: fifo}", "fifo", `{"order": "fifo"}`, policy.CanRank | policy.CanPlace, policy.WorkConserving | policy.StarvationFree, 0},
		{"{order: {fifo: }, place: {local: {}}, partition: whole, admit: all, data: default}", "fifo",
			`{"order": "fifo", "place": "local", "partition": "whole", "admit": "all", "data": "default"}`,
			policy.CanRank | policy.CanPlace, policy.WorkConserving | policy.StarvationFree, 0},
		{"{place: delay, order: {srpt: {}}}", "srpt+delay", `{"order": "srpt", "place": "delay"}`, policy.CanRank | policy.CanPlace, 0, policy.KnownSizes},
		{"{order: {fair: {by: user}}, place: chances}", "fair+chances", `{"order": {"fair": {"by": "user", "within": "fair"}}, "place": "chances"}`,
			policy.CanRank | policy.CanPlace, policy.StarvationFree, 0},
		{"{order: {fbq: {limits: [10s, 20s]}}, partition: {parts: {capacities: [20%, 30%, 50%]}}}", "fbq+parts",
			`{"order": {"fbq": {"limits": ["10s", "20s"]}}, "partition": {"parts": {"capacities": [0.2, 0.3, 0.5], "partition": "nodes"}}}`,
			policy.CanRank | policy.CanPlace | policy.CanPartition, 0, 0},
		{"{order: {comp: {queues: 2, predict: perfect}}, partition: parts}", "comp+parts",
			`{"order": {"comp": {"queues": 2, "predict": "perfect", "sample": 0.05}}, "partition": "parts"}`,
			policy.CanRank | policy.CanPlace | policy.CanPartition, 0, policy.KnownSizes},
		{"{order: capacity, admit: {capacity: {maximum-system-jobs: 7}}, place: delay}", "capacity+delay+capacity",
			`{"order": "capacity", "place": "delay", "admit": {"capacity": {"maximum-system-jobs": 7, "init-poll-interval": "3s", "init-worker-threads": 5}}}`,
			policy.CanRank | policy.CanPlace | policy.CanAdmit, 0, 0},
	} {
		got, errs := combine(c.text)
		if errs != nil {
			t.Errorf("%s: %v", c.text, errs)
			continue
		}
		e, params := got.Entry()
		if e.Name != c.name || e.Can != c.can || e.Promises != c.promises || e.NeedsWith(params) != c.needs {
			t.Errorf("%s: %s, can %v, promises %d, needs %v", c.text, e.Name, e.Can, e.Promises, e.NeedsWith(params))
		}
		if text := strings.Join(strings.Fields(string(strict.Encode(got).JSON(""))), " "); text != c.again {
			t.Errorf("%s is written as\n%s, want\n%s", c.text, text, c.again)
		}
		if again, errs := combine(c.again); errs != nil || again.Name() != got.Name() {
			t.Errorf("%s: read again %v, %v", c.again, again, errs)
		}
		if problems := params.(policy.Validator).Validate(); problems != nil {
			t.Errorf("%s: %v", c.text, problems)
		}
		if _, divides := params.(policy.Divider); divides != (c.can&policy.CanPartition != 0) {
			t.Errorf("%s divides the cluster: %t", c.text, divides)
		}
		env := &policy.Env{Cluster: cluster.New(racks(model.Slots, 1, 4, model.Room{2, 2})), Sizes: sizes{}}
		env.Blocks = hdfs.NewStore(env.Cluster.Topology, 1, nil, 1)
		if p, err := e.New(env, params); err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if can := policy.Drive(env, p).Can(); can != c.can&(policy.CanRank|policy.CanAdmit|policy.CanPlaceData|policy.CanSlowStart|policy.CanGateShuffle) {
			t.Errorf("%s can %v", c.text, can)
		}
	}
}

func TestCombinationRefuses(t *testing.T) {
	const orders = "fifo, fair, srpt, sptp, edf, deadline-min, deadline-max, fbq, sita, comp, capacity, corral, jobpacker, hybrid"
	for text, want := range map[string]string{
		"fifo":                       `s.yaml:1:9: policy: wrong type; found "fifo"; allowed: {order: {NAME: {PARAMETER: VALUE}}} and, as wanted, place, partition, admit, data in the same way`,
		"{}":                         "s.yaml:1:9: policy.order: missing field; found roles without an order; allowed: one of " + orders,
		"{place: delay}":             "s.yaml:1:9: policy.order: missing field; found roles without an order; allowed: one of " + orders,
		"{order: fifo, plaec: x}":    `s.yaml:1:23: policy.plaec: unknown field; found "plaec"; allowed: order, place, partition, admit, data; did you mean "place"?`,
		"{order: fiof}":              `s.yaml:1:17: policy.order: bad value; found "fiof"; allowed: one of ` + orders + `, or a mapping of the name to its parameters; did you mean "fifo"?`,
		"{order: {fiar: {by: job}}}": `s.yaml:1:18: policy.order.fiar: unknown field; found "fiar"; allowed: one of ` + orders + `, or a mapping of the name to its parameters; did you mean "fair"?`,
		"{order: delay}":             `s.yaml:1:17: policy.order: bad value; found "delay", which can play the role "place"; allowed: one of ` + orders + `, or a mapping of the name to its parameters`,
		"{order: [fifo]}":            "s.yaml:1:17: policy.order: wrong type; found a list; allowed: one of " + orders + ", or a mapping of the name to its parameters",
		"{order: {fifo: , fair: }}":  `s.yaml:1:26: policy.order: a second order; found "fair"; allowed: one order`,
		"{order: {fifo: {x: 1}}}":    "s.yaml:1:24: policy.order.fifo: unknown field; found parameters; allowed: none: fifo has no parameters",
		"{order: fifo, place: {delay: {node-skip: 3}}}":   `s.yaml:1:39: policy.place.delay.node-skip: unknown field; found "node-skip"; allowed: node-skips, rack-skips, node-wait, rack-wait; did you mean "node-skips"?`,
		"{order: fifo, place: {delay: {node-skips: -3}}}": "s.yaml:1:51: policy.place.delay.node-skips: out of bounds; found -3; allowed: at least 0",
		"{order: fifo, partition: parts}": "s.yaml:1:34: policy.partition: impossible value; found parts with the order fifo, which has no queues to give parts to; " +
			"allowed: partition: whole, or parts with an order of fbq, sita, comp",
		"{order: fair, admit: {capacity: {}}, partition: parts}": "s.yaml:1:30: policy.admit: impossible value; found capacity with the order fair, which has no limits on the jobs of its queues; " +
			"allowed: admit: all, or capacity with an order of capacity\n" +
			"s.yaml:1:57: policy.partition: impossible value; found parts with the order fair, which has no queues to give parts to; allowed: partition: whole, or parts with an order of fbq, sita, comp",
		"{order: {fbq: {limits: [1s, 2s]}}, partition: parts}": "s.yaml:1:55: policy.partition.parts.capacities: impossible value; found 2 capacities for 3 queues of the order fbq; allowed: one capacity for each queue",
		"{order: fiof, place: far, admit: capacity}": `s.yaml:1:17: policy.order: bad value; found "fiof"; allowed: one of ` + orders + `, or a mapping of the name to its parameters; did you mean "fifo"?` + "\n" +
			`s.yaml:1:30: policy.place: bad value; found "far"; allowed: one of local, delay, chances, shufflewatcher, nas, planned, or a mapping of the name to its parameters`,
	} {
		if _, errs := combine(text); errs.Error() != want {
			t.Errorf("%s:\n%v\nwant\n%s", text, errs, want)
		}
	}
}

// What the parameters of a role cannot be is said where it stands; a combination made by hand is held to
// the same rules, and is not built.
func TestCombinationValidates(t *testing.T) {
	named := func(problems []model.Problem) (paths []string) {
		for _, p := range problems {
			paths = append(paths, p.Path)
		}
		return paths
	}
	c, errs := combine("{order: {fbq: {limits: [2s, 1s]}}}")
	if got := named(c.Validate()); errs != nil || len(got) != 1 || got[0] != "order.fbq.limits[1]" {
		t.Errorf("%v, %v", got, errs)
	}
	c, _ = combine("{order: {capacity: {queues: [{name: a, capacity: 100}]}}}")
	if got := named(c.ValidateQueues([]string{"a", "b"})); len(got) != 1 || got[0] != "order.capacity.queues" {
		t.Errorf("%v", got)
	}
	c, _ = combine("{order: fbq, partition: {parts: {partition: slots}}}")
	if got := named(c.ValidateOn(racks(model.Containers, 1, 4, model.Room{2}), nil)); len(got) != 1 || got[0] != "partition.parts.partition" {
		t.Errorf("%v", got)
	}
	for _, c := range []policies.Combination{
		{},
		{Order: policies.Choice{Name: "fiof"}},
		{Order: policies.Choice{Name: "fifo"}, Partition: policies.Choice{Name: "parts"}},
		{Order: policies.Choice{Name: "fifo"}, Admit: policies.Choice{Name: "capacity"}},
	} {
		e, params := c.Entry()
		if len(c.Validate()) == 0 {
			t.Errorf("%+v is sound", c)
		}
		if _, err := e.New(&policy.Env{Cluster: cluster.New(racks(model.Slots, 1, 1, model.Room{1, 1}))}, params); err == nil {
			t.Errorf("%+v is built", c)
		}
	}
}

// What a preset can do, promises and needs follows from its roles.
func TestPresets(t *testing.T) {
	const rank, both = policy.CanRank | policy.CanPlace, policy.WorkConserving | policy.StarvationFree
	want := map[string]struct {
		roles    string
		can      policy.Can
		promises policy.Promise
		needs    policy.Need
	}{
		"fifo":         {"fifo", rank, both, 0},
		"fair":         {"fair", rank, both, 0},
		"delay":        {"fair+delay", rank, policy.StarvationFree, 0},
		"srpt":         {"srpt", rank, policy.WorkConserving, policy.KnownSizes},
		"sptp":         {"sptp", rank, policy.WorkConserving, policy.KnownSizes},
		"edf":          {"edf", rank, policy.WorkConserving, 0},
		"deadline-min": {"deadline-min", rank, policy.StarvationFree, 0},
		"deadline-max": {"deadline-max", rank, both, 0},
		"fbq":          {"fbq", rank, policy.WorkConserving, 0},
		"tags":         {"fbq+parts", rank | policy.CanPartition, 0, 0},
		"sita":         {"sita+parts", rank | policy.CanPartition, 0, 0},
		"comp":         {"comp", rank, policy.WorkConserving, 0},
		"capacity":     {"capacity+chances+capacity", rank | policy.CanAdmit, 0, 0},

		"shufflewatcher": {"fair+shufflewatcher", rank, policy.StarvationFree, policy.LinkLoads},
		"nas":            {"fair+nas", rank | policy.CanSlowStart, 0, policy.LinkLoads},
		"corral":         {"corral+planned+planned", rank | policy.CanPlaceData, 0, policy.Forecasts},
		"jobpacker":      {"jobpacker+planned+planned", rank | policy.CanPlaceData | policy.CanGateShuffle, 0, policy.Forecasts},
		"hybrid":         {"hybrid+by-class", rank | policy.CanPartition | policy.CanPlaceData, 0, 0},
	}
	for i := range policies.All {
		e := &policies.All[i]
		w, ok := want[e.Name]
		c, preset := policies.Preset(e.Name)
		if !ok || !preset || c.Name() != w.roles || e.Can != w.can || e.Promises != w.promises || e.Needs != w.needs {
			t.Errorf("%s: roles %s, can %v, promises %d, needs %v", e.Name, c.Name(), e.Can, e.Promises, e.Needs)
		}
		if problems := c.Validate(); problems != nil {
			t.Errorf("%s: %v", e.Name, problems)
		}
	}
	if _, ok := policies.Preset("none"); ok {
		t.Error("a preset that is not there")
	}
}

// Every role says what help and docs need.
func TestTables(t *testing.T) {
	for _, table := range policies.Tables {
		if _, ok := table.Find(table.Default); ok != (table.Default != "") || table.Summary == "" {
			t.Errorf("%s: default %q", table.Role, table.Default)
		}
		for _, role := range table.Table {
			if role.Name == "" || role.Summary == "" || role.Source == "" || (role.Orders == nil) != (role.Why == "") {
				t.Errorf("%s %s leaves something out: %+v", table.Role, role.Name, role)
			}
			if role.Params != nil {
				strict.Fields(role.Params()) // its tags are sound
			}
		}
	}
}

// An order that plans racks only if told so goes with places that follow plans only then, and what hybrid asks of a cluster
// it asks as a role too.
func TestHybridRoles(t *testing.T) {
	for text, want := range map[string]string{
		"{order: {hybrid: {order: corral}}, place: planned}": "",
		"{order: {hybrid: {order: fifo}}, place: planned}":   "planned with the order hybrid, which plans no racks",
	} {
		c, errs := combine(text)
		if problems := c.Validate(); (want == "") != (errs == nil) || len(errs) != len(problems) || want != "" && problems[0].Found != want {
			t.Errorf("%s: %v, %v", text, errs, problems)
		}
	}
	c, _ := combine("{order: hybrid, data: by-class}")
	mixed := &model.Topology{Model: model.Containers, Racks: 1, Nodes: []model.Node{{}, {Class: 1}},
		Classes: []model.NodeClass{{Name: "scale-up", Room: model.Room{9}}, {Name: "scale-out", Room: model.Room{9}}}}
	_, params := c.Entry()
	if got := params.(policy.SiteValidator).ValidateOn(mixed, nil); len(got) != 1 || got[0].Path != "order.hybrid.scale-up" {
		t.Errorf("kinds that share a rack: %v", got)
	}
	if got := params.(policy.ReplicaValidator).ValidateReplicas(mixed, 1); len(got) != 1 || got[0].Path != "data.by-class" || !strings.Contains(got[0].Found, "without the second") {
		t.Errorf("one replica: %v", got)
	}
	if got := params.(policy.ReplicaValidator).ValidateReplicas(mixed, 3); got != nil {
		t.Errorf("three replicas: %v", got)
	}
}
