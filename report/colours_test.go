// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// colour is a colour of the style sheet in one scheme.
type colour struct {
	name string
	rgb  [3]float64 // linear
}

// coloursOf returns the colours whose names have the prefix, in the light and in the dark scheme.
func coloursOf(t *testing.T, prefix string) (schemes [2][]colour) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^  --(`+prefix+`[\w-]*): light-dark\(#(\w{6}), #(\w{6})\);`).FindAllStringSubmatch(string(styleSheet), -1) {
		for scheme := range schemes {
			c := colour{name: m[1]}
			for i := range c.rgb {
				v, err := strconv.ParseUint(m[2+scheme][2*i:2*i+2], 16, 8)
				if err != nil {
					t.Fatal(err)
				}
				if s := float64(v) / 255; s <= 0.04045 {
					c.rgb[i] = s / 12.92
				} else {
					c.rgb[i] = math.Pow((s+0.055)/1.055, 2.4)
				}
			}
			schemes[scheme] = append(schemes[scheme], c)
		}
	}
	if len(schemes[0]) == 0 {
		t.Fatalf("the style sheet has no colours --%s", prefix)
	}
	return schemes
}

// contrast is the ratio of WCAG 2.
func contrast(a, b colour) float64 {
	l := func(c colour) float64 { return 0.2126*c.rgb[0] + 0.7152*c.rgb[1] + 0.0722*c.rgb[2] + 0.05 }
	return max(l(a), l(b)) / min(l(a), l(b))
}

// difference is the distance in Oklab, in which colours that look equally different are equally far apart; black and white
// are at a distance of 1.
func difference(a, b colour) float64 {
	lab := func(c colour) [3]float64 {
		r, g, b := c.rgb[0], c.rgb[1], c.rgb[2]
		l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
		m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
		s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
		return [3]float64{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, 1.9779984951*l - 2.4285922050*m + 0.4505937099*s, 0.0259040371*l + 0.7827717662*m - 0.8086757660*s}
	}
	x, y := lab(a), lab(b)
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

// Every limit has a colour; in both schemes it stands out from the page as graphics must (WCAG 2.1, 3 to 1), and is further
// from each queue's and each other limit's than queues are from each other.
func TestColoursOfLimits(t *testing.T) {
	limits, queues, cards := coloursOf(t, "limit-"), coloursOf(t, "k"), coloursOf(t, "card")
	if len(queues[0]) != queueColours+1 {
		t.Errorf("%d colours of queues, want %d and one for the rest", len(queues[0]), queueColours)
	}
	for scheme := range limits {
		var names []string
		closest := math.Inf(1)
		for i, a := range queues[scheme] {
			for _, b := range queues[scheme][:i] {
				closest = min(closest, difference(a, b))
			}
		}
		for i, a := range limits[scheme] {
			names = append(names, strings.TrimPrefix(a.name, "limit-"))
			if c := contrast(a, cards[scheme][0]); c < 3 {
				t.Errorf("scheme %d: %s has a contrast of %.2f", scheme, a.name, c)
			}
			for _, b := range append(append([]colour{}, limits[scheme][:i]...), queues[scheme]...) {
				if d := difference(a, b); d < 0.09 || d <= closest {
					t.Errorf("scheme %d: %s and %s differ by %.3f; queues differ by %.3f", scheme, a.name, b.name, d, closest)
				}
			}
		}
		var want []string
		for _, c := range metrics.LimitChoices() {
			want = append(want, c.Name)
		}
		if fmt.Sprint(names) != fmt.Sprint(want) {
			t.Errorf("the limits with a colour are %v, want %v", names, want)
		}
	}
}

// Of more queues than colours, those have a colour that held most for longest in all runs, and only these are named where
// containers are stacked: here the ten large queues, one that is large in the second run alone, and the first of the small
// ones, although small queues have the more jobs.
func TestStackOfManyQueues(t *testing.T) {
	var policies []PolicyRun
	for run := range 2 {
		r := &metrics.Run{Series: metrics.Series{Width: model.Second}}
		for q := range 20 {
			held, jobs, name := 100.0, 1, fmt.Sprintf("large-%02d", q)
			if q >= 10 {
				held, jobs, name = 1, 5, fmt.Sprintf("small-%02d", q)
			}
			if q == 15 {
				held = 1 + 50*float64(run)
			}
			r.Series.Lines = append(r.Series.Lines, metrics.Line{Name: metrics.LineQueue, Key: name, Values: []float64{held, held}})
			for range jobs {
				r.Jobs = append(r.Jobs, metrics.Job{Queue: name, Finish: model.Second})
			}
		}
		policies = append(policies, PolicyRun{Name: fmt.Sprint(run), Run: r})
	}
	coloured := colouredQueues(policies)
	if len(coloured) != queueColours || coloured[9] != "large-09" || coloured[10] != "small-15" || coloured[11] != "small-10" {
		t.Fatalf("coloured are %q", coloured)
	}
	for _, p := range newData(policies, coloured).Policies {
		named := 0
		for _, c := range p.Series.Queue {
			if c.Others == 0 {
				named++
				if !slices.Contains(coloured, c.Key) {
					t.Errorf("under %s the stack names %s, which has no colour", p.Name, c.Key)
				}
			} else if c.Others != 20-queueColours || c.Values[1] != 8 {
				t.Errorf("under %s %d others hold %v", p.Name, c.Others, c.Values)
			}
		}
		if named != queueColours {
			t.Errorf("under %s the stack names %d queues", p.Name, named)
		}
	}
}
