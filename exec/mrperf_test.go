// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/exec/costs"
	"github.com/yardmaster/yardmaster/model"
)

// mrperfRig is one rack of hosts with a disk of 80 MiB/s and cores of 2.5 GHz that run MRPERF's tasks without noise.
func mrperfRig(t *testing.T, hosts int) *rig {
	quiet := costs.NoiseSigma
	costs.NoiseSigma = 0
	t.Cleanup(func() { costs.NoiseSigma = quiet })
	return newRig(t, racks(hosts), func(s *Site) {
		s.Config.Durations, s.Config.Tasks.Rules = Resources, costs.MRPERF
		s.Config.Tasks.Replication = 1
		h := &s.Topology.Classes[0].Hardware
		h.Disk, h.Clock, h.Cores, h.Link = model.Rate(80*model.MiB), 2_500_000_000, 8, model.Rate(1000*model.MiB)
		stored(s, 0)
	})
}

// lasted checks when the only task of the rig ended.
func lasted(t *testing.T, what string, r *rig, want float64) {
	t.Helper()
	var got float64
	if len(r.ended) != 1 {
		t.Fatalf("%s: ended %v", what, r.ended)
	}
	_, text, _ := strings.Cut(r.ended[0], " at ")
	if _, err := fmt.Sscan(text, &got); err != nil || math.Abs(got-want) > 2e-6 {
		t.Errorf("%s: %s, want %.6f s (%v)", what, text, want, err)
	}
}

// A map of 64 MiB that makes as much starts a JVM, reads, computes and sorts, spills, and merges its two spills: its output is
// written twice and read once.
func TestMRPERFMap(t *testing.T) {
	const mib = 1 << 20
	block := 64 * model.MiB
	for _, c := range []struct {
		name string
		node model.NodeID
		make model.Bytes
		want float64
	}{
		{"two spills", 0, block, 1.6 + 64./80 + 64*mib*(40+44)/2.5e9 + 64./80 + 2*64./80},
		{"one spill", 0, block / 2, 1.6 + 64./80 + (64*mib*40+32*mib*44)/2.5e9 + 32./80},
		{"from another node 100 MiB are read", 1, block / 2, 1.6 + 100./80 + (64*mib*40+32*mib*44)/2.5e9 + 32./80},
	} {
		r := mrperfRig(t, 2)
		r.start(r.enter(model.Job{Maps: 1, Reduces: 1, Input: block, Shuffle: c.make, Cycles: [model.Kinds]float64{40, 40}}), model.Map, 0, c.node)
		r.runAll()
		lasted(t, c.name, r, c.want)
	}
}

// A reduce of 132 MiB that came without maps merges twice in memory, sorts, reads it all and writes as much.
func TestMRPERFReduce(t *testing.T) {
	const mib = 1 << 20
	r := mrperfRig(t, 1)
	r.start(r.enter(model.Job{Reduces: 1, Shuffle: 132 * model.MiB, Output: 66 * model.MiB, Cycles: [model.Kinds]float64{40, 40}}), model.Reduce, 0, 0)
	r.runAll()
	lasted(t, "a reduce", r, 1.6+(2*1e9+6e9)/2.5e9+132./80+132*mib*40/2.5e9+66./80)
}
