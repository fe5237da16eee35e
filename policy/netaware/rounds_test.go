// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// asked counts how often users are asked.
type asked struct {
	*NAS
	times int
}

func (a *asked) ChooseOf(o *policy.Offer, sharer int32, may func(*cluster.Job, model.Kind) bool) (kit.Choice, model.Time) {
	a.times++
	return a.NAS.ChooseOf(o, sharer, may)
}

// waitingDesk has two racks of two nodes. One user has a job whose data is on node 0, the other a heavy job whose maps are
// done, so that nobody takes nodes 2 and 3.
func waitingDesk(t *testing.T, change func(*NASParams)) (d *desk, who *asked, a, b *cluster.Job) {
	p := atHalf()
	p.MapSkips, p.ReduceSkips = 100, 100
	change(&p)
	d = newDesk(t, 2, 2, 8, 1)
	d.drive("user", func(env *policy.Env) kit.Place { who = &asked{NAS: NewNAS(env, p)}; return who })
	b = d.mapped(job("b", 2, heavySize, heavySize), 1)
	d.load(1, 1)
	a = d.come(job("a", 4, lightSize, lightSize), 0)
	return d, who, a, b
}

// asks offers a node, which must be declined, and returns how many users were asked.
func (a *asked) asks(d *desk, node model.NodeID) int {
	d.Helper()
	before := a.times
	d.declined("nobody takes it", node)
	return a.times - before
}

// What all users declined is declined again on nodes of the rack without asking them: they are skipped all the same,
// and told the same.
func TestDeclinedAlike(t *testing.T) {
	d, who, a, b := waitingDesk(t, func(*NASParams) {})
	who.asks(d, 2) // tags b as delayed
	if first, other, again := who.asks(d, 2), who.asks(d, 3), who.asks(d, 2); first != 2 || other != 2 || again != 0 {
		t.Errorf("asked %d, for another node %d, for the same again %d; expected 2, 2, 0", first, other, again)
	}
	d.blocked = map[model.JobID]model.Limit{}
	if got := who.asks(d, 3); got != 0 || d.blocked[a.ID] != model.LimitLocality || d.blocked[b.ID] != model.LimitCongestion {
		t.Errorf("asked %d, blocked %v", got, d.blocked)
	}
	if x, y := who.users[a.User].maps.count, who.users[b.User].reduces.count; x != 5 || y != 5 {
		t.Errorf("skipped %d and %d times, expected 5", x, y)
	}
	d.load(1, 0)
	d.served("the rack is relieved", 2, b, model.Reduce)
	d.load(1, 1)
	if first, again := who.asks(d, 3), who.asks(d, 3); first != 2 || again != 0 {
		t.Errorf("after a start asked %d, then %d; expected 2, 0", first, again)
	}
}

// Users are asked again as soon as one of them may start a task.
func TestAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*NASParams)
		happen func(*desk, *cluster.Job)
		kind   model.Kind
	}{
		"a light job comes":      {func(*NASParams) {}, func(d *desk, _ *cluster.Job) { d.come(job("c", 1, lightSize, lightSize), 2) }, model.Map},
		"one that reads nothing": {func(*NASParams) {}, func(d *desk, _ *cluster.Job) { d.come(job("c", 1, 0, 0), 2) }, model.Map},
		"a count runs out":       {func(p *NASParams) { p.MapSkips = 5 }, func(d *desk, _ *cluster.Job) { d.declined("the fifth", 2) }, model.Map},
		"time runs out":          {func(p *NASParams) { p.ReduceSkips, p.ReduceWait = 0, 2*model.Second }, func(d *desk, _ *cluster.Job) { d.pass(2 * model.Second) }, model.Reduce},
		"the space grows": {func(p *NASParams) { p.Limit = 1 }, func(d *desk, j *cluster.Job) {
			d.come(job("c", 1, 1, 1), 2)
			d.served("it fits", 2, d.state.Job(2), model.Map)
			d.declined("the space is used up", 2)
			d.declined("and again", 2)
			d.come(job("c", 1, 1, 1), 2)
			d.declined("no space for another", 2)
			d.declined("still none", 2)
			d.end(model.Task{Job: 2, Kind: model.Map}, 2, false)
		}, model.Map},
		"more reduces may start": {func(*NASParams) {}, func(d *desk, j *cluster.Job) {
			d.state.Let(j, model.Reduce, 0)
			d.load(1, 0)
			d.declined("there are none", 2)
			d.declined("still none", 2)
			d.state.Let(j, model.Reduce, 1)
		}, model.Reduce},
	} {
		d, who, _, b := waitingDesk(t, c.change)
		for range 3 {
			who.asks(d, 2)
		}
		if got := who.asks(d, 2); got != 0 {
			t.Errorf("%s: before that asked %d", name, got)
		}
		c.happen(d, b)
		if got := d.offer(2).Task; got.Job == model.None || got.Kind != c.kind {
			t.Errorf("%s: the node is given to job %d, %v; expected %v", name, got.Job, got.Kind, c.kind)
		}
	}
}
