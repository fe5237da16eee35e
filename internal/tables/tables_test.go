// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/attempts"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

func attempt(job model.JobID, node model.NodeID, start, end float64) attempts.Attempt {
	return attempts.Attempt{Task: model.Task{Job: job, Kind: model.Map}, Node: node, Outcome: attempts.Done, Start: model.Seconds(start), End: model.Seconds(end)}
}

// Two attempts share a node for a half of the first column, one goes on: 1.5 and 1 running on average.
func TestUseMap(t *testing.T) {
	all := []attempts.Attempt{attempt(0, 1, 0, 2), attempt(1, 1, 0, 0.5)}
	h := useMap("Use", "node", 2, all, func(n model.NodeID) int { return int(n) }, model.Seconds(mapColumns))
	if len(h.Rows) != 2 || len(h.Cols) != mapColumns || h.Values[1][0] != 1.5 || h.Values[1][1] != 1 || h.Values[1][2] != 0 || h.Values[0][0] != 0 {
		t.Errorf("%v: %v", h.Rows, h.Values[1][:3])
	}
	many := useMap("Use", "rack", 3*mostMapRows, nil, func(model.NodeID) int { return 0 }, model.Seconds(1))
	if len(many.Rows) != mostMapRows || !strings.Contains(many.Text, "One rack in 3 is drawn.") {
		t.Errorf("%d rows: %s", len(many.Rows), many.Text)
	}
}

// Attempts that overlap are in slots of their own, one that begins when another ends takes its slot; what was killed is pale;
// colours are those of queues in the order of their names.
func TestLanes(t *testing.T) {
	run := &metrics.Run{Jobs: []metrics.Job{{ID: 0, Name: "a", Queue: "prod"}, {ID: 1, Name: "b", Queue: "dev"}}}
	all := []attempts.Attempt{attempt(0, 0, 0, 10), attempt(1, 0, 5, 15), attempt(1, 0, 10, 20), attempt(0, 1, 0, 1)}
	all[1].Outcome = attempts.Dropped
	s := lanes(all, run, 2)
	var rows []string
	for _, r := range s.Rows {
		rows = append(rows, fmt.Sprint(r.Name, " ", len(r.Spans)))
	}
	if want := []string{"node 0, slot 0 2", "node 0, slot 1 1", "node 1, slot 0 1"}; !slices.Equal(rows, want) {
		t.Fatalf("rows %q, want %q", rows, want)
	}
	if !slices.Equal(s.Kinds, []string{"dev", "prod"}) {
		t.Errorf("kinds %q", s.Kinds)
	}
	first, second, dropped := s.Rows[0].Spans[0], s.Rows[0].Spans[1], s.Rows[1].Spans[0]
	if first.Kind != 1 || second.Kind != 0 || first.Pale || !dropped.Pale || second.From != 10 || second.To != 20 || !strings.HasPrefix(first.Tip, "a, map 0") {
		t.Errorf("%+v\n%+v\n%+v", first, second, dropped)
	}
	if empty := lanes(nil, &metrics.Run{}, 1); len(empty.Kinds) != 1 || len(empty.Rows) != 0 {
		t.Errorf("%+v", empty)
	}
}

// Nodes are left out by the budget of bars, and it is said how many.
func TestLanesAreThinned(t *testing.T) {
	var all []attempts.Attempt
	for i := range 2*mostBars - 1 {
		all = append(all, attempt(0, model.NodeID(i%100), float64(i), float64(i+1)))
	}
	s := lanes(all, &metrics.Run{Jobs: []metrics.Job{{ID: 0}}}, 100)
	bars := 0
	for _, r := range s.Rows {
		bars += len(r.Spans)
	}
	if bars > mostBars || !strings.Contains(s.Text, "50 of 100 nodes are drawn") || s.Kinds[0] != "(no queue)" {
		t.Errorf("%d bars: %s %q", bars, s.Text, s.Kinds)
	}
}

// The columns of a map begin where their labels say, to half a column: no two have one label, however long the run is.
func TestClock(t *testing.T) {
	per := map[string]float64{"s": 1, "min": 60, "h": 3600}
	for _, end := range []float64{0.3, 1, 59, 96, 599, 600, 960, 1021.3, 7199, 7200, 86400, 9e5} {
		h, seen := useMap("Use", "node", 1, nil, nil, model.Seconds(end)), map[string]bool{}
		for c, label := range h.Cols {
			var v float64
			var unit string
			if _, err := fmt.Sscan(label, &v, &unit); err != nil || seen[label] || math.Abs(v*per[unit]-end*float64(c)/mapColumns) > 0.501*end/mapColumns {
				t.Errorf("column %d of a run of %g s is %q: %v", c, end, label, err)
			}
			seen[label] = true
		}
	}
	if got := []string{clock(0, 12.5), clock(637.5, 12.5), clock(3600, 75)}; !slices.Equal(got, []string{"0.0 min", "10.6 min", "1.00 h"}) {
		t.Errorf("%q", got)
	}
}

// The table of all seeds has policies and seeds in their order, whatever order the runs ended in, and observers that were
// there before still see every run.
func TestAllSeeds(t *testing.T) {
	w := &Writer{AllSeeds: true}
	seen := 0
	opt := experiment.Options{Observe: func(int, int, *metrics.Group) { seen++ }}
	w.Watch(&opt)
	for _, at := range [][2]int{{1, 1}, {0, 1}, {1, 0}, {0, 0}} {
		opt.Observe(at[0], at[1], &metrics.Group{Jobs: []*metrics.Job{{ID: model.JobID(10*at[0] + at[1]), Name: "=1+2"}}})
	}
	slow := scenario.Named("fair", nil)
	slow.As = "fair, slow"
	c := &experiment.Comparison{Policies: []scenario.PolicyChoice{scenario.Named("fifo", nil), slow}, Seeds: []uint64{7, 8}}
	var b bytes.Buffer
	if err := w.writeAll(&b, c); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 5 || seen != 4 {
		t.Fatalf("%d rows, %d runs seen: %v", len(rows), seen, err)
	}
	var got []string
	for _, r := range rows[1:] {
		got = append(got, strings.Join(r[:4], " "))
	}
	if want := []string{"fifo 7 0 '=1+2", "fifo 8 1 '=1+2", "fair, slow 7 10 '=1+2", "fair, slow 8 11 '=1+2"}; !slices.Equal(got, want) || rows[0][0] != "policy" || rows[0][1] != "seed" || rows[0][2] != "id" {
		t.Errorf("%q\n%q", rows[0][:4], got)
	}
}

// Attempts are recorded on request, of the first seed alone.
func TestWatchesTasksOfTheFirstSeed(t *testing.T) {
	w := &Writer{}
	opt := experiment.Options{}
	w.Watch(&opt)
	if opt.Record != nil || opt.Observe != nil {
		t.Error("something is recorded that nobody asked for")
	}
	w = &Writer{Flags: Flags{Tasks: true}}
	w.Watch(&opt)
	if opt.Record(1, 0) == nil || opt.Record(1, 1) != nil || w.logs[1] == nil || w.logs[0] != nil {
		t.Errorf("logs %v", w.logs)
	}
}
