// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// delayDesk has two racks of two nodes and one job whose maps all read from node 0.
func delayDesk(t *testing.T, params string) *desk {
	jobs := plain(model.Slots, 2, 6, 1)
	jobs[0].Input = 6 * model.MiB
	d := newDesk(t, "delay", params, racks(model.Slots, 2, 2, model.Room{9, 9}), jobs, nil)
	d.blocks.SetPlacement(onNodeZero{})
	d.admit(0)
	return d
}

type onNodeZero struct{}

var _ hdfs.Placement = onNodeZero{}

func (onNodeZero) Place(_ hdfs.Block, nodes []model.NodeID, _ *uint64) { clear(nodes) }

const (
	local, near, far = model.NodeID(0), model.NodeID(1), model.NodeID(3)
	maps             = int(model.Map)
)

// declines checks that the policy leaves the node free for now and wants to be asked again at a time.
func (d *desk) declines(t *testing.T, why string, node model.NodeID, again model.Time) {
	t.Helper()
	got := d.offer(node, maps)
	if got.Task.Job != model.None || got.Scope != policy.Here || got.Again != again {
		t.Fatalf("%s: node %d at %v: %+v, expected nothing here, again at %v", why, node, d.now, got, again)
	}
	if d.blocked[0] != model.LimitLocality {
		t.Errorf("%s: held back by %v, expected locality", why, d.blocked[0])
	}
}

func TestDelayByCount(t *testing.T) {
	d := delayDesk(t, "{node-skips: 2, rack-skips: 1, node-wait: 100s, rack-wait: 50s}")
	d.declines(t, "first skip", far, 100*model.Second)
	d.declines(t, "second skip", near, 100*model.Second)
	d.now = 10 * model.Second
	d.declines(t, "two skips: the rack is good enough, but this is another one", far, 60*model.Second)
	d.served(t, "one skip more: anywhere", far, maps, 0)
	d.served(t, "what was accepted once is accepted again", far, maps, 0)
	d.served(t, "a local start takes the job back to the strictest level", local, maps, 0)
	d.declines(t, "first skip again", near, 110*model.Second)
}

func TestDelayByTime(t *testing.T) {
	d := delayDesk(t, "{node-skips: 0, rack-skips: 0, node-wait: 3s, rack-wait: 4s}")
	d.now = model.Second
	d.declines(t, "waits for the node from the first offer on", far, 4*model.Second)
	d.now = 3 * model.Second
	d.declines(t, "still waits for the node", near, 4*model.Second)
	d.now = 5 * model.Second
	d.declines(t, "waits for the rack since 4s", far, 8*model.Second)
	d.served(t, "the rack is accepted", near, maps, 0)
	d.declines(t, "after a start in the rack the wait for the rack begins anew", far, 9*model.Second)
	d.now = 9 * model.Second
	d.served(t, "anywhere", far, maps, 0)
}

func TestDelayBothLevelsAtOnce(t *testing.T) {
	d := delayDesk(t, "{node-skips: 0, rack-skips: 0, node-wait: 3s, rack-wait: 4s}")
	d.declines(t, "waits for the node", far, 3*model.Second)
	d.now = 7 * model.Second
	d.served(t, "no offer for 7s: both waits are over", far, maps, 0)
}

func TestDelayLetsOthersGo(t *testing.T) {
	d := delayDesk(t, "{node-skips: 5, node-wait: 100s}")
	d.now = model.Second
	d.admit(1) // reads no blocks
	d.served(t, "the job that declines lets the next one go", far, maps, 1)
	d.served(t, "on its own node it comes first", local, maps, 0)
	d.release(0)
	d.served(t, "reduces start anywhere", far, int(model.Reduce), 0)
}

func TestDelayNoWait(t *testing.T) {
	d := delayDesk(t, "{node-skips: 0, node-wait: 0s, rack-skips: 0, rack-wait: 0s}")
	d.served(t, "without any limit it does not wait", far, maps, 0)
}

// A limit by count alone asks for idle nodes to come back after a second, so that they are counted.
func TestDelayByCountAlone(t *testing.T) {
	d := delayDesk(t, "{node-skips: 2, node-wait: 0s, rack-skips: 0, rack-wait: 0s}")
	for skip := range 2 {
		decision := d.offer(far, maps)
		if decision.Task.Job != model.None || decision.Again != d.now+model.Second {
			t.Errorf("offer %d: %+v, expected nothing and to be asked again after a second", skip, decision)
		}
	}
	d.served(t, "two offers were declined", far, maps, 0)
}
