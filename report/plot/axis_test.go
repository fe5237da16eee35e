// SPDX-License-Identifier: Apache-2.0

package plot

import (
	"strings"
	"testing"
)

// Ticks are round numbers within the scale.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis      Axis
		low, high float64
		want      string
	}{
		{Axis{}, 0, 10, "0 2 4 6 8 10"},
		{Axis{}, 0, 36000, "0 10,000 20,000 30,000"},
		{Axis{}, -1, 1, "-1 -0.5 0 0.5 1"},
		{Axis{Log: true}, 10, 100000, "10 100 1,000 10,000 100,000"},
		{Axis{Log: true}, 1, 50, "1 2 5 10 20 50"},
	} {
		s := NewScale(c.axis, 0, 100)
		s.Include(c.low)
		s.Include(c.high)
		var texts []string
		for _, k := range s.Ticks(6) {
			texts = append(texts, k.Text)
		}
		if got := strings.Join(texts, " "); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
