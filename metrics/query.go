// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Metric is one named number of a run.
type Metric struct {
	Name          string
	Unit          string // "s", "h", "share", "jobs/h", "ratio", "count"
	Doc           string
	LowerIsBetter bool
}

// quantity is a number that every job has.
type quantity struct {
	name, unit, doc string
	of              func(*Job) float64
}

var quantities = []quantity{
	{"wait", "s", "time from submission to the first task's start", func(j *Job) float64 { return j.Waiting().Seconds() }},
	{"exec", "s", "time from the first task's start to the last one's end", func(j *Job) float64 { return j.Execution().Seconds() }},
	{"elapsed", "s", "waiting plus execution", func(j *Job) float64 { return j.Elapsed().Seconds() }},
	{"slowdown", "ratio", "elapsed over run time alone in the empty cluster", func(j *Job) float64 { return j.Slowdown() }},
	{"response_ratio", "ratio", "elapsed over execution", func(j *Job) float64 { return j.ResponseRatio() }},
	{"size", "s", "sum of the run times of its tasks", func(j *Job) float64 { return j.Size.Seconds() }},
	{"reference", "s", "run time alone in the empty cluster", func(j *Job) float64 { return j.Reference.Seconds() }},
	{"tardiness", "s", "how much later than its goal it ended, 0 if in time", func(j *Job) float64 { return j.Tardiness().Seconds() }},
	{"goal_ratio", "ratio", "elapsed over its goal, 0 if it has none", func(j *Job) float64 { return j.GoalRatio() }},
	{"early_error", "share", "mean relative error of its estimated completion in the first half of the elapsed time", forecast(func(f *Forecast) float64 { return f.Early })},
	{"late_error", "share", "mean relative error of its estimated completion in the second half of the elapsed time", forecast(func(f *Forecast) float64 { return f.Late })},
	{"inaccurate", "share", "share of the time with an estimated completion in which that was off by 5 % or more", forecast(func(f *Forecast) float64 { return 1 - f.Accurate })},
	{"unsettled", "share", "share of the elapsed time until the estimated completion stayed within 10 %", forecast(func(f *Forecast) float64 { return f.Settled })},
}

// forecast makes a quantity of a property of the estimates; jobs without them have 0.
func forecast(of func(*Forecast) float64) func(*Job) float64 {
	return func(j *Job) float64 {
		if j.Forecast == nil {
			return 0
		}
		return of(j.Forecast)
	}
}

// scalar is a number of a whole run or group.
type scalar struct {
	name, unit, doc string
	lower           bool
	of              func(*Group) float64
}

var scalars = []scalar{
	{"jobs", "count", "number of jobs that ended", false, func(g *Group) float64 { return float64(len(g.Jobs)) }},
	{"refused", "count", "number of jobs that the scheduler turned away", true, func(g *Group) float64 { return float64(g.Run.Refused) }},
	{"makespan", "s", "last end minus first submission", true, (*Group).makespan},
	{"throughput", "jobs/h", "jobs over makespan", false, func(g *Group) float64 { return ratio(float64(len(g.Jobs))*3600, g.makespan()) }},
	{"node_local", "share", "share of maps with their block on the node", false, func(g *Group) float64 { return g.locality(model.NodeLocal) }},
	{"rack_local", "share", "share of maps with their block in the rack only", false, func(g *Group) float64 { return g.locality(model.RackLocal) }},
	{"cross_rack_input", "B", "bytes that maps read from another rack", true, func(g *Group) float64 { return g.cross(record.Input) }},
	{"cross_rack_shuffle", "B", "map output that went to another rack", true, func(g *Group) float64 { return g.cross(record.Shuffle) }},
	{"cross_rack_output", "B", "replicas that were written to another rack", true, func(g *Group) float64 { return g.cross(record.Output) }},
	{"congestions", "count", "how often a rack's link became congested", true, func(g *Group) float64 { return float64(g.Run.Network.Congestions) }},
	{"congested", "s", "time for which racks' links were congested, summed over links", true, func(g *Group) float64 { return g.Run.Network.Congested.Seconds() }},
	{"remote", "share", "share of maps that read from another rack", true, func(g *Group) float64 { return g.locality(model.Remote) }},
	{"goals_met", "share", "share of jobs with a goal that met it", false, (*Group).goalsMet},
	{"range_mean_slowdown", "ratio", "mean over the ranges of job sizes, two a decade, of the mean slowdown in the range", true, (*Group).rangeMean},
	{"range_cv_slowdown", "ratio", "coefficient of variation of the mean slowdowns of the ranges of job sizes: 0 is even", true, (*Group).rangeCV},
	{"paired_reduces", "share", "share of reduces that ran beside a reduce of another job on their node", true, (*Group).pairedReduces},
	{"map_progress", "share", "mean share of maps that had ended when the first reduce started", false, (*Group).mapProgress},
}

// Group is a set of jobs that a number is asked about: all jobs of a run, or those of one queue,
// class or user.
type Group struct {
	Jobs []*Job
	Run  *Run
	sort map[string][]float64 // sorted values by quantity
}

// All returns the group of all jobs, without the first skip ones (warm-up).
func All(run *Run, skip int) *Group {
	g := &Group{Run: run}
	for i := range run.Jobs {
		if int(run.Jobs[i].ID) >= skip {
			g.Jobs = append(g.Jobs, &run.Jobs[i])
		}
	}
	return g
}

// Where returns the jobs of g for which keep is true.
func (g *Group) Where(keep func(*Job) bool) *Group {
	sub := &Group{Run: g.Run}
	for _, j := range g.Jobs {
		if keep(j) {
			sub.Jobs = append(sub.Jobs, j)
		}
	}
	return sub
}

func (g *Group) makespan() float64 {
	if len(g.Jobs) == 0 {
		return 0
	}
	first, last := model.Forever, model.Time(0)
	for _, j := range g.Jobs {
		first, last = min(first, j.Submit), max(last, j.Finish)
	}
	return (last - first).Seconds()
}

func (g *Group) locality(l model.Locality) float64 {
	var n, total float64
	for _, j := range g.Jobs {
		n += float64(j.Locality[l])
		for _, c := range j.Locality {
			total += float64(c)
		}
	}
	return ratio(n, total)
}

func (g *Group) goalsMet() float64 {
	met, all := 0.0, 0.0
	for _, j := range g.Jobs {
		if j.Goal > 0 {
			all++
			if j.Met() {
				met++
			}
		}
	}
	return ratio(met, all)
}

func (g *Group) mapProgress() float64 {
	sum, n := 0.0, 0.0
	for _, j := range g.Jobs {
		if j.MapsAtFirstReduce != model.None && j.Maps > 0 {
			sum += float64(j.MapsAtFirstReduce) / float64(j.Maps)
			n++
		}
	}
	return ratio(sum, n)
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// values returns the sorted values of a quantity.
func (g *Group) values(q *quantity) []float64 {
	if v, ok := g.sort[q.name]; ok {
		return v
	}
	v := make([]float64, len(g.Jobs))
	for i, j := range g.Jobs {
		v[i] = q.of(j)
	}
	slices.Sort(v)
	if g.sort == nil {
		g.sort = map[string][]float64{}
	}
	g.sort[q.name] = v
	return v
}

// Values returns the sorted values of a quantity, such as slowdown; false if there is no such quantity.
// The caller does not change them.
func (g *Group) Values(name string) ([]float64, bool) {
	for i := range quantities {
		if quantities[i].name == name {
			return g.values(&quantities[i]), true
		}
	}
	return nil, false
}

// Names returns the names of all scalar metrics and the forms of the statistical ones, for help.
func Names() (names []string) {
	for _, s := range scalars {
		names = append(names, s.name)
	}
	for _, q := range quantities {
		for _, stat := range []string{"mean", "median", "p95", "max", "cv", "v95"} {
			names = append(names, stat+"_"+q.name)
		}
	}
	for p := range Part(Parts) {
		names = append(names, "blame_"+p.String())
	}
	for l := range model.Limit(model.Limits) {
		names = append(names, "limit_"+l.String())
	}
	for _, pool := range pools() {
		names = append(names, "utilisation_"+pool, "load_"+pool)
		for i := range poolMetrics {
			names = append(names, poolMetrics[i].prefix+pool)
		}
	}
	return append(names, "slots_60_600")
}

// Describe returns what a metric means. The second result is false for an unknown name.
func Describe(name string) (Metric, bool) {
	for _, s := range scalars {
		if s.name == name {
			return Metric{name, s.unit, s.doc, s.lower}, true
		}
	}
	if name == workShare {
		return Metric{name, "share", "share of all work that was done in the part (with part:N. in front)", false}, true
	}
	if part, ok := strings.CutPrefix(name, "blame_"); ok && slices.Contains(partNames[:], part) {
		return Metric{name, "s", "mean time of a job in the state " + part, true}, true
	}
	if limit, ok := strings.CutPrefix(name, "limit_"); ok {
		for l := range model.Limit(model.Limits) {
			if l.String() == limit {
				return Metric{name, "s", "mean time that jobs waited because of " + limit, true}, true
			}
		}
		return Metric{}, false
	}
	if pool, ok := strings.CutPrefix(name, "utilisation_"); ok && isPool(pool) {
		return Metric{name, "share", "share of the " + pool + " room in use over the makespan", false}, true
	}
	if pool, ok := strings.CutPrefix(name, "load_"); ok && isPool(pool) {
		return Metric{name, "share", "work offered to the " + pool + " room over room times the span of submissions", false}, true
	}
	if m, pool, ok := findPoolMetric(name); ok {
		return Metric{name, m.unit, strings.ReplaceAll(m.doc, "POOL", pool), m.lower}, true
	}
	if from, to, ok := window(name); ok {
		return Metric{name, "count", fmt.Sprintf("tasks that held room on average from %g s to %g s of the run, of jobs that have a curve of their own (any two times)", from, to), false}, true
	}
	stat, q, ok := splitStat(name)
	if !ok {
		return Metric{}, false
	}
	unit, doc := q.unit, fmt.Sprintf("%s of %s: %s", stat, q.name, q.doc)
	if stat == "cv" || stat == "scv" || stat[0] == 'v' {
		unit = "ratio"
	}
	return Metric{name, unit, doc, q.name != "size" && q.name != "reference"}, true
}

// pools returns the names of the pools of all room models.
func pools() (names []string) {
	for _, m := range []model.RoomModel{model.Slots, model.Containers, model.Yarn} {
		for p := range m.Pools() {
			names = append(names, m.PoolName(p))
		}
	}
	return names
}

func isPool(name string) bool { return slices.Contains(pools(), name) }

// splitStat takes p95_wait apart.
func splitStat(name string) (string, *quantity, bool) {
	stat, rest, ok := strings.Cut(name, "_")
	if !ok || !validStat(stat) {
		return "", nil, false
	}
	for i := range quantities {
		if quantities[i].name == rest {
			return stat, &quantities[i], true
		}
	}
	return "", nil, false
}

func validStat(stat string) bool {
	switch stat {
	case "mean", "median", "min", "max", "cv", "scv":
		return true
	}
	_, ok := percentile(stat)
	return ok
}

// percentile reads p95, p99.9 and v95.
func percentile(stat string) (float64, bool) {
	if len(stat) < 2 || stat[0] != 'p' && stat[0] != 'v' {
		return 0, false
	}
	q, err := strconv.ParseFloat(stat[1:], 64)
	return q, err == nil && q >= 0 && q <= 100 && strings.Trim(stat[1:], "0123456789.") == ""
}

// Value computes a metric of the group. The second result is false for an unknown name.
func (g *Group) Value(name string) (float64, bool) {
	for i := range scalars {
		if scalars[i].name == name {
			return scalars[i].of(g), true
		}
	}
	if v, ok := g.meanOf(name); ok {
		return v, true
	}
	if pool, ok := strings.CutPrefix(name, "utilisation_"); ok {
		return g.utilisation(pool)
	}
	if pool, ok := strings.CutPrefix(name, "load_"); ok {
		return g.load(pool)
	}
	if m, pool, ok := findPoolMetric(name); ok {
		return m.value(g.Run, pool)
	}
	if from, to, ok := window(name); ok {
		return g.slots(from, to)
	}
	stat, q, ok := splitStat(name)
	if !ok {
		return 0, false
	}
	return statistic(stat, g.values(q)), true
}

// meanOf returns the mean of a part of blame or of a limit.
func (g *Group) meanOf(name string) (float64, bool) {
	sum := model.Time(0)
	for p := range Part(Parts) {
		if name == "blame_"+p.String() {
			for _, j := range g.Jobs {
				sum += j.Blame[p]
			}
			return ratio(sum.Seconds(), float64(len(g.Jobs))), true
		}
	}
	for l := range model.Limit(model.Limits) {
		if name == "limit_"+l.String() {
			for _, j := range g.Jobs {
				sum += j.Limits[l]
			}
			return ratio(sum.Seconds(), float64(len(g.Jobs))), true
		}
	}
	return 0, false
}

func (g *Group) utilisation(pool string) (float64, bool) {
	for _, line := range g.Run.Series.Lines {
		if line.Name == "utilisation" && line.Key == pool {
			sum := 0.0
			for _, v := range line.Values {
				sum += v
			}
			all := Group{Jobs: All(g.Run, 0).Jobs}
			return ratio(sum*g.Run.Series.Width.Seconds(), all.makespan()), true
		}
	}
	return 0, false
}

func (g *Group) load(pool string) (float64, bool) {
	for p, name := range g.Run.Pools {
		if name == pool {
			first, last := model.Forever, model.Time(0)
			for i := range g.Run.Jobs {
				first, last = min(first, g.Run.Jobs[i].Submit), max(last, g.Run.Jobs[i].Submit)
			}
			return ratio(g.Run.Work[p], float64(g.Run.Capacity[p])*(last-first).Seconds()), true
		}
	}
	return 0, false
}

// statistic computes a statistic of sorted values.
func statistic(stat string, v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	switch stat {
	case "mean":
		return stats.Mean(v)
	case "median":
		return stats.Quantile(v, 0.5)
	case "min":
		return v[0]
	case "max":
		return v[len(v)-1]
	case "cv":
		return ratio(math.Sqrt(stats.Variance(v)), stats.Mean(v))
	case "scv":
		return ratio(stats.Variance(v), stats.Mean(v)*stats.Mean(v))
	}
	q, _ := percentile(stat)
	if stat[0] == 'v' { // slowdown-2015 eq. 1: the percentile over the median
		return ratio(stats.Quantile(v, q/100), stats.Quantile(v, 0.5))
	}
	return stats.Quantile(v, q/100)
}
