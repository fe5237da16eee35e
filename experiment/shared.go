// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"sync"

	"github.com/yardmaster/yardmaster/scenario"
)

// shared holds the repetitions that runs have in common, each from the first of these runs to the last: those of variants on one
// scenario.
type shared struct {
	kept *Kept
	lots []lot
	lot  []int // of each variant

	mu   sync.Mutex
	reps map[[2]int]*Repetition // by lot and number
}

// lot is a scenario that variants share.
type lot struct {
	scenario *scenario.Scenario
	seed     uint64  // of the first repetition
	left     []int32 // runs to come, by repetition
}

// newShared returns the repetitions of variants that expect no run yet. of returns what a variant runs on, from which seed on, and a name
// that variants have in common which share it.
func newShared(variants, repetitions int, kept *Kept, of func(variant int) (s *scenario.Scenario, seed uint64, name string)) *shared {
	sh := &shared{kept: kept, reps: map[[2]int]*Repetition{}}
	known := map[string]int{}
	for v := range variants {
		s, seed, name := of(v)
		if _, ok := known[name]; !ok {
			known[name] = len(sh.lots)
			sh.lots = append(sh.lots, lot{s, seed, make([]int32, repetitions)})
		}
		sh.lot = append(sh.lot, known[name])
	}
	return sh
}

// expect says that there will be a run of the variant in the repetition.
func (sh *shared) expect(variant, rep int) { sh.lots[sh.lot[variant]].left[rep]++ }

// of returns the repetition that the run is part of.
func (sh *shared) of(variant, rep int) *Repetition {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	key := [2]int{sh.lot[variant], rep}
	r := sh.reps[key]
	if r == nil {
		l := &sh.lots[key[0]]
		r = NewRepetition(l.scenario, l.seed+uint64(rep))
		r.kept = sh.kept
		sh.reps[key] = r
	}
	return r
}

// done says that the run is over. The repetition is forgotten with its last run.
func (sh *shared) done(variant, rep int) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	key := [2]int{sh.lot[variant], rep}
	left := &sh.lots[key[0]].left[rep]
	if *left--; *left == 0 {
		delete(sh.reps, key)
	}
}
