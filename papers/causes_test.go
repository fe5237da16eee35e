// SPDX-License-Identifier: Apache-2.0

package papers_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/scenario"
)

// The tests of this file show causes of deviations that expected.yaml names, where one command does not.

// load parses a scenario of the papers.
func load(t *testing.T, file string, settings ...strict.Setting) *scenario.Scenario {
	t.Helper()
	src, err := papers.Files.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(file, src, settings)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// try runs an experiment of capacity-2013 with changes and returns its findings by figure.
func try(t *testing.T, only string, seeds int, changes ...strict.Setting) map[string]reproduce.Finding {
	t.Helper()
	r, err := reproduce.Try(context.Background(), papers.Files, "capacity-2013", reproduce.Trial{Only: only, Set: changes, Seeds: seeds}, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	findings := map[string]reproduce.Finding{}
	for _, f := range r.Findings {
		findings[f.Figure] = f
	}
	return findings
}

// measure runs policies of a scenario and returns the values of each query, by policy.
func measure(t *testing.T, s *scenario.Scenario, seeds int, policies []string, queries []metrics.Query) [][][]float64 {
	t.Helper()
	choices, err := s.Pick(policies)
	if err != nil {
		t.Fatal(err)
	}
	c, err := experiment.Compare(context.Background(), s, choices, seeds, queries, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Values
}

// In the interleaved pattern execution times of jobs of these types differ more by their place in the sequence than from run to run.
func TestVariationOfSameJob(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	s := load(t, "capacity-2013/simulation.yaml", strict.Setting{Path: "workload.generate.preset.capacity-2013.pattern", Value: "interleaved"})
	jobs := s.Jobs(s.Seed)
	var queries []metrics.Query
	for i := range jobs {
		queries = append(queries, metrics.Query{By: "job", Value: jobs[i].Name, Metric: "mean_exec"})
	}
	for class := 1; class <= 7; class++ {
		queries = append(queries, metrics.Query{By: "class", Value: fmt.Sprintf("type%d", class), Metric: "cv_exec"})
	}
	policies := []string{"exp17", "exp20"}
	values := measure(t, s, 5, policies, queries)
	most := map[string]float64{"exp17 type3": 0.4, "exp17 type7": 0.3, "exp20 type1": 0.5, "exp20 type5": 0.7} // of the variation in a run
	for p, policy := range policies {
		for class := 1; class <= 7; class++ {
			overRuns, n := 0.0, 0.0
			for i := range jobs {
				if v := values[p][i]; jobs[i].Class == fmt.Sprintf("type%d", class) {
					overRuns, n = overRuns+math.Sqrt(stats.Variance(v))/stats.Mean(v), n+1
				}
			}
			overRuns /= n
			overJobs := stats.Mean(values[p][len(jobs)+class-1])
			t.Logf("%s, type %d: %.3f over the jobs of a run, %.3f over the runs of a job", policy, class, overJobs, overRuns)
			if share, ok := most[fmt.Sprintf("%s type%d", policy, class)]; ok && overRuns > share*overJobs {
				t.Errorf("%s, type %d: %.3f over the jobs of a run, %.3f over the runs of a job, want less", policy, class, overJobs, overRuns)
			}
		}
	}
}

// tableFourOne has the columns of table 4.1 by type: number of jobs, maps, reduces, ratios of data, cycles per byte.
var tableFourOne = [][7]float64{{8, 100, 15, 1, 1, 5, 40}, {6, 200, 1, 0.025, 3, 40, 5}, {4, 400, 30, 3, 0.025, 40, 40}, {2, 800, 8, 0.075, 0.0005, 20, 20},
	{48, 1, 1, 1, 1, 1, 1}, {24, 2, 1, 1, 1, 1, 1}, {8, 10, 1, 1, 1, 1, 1}}

// interleavedWith returns the workload of the interleaved pattern with the short types in this order.
func interleavedWith(short []int) strict.Setting {
	var jobs []string
	add := func(at, kind int) {
		k := tableFourOne[kind]
		for half := range 2 {
			jobs = append(jobs, fmt.Sprintf("{name: type%[1]d-%[2]d, class: type%[1]d, user: user%[2]d, queue: queue%[3]d, submit: %[4]ds, maps: %[5]g, reduces: %[6]g, shuffle-ratio: %[7]g, output-ratio: %[8]g, map-cycles: %[9]g, reduce-cycles: %[10]g}",
				kind+1, len(jobs), half+1, at, k[1], k[2], k[3], k[4], k[5], k[6]))
		}
	}
	long, at := 0, 0
	for kind := range 4 {
		for range int(tableFourOne[kind][0]) / 2 {
			for _, s := range short[4*long : 4*long+4] {
				add(at, s)
				at++
			}
			add(at, kind)
			long, at = long+1, at+1
		}
	}
	return strict.Setting{Path: "workload", Value: "{jobs: [" + strings.Join(jobs, ", ") + "]}"}
}

// The order of the short types is not stated. That of table 4.1 is nearest to table 6.14; with another one the
// ratios of type 5 or type 7 are further off, and that of type 6 does not come out either.
func TestOrderOfShortTypes(t *testing.T) {
	var table, spread, reversed []int
	for kind := 4; kind < 7; kind++ {
		for range int(tableFourOne[kind][0]) / 2 {
			table = append(table, kind)
		}
	}
	for i := range table {
		reversed = append(reversed, table[len(table)-1-i])
	}
	for range 4 {
		spread = append(spread, 4, 5, 4, 4, 5, 4, 6, 4, 5, 4)
	}
	published := [3]float64{2.02, 4.16, 6.91} // types 5, 6 and 7 in experiment 18, table 6.14
	var queries []metrics.Query
	for class := 5; class <= 7; class++ {
		queries = append(queries, metrics.Query{By: "class", Value: fmt.Sprintf("type%d", class), Metric: "mean_response_ratio"})
	}
	off := func(name string, order []int) (factors [3]float64) {
		values := measure(t, load(t, "capacity-2013/simulation.yaml", interleavedWith(order)), 1, []string{"exp18"}, queries)
		for i := range factors {
			ours := values[0][i][0]
			factors[i] = max(ours/published[i], published[i]/ours)
			t.Logf("%s: type %d has %.1f, published %.2f", name, i+5, ours, published[i])
		}
		return factors
	}
	best := off("order of table 4.1", table)
	for name, order := range map[string][]int{"spread evenly": spread, "reversed": reversed} {
		if f := off(name, order); f[0] < best[0] || f[2] < best[2] {
			t.Errorf("%s: types 5 and 7 are off by factors %.1f and %.1f, with the order of the table by %.1f and %.1f", name, f[0], f[2], best[0], best[2])
		}
	}
}

// Table 5.1 comes out in two fifths of its cells with what MRPERF's measurements on this processor say that tasks compute, and
// hardly in any without it.
func TestRealClusterComputesMore(t *testing.T) {
	total, before, after := 0, 0, 0
	for only, jobs := range map[string]int{"sensitivity": 6, "sensitivity-two-reduces": 6, "sensitivity-three-queues": 9, "sensitivity-users": 4, "sensitivity-five-reduces": 4} {
		settings := []strict.Setting{{Path: "tasks.start-cpu", Value: "0s"}}
		s := load(t, "capacity-2013/"+map[int]string{6: "sensitivity.yaml", 9: "sensitivity3.yaml", 4: "sensitivity1.yaml"}[jobs])
		for i, j := range s.Jobs(s.Seed) {
			sort := 44.0
			if j.Class == "wordcount" {
				sort = 2 // 44 for each byte of its output, 5 % of what it reads
			}
			settings = append(settings, strict.Setting{Path: fmt.Sprintf("workload.jobs[%d].map-cycles", i), Value: fmt.Sprint(j.Cycles[0] - sort)},
				strict.Setting{Path: fmt.Sprintf("workload.jobs[%d].reduce-cycles", i), Value: "40"})
		}
		for figure, f := range try(t, only, 5, settings...) {
			if !strings.Contains(figure, "makespan of queue") {
				continue
			}
			total++
			if f.Verdict == reproduce.Within {
				before++
			}
		}
		for figure, f := range try(t, only, 5) {
			if strings.Contains(figure, "makespan of queue") && f.Verdict == reproduce.Within {
				after++
			}
		}
	}
	if t.Logf("within 25 %%: %d of %d cells without that compute, %d with it", before, total, after); before > total/10 || after < 2*total/5 {
		t.Errorf("want at most a tenth without and two fifths with it")
	}
}

// The threshold that CBTwAT draws first decides how long a batch takes.
func TestFirstThresholdDecides(t *testing.T) {
	low, high := 0.0, 0.0 // mean makespans with a first threshold of 1 or 2, and of 3 or 4
	counts := [2]int{}
	for seed := 101; seed < 141; seed++ {
		s := batch(t, strict.Setting{Path: "policy.tuner", Value: "{cbtwat: {faithful: true}}"}, strict.Setting{Path: "seed", Value: fmt.Sprint(seed)})
		var log strings.Builder
		l := experiment.TunerLog(s, &log)
		q := metrics.Query{Metric: "makespan"}
		c, err := experiment.Compare(context.Background(), s, []scenario.PolicyChoice{s.Policy}, 1, []metrics.Query{q}, experiment.Options{Tuning: l})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(log.String(), ", threshold ")
		if !ok {
			t.Fatalf("seed %d: no threshold in the log", seed)
		}
		if rest[0] <= '2' {
			low, counts[0] = low+c.Values[0][0][0], counts[0]+1
		} else {
			high, counts[1] = high+c.Values[0][0][0], counts[1]+1
		}
	}
	low, high = low/float64(counts[0]), high/float64(counts[1])
	t.Logf("first threshold 1 or 2: %.0f s in %d runs, 3 or 4: %.0f s in %d runs", low, counts[0], high, counts[1])
	if low > 645 || high < 680 {
		t.Errorf("first threshold 1 or 2: %.0f s, 3 or 4: %.0f s", low, high)
	}
}

// Two rows of table II exclude themselves: M m + R r of work and a run time of ceil(M/60) m + ceil(R/20) r.
func TestTableTwoExcludesItself(t *testing.T) {
	if m := (155.32 - 5*42.83) / (50 - 5); m > 0 {
		t.Errorf("GREP 50/5 has maps of %.2f s", m)
	}
	if least := 15697.18 / 60; least < 233.63 {
		t.Errorf("GREP 400/40 can end after %.1f s", least)
	}
}

// work returns the size of a job in seconds: the lengths of its tasks without their scatter.
func work(j *model.Job) (seconds float64) {
	for _, k := range []model.Kind{model.Map, model.Reduce} {
		l := j.Lengths(k)
		if len(l.Fixed) == 0 {
			seconds += float64(j.Tasks(k)) * l.Mean.Seconds()
		}
		for _, length := range l.Fixed {
			seconds += length.Seconds()
		}
	}
	return seconds
}

// The work below the limits of TAGS and SITA in the jobs of facebook.yaml.
func TestWorkBelowLimits(t *testing.T) {
	s := load(t, "slowdown-2015/facebook.yaml")
	total, tags, sita := 0.0, 0.0, 0.0
	for _, j := range s.Jobs(s.Seed) {
		size := work(&j)
		total += size
		tags += min(size, 14000)
		if size <= 18000 {
			sita += size
		}
	}
	t.Logf("below min(size, 14,000 s): %.3f; in jobs up to 18,000 s: %.3f", tags/total, sita/total)
	if math.Abs(tags/total-0.35) > 0.02 || math.Abs(sita/total-0.11) > 0.01 {
		t.Errorf("below min(size, 14,000 s): %.3f; in jobs up to 18,000 s: %.3f", tags/total, sita/total)
	}
}
