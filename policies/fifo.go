// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"math/bits"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func fifoPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "fifo",
			Summary: "Hadoop's default scheduler: arrival order with five priorities.",
			Source:  "slowdown-2015 §II",
			Rules: []policy.Rule{
				{Text: "Jobs are selected by priority, then in order of their arrival.", Source: "slowdown-2015 §II"},
				{Text: "The selected job runs the map with data closest to the node, or its next reduce.", Source: "slowdown-2015 §II"},
			},
		},
		roles: func(any) Combination { return Combination{Order: Choice{Name: "fifo"}} },
	}
}

func fifoOrder() Role {
	return Role{
		Name:     "fifo",
		Summary:  "By priority, then in order of arrival.",
		Source:   "slowdown-2015 §II",
		Can:      policy.CanRank,
		Promises: policy.WorkConserving | policy.StarvationFree,
		add:      func(a *assembly, _ any) error { a.Order = newFIFO(a.env); return nil },
	}
}

// fifo keeps one heap for each pool and priority. The key is the time of submission.
type fifo struct {
	levels [model.Kinds][model.Priorities]kit.JobHeap
	filled [model.Kinds]uint8 // bit p: level p is not empty
	level  int                // of the iteration
}

var (
	_ kit.Order  = (*fifo)(nil)
	_ kit.Passer = (*fifo)(nil)
)

func newFIFO(env *policy.Env) *fifo {
	f := &fifo{}
	for pool := range f.levels {
		for p := range f.levels[pool] {
			f.levels[pool][p].Cluster = env.Cluster
		}
	}
	return f
}

func (f *fifo) Wants(_ model.Time, j *cluster.Job, pool int, wants bool) {
	h := &f.levels[pool][j.Priority]
	if wants {
		h.Set(j, keyed.Key{Major: int64(j.Submit)})
	} else {
		h.Remove(j)
	}
	f.filled[pool] &^= 1 << j.Priority
	if h.Len() > 0 {
		f.filled[pool] |= 1 << j.Priority
	}
}

func (f *fifo) First(pool int) *cluster.Job {
	if f.filled[pool] == 0 {
		return nil
	}
	f.level = bits.TrailingZeros8(f.filled[pool])
	return f.levels[pool][f.level].First()
}

func (f *fifo) Next(pool int) *cluster.Job {
	if j := f.levels[pool][f.level].Next(); j != nil {
		return j
	}
	lower := f.filled[pool] >> (f.level + 1)
	if lower == 0 {
		return nil
	}
	f.level += 1 + bits.TrailingZeros8(lower)
	return f.levels[pool][f.level].First()
}

// Passed blames priority for the wait of jobs that came earlier than the chosen one. The first job
// of each lower level stands for those behind it.
func (f *fifo) Passed(o *policy.Offer, chosen *cluster.Job, _ model.Kind) {
	lower := f.filled[o.Pool] >> (chosen.Priority + 1)
	for level := int(chosen.Priority) + 1; lower != 0; level++ {
		if lower&1 != 0 {
			if j := f.levels[o.Pool][level].Head(); j.Submit < chosen.Submit {
				o.Blocked(j, model.LimitPriority)
			}
		}
		lower >>= 1
	}
}
