// SPDX-License-Identifier: Apache-2.0

package preempt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/queue"
)

// leafRow is a queue of a case in units of memory; the parent is the one before it with fewer dots.
type leafRow struct {
	path                     string
	guaranteed, used, wanted int64
	closed                   bool
}

func units(n int64) queue.Resource { return queue.Resource{Memory: n, VCores: min(n, 1)} }

// grove makes the tree of a case: leaves are listed, parents are sums of their children.
func grove(rows []leafRow) *parts {
	p := &parts{Calculator: queue.Memory{}}
	at := map[string]int{}
	for _, row := range rows {
		at[row.path] = len(p.list)
		parent := -1
		if dot := strings.LastIndexByte(row.path, '.'); dot >= 0 {
			parent = at[row.path[:dot]]
			p.list[parent].children = append(p.list[parent].children, len(p.list))
		}
		p.list = append(p.list, part{path: row.path, parent: parent, closed: row.closed, guaranteed: units(row.guaranteed), used: units(row.used), wanted: units(row.wanted)})
	}
	p.cluster = p.list[0].guaranteed
	for i := len(p.list) - 1; i >= 0; i-- {
		q := &p.list[i]
		q.most = p.cluster
		q.share = float32(q.guaranteed.Memory) / float32(p.cluster.Memory)
		if q.parent >= 0 {
			up := &p.list[q.parent]
			up.used, up.wanted = units(up.used.Memory+q.used.Memory), units(up.wanted.Memory+q.wanted.Memory)
		}
	}
	return p
}

// asked says what is to be obtained from leaves when all of the cluster may be taken in a round and a tenth above a
// guarantee is let pass.
func (p *parts) asked() string {
	p.divide(p.cluster, true)
	p.claim(0.1, 1, false)
	var list []string
	for i := range p.list {
		if q := &p.list[i]; q.obtain.Memory > 0 {
			list = append(list, fmt.Sprintf("%s %d", q.path, q.obtain.Memory))
		}
	}
	return strings.Join(list, ", ")
}

// TestRelease: the amounts are those of the release's own tests of one round.
func TestRelease(t *testing.T) {
	r := func(path string, numbers ...int64) leafRow {
		row := leafRow{path: path, guaranteed: numbers[0]}
		if len(numbers) > 1 {
			row.used, row.wanted = numbers[1], numbers[2]
		}
		return row
	}
	closed := func(row leafRow) leafRow {
		row.closed = true
		return row
	}
	deep := func(b leafRow) []leafRow {
		return []leafRow{r("r", 200), r("r.a", 100), b, r("r.a.c", 50, 50, 0), r("r.d", 100), r("r.d.e", 10, 90, 0), r("r.d.f", 90, 0, 10)}
	}
	for _, c := range []struct {
		what string
		rows []leafRow
		want string
	}{
		{"nobody asks", []leafRow{r("r", 100), r("r.a", 40, 0, 0), r("r.b", 40, 60, 0), r("r.c", 20, 40, 0)}, ""},
		{"the one above its share asks too", []leafRow{r("r", 100), r("r.a", 10, 30, 20), r("r.b", 40, 60, 5), r("r.c", 20, 10, 20), r("r.d", 30, 0, 0)}, "r.a 10"},
		{"the furthest above its share gives", []leafRow{r("r", 100), r("r.a", 40, 0, 10), r("r.b", 40, 60, 0), r("r.c", 20, 40, 0)}, "r.c 10"},
		{"two give", []leafRow{r("r", 100), r("r.a", 55, 0, 10), r("r.b", 25, 54, 0), r("r.c", 20, 46, 0)}, "r.b 4, r.c 6"},
		{"one is closed", []leafRow{r("r", 100), r("r.a", 55, 0, 10), closed(r("r.b", 25, 54, 0)), r("r.c", 20, 46, 0)}, "r.c 10"},
		{"a parent above its share gives first", deep(r("r.a.b", 50, 60, 0)), "r.a.b 10"},
		{"and its sibling where that is closed", deep(closed(r("r.a.b", 50, 60, 0))), "r.d.e 10"},
		{"leaves of two parents give", []leafRow{r("r", 400), r("r.a", 200), r("r.a.b", 60, 70, 0), r("r.a.c", 140, 140, 0),
			r("r.d", 100), r("r.d.e", 70, 50, 0), r("r.d.f", 30, 50, 0), r("r.g", 100), r("r.g.h", 10, 90, 0), r("r.g.i", 90, 0, 15)}, "r.a.b 9, r.g.h 6"},
		{"all ask, one has less than its share", []leafRow{r("r", 100), r("r.a", 30, 10, 30), r("r.b", 30, 40, 30), r("r.c", 30, 50, 30), r("r.d", 10, 0, 0)}, "r.b 5, r.c 15"},
	} {
		if got := grove(c.rows).asked(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// TestBalance: the amounts are those of the release's own tests. Of what is left when all have their guarantee, queues have
// as much as their guarantees are to each other.
func TestBalance(t *testing.T) {
	for _, c := range []struct {
		wanted int64 // by the one that has least
		even   bool
		want   string
	}{{30, false, "r.b 5, r.c 15"}, {30, true, "r.b 7, r.c 17"}, {6, true, "r.c 8"}} {
		p := grove([]leafRow{{"r", 100, 0, 0, false}, {"r.a", 30, 10, c.wanted, false}, {"r.b", 30, 40, 30, false}, {"r.c", 30, 50, 30, false}, {"r.d", 10, 0, 0, false}})
		p.balanced = c.even
		if got := p.asked(); got != c.want {
			t.Errorf("%d wanted, balanced %t: got %q, want %q", c.wanted, c.even, got, c.want)
		}
	}
}

// TestIdeal: what is divided is what the cluster has; nobody has more ideally than it uses and asks for; a leaf that asks for
// its guarantee has it; what a leaf gives never brings it below its guarantee.
func TestIdeal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 500 {
		rows := []leafRow{{path: "r", guaranteed: 1000}}
		shares := cut(rng, 1000, 1+rng.IntN(5))
		used := cut(rng, 1000, len(shares)+1)
		for i, g := range shares {
			rows = append(rows, leafRow{fmt.Sprintf("r.q%d", i), g, used[i], int64(rng.IntN(3)) * int64(rng.IntN(500)), rng.IntN(5) == 0})
		}
		p := grove(rows)
		p.divide(p.cluster, true)
		p.claim(0, 1, false)
		var sum int64
		for _, q := range p.list[1:] {
			sum += q.ideal.Memory
			if most := max(q.used.Memory, 0) + q.wanted.Memory; q.ideal.Memory > most {
				t.Fatalf("round %d: %s has %d ideally of %d that it wants", round, q.path, q.ideal.Memory, most)
			}
			if left := q.used.Memory - q.obtain.Memory; q.obtain.Memory > 0 && left < q.guaranteed.Memory {
				t.Fatalf("round %d: %s keeps %d of its guarantee %d", round, q.path, left, q.guaranteed.Memory)
			}
			if q.closed && q.obtain.Memory > 0 {
				t.Fatalf("round %d: %d is taken from %s, which is closed", round, q.obtain.Memory, q.path)
			}
		}
		if sum > 1000 {
			t.Fatalf("round %d: %d of 1000 are divided", round, sum)
		}
	}
}

// cut divides a total into parts.
func cut(rng *rand.Rand, total int64, parts int) []int64 {
	list := make([]int64, parts)
	for range total {
		list[rng.IntN(parts)]++
	}
	return list
}

// TestPriority: where a parent goes by priority, queues below their guarantee are served in that order.
func TestPriority(t *testing.T) {
	p := grove([]leafRow{{"r", 100, 0, 0, false}, {"r.a", 40, 0, 40, false}, {"r.b", 40, 0, 40, false}, {"r.c", 20, 90, 0, true}})
	p.list[1].priority, p.list[2].priority = 1, 2
	p.divide(p.cluster, true)
	if a, b := p.list[1].ideal.Memory, p.list[2].ideal.Memory; a != 0 || b != 10 {
		t.Errorf("ideal for the lower priority %d, for the higher %d; want 0 and 10", a, b)
	}
}
