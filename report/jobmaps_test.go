// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/report/plot"
)

// Maps of jobs are a section of the page, and it is there only with them.
func TestMaps(t *testing.T) {
	p := madePage(40, 1)
	for _, want := range []bool{false, true} {
		if want {
			p.Maps = []plot.Chart{{Name: "map-hybrid", Title: "Jobs under hybrid", Text: "Dots are jobs.", Series: []plot.Series{
				{Name: "small", Mark: plot.Dots, Points: []plot.Point{{X: 1, Y: 1}, {X: 3, Y: 2}}},
				{Name: "stolen", Mark: plot.Rings, Points: []plot.Point{{X: 3, Y: 2}}}}}}
		}
		var b strings.Builder
		if err := Write(&b, p); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{`id="map-hybrid"`, `<p>Dots are jobs.</p>`, `class="point s0"`, `class="rings s1"`, `svg.plot .rings {`, `<span class="key ring">stolen</span>`} {
			if strings.Contains(b.String(), part) != want {
				t.Errorf("with maps %t: %s", want, part)
			}
		}
	}
}
