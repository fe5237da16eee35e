// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// threshold opens for flows above a size; it aggregates jobs with even numbers.
type threshold struct{ at model.Bytes }

func (threshold) Pick(*Offer) Decision           { return Nothing(Here, 0) }
func (threshold) Aggregates(j *cluster.Job) bool { return j.ID%2 == 0 }
func (g threshold) MayFetch(now model.Time, _ *cluster.Job, f RackFlow) (bool, model.Time) {
	return f.Bytes > g.at && f.From != f.To, now + 3
}

func TestGate(t *testing.T) {
	env := &Env{Cluster: cluster.New(oneNode(model.Slots, model.Room{4, 4}))}
	if d := Drive(env, ranking{&gate{part: part{diary: &diary{}}}}); d.Gate != nil {
		t.Error("a policy without a gate has one")
	}
	d, watched := Drive(env, threshold{100}), &diary{}
	d.Watcher = watch{watched}
	if d.Gate == nil || d.Can() != CanGateShuffle {
		t.Fatalf("gate %v, it can %v", d.Gate, d.Can())
	}
	even, odd := env.Cluster.AddJob(0, &model.Job{ID: 0}), env.Cluster.AddJob(0, &model.Job{ID: 1})
	if !d.Gate.Aggregates(even) || d.Gate.Aggregates(odd) {
		t.Error("the gate was not asked which jobs aggregate")
	}
	refused, again := d.Gate.MayFetch(5, even, 0, 1, 100)
	if open, _ := d.Gate.MayFetch(5, even, 0, 1, 101); refused || again != 8 || !open {
		t.Errorf("the gate was not asked about the flow: %t, again at %v, %t", refused, again, open)
	}
	if !slices.Contains(*watched, "before MayFetch at 5") || !slices.Contains(*watched, "after MayFetch at 5") {
		t.Errorf("watched %v", *watched)
	}
}
