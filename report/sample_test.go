// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

func TestCDF(t *testing.T) {
	for _, n := range []int{0, 1, 2, 299, 300, 301, 25000} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i * i)
		}
		c := newCDF(values, full)
		if len(c.X) > full.cdf || len(c.X) != len(c.P) || (n > 0 && len(c.X) == 0) {
			t.Errorf("n=%d: %d points and %d shares", n, len(c.X), len(c.P))
		}
		if n == 0 {
			continue
		}
		if last := len(c.X) - 1; c.X[0] != values[0] || c.X[last] != values[n-1] || c.P[last] != 1 {
			t.Errorf("n=%d: ends are %v and %v (%v)", n, c.X[0], c.X[last], c.P[last])
		}
		for i := range c.X {
			// the share that a naive count finds
			k, _ := slices.BinarySearch(values, c.X[i]+0.5)
			if want := float64(k) / float64(n); math.Abs(c.P[i]-want) > 1e-12 {
				t.Errorf("n=%d: share at %v is %v, want %v", n, c.X[i], c.P[i], want)
			}
		}
	}
}

func TestVariation(t *testing.T) {
	slow := []float64{1, 2, 3, 4, 5} // median 3; the 75th percentile is 4
	v := variation(slow)
	if len(v) != 50 || v[0] != 1 || math.Abs(v[25]-4.0/3) > 1e-12 {
		t.Errorf("V = %v", v)
	}
	if v := variation(nil); len(v) != 0 {
		t.Errorf("V of nothing is %v", v)
	}
}

func TestScatterKeepsExtremes(t *testing.T) {
	jobs := madeRun(25000, 0).Jobs
	jobs[17].Size, jobs[18].Size = 0, model.Seconds(1e9)
	jobs[19].Finish = jobs[19].Submit + model.Seconds(1e8)
	jobs[20].Reference = 0
	s := newScatter(jobs, full)
	if len(s.ID) > full.scatter || len(s.ID) < full.scatter/2 {
		t.Errorf("%d points, want at most %d and not far fewer", len(s.ID), full.scatter)
	}
	total := 0
	for _, n := range s.N {
		total += n
	}
	if total != len(jobs)-1 {
		t.Errorf("the dots stand for %d jobs, want %d", total, len(jobs)-1)
	}
	for _, id := range []model.JobID{17, 18, 19} {
		if !slices.Contains(s.ID, id) {
			t.Errorf("job %d is at an end of an axis and was dropped", id)
		}
	}
	if slices.Contains(s.ID, 20) {
		t.Error("a job without a reference is drawn")
	}
	if !slices.IsSorted(s.ID) {
		t.Error("points are not in order of ID")
	}
}

func TestScatterOfEqualJobs(t *testing.T) {
	jobs := make([]metrics.Job, 5000)
	for i := range jobs {
		jobs[i] = metrics.Job{ID: model.JobID(i), Finish: model.Second, Reference: model.Second, Size: model.Second}
	}
	s := newScatter(jobs, full)
	if len(s.ID) > full.scatterTop+4 {
		t.Errorf("%d points for jobs on one spot", len(s.ID))
	}
}

func TestGanttKeepsLongest(t *testing.T) {
	jobs := madeRun(25000, 1).Jobs
	g := newGantt(jobs, full)
	if len(g.ID) != full.gantt {
		t.Fatalf("%d rows, want %d", len(g.ID), full.gantt)
	}
	if !slices.IsSorted(g.Submit) {
		t.Error("rows are not in order of submission")
	}
	seen := make(map[model.JobID]bool)
	for _, id := range g.ID {
		seen[id] = true
	}
	if len(seen) != full.gantt {
		t.Errorf("%d distinct jobs in %d rows", len(seen), full.gantt)
	}
	slices.SortFunc(jobs, func(a, b metrics.Job) int { return cmp.Compare(b.Elapsed(), a.Elapsed()) })
	for _, j := range jobs[:full.ganttLongest] {
		if !seen[j.ID] {
			t.Errorf("job %d is one of the longest and was dropped", j.ID)
		}
	}
	if few := newGantt(jobs[:10], full); len(few.ID) != 10 || few.Longest != 0 {
		t.Errorf("of 10 jobs %d are shown", len(few.ID))
	}
}

func TestSizeRanges(t *testing.T) {
	size := func(s float64) metrics.Job { return metrics.Job{Size: model.Seconds(s)} }
	run := &metrics.Run{Jobs: []metrics.Job{size(10), size(31.6), size(31.7), size(100), size(0.5)}}
	edges := sizeEdges([]PolicyRun{{Name: "a", Run: run}})
	if want := 6; len(edges) != want || edges[0] != 0 || edges[1] != 1 || edges[3] != 10 || edges[5] != 100 {
		t.Fatalf("edges %v", edges)
	}
	var counts []int
	for _, r := range newRanges(run.Jobs, edges) {
		counts = append(counts, r.Count)
	}
	if want := []int{1, 0, 0, 2, 1, 1}; !slices.Equal(counts, want) {
		t.Errorf("counts %v, want %v", counts, want)
	}
	if e := sizeEdges(nil); len(e) != 0 {
		t.Errorf("edges of nothing: %v", e)
	}
}

func TestSeriesStaysSmall(t *testing.T) {
	run := &metrics.Run{Series: metrics.Series{Width: model.Second}}
	var all float64
	for i := range 40 {
		v := make([]float64, 5000)
		for b := range v {
			v[b] = float64(i + 1)
			all += v[b]
		}
		run.Series.Lines = append(run.Series.Lines, metrics.Line{Name: "job", Key: string(rune('a' + i)), Values: v})
	}
	s := newSeries(run, maxBuckets, nil)
	if len(s.Job) != stackedLines+1 || s.Job[stackedLines].Others != 40-stackedLines {
		t.Fatalf("%d curves, the last stands for %d", len(s.Job), s.Job[len(s.Job)-1].Others)
	}
	var kept float64
	for _, c := range s.Job {
		if len(c.Values) > maxBuckets {
			t.Errorf("%d buckets, want at most %d", len(c.Values), maxBuckets)
		}
		for _, v := range c.Values {
			kept += v * float64(s.Width)
		}
	}
	if math.Abs(kept-all)/all > 1e-9 {
		t.Errorf("the area is %v, want %v", kept, all)
	}
}
