// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
)

// RackChart is a plan of racks beside what happened: a Gantt chart for each rack.
type RackChart struct {
	Racks int
	Bars  []RackBar
}

// RackBar is the tasks of a job of one kind in a rack, as planned or as they ran, in seconds.
type RackBar struct {
	Rack             int
	Name             string
	Reduces, Planned bool
	From, To         float64
}

// mostRackBars is how many bars a page draws; the longest are kept.
const mostRackBars = 4000

// rackView is the chart laid out: each rack has a line of planned bars above a line of those that ran.
type rackView struct {
	Width, Height float64
	Labels, Ticks []tick
	Bars          []rackBarView
	Left          int // bars that are not drawn
}

type rackBarView struct {
	bar
	Class string
}

const rackLeft, rackLine, rackStep = 46.0, 9.0, 24.0

// newRackView lays a chart out; nil if there is nothing to draw.
func newRackView(c *RackChart) *rackView {
	if c == nil || len(c.Bars) == 0 {
		return nil
	}
	list, end := slices.Clone(c.Bars), 0.0
	for i := range list {
		end = max(end, list[i].To)
	}
	slices.SortStableFunc(list, func(a, b RackBar) int { return cmp.Compare(b.To-b.From, a.To-a.From) }) // short ones on top
	v := &rackView{Width: 2 * chartWidth, Height: rackStep*float64(c.Racks) + 20, Left: max(0, len(list)-mostRackBars)}
	scale := (v.Width - rackLeft) / max(end, 1e-9)
	for _, b := range list[:len(list)-v.Left] {
		class, y := "maps", rackStep*float64(b.Rack)
		if b.Reduces {
			class = "reduces"
		}
		word := "ran"
		if b.Planned {
			class, word = class+" planned", "planned"
		} else {
			y += rackLine + 1
		}
		v.Bars = append(v.Bars, rackBarView{bar{round1(rackLeft + b.From*scale), y, max(round1((b.To-b.From)*scale), 0.5), rackLine,
			fmt.Sprintf("%s: %s from %s to %s", b.Name, word, Amount(b.From, "s"), Amount(b.To, "s"))}, class})
	}
	for r := range c.Racks {
		v.Labels = append(v.Labels, tick{0, rackStep*float64(r) + rackLine + 4, fmt.Sprintf("rack %d", r)})
	}
	for i := range 5 {
		at := end * float64(i) / 4
		v.Ticks = append(v.Ticks, tick{round1(min(rackLeft+at*scale, v.Width-50)), v.Height - 4, Amount(at, "s")})
	}
	return v
}
