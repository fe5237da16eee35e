// SPDX-License-Identifier: Apache-2.0

package order

import (
	"fmt"

	"github.com/yardmaster/yardmaster/policy"
)

// Refuses says why a policy cannot order a live queue, nil if it can. sized says that sizes are given.
func Refuses(e *policy.Entry, params any, sized bool) error {
	const others = policy.CanPartition | policy.CanAdmit | policy.CanPlaceData | policy.CanSlowStart | policy.CanGateShuffle
	needs := e.NeedsWith(params)
	switch {
	case e.Can&policy.CanRank == 0:
		return fmt.Errorf("policy %s has no order of jobs, and an order is all that priorities can carry out", e.Name)
	case e.Can&others != 0:
		return fmt.Errorf("policy %s decides more than an order: to %s is beyond what priorities can carry out", e.Name, e.Can&others)
	case e.Name == "fair":
		return fmt.Errorf("policy fair divides room container by container; priorities change only from look to look (the queue's own ordering policy fair does it)")
	case e.Promises&policy.WorkConserving == 0:
		return fmt.Errorf("policy %s keeps room free on purpose; a resource manager gives it away", e.Name)
	case needs&^policy.KnownSizes != 0:
		return fmt.Errorf("policy %s needs %s, which a resource manager does not tell", e.Name, needs&^policy.KnownSizes)
	case needs.Has(policy.KnownSizes) && !sized:
		return fmt.Errorf("policy %s needs %s, which a resource manager does not know; allowed: --sizes FILE with lines of a pattern of names and the sum of the task lengths", e.Name, policy.KnownSizes)
	}
	return nil
}
