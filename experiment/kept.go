// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"sync"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Kept keeps the runs that contests have in common, each until the last contest has asked for it, so that it is
// simulated once; and how long the jobs of their workloads take alone. A nil Kept keeps nothing.
type Kept struct {
	mu    sync.Mutex
	left  map[string]int // by run: how often it will still be asked for
	runs  map[string]*metrics.Run
	alone map[string][]model.Time // by cluster, rules, seed and jobs
}

// NewKept returns a Kept that expects no contest yet.
func NewKept() *Kept {
	return &Kept{left: map[string]int{}, runs: map[string]*metrics.Run{}, alone: map[string][]model.Time{}}
}

// Expect counts the runs of a contest that will be compared.
func (k *Kept) Expect(c *Contest) {
	name := c.runNames()
	for i := range c.Runs() {
		k.left[name(i)]++
	}
}

// take returns a run that was simulated before, nil if it was not.
func (k *Kept) take(name string) *metrics.Run {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	run := k.runs[name]
	if k.left[name]--; k.left[name] <= 0 {
		delete(k.left, name)
		delete(k.runs, name)
	}
	return run
}

// put keeps a run that was just simulated, if it will be asked for again.
func (k *Kept) put(name string, run *metrics.Run) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left[name] > 0 {
		k.runs[name] = run
	}
}

// references returns how long the jobs of a workload, one after the other, take alone: as it was worked out before, whenever
// they were submitted then, or as run works it out.
func (k *Kept) references(s *scenario.Scenario, serial []model.Job, seed uint64, run func() ([]model.Time, error)) ([]model.Time, error) {
	if k == nil {
		return run()
	}
	bare := s.Bare()
	bare.Workload = scenario.Workload{}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %d", bare.JSON(), seed)
	if err := gob.NewEncoder(hash).Encode(serial); err != nil {
		return nil, err
	}
	name := string(hash.Sum(nil))
	k.mu.Lock()
	known := k.alone[name]
	k.mu.Unlock()
	if known != nil {
		return known, nil
	}
	alone, err := run()
	if err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.alone[name] = alone
	}
	return alone, err
}

// runNames returns what names a run by its number: runs of the same name are the same, whatever they are called and whatever
// is asked of them.
func (k *Contest) runNames() func(run int) string {
	variants := make([]string, len(k.Variants))
	bare := map[*scenario.Scenario]string{}
	for i := range k.Variants {
		v := &k.Variants[i]
		if bare[v.Scenario] == "" {
			bare[v.Scenario] = describe(v.Scenario.Bare())
		}
		policy := v.Policy
		policy.As = ""
		variants[i] = result.Hash([]byte(bare[v.Scenario] + string(policy.MarshalNode().JSON(""))))
	}
	return func(run int) string {
		return fmt.Sprintf("%s %d", variants[run%len(variants)], k.Scenario.Seed+uint64(run/len(variants)))
	}
}
