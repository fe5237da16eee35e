// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// DelayParams configures Delay. An offer is declined until either limit of a level is reached.
type DelayParams struct {
	NodeSkips int32      `yaml:"node-skips" min:"0" doc:"How many offers a job declines while it waits for a node with its data; 0 means no limit by count; with node-wait 0s too, it does not wait."`
	RackSkips int32      `yaml:"rack-skips" min:"0" doc:"How many more offers it declines while it waits for a rack with its data; 0 means no limit by count; with rack-wait 0s too, it does not wait."`
	NodeWait  model.Time `yaml:"node-wait" min:"0" doc:"How long a job waits for a node with its data; 0s means no limit by time."`
	RackWait  model.Time `yaml:"rack-wait" min:"0" doc:"How much longer it waits for a rack with its data; 0s means no limit by time."`
}

// DefaultDelayParams returns 40 offers or 5 s for each level.
func DefaultDelayParams() DelayParams {
	return DelayParams{NodeSkips: 40, RackSkips: 40, NodeWait: 5 * model.Second, RackWait: 5 * model.Second}
}

// Delay is the place role of delay scheduling: a job whose data is not on the node lets others go first,
// for a number of offers or a time; then it accepts its rack; then any node. A local start takes it back
// to the strictest level.
type Delay struct {
	*GreedyLocal
	params DelayParams
	waits  *policy.PerJob[delayWait]
}

// delayWait is how long a job has been declining offers and the locality it accepts by now.
type delayWait struct {
	level   model.Locality
	waiting bool
	skips   int32
	since   model.Time
}

var _ Place = (*Delay)(nil)

// NewDelay returns the role for the environment.
func NewDelay(env *policy.Env, p DelayParams) *Delay {
	return &Delay{GreedyLocal: NewGreedyLocal(env), params: p, waits: policy.NewPerJob[delayWait](env)}
}

// Choose implements kit.Place for maps with input; everything else starts anywhere.
func (d *Delay) Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	if k == model.Reduce || !j.Reads {
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
func (d *Delay) relax(w *delayWait, now model.Time) (again model.Time) {
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

// idleAgain is after what time idle nodes are offered again to a job that counts offers.
const idleAgain = model.Second

// byTime reports whether jobs at the level wait by time alone.
func (d *Delay) byTime(level model.Locality) bool {
	switch level {
	case model.NodeLocal:
		return d.params.NodeSkips == 0 && d.params.NodeWait > 0
	case model.RackLocal:
		return d.params.RackSkips == 0 && d.params.RackWait > 0
	}
	return false
}

// parks reports whether a job that has just declined is worth parking: it waits by time alone, and it has been
// asked often enough to make up for telling the nodes that it accepts.
func (d *Delay) parks(j *cluster.Job) bool {
	w := d.waits.Of(j)
	return d.byTime(w.level) && w.skips >= 4 && w.skips >= j.Pending(model.Map)
}

var _ policy.Choosy = (*Delay)(nil)

// Asked implements policy.Choosy: while many jobs wait, about every other one of those that are asked declines.
func (d *Delay) Asked() int { return 4 }

// accepts reports whether a job that waits would take the node.
func (d *Delay) accepts(o *policy.Offer, j *cluster.Job) bool {
	return d.OnNode(o, j) >= 0 || d.waits.Of(j).level >= model.RackLocal && d.InRack(o, j) >= 0
}
