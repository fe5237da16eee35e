// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"
)

// Planned bars stand above those that ran, each rack below the one before it; the longest are drawn first.
func TestRackChart(t *testing.T) {
	c := &RackChart{Racks: 2, Bars: []RackBar{{Rack: 1, Name: "sort, maps", Planned: true, From: 0, To: 50}, {Rack: 1, Name: "sort, maps", From: 25, To: 100},
		{Rack: 0, Name: "a<b, reduces", Reduces: true, From: 99, To: 100}}}
	v := newRackView(c)
	if len(v.Bars) != 3 || v.Bars[0].Class != "maps" || v.Bars[1].Class != "maps planned" || v.Bars[2].Class != "reduces" {
		t.Fatalf("bars %+v", v.Bars)
	}
	ran, planned := v.Bars[0], v.Bars[1]
	if planned.X != rackLeft || planned.Y != rackStep || ran.Y <= planned.Y || ran.Y+ran.H > planned.Y+rackStep || ran.X+ran.W > v.Width {
		t.Errorf("planned at %+v, ran at %+v of %g", planned, ran, v.Width)
	}
	var b strings.Builder
	if err := Write(&b, &Page{Title: "x", Course: c}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Plan and run, rack by rack", "a&lt;b, reduces: ran from", "rack 1</text>"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("the page has no %q", text)
		}
	}
	if newRackView(nil) != nil || newRackView(&RackChart{Racks: 3}) != nil {
		t.Error("nothing is drawn")
	}
	many := &RackChart{Racks: 1, Bars: make([]RackBar, mostRackBars+5)}
	if v := newRackView(many); len(v.Bars) != mostRackBars || v.Left != 5 {
		t.Errorf("%d bars, %d left", len(v.Bars), v.Left)
	}
}
