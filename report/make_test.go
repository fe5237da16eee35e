// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/circuits"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// madeQueues are the queues of made-up runs.
var madeQueues = []string{"production", "research", "ad-hoc"}

// madePage makes up a page: jobs of log-normal size over a day, under policies that differ in how
// they treat small and large jobs.
func madePage(jobs, policies int) *Page {
	names := []string{"fifo", "fair", "capacity", "fbq", "srpt", "tags", "sita", "delay"}
	for i := len(names); i < policies; i++ {
		names = append(names, fmt.Sprint("policy", i))
	}
	names = names[:policies]
	p := &Page{
		Title: "facebook-like", Subtitle: fmt.Sprintf("%d policies × 10 seeds", policies),
		Version: "v0.1.0", Command: "yardmaster compare facebook-like.yaml --policies fifo,fair,fbq --seeds 10",
		Facts: [][2]string{
			{"cluster", "100 nodes in 5 racks, 6 map + 2 reduce slots each"}, {"workload", fmt.Sprintf("%d jobs, SWIM Facebook 2009", jobs)},
			{"load", "78 % of map slots"}, {"heartbeat", "on-idle"}, {"seeds", "1 to 10"},
		},
		Notes: []string{"10 seeds; the charts show seed 1."},
	}
	for i, name := range names {
		run := madeRun(jobs, i)
		p.Policies = append(p.Policies, PolicyRun{name, run, []*Outline{NewOutline(run), NewOutline(madeRun(min(jobs, 500), i+8)), NewOutline(madeRun(min(jobs, 500), i+16))}})
	}
	p.Table = madeTable(policies)
	return p
}

// madeRun makes up the run of one policy; all runs have the same jobs.
func madeRun(n, policy int) *metrics.Run {
	luck := rand.New(rand.NewPCG(1, 2))                 // the workload's
	wait := rand.New(rand.NewPCG(3, uint64(policy)+10)) // the policy's
	r := &metrics.Run{Pools: []string{"map", "reduce"}, Capacity: []int64{600, 200}}
	day := 86400.0
	for i := range n {
		at := day * float64(i) / float64(max(n, 1)) * (0.97 + 0.03*luck.Float64())
		size := math.Exp(5 + 2.2*luck.NormFloat64())
		alone := 8 + math.Pow(size, 0.62)
		bend := []float64{0, -0.12, -0.05, -0.28, -0.35, -0.2, -0.2, 0.02}[policy%8]
		delay := alone * math.Exp(1.1*wait.NormFloat64()-0.6) * math.Pow(size/150, -0.3-bend) * (1.2 + math.Sin(at/day*9))
		delay = max(delay, 0)
		exec := alone * (1 + 0.4*wait.Float64())
		j := metrics.Job{
			ID: model.JobID(i), Name: fmt.Sprintf("job-%05d", i), Queue: madeQueues[luck.IntN(3)], Class: []string{"small", "medium", "large"}[min(int(size/150), 2)],
			Submit: model.Seconds(at), Size: model.Seconds(size), Reference: model.Seconds(alone), Maps: 10, Reduces: 2,
		}
		j.FirstStart = j.Submit + model.Seconds(delay)
		j.Finish = j.FirstStart + model.Seconds(exec)
		blame(&j)
		r.Jobs = append(r.Jobs, j)
	}
	r.Series = madeSeries(policy)
	return r
}

// blame splits the elapsed time of j into parts that add up to it.
func blame(j *metrics.Job) {
	w, e := j.Waiting(), j.Execution()
	j.Blame[metrics.NotAdmitted] = w / 4
	j.Blame[metrics.FirstContainer] = w - w/4
	j.Blame[metrics.MapsStarved] = e / 5
	j.Blame[metrics.MapsRunning] = e / 2
	j.Blame[metrics.ShuffleTail] = e / 16
	j.Blame[metrics.ReducesStarved] = e / 18
	used := e/5 + e/2 + e/16 + e/18
	j.Blame[metrics.ReducesRunning] = e - used
	j.Limits[model.LimitQueueMax] = w / 4
	j.Limits[model.LimitRoom] = w - w/4 - w/8
	j.Limits[model.LimitUser] = w / 8
	j.Limits[model.LimitLocality] = e/5 + e/18
}

// madeSeries makes up curves in as many buckets as there may be, with more lines than are drawn.
func madeSeries(policy int) metrics.Series {
	r := rand.New(rand.NewPCG(9, uint64(policy)))
	s := metrics.Series{Width: model.Seconds(90)}
	wave := func(name, key string, level, swing float64) {
		v, drift := make([]float64, maxBuckets), r.Float64()*6
		for b := range v {
			v[b] = max(0, level+swing*math.Sin(drift+float64(b)/80)+swing*0.08*r.NormFloat64())
		}
		s.Lines = append(s.Lines, metrics.Line{Name: name, Key: key, Values: v})
	}
	for i, q := range madeQueues {
		wave("queue", q, 180-30*float64(i), 70)
	}
	for i := range 20 {
		wave("job", fmt.Sprintf("job-%05d", 37*i), 20, 15)
	}
	wave("utilisation", "map", 0.72, 0.18)
	wave("utilisation", "reduce", 0.55, 0.25)
	wave("jobs", "running", 40, 12)
	wave("jobs", "waiting", 15, 14)
	return s
}

func madeTable(policies int) []Row {
	rows := []Row{
		{Metric: "mean slowdown", Doc: "elapsed time over the run time alone in the empty cluster", Better: metrics.Lower},
		{Metric: "p95 slowdown", Doc: "95th percentile of slowdown", Better: metrics.Lower},
		{Metric: "mean waiting", Unit: "s", Doc: "first task start minus submission", Better: metrics.Lower},
		{Metric: "mean elapsed", Unit: "s", Doc: "end minus submission", Better: metrics.Lower},
		{Metric: "makespan", Unit: "s", Doc: "last end minus first submission", Better: metrics.Lower},
		{Metric: "throughput", Better: metrics.Higher, Unit: "jobs/h", Doc: "jobs over makespan"},
		{Metric: "map utilisation", Better: metrics.Higher, Unit: "share", Doc: "map slots in use"},
	}
	base := []float64{12.4, 61, 1240, 1810, 90200, 975, 0.781}
	for i := range rows {
		for k := range policies {
			d := float64(k*(5-2*(i%4))) / 100 * -1
			if i >= 4 {
				d = float64(k) * 0.002
			}
			m := base[i] * (1 + d)
			c := Cell{Mean: m, Low: m * 0.96, High: m * 1.05, HasInterval: true}
			if k > 0 {
				c.HasDiff, c.Diff, c.DiffLow, c.DiffHigh = true, d, d-0.03, d+0.04
				switch lower := rows[i].Better == metrics.Lower; {
				case c.DiffLow <= 0 && c.DiffHigh >= 0:
				case (c.Diff < 0) == lower:
					c.Better = 1
				default:
					c.Better = -1
				}
			}
			rows[i].Cells = append(rows[i].Cells, c)
		}
	}
	return rows
}

// addNetwork makes up links of racks for the runs of a page: waves that reach congestion, later for each rack.
func addNetwork(p *Page, racks int) *Page {
	for i, q := range p.Policies {
		luck := rand.New(rand.NewPCG(11, uint64(i)))
		r := q.Run
		r.Links.Width, r.Traffic = model.Seconds(180), &record.Traffic{Racks: racks, Bytes: make([]model.Bytes, racks*racks)}
		for link := range 2 * racks {
			l := metrics.RackLink{Use: make([]float64, 480), Congested: make([]float64, 480)}
			for k := range l.Use {
				l.Use[k] = min(1, max(0, 0.5+0.6*math.Sin(float64(k+3*link)/25+float64(i))+0.15*luck.NormFloat64()))
				l.Congested[k] = min(1, max(0, 6*(l.Use[k]-0.8)))
			}
			r.Links.Links = append(r.Links.Links, l)
		}
		for k := range r.Traffic.Bytes {
			r.Traffic.Bytes[k] = model.Bytes(1e10 * luck.ExpFloat64() * float64(1+k%racks%5))
			if k/racks == k%racks {
				r.Traffic.Bytes[k] *= 5
			}
		}
	}
	return p
}

// addCircuits makes up circuits of one plane between the racks of a page: each rack sends to another one every few minutes.
func addCircuits(p *Page) *Page {
	for i, q := range p.Policies {
		luck := rand.New(rand.NewPCG(12, uint64(i)))
		t := q.Run.Traffic
		c := &circuits.Run{Racks: t.Racks, Longest: model.Seconds(77)}
		t.Over = make([]model.Bytes, t.Racks*t.Racks)
		for k := range 200 {
			for from := range t.Racks {
				at := model.Seconds(float64(k) * 400)
				link := circuits.Connection{From: from, To: (from + 1 + k*(i+1)%(t.Racks-1)) % t.Racks, Made: at, Up: at + model.Seconds(20), Down: at + model.Seconds(400),
					Carrying: model.Seconds(100 + 200*luck.Float64()), Bytes: 1e9}
				c.Connections = append(c.Connections, link)
				t.Over[from*t.Racks+link.To] += link.Bytes
			}
		}
		q.Run.Circuits = c
	}
	return p
}
