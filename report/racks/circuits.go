// SPDX-License-Identifier: Apache-2.0

package racks

import (
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/circuits"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report/packed"
)

// Circuits is what circuits between racks did under one policy. Row r stands for PerRow neighbouring racks that send,
// or as many as are left. It is empty where there were none.
type Circuits struct {
	Racks  int          `json:"racks"`
	PerRow int          `json:"perRow"`
	Width  packed.Num   `json:"width"` // seconds of a bucket
	Rows   []CircuitRow `json:"rows"`
	Over   packed.Nums  `json:"over"` // bytes over circuits from row to row: number from*rows+to

	Bytes    packed.Num `json:"bytes"` // over circuits
	Longest  packed.Num `json:"longest"`
	Skewness packed.Num `json:"skewness"` // of all that went between racks
	Sparsity packed.Num `json:"sparsity"` // of what went over circuits
	Balance  packed.Num `json:"balance"`  // the same
}

// CircuitRow is the circuits of one row over time: shares of the time of a bucket.
type CircuitRow struct {
	To        []int           `json:"to"` // the rack that most of it carried to, -1 if none
	Carrying  packed.Percents `json:"carrying"`
	Idle      packed.Percents `json:"idle"`
	Switching packed.Percents `json:"switching"`
}

// NewCircuits takes what the page draws of a run's circuits, in at most these numbers of rows and buckets.
func NewCircuits(r *metrics.Run, rackRows, buckets int) Circuits {
	c := r.Circuits
	if c == nil {
		return Circuits{}
	}
	end := model.Time(0)
	for i := range c.Connections {
		end = max(end, c.Connections[i].Down)
	}
	width := max((end+model.Time(buckets)-1)/model.Time(buckets), model.Millisecond)
	d := Circuits{Racks: c.Racks, PerRow: (c.Racks + rackRows - 1) / rackRows, Width: packed.Num(width.Seconds()), Longest: packed.Num(c.Longest.Seconds())}
	rows := (c.Racks + d.PerRow - 1) / d.PerRow
	drawers := make([]circuitDrawer, rows)
	for i := range drawers {
		drawers[i] = newCircuitDrawer(width, int(end/width)+1, c.Racks)
	}
	for i := range c.Connections {
		drawers[c.Connections[i].From/d.PerRow].add(&c.Connections[i])
	}
	for i := range drawers {
		racks := min(d.PerRow, c.Racks-i*d.PerRow)
		d.Rows = append(d.Rows, drawers[i].row(racks))
	}
	if t := r.Traffic; t != nil && t.Over != nil {
		d.Over = make(packed.Nums, rows*rows)
		for i, bytes := range t.Over {
			d.Over[i/t.Racks/d.PerRow*rows+i%t.Racks/d.PerRow] += float64(bytes)
			d.Bytes += packed.Num(bytes)
		}
		over := circuits.PropertiesOf(t.Racks, t.Over)
		d.Skewness, d.Sparsity, d.Balance = packed.Num(circuits.PropertiesOf(t.Racks, t.Bytes).Skewness), packed.Num(over.Sparsity), packed.Num(over.Balance)
	}
	return d
}

// circuitDrawer adds connections up over time.
type circuitDrawer struct {
	width                     model.Time
	racks                     int
	carrying, idle, switching []float64
	to                        []map[int]float64 // by bucket: how much went to each rack
}

func newCircuitDrawer(width model.Time, buckets, racks int) circuitDrawer {
	return circuitDrawer{width: width, racks: racks, carrying: make([]float64, buckets), idle: make([]float64, buckets), switching: make([]float64, buckets), to: make([]map[int]float64, buckets)}
}

// add adds a connection. How its time was divided between carrying and idling is known for the whole of it only.
func (d *circuitDrawer) add(c *circuits.Connection) {
	busy := 0.0
	if c.Down > c.Up {
		busy = float64(c.Carrying) / float64(c.Down-c.Up)
	}
	for k := int(c.Made / d.width); k <= int(c.Down/d.width) && k < len(d.carrying); k++ {
		from, to := model.Time(k)*d.width, model.Time(k+1)*d.width
		inside := func(a, b model.Time) float64 { return max(0, float64(min(b, to)-max(a, from))) / float64(d.width) }
		up := inside(c.Up, c.Down)
		d.switching[k] += inside(c.Made, c.Up)
		d.carrying[k] += up * busy
		d.idle[k] += up * (1 - busy)
		if up > 0 {
			if d.to[k] == nil {
				d.to[k] = map[int]float64{}
			}
			d.to[k][c.To] += up
		}
	}
}

// row returns the row for a number of racks.
func (d *circuitDrawer) row(racks int) CircuitRow {
	r := CircuitRow{To: make([]int, len(d.to))}
	for k, list := range d.to {
		r.To[k] = -1
		most := 0.0
		for to := range d.racks {
			if share := list[to]; share > most {
				most, r.To[k] = share, to
			}
		}
	}
	for _, list := range [][]float64{d.carrying, d.idle, d.switching} {
		for k := range list {
			list[k] = min(1, list[k]/float64(racks))
		}
	}
	r.Carrying, r.Idle, r.Switching = d.carrying, d.idle, d.switching
	return r
}
