// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// delayParams configures delay. An offer is declined until either limit of a level is reached.
type delayParams struct {
	kit.FairParams `yaml:",inline"`
	NodeSkips      int32      `yaml:"node-skips" min:"0" doc:"How many offers a job declines while it waits for a node with its data; 0 means no limit by count; with node-wait 0s too, it does not wait."`
	RackSkips      int32      `yaml:"rack-skips" min:"0" doc:"How many more offers it declines while it waits for a rack with its data; 0 means no limit by count; with rack-wait 0s too, it does not wait."`
	NodeWait       model.Time `yaml:"node-wait" min:"0" doc:"How long a job waits for a node with its data; 0s means no limit by time."`
	RackWait       model.Time `yaml:"rack-wait" min:"0" doc:"How much longer it waits for a rack with its data; 0s means no limit by time."`
}

func delayEntry() policy.Entry {
	return policy.Entry{
		Name:    "delay",
		Summary: "Fair order, but a job without a local task lets others go first, for a while.",
		Source:  "diverse-2018 §3",
		Rules: []policy.Rule{
			{Text: "A job whose data is not on the node is skipped, up to a number of offers or a wait time; then it accepts its rack; then any node.", Source: "diverse-2018 §3"},
			{Text: "A local start takes the job back to the strictest level.", Source: "delay scheduling"},
		},
		Can:      policy.CanRank | policy.CanPlace,
		Promises: policy.StarvationFree,
		Params: func() any {
			return &delayParams{FairParams: kit.DefaultFairParams(),
				NodeSkips: 40, RackSkips: 40, NodeWait: 5 * model.Second, RackWait: 5 * model.Second}
		},
		New: func(env *policy.Env, params any) (policy.Policy, error) {
			p := params.(*delayParams)
			return kit.Compose(env, kit.Roles{
				Order: kit.NewFairOrder(env, p.FairParams),
				Place: &delay{GreedyLocal: kit.NewGreedyLocal(env), params: p, waits: policy.NewPerJob[delayWait](env)},
			}), nil
		},
	}
}

type delay struct {
	*kit.GreedyLocal
	params *delayParams
	waits  *policy.PerJob[delayWait]
}

// delayWait is how long a job has been declining offers and the locality it accepts by now.
type delayWait struct {
	level   model.Locality
	waiting bool
	skips   int32
	since   model.Time
}

var _ kit.Place = (*delay)(nil)

// Choose implements kit.Place for maps with input; everything else starts anywhere.
func (d *delay) Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	if k == model.Reduce || j.Input == 0 {
		return j.First(k), 0
	}
	w := d.waits.Of(j)
	if t := d.OnNode(o, j); t >= 0 {
		*w = delayWait{}
		return t, 0
	}
	if !w.waiting {
		w.waiting, w.since = true, o.Now
	}
	again := d.relax(w, o.Now)
	if w.level >= model.RackLocal {
		if t := d.InRack(o, j); t >= 0 {
			*w = delayWait{level: model.RackLocal}
			return t, 0
		}
	}
	if w.level >= model.Remote {
		*w = delayWait{level: model.Remote}
		return j.First(k), 0
	}
	w.skips++
	return model.None, again
}

// relax raises the level that the job accepts once it has waited enough, and returns when waiting
// alone will raise it next.
func (d *delay) relax(w *delayWait, now model.Time) (again model.Time) {
	for w.level < model.Remote {
		skips, wait := d.params.NodeSkips, d.params.NodeWait
		if w.level == model.RackLocal {
			skips, wait = d.params.RackSkips, d.params.RackWait
		}
		until := now + idleAgain // a limit by count alone: idle nodes must come back to be counted
		if wait > 0 {
			until = w.since + wait
		}
		if (wait > 0 || skips > 0) && now < until && (skips == 0 || w.skips < skips) {
			return until
		}
		w.level++
		w.skips = 0
		w.since = min(until, now)
	}
	return 0
}

// idleAgain is after what time idle nodes are offered again to a job that counts offers only.
const idleAgain = model.Second
