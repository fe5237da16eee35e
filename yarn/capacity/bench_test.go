// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// forest returns properties of a tree with about that many leaves below that many levels, all alike.
func forest(leaves, depth int) (p conf.Properties, paths []string) {
	p = conf.Properties{}
	width := max(1, int(math.Round(math.Pow(float64(leaves), 1/float64(depth)))))
	level := []string{"root"}
	for d := range depth {
		n := width
		if d == depth-1 {
			n = max(1, leaves/len(level))
		}
		var next []string
		for _, parent := range level {
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("q%d", i))
				path := fmt.Sprintf("%s.q%d", parent, i)
				p[settings.Prefix+path+".capacity"] = "1w"
				next = append(next, path)
			}
			p[settings.Prefix+parent+".queues"] = strings.Join(names, ",")
		}
		level = next
	}
	p[settings.Prefix+"maximum-am-resource-percent"] = "1"
	p[settings.Prefix+"user-limit-factor"] = "-1"
	p[settings.Prefix+"maximum-applications"] = "10000000"
	return p, level
}

// mill is a full cluster in which a container ends and another starts, again and again.
type mill struct {
	s     *Scheduler
	nodes []*Node
	turn  int
}

func (m *mill) Started(*Container)        {}
func (m *mill) Refused(Proposal)          {}
func (m *mill) Reserved(*Container, bool) {}

// newMill returns a full cluster of 20 nodes with one application in each leaf that asks for ever, and as many
// that wait for a master in the first.
func newMill(tb testing.TB, leaves, depth, waiting int) *mill {
	p, paths := forest(leaves, depth)
	if waiting > 0 {
		p[settings.Prefix+paths[0]+".maximum-am-resource-percent"] = "0.000001"
	}
	settings, err := settings.Read(p)
	if err != nil {
		tb.Fatal(err)
	}
	m := &mill{}
	m.s = New(settings, m)
	for i := range 20 {
		n := &Node{Name: fmt.Sprintf("n%d", i), Rack: "/r", Total: queue.Resource{Memory: 100 * 1024, VCores: 100}}
		m.nodes = append(m.nodes, n)
		m.s.AddNode(n)
	}
	size := queue.Resource{Memory: 1024, VCores: 1}
	for i, path := range paths {
		a := &Attempt{App: i + 1, Number: 1, User: "u", Master: size}
		m.s.Submit(a, path, int64(i))
		m.s.Ask(a, []Request{{Priority: 1, At: Any, Size: size, Count: 1 << 30}})
	}
	for i := range waiting {
		a := &Attempt{App: len(paths) + i + 1, Number: 1, User: "v", Master: size}
		m.s.Submit(a, paths[0], 0)
		m.s.Ask(a, []Request{{At: Any, Size: size, Count: 1}})
	}
	for free := true; free; {
		free = false
		for _, n := range m.nodes {
			m.s.Heartbeat(n)
			free = free || n.Free().Memory >= 1024
		}
	}
	for range 4000 { // until lists have their size
		m.step()
	}
	return m
}

// step ends the oldest container of a node and lets the node ask.
func (m *mill) step() {
	n := m.nodes[m.turn%len(m.nodes)]
	m.turn++
	c := n.Containers[0]
	c.Taken = true
	m.s.Take(c.Attempt)
	m.s.End(c)
	m.s.Recycle(c)
	m.s.Heartbeat(n)
}

// BenchmarkQueues is an end and a start in trees of several sizes.
func BenchmarkQueues(b *testing.B) {
	for _, leaves := range []int{1, 10, 100, 1000, 10000} {
		for _, depth := range []int{1, 3, 5} {
			if leaves == 1 && depth > 1 {
				continue
			}
			b.Run(fmt.Sprintf("queues=%d/depth=%d", leaves, depth), func(b *testing.B) {
				m := newMill(b, leaves, depth, 0)
				b.ReportAllocs()
				for b.Loop() {
					m.step()
				}
			})
		}
	}
}

// BenchmarkWaiting is the same beside applications that wait for a master.
func BenchmarkWaiting(b *testing.B) {
	for _, waiting := range []int{10, 10000} {
		b.Run(fmt.Sprintf("applications=%d", waiting), func(b *testing.B) {
			m := newMill(b, 10, 1, waiting)
			b.ReportAllocs()
			for b.Loop() {
				m.step()
			}
		})
	}
}

// TestNoAllocation: an end and a start take no memory of their own.
func TestNoAllocation(t *testing.T) {
	m := newMill(t, 100, 3, 0)
	if n := testing.AllocsPerRun(2000, m.step); n > 0 {
		t.Errorf("%v allocations for each end and start", n)
	}
}
