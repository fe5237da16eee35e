// SPDX-License-Identifier: Apache-2.0

package racks

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/circuits"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Two racks for 8 s in four buckets. The circuit of rack 0 is made at 1 s, up from 2 s to 6 s and carries half of that.
func TestCircuitRows(t *testing.T) {
	second := model.Second
	r := &metrics.Run{Circuits: &circuits.Run{Racks: 2, Longest: 3 * second, Connections: []circuits.Connection{
		{From: 0, To: 1, Made: second, Up: 2 * second, Down: 6 * second, Carrying: 2 * second, Bytes: 10},
		{From: 1, To: 0, Made: 7 * second, Up: 8 * second, Down: 8 * second},
	}}, Traffic: &record.Traffic{Racks: 2, Bytes: []model.Bytes{5, 40, 0, 0}, Over: []model.Bytes{0, 10, 0, 0}}}
	d := NewCircuits(r, 40, 4)
	if d.Racks != 2 || d.PerRow != 1 || d.Width != 2 || len(d.Rows) != 2 || d.Bytes != 10 || d.Longest != 3 {
		t.Fatalf("%+v", d)
	}
	want := []struct{ carrying, idle, switching float64 }{{0, 0, 0.5}, {0.5, 0.5, 0}, {0.5, 0.5, 0}, {0, 0, 0}}
	for k, w := range want {
		row := d.Rows[0]
		if math.Abs(row.Carrying[k]-w.carrying)+math.Abs(row.Idle[k]-w.idle)+math.Abs(row.Switching[k]-w.switching) > 1e-12 {
			t.Errorf("bucket %d: %v carrying, %v idle, %v being switched; want %v", k, row.Carrying[k], row.Idle[k], row.Switching[k], w)
		}
	}
	if to := d.Rows[0].To; to[0] != -1 || to[1] != 1 || to[2] != 1 || d.Rows[1].To[3] != -1 || d.Rows[1].Switching[3] != 0.5 {
		t.Errorf("to racks %v; %+v", to, d.Rows[1])
	}
	if d.Skewness != 1 || d.Sparsity != 0.5 || d.Balance != 0.5 || len(d.Over) != 4 || d.Over[1] != 10 {
		t.Errorf("%+v", d)
	}
	if NewCircuits(&metrics.Run{}, 40, 4).Rows != nil {
		t.Error("a run without circuits has some")
	}
}

// 81 racks are drawn in 27 rows of three, each with the mean of its racks.
func TestCircuitsOfManyRacks(t *testing.T) {
	c := &circuits.Run{Racks: 81}
	for from := range 3 {
		c.Connections = append(c.Connections, circuits.Connection{From: from, To: 80, Down: model.Second, Carrying: model.Second / 2})
	}
	d := NewCircuits(&metrics.Run{Circuits: c}, 40, 1)
	if len(d.Rows) != 27 || d.PerRow != 3 || d.Rows[0].Carrying[0] != 0.5 || d.Rows[0].To[0] != 80 || d.Rows[1].To[0] != -1 {
		t.Errorf("%d rows of %d, first %+v", len(d.Rows), d.PerRow, d.Rows[0])
	}
}
