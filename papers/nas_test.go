// SPDX-License-Identifier: Apache-2.0

package papers_test

import (
	"math"
	"os"
	"testing"

	"github.com/yardmaster/yardmaster/scenario"
)

// traced parses a scenario of the chapter on network-aware scheduling, on its trace.
func traced(t *testing.T, file string) *scenario.Scenario {
	t.Helper()
	if os.Getenv("YARDMASTER_TRACES") == "" {
		t.Skip("skipped: needs the trace FB-2010 in $YARDMASTER_TRACES")
	}
	s := load(t, "diverse-2018/nas/"+file)
	if why := s.StandIn(); why != "" {
		t.Skip("skipped: " + why)
	}
	return s
}

// If 29 of 30 bytes of shuffle data cross racks, as with reduces anywhere, all racks' links together need 31.4 h for those of
// the whole trace and 5.3 h for those of hours 5 to 9.
func TestRackLinksBound(t *testing.T) {
	for file, want := range map[string]float64{"day.yaml": 31.36, "slice.yaml": 5.31} {
		s := traced(t, file)
		shuffle, links := 0.0, 0.0
		for _, j := range s.Jobs(s.Seed) {
			shuffle += float64(j.Shuffle)
		}
		for _, rate := range s.Cluster.Topology().Uplinks {
			links += float64(rate)
		}
		racks := float64(s.Cluster.Racks)
		hours := shuffle * (racks - 1) / racks / links / 3600
		t.Logf("%s: %.1f TB of shuffle data, %.2f h of all racks' links", file, shuffle/1e12, hours)
		if math.Abs(hours-want) > 0.01 {
			t.Errorf("%s: %.2f h of all racks' links, want %.2f h", file, hours, want)
		}
	}
}

// The most that reduces in proportion to map output can save (equation 3.4). With the share x of a job's map output in a rack
// and the same share of its reduces there, the sum of x squared does not cross. M maps in racks at random make that 1/R + (1 - 1/R)/M on average
// for R racks, where reduces anywhere make it 1/R: of what would cross, 1/M is saved. Over all bytes that is next to nothing, for
// those that make most of them have thousands of maps; over jobs it is two thirds.
func TestProportionalReducesSave(t *testing.T) {
	s := traced(t, "day.yaml")
	saved, shuffle, shares, jobs := 0.0, 0.0, 0.0, 0.0
	for _, j := range s.Jobs(s.Seed) {
		if j.Shuffle > 0 && j.Maps > 0 {
			saved += float64(j.Shuffle) / float64(j.Maps)
			shuffle += float64(j.Shuffle)
			shares += 1 / float64(j.Maps)
			jobs++
		}
	}
	t.Logf("of what crosses racks %.4f of all bytes, %.3f of a job's on average", saved/shuffle, shares/jobs)
	if all := saved / shuffle; all > 0.0015 {
		t.Errorf("%.4f of all bytes saved", all)
	}
	if mean := shares / jobs; mean < 0.6 || mean > 0.75 {
		t.Errorf("%.3f of a job's bytes saved on average", mean)
	}
}

// ShuffleWatcher's sets of racks with known sizes: a job in k of R racks sends what has no replica in them, each block being in two
// racks, and 1 - 1/k of its shuffle data. With the cheapest k for each job, and tasks that never leave it, more than half of
// what crosses racks would be saved: the jobs that make the most of it read little.
func TestSetsOfRacksSave(t *testing.T) {
	s := traced(t, "day.yaml")
	racks := float64(s.Cluster.Racks)
	crosses, least := 0.0, 0.0
	for _, j := range s.Jobs(s.Seed) {
		input, shuffle := float64(j.Input), float64(j.Shuffle)
		best := math.Inf(1)
		for k := 1.0; k <= racks; k++ {
			missing := (racks - k) * (racks - k - 1) / (racks * (racks - 1))
			best = min(best, input*missing+shuffle*(1-1/k))
		}
		crosses += shuffle * (1 - 1/racks)
		least += best
	}
	saved := 1 - least/crosses
	t.Logf("%.0f of %.0f TB cross racks, %.2f are saved", least/1e12, crosses/1e12, saved)
	if saved < 0.5 || saved > 0.9 {
		t.Errorf("%.2f of what crosses racks saved, want more than half", saved)
	}
}

// Equation 3.5 is linear in the shuffle size, which spans nine decades: with the largest job of a draw in the cluster, nearly all others
// have a threshold of T_max, 0.5, less a hundredth at most.
func TestNearlyAllJobsHaveTmax(t *testing.T) {
	s := load(t, "diverse-2018/nas/forty.yaml")
	const low, high = 0.2, 0.5
	jobs := s.Jobs(s.Seed)
	most := 0.0
	for _, j := range jobs {
		most = max(most, float64(j.Shuffle))
	}
	near := 0
	for _, j := range jobs {
		if high-(high-low)*float64(j.Shuffle)/most >= high-0.01 {
			near++
		}
	}
	share := float64(near) / float64(len(jobs))
	t.Logf("%.3f of the jobs have a threshold from %.2f to %.2f", share, high-0.01, high)
	if share < 0.9 {
		t.Errorf("%.3f of the jobs have a threshold from %.2f to %.2f, want nearly all", share, high-0.01, high)
	}
}
