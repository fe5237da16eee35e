// SPDX-License-Identifier: Apache-2.0

package circuits

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/internal/matching"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

const sec = model.Second

// Two circuits of three racks: 0>1 is made at 1 s, up at 2 s, carries until 5 s and again from 6 s to its end at 8 s; 0>2
// is made then, up at 9 s, and carries to the end of the run at 10 s.
func TestLog(t *testing.T) {
	l := NewLog(3)
	for _, e := range []record.Event{
		{Time: 1 * sec, Count: 1, Circuit: record.CircuitSwitching},
		{Time: 2 * sec, Count: 1, Circuit: record.CircuitCarrying, Length: sec * 3 / 2},
		{Time: 5 * sec, Count: 1, Circuit: record.CircuitIdle, Bytes: 30},
		{Time: 6 * sec, Count: 1, Circuit: record.CircuitCarrying},
		{Time: 8 * sec, Count: 1, Circuit: record.CircuitOff, Bytes: 20},
		{Time: 8 * sec, Count: 2, Circuit: record.CircuitSwitching},
		{Time: 9 * sec, Count: 2, Circuit: record.CircuitCarrying, Length: 4 * sec},
	} {
		l.Record(&e)
	}
	r := l.Run(10 * sec)
	want := []Connection{{0, 1, 1 * sec, 2 * sec, 8 * sec, 5 * sec, sec * 3 / 2, 50}, {0, 2, 8 * sec, 9 * sec, 10 * sec, sec, 4 * sec, 0}}
	for i, c := range r.Connections {
		if i >= len(want) || c != want[i] {
			t.Errorf("connection %d: %+v", i, c)
		}
	}
	if len(r.Connections) != 2 || r.Switched != 2 || r.Waits != 2 || r.Waited != sec*11/2 || r.Longest != 4*sec || r.Carrying() != 6*sec {
		t.Errorf("%+v", r)
	}
}

// A circuit that is still being made when the run ends was never up.
func TestUnfinished(t *testing.T) {
	l := NewLog(2)
	l.Record(&record.Event{Time: 9 * sec, Count: 1, Circuit: record.CircuitSwitching})
	if c := l.Run(10 * sec).Connections[0]; c.Up != 10*sec || c.Down != 10*sec || c.Carrying != 0 {
		t.Errorf("%+v", c)
	}
}

// The matrices of figure 4.3 of diverse-2018, and simpler ones.
func TestProperties(t *testing.T) {
	for _, c := range []struct {
		name   string
		racks  int
		demand []model.Bytes
		want   Properties
	}{
		{"nothing", 2, make([]model.Bytes, 4), Properties{}},
		{"no matrix", 0, nil, Properties{}},
		{"within racks alone", 2, []model.Bytes{5, 0, 0, 5}, Properties{}},
		{"one pair", 2, []model.Bytes{9, 5, 0, 0}, Properties{1, 0.5, 0.5}},
		{"4.3 (a)", 4, []model.Bytes{2000, 2000, 2000, 2000, 250, 250, 250, 250, 125, 125, 125, 125, 125, 125, 125, 125}, Properties{1. / 3, 0, 7500. / 4 / 6000}},
		{"4.3 (b)", 4, []model.Bytes{625, 625, 625, 625, 625, 625, 625, 625, 625, 625, 625, 625, 625, 625, 625, 625}, Properties{1. / 3, 0, 1}},
		{"huge", 2, []model.Bytes{0, 4 * matching.Heaviest, 4 * matching.Heaviest, 0}, Properties{1, 0, 1}},
	} {
		p := PropertiesOf(c.racks, c.demand)
		if math.Abs(p.Skewness-c.want.Skewness)+math.Abs(p.Sparsity-c.want.Sparsity)+math.Abs(p.Balance-c.want.Balance) > 1e-12 {
			t.Errorf("%s: %+v, want %+v", c.name, p, c.want)
		}
	}
}
