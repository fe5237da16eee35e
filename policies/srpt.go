// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

func srptEntry() policy.Entry {
	return policy.Entry{
		Name:    "srpt",
		Summary: "The job with the least remaining work first: a bound that needs exact sizes.",
		Source:  "slowdown-2015 §III, §VII",
		Rules: []policy.Rule{
			{Text: "Jobs are served in order of the summed lengths of their tasks that have not ended.", Source: "slowdown-2015 §VII"},
			{Text: "A running task is never killed: the order decides about free room only.", Source: "slowdown-2015 §II"},
		},
		Needs:    policy.KnownSizes,
		Can:      policy.CanRank | policy.CanPlace,
		Promises: policy.WorkConserving,
		New: func(env *policy.Env, _ any) (policy.Policy, error) {
			s := &srpt{sizes: env.Sizes}
			s.KeyedOrder = kit.NewKeyedOrder(env, s.key)
			return kit.Compose(env, kit.Roles{Order: s, Place: kit.NewGreedyLocal(env)}), nil
		},
	}
}

type srpt struct {
	*kit.KeyedOrder
	sizes policy.Sizes
}

var _ policy.TaskObserver = (*srpt)(nil)

func (s *srpt) key(_ model.Time, j *cluster.Job) kit.Key {
	return kit.Key{Major: int64(s.sizes.Remaining(j.ID)), Minor: int64(j.Submit)}
}

func (s *srpt) TaskStarted(model.Time, *cluster.Job, model.Kind, model.NodeID) {}

func (s *srpt) TaskEnded(now model.Time, j *cluster.Job, _ model.Kind, _ model.NodeID, _ bool) {
	s.Rekey(now, j)
}
