// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Network is what a run says about the racks' links, and about what nodes make for them. What concerns links is zero
// where they are not modelled.
type Network struct {
	Congestions int64      // how often a rack's link became congested
	Congested   model.Time // for how long, summed over links

	CongestedNodes float64 // share of node-time in which the running maps of a node made more output than its part
}

// Moved is what a job sent over links for one purpose.
type Moved struct {
	Bytes model.Bytes
	Cross model.Bytes // of these, from one rack to another
}

// network folds the events that belong to no job.
type network struct {
	Network
	lines [2]int // series of use, up and down
	use   [2]float64
	drawn bool
	rise  map[int32]model.Time // since when each congested link is
}

func (c *Collector) linkEvent(e *record.Event) {
	n := &c.network
	switch e.Kind {
	case record.LinkCongested:
		if n.rise == nil {
			n.rise = map[int32]model.Time{}
		}
		n.Congestions++
		n.rise[e.Count] = e.Time
	case record.LinkRelieved:
		n.Congested += e.Time - n.rise[e.Count]
		delete(n.rise, e.Count)
	case record.LinkLoads:
		if !n.drawn {
			n.drawn = true
			n.lines = [2]int{c.series.add(LineLinks, "up"), c.series.add(LineLinks, "down")}
		}
		for way, use := range [2]float64{e.Up, e.Down} {
			c.series.change(n.lines[way], e.Time, use-n.use[way])
			n.use[way] = use
		}
	}
}

func (g *Group) cross(purpose record.Purpose) float64 {
	sum := model.Bytes(0)
	for _, j := range g.Jobs {
		sum += j.Moved[purpose].Cross
	}
	return float64(sum)
}

// crossShare is the share of the jobs' input and shuffle data that went from one rack to another.
func (g *Group) crossShare() float64 {
	all := 0.0
	for _, j := range g.Jobs {
		all += float64(j.Input) + float64(j.Shuffle)
	}
	return ratio(g.cross(record.Input)+g.cross(record.Shuffle), all)
}

// crossShare is the share of the job's input and shuffle data that went from one rack to another; 0 without any.
func (j *Job) crossShare() float64 {
	cross := float64(j.Moved[record.Input].Cross) + float64(j.Moved[record.Shuffle].Cross)
	return ratio(cross, float64(j.Input)+float64(j.Shuffle))
}

// The classes of jobs by their shuffle data (diverse-2018 §3.3.1, where MB is MiB: only then are the shares of
// figure 3.2 those of the trace).
const (
	ShuffleLight  = "light"  // below 1 MiB
	ShuffleMedium = "medium" // from 1 MiB to 100 MiB
	ShuffleHeavy  = "heavy"  // above 100 MiB
)

// ShuffleClass returns the class of a job with this much shuffle data.
func ShuffleClass(shuffle model.Bytes) string {
	switch {
	case shuffle < model.MiB:
		return ShuffleLight
	case shuffle <= 100*model.MiB:
		return ShuffleMedium
	}
	return ShuffleHeavy
}
