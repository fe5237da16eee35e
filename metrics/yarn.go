// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// hosts folds looks at the hosts of a YARN cluster into series: what the CPU does, the AM share, what lies
// on the disks, how fast applications advance.
type hosts struct {
	drawn    bool
	lines    [hostLines]int
	values   [hostLines]float64
	progress []progressAt // of the last ten seconds
	stored   Stored
	speeds   Speeds
}

type progressAt struct {
	time model.Time
	sum  float64
}

const (
	hostUser = iota
	hostSystem
	hostWait
	hostIdle
	hostShare
	hostStored
	hostSpeed
	hostLines
)

var hostNames = [hostLines][2]string{{LineCPU, "user"}, {LineCPU, "system"}, {LineCPU, "I/O wait"}, {LineCPU, "idle"},
	{LineAMShare, "in effect"}, {LineDisk, "GB stored"}, {LineProgress, "% in 10 s"}}

func (c *Collector) hostSampled(e *record.Event) {
	h := &c.hosts
	if !h.drawn {
		h.drawn = true
		for i, name := range hostNames {
			h.lines[i] = c.series.add(name[0], name[1])
		}
	}
	h.stored = Stored{max(h.stored.Peak, e.Host.Stored), e.Host.Stored}
	now := [hostLines]float64{e.Host.User, e.Host.System, e.Host.Wait, max(0, 1-e.Host.User-e.Host.System-e.Host.Wait),
		e.Host.Share, float64(e.Host.Stored) / 1e9, h.speed(e.Time, e.Host.Progress)}
	for i, v := range now {
		c.series.change(h.lines[i], e.Time, v-h.values[i])
		h.values[i] = v
	}
}

// speed returns by how many percentage points all applications together advanced in the last ten seconds.
func (h *hosts) speed(now model.Time, sum float64) float64 {
	h.progress = append(h.progress, progressAt{now, sum})
	for len(h.progress) > 1 && h.progress[0].time < now-10*model.Second {
		h.progress = h.progress[1:]
	}
	speed := max(0, 100*(sum-h.progress[0].sum))
	h.speeds.add(speed)
	return speed
}

// Speeds counts the looks at the hosts of a YARN cluster by how far all applications had advanced in the ten seconds before, in
// steps of a thousandth of one application.
type Speeds struct {
	counts []int64
	looks  int64
}

func (s *Speeds) add(percent float64) {
	step := int(percent*10 + 0.5)
	for step >= len(s.counts) {
		s.counts = append(s.counts, 0)
	}
	s.counts[step]++
	s.looks++
}

// upTo returns what was not exceeded in a share of the looks, 1 being an application; there is none without looks.
func (s *Speeds) upTo(share float64) (float64, bool) {
	left := int64(math.Ceil(share * float64(s.looks)))
	for step, n := range s.counts {
		if left -= n; left <= 0 {
			return float64(step) / 1000, s.looks > 0
		}
	}
	return 0, false
}

// Stored is what jobs had on the disks of a YARN cluster, as looks at its hosts showed it.
type Stored struct{ Peak, End model.Bytes }

// stored computes a metric of what jobs had on the disks; a run whose hosts are not looked at has none.
func stored(of func(*Stored) model.Bytes) func(*Group, string) (float64, bool) {
	return func(g *Group, _ string) (float64, bool) { return float64(of(&g.Run.Stored)), g.Run.Stored.Peak > 0 }
}

// stays is what masters hold after the last job's end until they give it back, which is no part of the makespan.
type stays struct {
	end  model.Time          // of the last job so far
	room [model.Dims]float64 // times seconds
}

// masterRoom notes that a job's application master takes its container (1) or gives it back (-1).
func (c *Collector) masterRoom(e *record.Event, sign float64) {
	for i := range c.topology.Model.Measures() {
		c.series.change(i, e.Time, sign*float64(e.Room[i]))
		if sign < 0 {
			c.stays.room[i] += float64(e.Room[i]) * (e.Time - c.stays.end).Seconds()
		}
	}
	if b := &c.series; b.queues > 0 {
		b.change(int(b.ofJob[e.Task.Job].queue)+b.queues, e.Time, sign*float64(e.Room[0]))
	}
}
