// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/reproduce"
)

// TestStudy: the runs of several comparisons are numbered through. A comparison that is made twice, such as that of a reading
// which is the paper's own, is run once, and each gets the values of its own runs.
func TestStudy(t *testing.T) {
	p := Papers{Names: []string{"deadline-2010", "marp-2019"}, Trial: reproduce.Trial{Seeds: 2}}
	s, inputs, err := p.study()
	if err != nil || len(inputs) != 0 {
		t.Fatal(inputs, err)
	}
	var measured [][]float64
	for i := range s.Parts {
		for k := range s.Parts[i].Count {
			part, run := s.at(len(measured))
			if part != &s.Parts[i] || run != k || s.Width(len(measured)) != part.Numbers {
				t.Fatalf("run %d is run %d of %s with %d numbers", len(measured), run, part.Name, s.Width(len(measured)))
			}
			measured = append(measured, []float64{float64(1000*i + k)})
		}
	}
	if len(measured) != s.Runs() {
		t.Errorf("%d runs, not %d", s.Runs(), len(measured))
	}
	listed := 0
	for _, paper := range p.Names {
		parts, err := s.list(paper)
		if err != nil {
			t.Fatal(err)
		}
		for i := range parts {
			listed++
			c, err := parts[i].Contest()
			if err != nil {
				t.Fatal(err)
			}
			values, err := s.values(c, func(run int) []float64 { return measured[run] })
			if err != nil || len(values) != c.Runs() {
				t.Fatalf("%s: %d values, %v", parts[i].Name, len(values), err)
			}
			identity := c.Identity("")
			for k, v := range values {
				if of := &s.Parts[int(v[0])/1000]; of.Contest != identity || int(v[0])%1000 != k {
					t.Fatalf("%s, run %d: got run %v of %s", parts[i].Name, k, int(v[0])%1000, of.Name)
				}
			}
		}
	}
	if listed <= len(s.Parts) {
		t.Errorf("%d comparisons, %d of them different; some readings are the paper's own", listed, len(s.Parts))
	}

	last := len(s.Parts) - 1
	if _, err := s.find(s.Runs() - 1); err != nil {
		t.Error(err)
	}
	s.Parts[last].Contest = s.Parts[0].Contest
	if _, err := s.find(s.Runs() - 1); err == nil || !strings.Contains(err.Error(), "is not the one of the command") {
		t.Error(err)
	}
	s.Parts[last].Index = 99
	if _, err := s.find(s.Runs() - 1); err == nil || !strings.Contains(err.Error(), "does not know it") {
		t.Error(err)
	}
}
