// SPDX-License-Identifier: Apache-2.0

package flows

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func run(t *testing.T, input string, digits int) string {
	t.Helper()
	var out strings.Builder
	if _, err := Run(strings.NewReader(input), &out, Options{Digits: digits}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRun(t *testing.T) {
	// Two racks of two nodes, node links 10, rack links 10. a and b leave rack 0 for rack 1: 5 each;
	// c stays in rack 1 and shares node 3's down link with b: 5; d ends at its start.
	got := run(t, `# comment
flow a 0 2 50 0   # flows may stand before the topology
topology 2 2 10 10 10 10

flow b 1 3 100 0
flow c 2 3 50 0
flow d 1 1 1e9 7.25
flow e 0 1 0 3
`, 0)
	// At 10 a and c are done, b has 50 left and gets 10: 15.
	if want := "a 10\nb 15\nc 10\nd 7.25\ne 3\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := run(t, "topology 1 2 3 3 1 1\nflow x 0 1 1 0\n", 17); got != "x 0.33333333333333331\n" {
		t.Errorf("17 digits: %q", got)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, input, want string }{
		{"missing topology", "flow a 0 1 5 0\n", `line 1: topology: found "none"`},
		{"empty", "", `line 0: topology: found "none"`},
		{"all at once", "topology 2 2 0 -1 NaN 5\nflow a 0 1 -5 0\nflow a 0 1 NaN x\nflw\n", `line 1: NODE_UP: found "0", allowed: a number of bytes/s from 1e-30 to 1e30
line 1: NODE_DOWN: found "-1", allowed: a number of bytes/s from 1e-30 to 1e30
line 1: RACK_UP: found "NaN", allowed: a number of bytes/s from 1e-30 to 1e30
line 2: BYTES: found "-5", allowed: a number of bytes from 0 to 1e30
line 3: ID: found "a", allowed: an id once; it stands on line 2 too
line 3: BYTES: found "NaN", allowed: a number of bytes from 0 to 1e30
line 3: START: found "x", allowed: a number of seconds from 0 to 1e30
line 4: statement: found "flw", allowed: topology or flow`},
		{"unknown nodes", "topology 2 2 1 1 1 1\nflow a 0 4 5 0\nflow b -1 1 5 0\n", `line 3: SRC: found "-1", allowed: a whole number from 0 to 10000000
line 2: DST: found "4", allowed: a node from 0 to 3`},
		{"two topologies", "topology 2 2 1 1 1 1\ntopology 2 2 1 1 1 1\n", `line 2: topology: found "topology 2 2 1 1 1 1", allowed: one topology, given on line 1`},
		{"too few values", "topology 2 2 1 1\nflow a 1\n", `line 1: topology: found "4 values"`},
		{"too many nodes", "topology 10000000 10000000 1 1 1 1\n", `line 1: RACKS x NODES_PER_RACK`},
	} {
		var out strings.Builder
		_, err := Run(strings.NewReader(c.input), &out, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s: got\n%v\nwant\n%s", c.name, err, c.want)
		}
	}
	if _, err := Run(strings.NewReader(""), nil, Options{Digits: 18}); err == nil || !strings.Contains(err.Error(), "1 to 17") {
		t.Error(err)
	}
}

// twin works the flows out by filling everything at every event.
func twin(topo topology, list []flow) []float64 {
	n := topo.racks * topo.nodes
	capacity := slices.Concat(slices.Repeat([]float64{topo.nodeUp}, n), slices.Repeat([]float64{topo.nodeDown}, n),
		slices.Repeat([]float64{topo.rackUp}, topo.racks), slices.Repeat([]float64{topo.rackDown}, topo.racks))
	links := func(f *flow) []int {
		l := []int{f.src, n + f.dst}
		if from, to := f.src/topo.nodes, f.dst/topo.nodes; from != to {
			l = append(l, 2*n+from, 2*n+topo.racks+to)
		}
		return l
	}
	ends, left, started, now := make([]float64, len(list)), make([]float64, len(list)), make([]bool, len(list)), 0.0
	for {
		rate := twinRates(capacity, list, links, func(i int) bool { return started[i] && left[i] > 0 })
		next := math.Inf(1)
		for i := range list {
			if !started[i] {
				next = min(next, list[i].start)
			} else if left[i] > 0 {
				next = min(next, now+left[i]/rate[i])
			}
		}
		if math.IsInf(next, 1) {
			return ends
		}
		for i := range list {
			if started[i] && left[i] > 0 {
				if left[i] -= rate[i] * (next - now); left[i] <= 1e-13*list[i].bytes {
					left[i], ends[i] = 0, next
				}
			} else if !started[i] && list[i].start <= next {
				started[i], left[i] = true, list[i].bytes
				if ends[i] = next; list[i].src == list[i].dst {
					left[i] = 0
				}
			}
		}
		now = next
	}
}

func twinRates(capacity []float64, list []flow, links func(*flow) []int, active func(int) bool) []float64 {
	rate := make([]float64, len(list))
	rem := append([]float64(nil), capacity...)
	for {
		users := make([]float64, len(capacity))
		for i := range list {
			if active(i) && rate[i] == 0 {
				for _, l := range links(&list[i]) {
					users[l]++
				}
			}
		}
		best, share := -1, math.Inf(1)
		for l := range rem {
			if users[l] > 0 && rem[l]/users[l] < share {
				best, share = l, rem[l]/users[l]
			}
		}
		if best < 0 {
			return rate
		}
		for i := range list {
			if ls := links(&list[i]); active(i) && rate[i] == 0 && (ls[0] == best || ls[1] == best || len(ls) > 2 && (ls[2] == best || ls[3] == best)) {
				rate[i] = share
				for _, l := range ls {
					rem[l] -= share
				}
			}
		}
	}
}

// TestTwin compares whole runs of every shape with the twin.
func TestTwin(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		topo := topology{2 + r.IntN(4), 2 + r.IntN(4), 100, 50 + 100*r.Float64(), 100 + 200*r.Float64(), 100 + 200*r.Float64()}
		list := generate(shapes[seed%uint64(len(shapes))], topo, 5+r.IntN(60), 150)
		got, _, err := solve(topo, list)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range twin(topo, list) {
			if math.Abs(got[i]-want) > 1e-9*want {
				t.Fatalf("seed %d: flow %d ends at %v, want %v", seed, i, got[i], want)
			}
		}
	}
}
