// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
	"pgregory.net/rapid"
)

// gated is a policy with a gate that opens above a size, and when no more reduces of a job are to come. It
// aggregates the flows of some jobs.
type gated struct {
	policy.Policy
	above model.Bytes
	asked *int
}

func (g *gated) Parts() []any {
	parts := []any{g.Policy}
	if w, ok := g.Policy.(policy.Whole); ok {
		parts = w.Parts()
	}
	return append(parts, gate{g})
}

type gate struct{ *gated }

func (gate) Parts() {} // hides those of gated

func (g gate) Aggregates(j *cluster.Job) bool { return j.ID%2 == 0 }

func (g gate) MayFetch(_ model.Time, j *cluster.Job, f policy.RackFlow) (bool, model.Time) {
	*g.asked++
	return f.Bytes > g.above || j.Pending(model.Reduce) == 0, model.Forever
}

// TestGatedConformance holds policies with a gate to the contract. Reduces that wait for others to start need
// room for all of them: nodes get more of it.
func TestGatedConformance(t *testing.T) {
	asked := 0
	for _, name := range []string{"fifo", "fair"} {
		found, _ := policies.All.Find(name)
		e, made := *found, found.New
		rapid.Check(t, func(t *rapid.T) {
			c := Generate(fromRapid(t))
			c.Share(fromRapid(t))
			if c.Topology.Model != model.Slots {
				return // reduces that wait for the gate might take the room of the maps
			}
			for i := range c.Cluster.Classes {
				c.Cluster.Classes[i].ReduceSlots += 100
			}
			c.Topology = c.Cluster.Topology()
			above := model.Bytes(rapid.IntRange(0, 300).Draw(t, "above")) * model.MiB
			e.Can |= policy.CanGateShuffle
			e.New = func(env *policy.Env, params any) (policy.Policy, error) {
				p, err := made(env, params)
				return &gated{p, above, &asked}, err
			}
			holdToContract(t, &e, c)
		})
	}
	if asked == 0 {
		t.Error("the gate was never asked")
	}
}
