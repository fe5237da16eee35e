// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"fmt"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
	"github.com/yardmaster/yardmaster/rng"
)

// crowd fills a desk of 600 nodes in 30 racks with waiting jobs of 200 users: two thirds of two maps, the others
// of up to 60, of different sizes. Of every second job half of the maps have ended. Data lies on the nodes
// of the first racks.
func crowd(b *testing.B, p NASParams, jobs, racks int) *desk {
	d := newDesk(b, 30, 20, 6, 3)
	d.drive("user", func(env *policy.Env) kit.Place { return NewNAS(env, p) })
	for i := range jobs {
		r := rng.New(1, "nas-bench").At(uint64(i), 0, 0)
		maps := int32(2)
		if r.IntN(3) == 0 {
			maps = 2 + int32(r.IntN(60))
		}
		blocks := make([][]model.NodeID, maps)
		for k := range blocks {
			first, second := model.NodeID(r.IntN(20*racks)), model.NodeID(r.IntN(20*racks))
			blocks[k] = []model.NodeID{first, second, second/20*20 + (second+1)%20}
		}
		each := model.Bytes(2+r.IntN(127)) * model.MiB
		j := d.comeWith(job(fmt.Sprint("user", i%200), maps, model.Bytes(maps)*each, model.Bytes(maps)*(each+model.Bytes(r.IntN(1000)))), blocks)
		if i%2 == 0 {
			for k := range maps / 2 {
				d.run(j, k, model.NodeID(r.IntN(600)))
			}
		}
	}
	d.pass(2 * model.Second)
	return d
}

// BenchmarkNASOffer is the time for one offer while many jobs wait. An offer that is declined skips every user,
// so its time follows the users (100 of them with 100 jobs), not the jobs.
func BenchmarkNASOffer(b *testing.B) {
	with := func(change func(*NASParams)) NASParams {
		p := DefaultNASParams()
		p.MinMaps, p.MaxMaps = 1, 1 // maps alone
		change(&p)
		return p
	}
	for _, c := range []struct {
		name   string
		params NASParams
		racks  int // with data
		load   float64
	}{
		{"local", with(func(p *NASParams) { p.Traffic = false }), 30, 0},
		{"far", with(func(p *NASParams) { p.Traffic, p.MapSkips = false, 1 }), 2, 0},
		{"reduce", with(func(p *NASParams) { p.MinMaps, p.MaxMaps = 0, 0 }), 30, 0},
		{"declined", with(func(p *NASParams) { p.Limit, p.MapSkips = 1, 1<<30 }), 30, 0},
		{"congested", with(func(p *NASParams) { p.MinMaps, p.MaxMaps, p.ReduceSkips = 0, 0, 1<<30 }), 30, 1},
	} {
		for _, jobs := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/jobs=%d", c.name, jobs), func(b *testing.B) {
				d := crowd(b, c.params, jobs, c.racks)
				for r := range model.RackID(30) {
					d.load(r, c.load)
				}
				served := 0
				offer := func(i int) { // what starts is killed, so that the crowd stays as it is
					node := model.NodeID(40 + i*7%560)
					n := &d.state.Nodes[node]
					if got := d.drivers[0].Pick(&policy.Offer{Now: d.now, Node: node, Rack: n.Rack, Free: n.Free}).Task; got.Job != model.None {
						d.start(got, node)
						d.end(got, node, false)
						served++
					}
				}
				for i := range 600 { // users have been skipped, and indexes are built
					offer(i)
				}
				served = 0
				b.ResetTimer()
				for i := range b.N {
					offer(i)
				}
				b.ReportMetric(float64(served)/float64(b.N), "served/op")
			})
		}
	}
}
