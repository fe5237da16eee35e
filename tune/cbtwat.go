// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// AdaptiveParams are the numbers of CBTwAT.sh.
type AdaptiveParams struct {
	SmoothParams `yaml:",inline"`

	Thresholds int `yaml:"thresholds" min:"1" doc:"How many thresholds are drawn and tried."`
	Range      int `yaml:"range" min:"1" max:"9" doc:"Thresholds are whole numbers from 1 to this."`
	Samples    int `yaml:"samples" min:"1" doc:"Measurements of each threshold before the next is tried."`
	Explore    int `yaml:"explore" min:"0" max:"100" doc:"Percent of later measurements that use a random threshold instead of the best."`
}

// Validate refuses more distinct thresholds than the range has.
func (p *AdaptiveParams) Validate() []model.Problem {
	if p.Thresholds <= p.Range {
		return nil
	}
	return []model.Problem{{
		Path: "thresholds", Found: fmt.Sprint(p.Thresholds),
		Allowed: fmt.Sprintf("at most %d, the range: thresholds differ from each other", p.Range),
	}}
}

func cbtwatEntry() Entry {
	return Entry{
		Name:    "cbtwat",
		Summary: "CPU-based tuning with adaptive threshold: one more job when the CPU is idle and progress speeds up by a threshold learnt on the way.",
		Source:  "marp-2019 §5.4, algorithm 10; script §9.3.3",
		Params: func() any {
			p := AdaptiveParams{SmoothParams: defaultSmooth(), Thresholds: 3, Range: 4, Samples: 3, Explore: 10}
			p.Begin = 5 * model.Second
			return &p
		},
		New: func(env Env, params any) (Tuner, error) {
			t := &cbtwat{p: *params.(*AdaptiveParams), env: env}
			t.smooth = newSmooth(t.p.SmoothParams, &t.s.smoothState, t.measure)
			t.loops = t.body
			t.listed = t.draw
			return t, nil
		},
	}
}

// adaptiveState adds what CBTwAT.sh learns.
type adaptiveState struct {
	smoothState
	Memory    []int // MEMORY: the thresholds, in the order in which they are tried
	Score     []int // THRESHOLDS: what each of Memory gave
	Pointer   int   // MEMORY_POINTER: from 1
	Samples   int   // DELTA_AVG_COUNTER, from 0
	Sum       int   // DELTA_AVG_SUM
	Threshold int   // DELTA_THRESHOLD
	Tracker   int   // PROG_TRACKER
	Exploit   bool  // EXPLOITATION
	Picks     int   // measurements while exploiting: the key of the random draws
	Batches   int   // lists of thresholds drawn
}

// cbtwat is CBTwAT.sh.
type cbtwat struct {
	smooth
	p   AdaptiveParams
	s   adaptiveState
	env Env
}

// Step runs one measurement and what follows from it.
func (t *cbtwat) Step(o *Observation) Advice { return t.step(o) }

// State returns the script's variables.
func (t *cbtwat) State() any { return &t.s }

// random is the shell's $RANDOM, 15 bits, for one purpose at one step.
func (t *cbtwat) random(purpose rng.Purpose, step, try int) int {
	return int(rng.New(t.env.Seed, purpose).Uint64(uint64(step), uint64(try), 0) >> 49)
}

// draw takes the thresholds to try, all different.
func (t *cbtwat) draw() {
	s := &t.s
	*s = adaptiveState{smoothState: s.smoothState, Picks: s.Picks, Batches: s.Batches}
	s.AvgPrevious, s.DeltaPrevious = Got(0.0), 0
	taken := make([]bool, t.p.Range+1)
	for try := 0; len(s.Memory) < t.p.Thresholds; try++ {
		if d := t.random(rng.CBTwATThresholds, s.Batches, try)%t.p.Range + 1; !taken[d] {
			taken[d] = true
			s.Memory = append(s.Memory, d)
			s.Score = append(s.Score, 0)
		}
	}
	s.Batches++
}

// choose returns the threshold of this measurement.
func (t *cbtwat) choose() int {
	s := &t.s
	if !s.Exploit {
		if s.Samples == 0 {
			s.Pointer++
			s.Threshold = s.Memory[s.Pointer-1]
		}
		return s.Threshold
	}
	step := s.Picks
	s.Picks++
	if t.random(rng.CBTwATEpsilon, step, 0)%100+1 > t.p.Explore {
		return t.best()
	}
	i := t.random(rng.CBTwATPick, step, 0) % len(s.Memory)
	if t.p.Faithful {
		return i + 1 // the script shuffles the indices of MEMORY, which start at 1, not its values
	}
	return s.Memory[i] // Mended.
}

// best returns the threshold with the best score. Among equals the script takes the one that bash
// lists last, and bash lists the keys 1 to 9 of an associative array from 9 down.
func (t *cbtwat) best() int {
	best := -1
	for i, d := range t.s.Memory {
		if best < 0 || t.s.Score[i] > t.s.Score[best] || t.s.Score[i] == t.s.Score[best] && d < t.s.Memory[best] {
			best = i
		}
	}
	return t.s.Memory[best]
}

// measure raises the share if progress has sped up by the threshold.
func (t *cbtwat) measure(o *Observation) Advice {
	s := &t.s
	threshold := t.choose()
	s.Threshold = threshold
	average, current := t.delta(o)
	delta := current - s.DeltaPrevious
	if delta >= threshold {
		s.Tracker++
	} else if delta < 0 {
		s.Tracker--
	}
	s.AvgPrevious, s.DeltaPrevious = average, current

	t.read(o)
	reason := fmt.Sprintf("idle: speed-up %d, threshold %d", delta, threshold)
	pause := model.Time(0)
	if s.Remaining == 0 {
		// The tracker is kept: the script does not clear it here.
		reason, pause = reason+", nothing pending", t.p.Empty
	} else {
		if (s.Tracker > 0 || t.starved()) && t.raise(o) {
			reason, pause = reason+": one more job", t.p.Raise
		}
		s.Tracker = 0
	}
	t.learn(delta)
	return t.again(o, pause, reason)
}

// learn adds one sample, and closes the exploration of a threshold when it has enough.
func (t *cbtwat) learn(delta int) {
	s := &t.s
	s.Sum += delta
	s.Samples++
	if s.Exploit || s.Samples < t.p.Samples {
		return
	}
	s.Score[s.Pointer-1] = s.Sum / t.p.Samples // the shell cuts towards zero
	s.Sum, s.Samples = 0, 0
	s.Exploit = s.Pointer == t.p.Thresholds
}
