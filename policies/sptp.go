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

func sptpPreset() preset {
	return preset{
		Entry: policy.Entry{
			Name:    "sptp",
			Summary: "The job with the smallest product of size and remaining work first: a bound for the mean slowdown that needs exact sizes.",
			Source:  "slowdown-2015 §VII",
			Rules: []policy.Rule{
				{Text: "Jobs are served in order of the product of their size (the summed lengths of all their tasks) and of what remains of it.", Source: "slowdown-2015 §VII"},
				{Text: "A running task is never killed: the order decides about free room only.", Source: "slowdown-2015 §II"},
			},
		},
		roles: func(any) Combination { return Combination{Order: Choice{Name: "sptp"}} },
	}
}

func sptpOrder() Role {
	return Role{
		Name:     "sptp",
		Summary:  "The job with the smallest product of size and remaining work.",
		Source:   "slowdown-2015 §VII",
		Needs:    policy.KnownSizes,
		Can:      policy.CanRank,
		Promises: policy.WorkConserving,
		add:      func(a *assembly, _ any) error { a.Order = newSPTP(a.env); return nil },
	}
}

// newSPTP returns the order by the product of size and rest as one number of 128 bits. Jobs of the same
// product are served by their number.
func newSPTP(env *policy.Env) kit.Order {
	return kit.NewWorkOrder(env, func(_ model.Time, j *cluster.Job) keyed.Key {
		const sign = 1 << 63 // keys are signed: flipping it keeps the order of the lower half
		high, low := bits.Mul64(uint64(env.Sizes.Total(j.ID)), uint64(env.Sizes.Remaining(j.ID)))
		return keyed.Key{Major: int64(high), Minor: int64(low ^ sign)}
	})
}
