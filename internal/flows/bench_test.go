// SPDX-License-Identifier: Apache-2.0

package flows

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/internal/heapunit"
)

// shape draws the ends of a flow on racks x nodes.
type shape struct {
	name string
	draw func(r *rand.Rand, racks, nodes int) (src, dst int)
}

var shapes = []shape{
	{"random", func(r *rand.Rand, racks, nodes int) (int, int) {
		from := r.IntN(racks)
		to := (from + 1 + r.IntN(racks-1)) % racks
		return from*nodes + r.IntN(nodes), to*nodes + r.IntN(nodes)
	}},
	{"star", func(r *rand.Rand, racks, nodes int) (int, int) { return 1 + r.IntN(racks*nodes-1), 0 }},
	{"mesh", func(r *rand.Rand, racks, nodes int) (int, int) { // all pairs of 60 nodes, two in each rack
		n := 2 * racks
		src := r.IntN(n)
		dst := (src + 1 + r.IntN(n-1)) % n
		return src/2*nodes + src%2, dst/2*nodes + dst%2
	}},
	{"hotrack", func(r *rand.Rand, racks, nodes int) (int, int) {
		return nodes + r.IntN((racks-1)*nodes), r.IntN(nodes)
	}},
	{"local", func(r *rand.Rand, racks, nodes int) (int, int) { // within a rack
		rack, src := r.IntN(racks), r.IntN(nodes)
		return rack*nodes + src, rack*nodes + (src+1+r.IntN(nodes-1))%nodes
	}},
	{"shuffle", func(r *rand.Rand, racks, nodes int) (int, int) { // from everywhere to one node in each rack and in eight racks to all
		src, dst := r.IntN(racks*nodes), r.IntN(racks)*nodes
		if r.IntN(2) == 0 {
			dst = r.IntN(min(8, racks))*nodes + r.IntN(nodes)
		}
		if src == dst {
			src = (dst + 1) % (racks * nodes)
		}
		return src, dst
	}},
	{"pairs", func(r *rand.Rand, racks, nodes int) (int, int) {
		k := 2 * r.IntN(racks*nodes/2)
		return k, k + 1
	}},
}

// generate draws flows such that about active of them run at any time: each completion starts the
// next. The start times are then fixed input.
func generate(s shape, topo topology, active, total int) []flow {
	r := rand.New(rand.NewPCG(1, uint64(active)))
	solver := fluid.New()
	net, err := newFabric(solver, topo)
	if err != nil {
		panic(err)
	}
	var list []flow
	begin := func(now float64) {
		if len(list) == total {
			return
		}
		src, dst := s.draw(r, topo.racks, topo.nodes)
		f := flow{id: strconv.Itoa(len(list)), src: src, dst: dst, bytes: 1e6 + r.ExpFloat64()*64e6, start: now}
		if _, err := solver.Start(now, fluid.Spec{Tag: uint64(len(list)), Work: f.bytes, Uses: net.Path(nil, src, dst)}); err != nil {
			panic(err)
		}
		list = append(list, f)
	}
	for range active {
		begin(0)
	}
	for len(list) < total {
		t, _ := solver.Next()
		if err := solver.Advance(t, func(d fluid.Done) { begin(d.Time) }); err != nil {
			panic(err)
		}
	}
	for i := range list { // starts and ends are events of their own
		list[i].start += 0.01 * r.Float64()
	}
	return list
}

// TestWriteShapes writes the inputs of BenchmarkFlows as files for other programs, where a folder is named.
func TestWriteShapes(t *testing.T) {
	dir := os.Getenv("YARDMASTER_FLOWS_DIR")
	if dir == "" {
		t.Skip("set YARDMASTER_FLOWS_DIR to write the inputs of the benchmark")
	}
	for _, over := range []float64{1, 4} {
		topo := benchTopology(over)
		for _, s := range shapes {
			for _, active := range []int{100, 1000, 4300} {
				var text strings.Builder
				fmt.Fprintf(&text, "topology %d %d %v %v %v %v\n", topo.racks, topo.nodes, topo.nodeUp, topo.nodeDown, topo.rackUp, topo.rackDown)
				for _, f := range generate(s, topo, active, 10000) {
					fmt.Fprintf(&text, "flow %s %d %d %.0f %.9f\n", f.id, f.src, f.dst, f.bytes, f.start)
				}
				name := filepath.Join(dir, fmt.Sprintf("over%v-%s-%d.txt", over, s.name, active))
				if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// benchTopology is 30 racks of 20 nodes with links of 1 Gbit/s; rack links are scarce by the factor over.
func benchTopology(over float64) topology {
	rack := 20 * 125e6 / over
	return topology{30, 20, 125e6, 125e6, rack, rack}
}

// BenchmarkFlows is the grid shape x active flows x how scarce rack links are. cpu-us/flow is the figure to
// watch; in heap operations of as many pending events, measured in the same process, it can be compared
// from machine to machine: for each flow, and for each time that the level of a link moved.
func BenchmarkFlows(b *testing.B) {
	for _, over := range []float64{1, 4} {
		topo := benchTopology(over)
		for _, s := range shapes {
			for _, active := range []int{100, 1000, 4300, 5000} {
				list := generate(s, topo, active, 10000)
				b.Run(fmt.Sprintf("over=%v/%s/active=%d", over, s.name, active), func(b *testing.B) {
					b.ReportAllocs()
					unit := heapunit.PushPop(active)
					cpu, moved := heapunit.CPU(), int64(0)
					for b.Loop() {
						_, m, err := solve(topo, list)
						if err != nil {
							b.Fatal(err)
						}
						moved += m
					}
					took, flows := heapunit.CPU()-cpu, float64(b.N*len(list))
					b.ReportMetric(took.Seconds()*1e6/flows, "cpu-us/flow")
					b.ReportMetric(float64(took)/float64(unit)/flows, "heap-ops/flow")
					b.ReportMetric(float64(took)/float64(unit)/float64(moved), "heap-ops/level")
				})
			}
		}
	}
}
