// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/metrics/expected"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// TestForecastByHand: four maps on two slots, of 10, 10, 20 and 20 s. Nothing is known until 10 s. Then two
// maps of 10 s should end at 20 s; they end at 30 s. The estimate is off by a third until 20 s have passed
// in vain; nothing happens before 30 s, so it stands.
func TestForecastByHand(t *testing.T) {
	jobs := slotJobs(model.Job{Name: "j", Maps: 4, Goal: 100 * sec}, model.Job{Name: "no goal", Maps: 1})
	c := NewCollector(seriesTopology(model.Slots, model.Room{1, 1}), jobs)
	s := script{c}
	for id := range model.JobID(2) {
		s.job(0, record.JobSubmitted, id)
		s.job(0, record.JobAdmitted, id)
	}
	s.task(0, record.TaskStarted, model.Map, 0, 0)
	s.task(0, record.TaskStarted, model.Map, 1, 0)
	s.task(10, record.TaskEnded, model.Map, 0, 10)
	s.task(10, record.TaskEnded, model.Map, 1, 10)
	s.task(10, record.TaskStarted, model.Map, 2, 0)
	s.task(10, record.TaskStarted, model.Map, 3, 0)
	s.task(30, record.TaskEnded, model.Map, 2, 20)
	s.task(30, record.TaskEnded, model.Map, 3, 20)
	s.job(30, record.JobEnded, 0)
	run := c.Run(nil)
	third := 1.0 / 3
	if got, want := *run.Jobs[0].Forecast, (expected.Quality{Early: third, Late: third, Accurate: 0, Settled: 1}); math.Abs(got.Early-third) > 1e-12 || got.Bias != 0 || // no estimate in the first tenth
		math.Abs(got.Late-third) > 1e-12 ||
		got.Accurate != want.Accurate || got.Settled != want.Settled {
		t.Errorf("%+v, want %+v", got, want)
	}
	at := func(name string, second float64) float64 {
		for _, l := range run.Series.Lines {
			if l.Name == name && l.Key == "no goal" {
				t.Errorf("a job without a goal has a line %s", name)
			}
			if l.Name == name && l.Key == "j" {
				return l.Values[int(second/run.Series.Width.Seconds())]
			}
		}
		t.Fatalf("no line %s", name)
		return 0
	}
	if !math.IsNaN(at("error", 5)) || !math.IsNaN(at("expected", 5)) {
		t.Error("something was estimated before a task had ended")
	}
	if got := at("expected", 12); got != 20 {
		t.Errorf("expected end %g, want 20", got)
	}
	if got := at("error", 29); math.Abs(got+third) > 1e-12 {
		t.Errorf("error %g, want -1/3: the estimate was too early", got)
	}
}

// The first two of twenty maps take 1 s, the others 2 s, two at a time: from 1 s on, the end is expected at 10 s, and it
// comes at 19 s.
func TestEarlyBiasHasASign(t *testing.T) {
	c := NewCollector(seriesTopology(model.Slots, model.Room{1, 1}), slotJobs(model.Job{Name: "j", Maps: 20, Goal: 100 * sec}))
	s := script{c}
	s.job(0, record.JobSubmitted, 0)
	s.job(0, record.JobAdmitted, 0)
	for i := range model.Time(10) {
		start, end := max(0, 2*i-1), 2*i+1
		for k := range model.Time(2) {
			s.task(start, record.TaskStarted, model.Map, int32(2*i+k), 0)
		}
		for k := range model.Time(2) {
			s.task(end, record.TaskEnded, model.Map, int32(2*i+k), end-start)
		}
	}
	s.job(19, record.JobEnded, 0)
	if got := c.Run(nil).Jobs[0].Forecast.Bias; math.Abs(got+9.0/19) > 1e-12 {
		t.Errorf("bias %g, want -9/19", got)
	}
}
