// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Network is what a run says about the racks' links, and about what nodes make for them. What concerns links is zero
// where they are not modelled.
type Network struct {
	Congestions int64      // how often a rack's link became congested
	Congested   model.Time // for how long, summed over links

	Uplinks model.Rate // of all racks together, one way

	CongestedNodes float64 // share of node-time in which the running maps of a node made more output than its part
}

// Moved is what a job sent over links for one purpose.
type Moved struct {
	Bytes model.Bytes
	Cross model.Bytes // of these, from one rack to another
	Over  model.Bytes // of these, over circuits
}

// network folds the events that belong to no job.
type network struct {
	Network
	lines [2]int // series of use, up and down
	use   [2]float64
	drawn bool
	rise  map[int32]model.Time // since when each congested link is
	first int                  // of the series of the links one by one, use and congestion of each
	links []float64            // use of each link, nil before the first event and in a single rack
}

// RackLinks is how the racks' links fared over time, in buckets of equal width.
type RackLinks struct {
	Width model.Time
	Links []RackLink // 2*rack up, 2*rack+1 down; empty where links are not modelled and in a single rack
}

// RackLink is one link of a rack over time.
type RackLink struct {
	Use       []float64 // share of its capacity in use
	Congested []float64 // share of the time for which it was congested
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
		c.congestion(e, 1)
	case record.LinkRelieved:
		n.Congested += e.Time - n.rise[e.Count]
		delete(n.rise, e.Count)
		c.congestion(e, -1)
	case record.LinkLoads:
		if !n.drawn {
			n.drawn = true
			n.lines = [2]int{c.series.add(LineLinks, "up"), c.series.add(LineLinks, "down")}
		}
		for way, use := range [2]float64{e.Up, e.Down} {
			c.series.change(n.lines[way], e.Time, use-n.use[way])
			n.use[way] = use
		}
		if e.Links != nil && c.drawLinks() {
			for link, use := range e.Links.Use {
				if use != n.links[link] {
					c.series.change(n.first+2*link, e.Time, use-n.links[link])
					n.links[link] = use
				}
			}
		}
	}
}

// drawLinks begins the series of the links one by one and reports whether there are any: not in a single rack.
func (c *Collector) drawLinks() bool {
	n := &c.network
	if n.links == nil && c.topology.Racks > 1 {
		n.links, n.first = make([]float64, 2*c.topology.Racks), len(c.series.levels)
		for range n.links {
			c.series.add("", "use")
			c.series.add("", "congested")
		}
	}
	return n.links != nil
}

// congestion notes that a link became (by = 1) or is no longer (by = -1) congested.
func (c *Collector) congestion(e *record.Event, by float64) {
	if c.drawLinks() {
		c.series.change(c.network.first+2*int(e.Count)+1, e.Time, by)
	}
}

// takeLinks takes the series of the links one by one out of a run's series.
func (n *network) takeLinks(s *Series) RackLinks {
	links := RackLinks{Width: s.Width}
	end := n.first + 2*len(n.links)
	for i := n.first; i < end; i += 2 {
		links.Links = append(links.Links, RackLink{s.Lines[i].Values, s.Lines[i+1].Values})
	}
	s.Lines = slices.Delete(s.Lines, n.first, end)
	return links
}

func (g *Group) cross(purpose record.Purpose) float64 {
	sum := model.Bytes(0)
	for _, j := range g.Jobs {
		sum += j.Moved[purpose].Cross
	}
	return float64(sum)
}

// overCircuits is what the jobs sent over circuits.
func (g *Group) overCircuits() (sum float64) {
	for _, j := range g.Jobs {
		sum += float64(j.Moved[record.Shuffle].Over)
	}
	return sum
}

// linkTime is how long all racks' links together need, one way, for what the jobs sent from one rack to another,
// but for what went over circuits.
func (g *Group) linkTime() float64 {
	return ratio(g.cross(record.Input)+g.cross(record.Shuffle)+g.cross(record.Output)-g.overCircuits(), float64(g.Run.Network.Uplinks))
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
