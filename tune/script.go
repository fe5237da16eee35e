// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"math"
	"slices"
	"strconv"

	"github.com/yardmaster/yardmaster/model"
)

// ScriptParams are the numbers that the three scripts of marp-2019's appendix (§9.3) have in common.
type ScriptParams struct {
	Start    float64 `yaml:"start" above:"0" max:"1" doc:"Share before the first job comes."`
	Increase float64 `yaml:"increase" above:"0" max:"1" doc:"Added when the CPU is idle and jobs wait."`
	Decrease float64 `yaml:"decrease" min:"0" max:"1" doc:"Taken away for each job that is about to end."`
	Reset    float64 `yaml:"reset" above:"0" max:"1" doc:"Share left behind at the end."`
	Decimals int     `yaml:"decimals" min:"1" max:"9" doc:"Digits after the point of every computed share and progress."`

	Idle     float64 `yaml:"idle" min:"0" max:"100" doc:"Idle CPU, in whole percents, above which the CPU counts as idle."`
	Progress int     `yaml:"progress" min:"0" max:"100" doc:"Whole percents of progress that announce a job's end: above it in cbt, from it on in the others."`

	Poll   model.Time `yaml:"poll" above:"0" doc:"Time between two looks while no job has come."`
	Sample model.Time `yaml:"sample" above:"0" doc:"Time that one measurement of the CPU takes, at the head of each round."`
	Settle model.Time `yaml:"settle" min:"0" doc:"Pause after the first job came, before the jobs are listed."`
	Begin  model.Time `yaml:"begin" min:"0" doc:"Pause after the jobs were listed, before the first round."`
	List   model.Time `yaml:"list" min:"0" doc:"Time that one listing of the applications takes: the scripts start the program yarn for it, twice between the two pauses at the start."`
	Raise  model.Time `yaml:"raise" min:"0" doc:"Pause after an increase."`

	Faithful bool `yaml:"faithful" doc:"Do exactly what the thesis's script does, its faults included."`
}

// Step is a parameter that is a share which should let a job start.
type Step struct {
	Name  string
	Share float64
}

// Steps returns the shares that each should let a job start. Drivers warn of those that hold no AM.
func (p *ScriptParams) Steps() []Step { return []Step{{"start", p.Start}, {"increase", p.Increase}} }

// defaultScript returns the values of table 3 and of CBT.sh.
func defaultScript() ScriptParams {
	return ScriptParams{
		Start: 0.05, Increase: 0.04, Decrease: 0.03, Reset: 0.05, Decimals: 3,
		Idle: 15, Progress: 95,
		Poll: model.Second, Sample: model.Second, Settle: 5 * model.Second, Begin: 10 * model.Second, Raise: 30 * model.Second,
	}
}

// The phases of a script.
const (
	phaseWait   = "wait"   // for the first job
	phaseList   = "list"   // the jobs, after the pause Settle
	phaseRound  = "round"  // the loop, at the end of a CPU measurement
	phaseLocked = "locked" // the rest of a round, after the lock-out's pause
	phaseEnd    = "end"    // the loop has ended, its last pause is over
	phaseDone   = "done"
)

// scriptState is what the scripts remember; the fields are named after their variables.
type scriptState struct {
	Phase     string
	Share     float64  // MARP_VALUE
	Remaining int      // REMAINING: jobs pending when last read
	RunningN  int      // RUNNING: jobs running when last read
	Total     int      // TOTAL_JOBS
	Jobs      []string // JOBS: not yet counted as about to end
	Apps      []string // APPS: whose progress is averaged; cbt has none
	Lockout   bool     // LOCKOUT; cbt has none
	Known     []string // applications that had not ended at the last look; the mended scripts only
}

// script is the part that the three scripts share: the start, the decrease, the end.
type script struct {
	p     ScriptParams
	s     *scriptState
	loops func(*Observation) Advice // one round
	// ending says whether whole percents of progress announce a job's end.
	ending func(progress int) bool
	resets bool   // the script writes Reset after its loop, as all but CBT.sh do
	listed func() // the jobs were listed: a batch begins
}

// step runs the phases around the loop.
func (c *script) step(o *Observation) Advice {
	switch c.s.Phase {
	case "":
		c.s.Phase = phaseWait
		c.s.Share = c.p.Start
		return c.wait(o)
	case phaseWait:
		return c.wait(o)
	case phaseList:
		return c.list(o)
	case phaseEnd:
		return c.end(o, "the loop has ended")
	case phaseDone:
		return Advice{Share: c.s.Share, Next: model.Forever, Done: true, Reason: "done"}
	}
	if !c.p.Faithful {
		if a, over := c.mend(o); over {
			return a
		}
	}
	return c.loops(o)
}

// wait looks until the list of applications is not empty: CBT.sh, "Waiting for jobs to appear".
func (c *script) wait(o *Observation) Advice {
	if countListed(o) == 0 {
		return Advice{Share: c.s.Share, Next: o.Time + c.p.Poll, Reason: "waiting for jobs"}
	}
	c.s.Share = c.p.Start
	c.s.Phase = phaseList
	return Advice{Share: c.s.Share, Next: o.Time + c.p.Settle, Reason: "jobs have come"}
}

// list reads the counts, checks that they agree, and takes the names of all jobs down.
func (c *script) list(o *Observation) Advice {
	if c.p.Faithful && o.Written.Known {
		c.s.Share = o.Written.Value // the script reads the file
	}
	c.read(o)
	if c.s.Total == 0 || !c.p.Faithful {
		// TOTAL_JOBS is read once: should a job come before the counts agree, the script waits until
		// one has ended. Mended: the total is read again with the counts.
		c.s.Total = countListed(o)
	}
	if o.AppsKnown && c.s.Remaining+c.s.RunningN != c.s.Total {
		return Advice{Share: c.s.Share, Next: o.Time + c.p.Poll, Reason: "the counts of jobs disagree"}
	}
	c.s.Jobs, c.s.Apps, c.s.Known = nil, nil, nil
	for i := range o.Apps {
		if id := o.Apps[i].ID; o.Apps[i].State != Finished {
			c.s.Jobs = append(c.s.Jobs, id)
			c.s.Apps = append(c.s.Apps, id)
		}
	}
	if !c.p.Faithful {
		c.s.Known = slices.Clone(c.s.Jobs)
	}
	if c.listed != nil {
		c.listed()
	}
	return c.again(o, 2*c.p.List+c.p.Begin, "jobs listed: "+strconv.Itoa(len(c.s.Jobs)))
}

// read is the scripts' "backup check for the amount of accepted and running jobs".
func (c *script) read(o *Observation) {
	c.s.Remaining = o.Pending.Or(c.s.Remaining)
	c.s.RunningN = o.Running.Or(c.s.RunningN)
}

// mend does before each round what the scripts forget to. It returns true if the round is over.
func (c *script) mend(o *Observation) (Advice, bool) {
	// The scripts read the counts only while the CPU is idle, and their loop ends when nothing runs
	// though jobs are pending. Mended: the counts are read in each round, and the loop ends when no
	// job is left. Then the share goes back to Reset (CBT.sh leaves the last value behind unless it
	// finds the CPU idle), and the tuner waits for the next batch.
	c.read(o)
	if c.s.Remaining == 0 && c.s.RunningN == 0 {
		*c.s = scriptState{Phase: phaseWait, Share: c.p.Reset}
		return Advice{Share: c.s.Share, Next: o.Time + c.p.Poll, Reason: "all jobs have ended"}, true
	}
	// The scripts know the jobs of the first list alone. Mended: later ones are listed when they come.
	if o.AppsKnown {
		known := make(map[string]bool, len(c.s.Known))
		for _, id := range c.s.Known {
			known[id] = true
		}
		c.s.Known = c.s.Known[:0]
		for i := range o.Apps {
			if a := &o.Apps[i]; a.State != Finished {
				c.s.Known = append(c.s.Known, a.ID)
				if !known[a.ID] {
					c.s.Jobs = append(c.s.Jobs, a.ID)
					c.s.Apps = append(c.s.Apps, a.ID)
				}
			}
		}
	}
	return Advice{}, false
}

// again ends a round: the next one comes after the pause and a measurement of the CPU, unless the
// loop's condition, that jobs were running when they were last counted, has become false.
func (c *script) again(o *Observation, pause model.Time, reason string) Advice {
	if c.p.Faithful && c.s.RunningN == 0 {
		c.s.Phase = phaseEnd
		if pause == 0 {
			return c.end(o, reason+"; nothing runs: the loop ends")
		}
		return Advice{Share: c.s.Share, Next: o.Time + pause, Reason: reason + "; nothing runs: the loop ends"}
	}
	c.s.Phase = phaseRound
	return Advice{Share: c.s.Share, Next: o.Time + pause + c.p.Sample, Reason: reason}
}

// end is what follows the loop.
func (c *script) end(o *Observation, reason string) Advice {
	c.s.Phase = phaseDone
	if c.resets {
		c.s.Share = c.p.Reset
	}
	return Advice{Share: c.s.Share, Next: model.Forever, Done: true, Reason: reason}
}

// idle reports whether the CPU counts as idle. vmstat prints whole percents, rounded.
func (c *script) idle(o *Observation) bool {
	return o.Idle.Known && math.Floor(o.Idle.Value+0.5) > c.p.Idle
}

// raise adds one increase.
func (c *script) raise(o *Observation) bool { return c.set(o, c.round(c.s.Share+c.p.Increase)) }

// lower counts the jobs that are about to end, strikes them off, and takes one decrease for each.
// It returns how many there were.
func (c *script) lower(o *Observation) int {
	apps := byID(o)
	n := 0
	c.s.Jobs = slices.DeleteFunc(c.s.Jobs, func(id string) bool {
		a := apps[id]
		over := a != nil && a.Progress.Known && c.ending(int(a.Progress.Value))
		// The scripts miss a job that the resource manager has forgotten. Mended: it has ended.
		over = over || a == nil && o.AppsKnown && !c.p.Faithful
		if over {
			n++
		}
		return over
	})
	if n > 0 {
		c.set(o, c.round(c.s.Share-c.round(c.p.Decrease*float64(n))))
	}
	return n
}

// set takes a new share and reports whether it differs from the old one.
func (c *script) set(o *Observation, share float64) bool {
	if !c.p.Faithful {
		// The scripts have no clamp: many decreases go below one AM or below zero, many increases
		// above one. Mended: at least one AM always fits, at most all are AMs.
		share = min(max(share, c.floor(o)), 1)
	}
	changed := share != c.s.Share
	c.s.Share = share
	return changed
}

// floor returns the next share above what one AM takes; Start if the sizes are unknown.
func (c *script) floor(o *Observation) float64 {
	if one, ok := shareOf(o, 1); ok {
		unit := math.Pow10(c.p.Decimals)
		return min(c.round((math.Floor(one*unit)+1)/unit), 1)
	}
	return c.p.Start
}

// round is awk's printf "%0.3f": to nearest, halves as the binary value stands.
func (c *script) round(x float64) float64 { return rounded(x, c.p.Decimals) }

func rounded(x float64, decimals int) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64) // cannot fail
	return v
}

// countListed counts what "yarn application -list" shows: applications that have not ended. Without
// the list, the counts have to do.
func countListed(o *Observation) int {
	if !o.AppsKnown {
		return o.Pending.Or(0) + o.Running.Or(0)
	}
	n := 0
	for i := range o.Apps {
		if o.Apps[i].State != Finished {
			n++
		}
	}
	return n
}

// byID returns the applications by name, for look-ups.
func byID(o *Observation) map[string]*App {
	m := make(map[string]*App, len(o.Apps))
	for i := range o.Apps {
		m[o.Apps[i].ID] = &o.Apps[i]
	}
	return m
}

// shareOf returns the share that n AMs take of the memory, if the sizes are known.
func shareOf(o *Observation, n float64) (float64, bool) {
	if !o.AM.Known || !o.Memory.Known || o.AM.Value <= 0 || o.Memory.Value <= 0 {
		return 0, false
	}
	return n * float64(o.AM.Value) / float64(o.Memory.Value), true
}
