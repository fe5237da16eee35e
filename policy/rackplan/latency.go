// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Site is the cluster as a planner sees it.
type Site struct {
	// Containers is the number of tasks of a kind that each rack can run at a time. Where maps and reduces share
	// room, Shared is set and both kinds have the same numbers.
	Containers [model.Kinds][]int
	Shared     bool

	Packets  model.Rate  // of a rack's uplink; 0 if links are not modelled
	Circuits model.Rate  // of a circuit between two racks; 0 if there are none
	Elephant model.Bytes // a flow must be larger to use a circuit; a job with this much shuffle data is heavy
}

// Racks returns the number of racks.
func (s *Site) Racks() int { return len(s.Containers[model.Map]) }

// Heavy reports whether a job has enough shuffle data for circuits (§4.1.2).
func (s *Site) Heavy(f *policy.Forecast) bool {
	return f.Shuffle >= s.Elephant && f.Tasks[model.Map] > 0 && f.Tasks[model.Reduce] > 0
}

// Widths are the numbers of racks for the maps and the reduces of a job.
type Widths struct{ Map, Reduce int }

// Form is how the time of a shuffle follows from widths.
type Form string

// The forms. Figure is how figure 4.6 is drawn: over circuits the side with fewer racks limits the transfer, over packets
// that of the maps does. Text is what §4.2.3.1 prints: each rack of maps sends what goes to other racks than itself, so
// that a single rack of reduces costs nothing.
const (
	Figure Form = "figure"
	Text   Form = "text"
)

// Latency is the latency response function (eq. 4.1): waves of maps, then the shuffle, then waves of reduces.
func (s *Site) Latency(f *policy.Forecast, w Widths, form Form) model.Time {
	return s.waves(f, model.Map, w.Map)*f.Length[model.Map] + s.Shuffle(f, w, form) + s.waves(f, model.Reduce, w.Reduce)*f.Length[model.Reduce]
}

// waves returns how many tasks of a kind run one after the other in each container of the smallest rack.
func (s *Site) waves(f *policy.Forecast, k model.Kind, width int) model.Time {
	return model.Time(ceil(ceil(int(f.Tasks[k]), width), s.smallest(k)))
}

// smallest returns the containers of the smallest rack that has any.
func (s *Site) smallest(k model.Kind) int {
	least := 0
	for _, n := range s.Containers[k] {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return max(least, 1)
}

// usable returns how many racks have containers for tasks of a kind, or, if both kinds are to have the same racks, for both.
func (s *Site) usable(k model.Kind, same bool) (racks int) {
	for r := range s.Racks() {
		if s.has(k, r) && (!same || s.has(model.Map, r) && s.has(model.Reduce, r)) {
			racks++
		}
	}
	return racks
}

// has reports whether a rack has containers for tasks of a kind.
func (s *Site) has(k model.Kind, rack int) bool { return s.Containers[k][rack] > 0 }

// OverCircuits reports whether the job's shuffle goes over circuits: what one rack sends to another is larger than an
// elephant.
func (s *Site) OverCircuits(f *policy.Forecast, w Widths) bool {
	return s.Circuits > 0 && float64(f.Shuffle) > float64(s.Elephant)*float64(w.Map)*float64(w.Reduce)
}

// Shuffle returns how long the shuffle takes.
func (s *Site) Shuffle(f *policy.Forecast, w Widths, form Form) model.Time {
	rate, senders := s.Packets, w.Map
	if s.OverCircuits(f, w) {
		rate, senders = s.Circuits, min(w.Map, w.Reduce)
	}
	if rate == 0 || f.Tasks[model.Reduce] == 0 {
		return 0
	}
	bytes := float64(f.Shuffle) / float64(senders)
	if form == Text {
		bytes = float64(f.Shuffle) / float64(w.Map*w.Reduce) * float64(w.Reduce-1)
	}
	return model.Seconds(bytes / float64(rate))
}

// Pairs returns the pairs of widths among which a heavy job chooses: those with circuits and as few waves of maps and of
// reduces as the whole cluster allows, or all pairs if there are no such. The same racks for both have equal widths, any. No
// width is above the number of tasks.
func (s *Site) Pairs(f *policy.Forecast, same bool) (pairs []Widths) {
	most := Widths{min(s.usable(model.Map, same), int(f.Tasks[model.Map])), min(s.usable(model.Reduce, same), int(f.Tasks[model.Reduce]))}
	if most.Map == 0 || most.Reduce == 0 {
		return nil
	}
	if same {
		most.Map = max(most.Map, most.Reduce)
		for w := 1; w <= most.Map; w++ {
			pairs = append(pairs, Widths{w, w})
		}
		return pairs
	}
	maps, reduces := s.waves(f, model.Map, most.Map), s.waves(f, model.Reduce, most.Reduce)
	for m := 1; m <= most.Map; m++ {
		for r := 1; r <= most.Reduce && s.waves(f, model.Map, m) == maps && s.OverCircuits(f, Widths{m, r}); r++ {
			if s.waves(f, model.Reduce, r) == reduces {
				pairs = append(pairs, Widths{m, r})
			}
		}
	}
	if len(pairs) > 0 {
		return pairs
	}
	for m := 1; m <= most.Map; m++ {
		for r := 1; r <= most.Reduce; r++ {
			pairs = append(pairs, Widths{m, r})
		}
	}
	return pairs
}

// ceil returns n / by, rounded up.
func ceil(n, by int) int { return (n + by - 1) / by }
