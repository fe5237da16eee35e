// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"

	"github.com/yardmaster/yardmaster/metrics/circuits"
	"github.com/yardmaster/yardmaster/metrics/expected"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// families are all metrics there are, in the order in which the reference lists them.
var families = []family{
	{name: "jobs", unit: Count, better: Higher, text: "number of jobs that ended",
		value: number(func(g *Group) float64 { return float64(len(g.Jobs)) })},
	{name: "refused", unit: Count, better: Lower, whole: true, text: "number of jobs that the scheduler turned away",
		value: number(func(g *Group) float64 { return float64(g.Run.Refused) })},
	{name: "failed", unit: Count, better: Lower, whole: true, text: "number of jobs that failed: their application master was lost and had no other attempt (YARN)",
		value: number(func(g *Group) float64 { return float64(g.Run.Failed) })},
	{name: "makespan", unit: Seconds, better: Lower, text: "last end minus first submission",
		value: number((*Group).makespan)},
	{name: "throughput", unit: PerHour, better: Higher, text: "jobs over makespan",
		value: number(func(g *Group) float64 { return ratio(float64(len(g.Jobs))*3600, g.makespan()) })},
	{name: "node_local", unit: Share, better: Higher, text: "share of maps with their block on the node",
		value: number(func(g *Group) float64 { return g.locality(model.NodeLocal) })},
	{name: "rack_local", unit: Share, text: "share of maps with their block in the rack only",
		value: number(func(g *Group) float64 { return g.locality(model.RackLocal) })},
	{name: "remote", unit: Share, better: Lower, text: "share of maps that read from another rack",
		value: number(func(g *Group) float64 { return g.locality(model.Remote) })},
	{name: "cross_rack_input", unit: Bytes, better: Lower, text: "bytes that maps read from another rack",
		value: number(func(g *Group) float64 { return g.cross(record.Input) })},
	{name: "cross_rack_shuffle", unit: Bytes, better: Lower, text: "map output that went to another rack",
		value: number(func(g *Group) float64 { return g.cross(record.Shuffle) })},
	{name: "cross_rack_output", unit: Bytes, better: Lower, text: "replicas that were written to another rack",
		value: number(func(g *Group) float64 { return g.cross(record.Output) })},
	{name: "cross_rack_share", unit: Share, better: Lower, text: "share of the jobs' input and shuffle data, all bytes together, that went from one rack to another",
		note:  "What is sent again after a loss counts again; output does not count.",
		value: number((*Group).crossShare)},
	{name: "rack_link_time", unit: Seconds, better: Lower, text: "time that all racks' links together, one way, need for what went from one rack to another over them",
		note:  "No run in which as much crosses racks is shorter: makespan over rack_link_time, less one, is the most that better timing can gain.",
		value: number((*Group).linkTime)},
	{name: "circuit_share", unit: Share, better: Higher, text: "share of the map output that went to another rack, all bytes together, that went over circuits",
		value: number(func(g *Group) float64 { return ratio(g.overCircuits(), g.cross(record.Shuffle)) })},
	{name: "circuit_use", unit: Ratio, better: Higher, whole: true, text: "circuits that carried data, on average over the makespan, for each rack",
		note: "With one plane it is the share of the time for which the mean rack sent over a circuit.",
		value: number(ofCircuits(func(r *Run, c *circuits.Run) float64 {
			return ratio(c.Carrying().Seconds(), r.makespan()*float64(c.Racks))
		}))},
	{name: "reconfigurations", unit: Count, better: Lower, whole: true, text: "times at which circuits were switched",
		value: number(ofCircuits(func(_ *Run, c *circuits.Run) float64 { return float64(c.Switched) }))},
	{name: "circuit_wait", unit: Seconds, better: Lower, whole: true, text: "mean time for which the elephants of a pair of racks waited for a circuit",
		note:  "From the first elephant without a circuit, or the loss of the circuit, until the circuit carries; a pair waits again whenever its circuit is taken down with data left.",
		value: number(ofCircuits(func(_ *Run, c *circuits.Run) float64 { return ratio(c.Waited.Seconds(), float64(c.Waits)) }))},
	{name: "longest_circuit_wait", unit: Seconds, better: Lower, whole: true, text: "the longest of these times",
		value: number(ofCircuits(func(_ *Run, c *circuits.Run) float64 { return c.Longest.Seconds() }))},
	{name: "congestions", unit: Count, better: Lower, whole: true, text: "how often a rack's link became congested",
		value: number(func(g *Group) float64 { return float64(g.Run.Network.Congestions) })},
	{name: "congested", unit: Seconds, better: Lower, whole: true, text: "time for which racks' links were congested, summed over links",
		value: number(func(g *Group) float64 { return g.Run.Network.Congested.Seconds() })},
	{name: "congested_nodes", unit: Share, better: Lower, whole: true,
		text:  "share of node-time in which the running maps of a node make more shuffle data than its part (diverse-2018, figure 3.11)",
		note:  "The part is TrafficThreshold (equation 3.3): the node's containers times the mean shuffle data of a map over the jobs in the cluster, with true sizes. Nodes are looked at every 10 s while there is a job in the cluster. It is 0 with one rack and without shuffle data.",
		value: number(func(g *Group) float64 { return g.Run.Network.CongestedNodes })},
	{name: "goals_met", unit: Share, better: Higher, text: "share of jobs with a goal that met it",
		value: number((*Group).goalsMet)},
	{name: "range_mean_slowdown", unit: Ratio, better: Lower, alone: true,
		text:  "mean over the ranges of job sizes, two per decade, of the mean slowdown in the range",
		note:  "Ranges with fewer than five jobs are left out.",
		value: number((*Group).rangeMean)},
	{name: "range_cv_slowdown", unit: Ratio, better: Lower, alone: true,
		text:  "coefficient of variation of the mean slowdowns of the ranges of job sizes: 0 is even",
		value: number((*Group).rangeCV)},
	{name: "paired_reduces", unit: Share, better: Lower, text: "share of reduces that ran beside a reduce of another job on their node",
		value: number((*Group).pairedReduces)},
	{name: "reduce_time_alone", unit: Seconds, better: Lower, text: "mean reduce time of the jobs whose reduces ran beside none of another job on their nodes",
		value: reduceTimeOf(false)},
	{name: "reduce_time_paired", unit: Seconds, better: Lower, text: "mean reduce time of the jobs of which some reduce ran beside one of another job on its node",
		value: reduceTimeOf(true)},
	{name: "stored_peak", unit: Bytes, better: Lower, whole: true, text: "the most that jobs had stored on the disks (with `yarn:`)",
		value: stored(func(s *Stored) model.Bytes { return s.Peak })},
	{name: "stored_end", unit: Bytes, better: Lower, whole: true, text: "what jobs had stored on the disks at the end (with `yarn:`)",
		value: stored(func(s *Stored) model.Bytes { return s.End })},
	{name: "progress_peak", unit: Share, better: Higher, whole: true, text: "the most by which all applications together advanced in ten seconds, 100 % being one of them (with `yarn:`)",
		value: func(g *Group, _ string) (float64, bool) { return g.Run.Speeds.upTo(1) }},
	{name: "progress_p90", unit: Share, better: Higher, whole: true, text: "by how much they advanced in ten seconds at most, in nine of ten looks at the hosts (with `yarn:`)",
		value: func(g *Group, _ string) (float64, bool) { return g.Run.Speeds.upTo(0.9) }},
	{name: "early_maps", unit: Share, better: Lower, text: "share of jobs whose first map started while maps of an earlier job of their queue had not",
		note:  "In a queue without user limits this is delayed map execution (capacity-2013 §4.2.2): a job is given a slot by chance before its turn, and the next ones when that comes.",
		value: number(withMaps(func(j *Job) bool { return j.EarlyMap }))},
	{name: "straggling", unit: Share, better: Lower, text: "share of jobs of which a map took more than 1.5 times the mean of their maps",
		value: number(withMaps(func(j *Job) bool { return j.Straggler }))},
	{name: "map_progress", unit: Share, better: Higher, text: "mean share of maps that had ended when the first reduce started",
		value: number((*Group).mapProgress)},

	{name: "STAT_wait", key: stat, unit: Seconds, better: Lower, text: "time from submission to the first task's start",
		note: "The first map or reduce; an application master is not a task.",
		job:  func(j *Job) float64 { return j.Waiting().Seconds() }},
	{name: "STAT_exec", key: stat, unit: Seconds, better: Lower, text: "time from the first task's start to the last one's end",
		job: func(j *Job) float64 { return j.Execution().Seconds() }},
	{name: "STAT_map_time", key: stat, unit: Seconds, better: Lower, text: "time from the first map's start to the last one's end, 0 without maps",
		note: "It overlaps with the reduce time.",
		job:  func(j *Job) float64 { return j.MapTime().Seconds() }},
	{name: "STAT_reduce_time", key: stat, unit: Seconds, better: Lower, text: "time from the first reduce's start to the last one's end, 0 without reduces",
		job: func(j *Job) float64 { return j.ReduceTime().Seconds() }},
	{name: "STAT_elapsed", key: stat, unit: Seconds, better: Lower, text: "waiting plus execution",
		job: func(j *Job) float64 { return j.Elapsed().Seconds() }},
	{name: "STAT_slowdown", key: stat, unit: Ratio, better: Lower, alone: true, text: "elapsed over run time alone in the empty cluster, of jobs that take some time there",
		job: func(j *Job) float64 {
			if j.Reference <= 0 {
				return math.NaN()
			}
			return j.Slowdown()
		}},
	{name: "STAT_response_ratio", key: stat, unit: Ratio, better: Lower, text: "elapsed over execution",
		job: (*Job).ResponseRatio},
	{name: "STAT_size", key: stat, unit: Seconds, text: "sum of the run times of its tasks",
		note: "The time for which a reduce merely holds room does not count.",
		job:  func(j *Job) float64 { return j.Size.Seconds() }},
	{name: "STAT_input", key: stat, unit: Bytes, text: "bytes that its maps read",
		job: func(j *Job) float64 { return float64(j.Input) }},
	{name: "STAT_reference", key: stat, unit: Seconds, alone: true, text: "run time alone in the empty cluster",
		note: "Execution time of the same job with the same task lengths, computed by the simulator under fifo.",
		job:  func(j *Job) float64 { return j.Reference.Seconds() }},
	{name: "STAT_cross_rack_share", key: stat, unit: Share, better: Lower,
		text: "share of its own input and shuffle data that went from one rack to another, 0 if it has none",
		note: "A small job weighs as much as a large one, unlike in cross_rack_share.",
		job:  (*Job).crossShare},
	{name: "STAT_tardiness", key: stat, unit: Seconds, better: Lower, text: "how much later than its goal it ended, 0 if in time",
		job: func(j *Job) float64 { return j.Tardiness().Seconds() }},
	{name: "STAT_goal_ratio", key: stat, unit: Ratio, better: Lower, text: "elapsed over its goal, 0 if it has none",
		note: "Both are counted from submission.",
		job:  (*Job).GoalRatio},
	{name: "STAT_early_error", key: stat, unit: Share, better: Lower,
		text: "mean relative error of its estimated completion in the first half of the elapsed time",
		note: "The estimate is when a job with a goal will end if it keeps the room that it has, from the mean length of its ended tasks (deadline-2010 §III-B); its error is (expected − real end) / elapsed.",
		job:  forecast(func(f *expected.Quality) float64 { return f.Early })},
	{name: "STAT_early_bias", key: stat, unit: Ratio,
		text: "mean of that error in the first tenth of the elapsed time, with its sign: above 0 where the job was expected to end too late",
		job:  forecast(func(f *expected.Quality) float64 { return f.Bias })},
	{name: "STAT_late_error", key: stat, unit: Share, better: Lower,
		text: "mean relative error of its estimated completion in the second half of the elapsed time",
		job:  forecast(func(f *expected.Quality) float64 { return f.Late })},
	{name: "STAT_inaccurate", key: stat, unit: Share, better: Lower,
		text: "share of the time with an estimated completion in which that was off by 5 % or more",
		job:  forecast(func(f *expected.Quality) float64 { return 1 - f.Accurate })},
	{name: "STAT_unsettled", key: stat, unit: Share, better: Lower,
		text: "share of the elapsed time until the estimated completion stayed within 10 %",
		job:  forecast(func(f *expected.Quality) float64 { return f.Settled })},

	{name: "blame_PART", key: partKey, unit: Seconds, better: Lower, text: "mean time of a job in the state PART",
		value: (*Group).blame},
	{name: "limit_LIMIT", key: limitKey, unit: Seconds, better: Lower, text: "mean time that jobs waited because of LIMIT",
		value: (*Group).heldBy},

	{name: "utilisation_POOL", key: pool, unit: Share, whole: true, text: "share of the POOL room in use over the makespan",
		note:  "A reduce that waits holds its room; application masters, set-up and clean-up tasks hold theirs. Under yarn there is one for memory and one for vcores; a scheduler that looks at memory alone may give out more vcores than there are.",
		value: ofPool(func(r *Run, p int) float64 { return ratio(r.inUse(p), r.makespan()) }),
		part:  ofPartPool((*Run).partUtilisation)},
	{name: "load_POOL", key: pool, unit: Share, whole: true, text: "work offered to the POOL room over room times the span of submissions",
		value: ofPool((*Run).load)},
	{name: "held_hours_POOL", key: pool, unit: Hours, better: Lower, whole: true,
		text:  "room of the POOL pool that was held, times hours: what a cluster on demand would pay for",
		value: ofPool(func(r *Run, p int) float64 { return r.held(p) / 3600 })},
	{name: "free_hours_POOL", key: pool, unit: Hours, better: Higher, whole: true,
		text:  "room of the POOL pool that stayed free over the makespan, times hours: what a cluster on demand could give back",
		value: ofPool(func(r *Run, p int) float64 { return float64(r.Capacity[p])*r.makespan()/3600 - r.held(p)/3600 })},
	{name: "idle_hours_POOL", key: pool, unit: Hours, better: Lower, whole: true,
		text:  "room of the POOL pool that was free although tasks that may start waited for some, times hours (slots and containers only)",
		value: ofPool(func(r *Run, p int) float64 { return r.Idle[p] / 3600 })},

	{name: "slots_FROM_TO", key: window, unit: Count,
		text:  "tasks that held room on average from FROM s to TO s of the run, of jobs that have a curve of their own (any two times)",
		value: (*Group).slots},
	{name: "work_share", unit: Share, whole: true, text: "share of all work that was done in the part (with part:N. in front)",
		note: "Run times of the tasks that ran on the part's nodes over those of all tasks, where a policy divides the nodes.",
		part: func(r *Run, n int, _ string) (float64, bool) { return r.workShare(n), true }},
}

// number computes a metric without a key.
func number(of func(*Group) float64) func(*Group, string) (float64, bool) {
	return func(g *Group, _ string) (float64, bool) { return of(g), true }
}

// ofCircuits is a property of the circuits of a run; one without them has 0.
func ofCircuits(of func(*Run, *circuits.Run) float64) func(*Group) float64 {
	return func(g *Group) float64 {
		if g.Run.Circuits == nil {
			return 0
		}
		return of(g.Run, g.Run.Circuits)
	}
}

// forecast is a property of the estimates of a job's completion; jobs without them have 0.
func forecast(of func(*expected.Quality) float64) func(*Job) float64 {
	return func(j *Job) float64 {
		if j.Forecast == nil {
			return 0
		}
		return of(j.Forecast)
	}
}
