// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"math/bits"

	"github.com/yardmaster/yardmaster/internal/ahead"
	"github.com/yardmaster/yardmaster/model"
)

// Phase is where a job is in its life.
type Phase uint8

// The phases in order.
const (
	Submitted Phase = iota // waiting for admission
	Admitted               // may be given room
	Ended
)

// String returns the phase's name.
func (p Phase) String() string {
	return [...]string{"waiting for admission", "admitted", "ended"}[p]
}

// Job is what the cluster knows about one job. Policies read it and change nothing. What the end of a task looks at
// stands first, in one line of memory.
type Job struct {
	ID       model.JobID
	Slot     int32 // its number among the jobs that are there: small, and given to another job when this one has gone
	Need     [model.Kinds]model.Room
	Total    [model.Kinds]int32 // tasks of each kind
	Eligible [model.Kinds]int32 // tasks that may have been started by now: slow start, ramp-up
	Running  [model.Kinds]int32
	Done     [model.Kinds]int32
	Doubled  [model.Kinds]int32 // tasks with a second attempt, running or wanted; up to the end of the first line of memory

	next    [model.Kinds]int32 // no pending task has a lower index
	Phase   Phase
	Reads   bool                 // it has input, so where its maps run matters
	Driven  Driven               // of whoever drives the cluster
	started [model.Kinds]taskSet // that of maps up to the end of the second line: to start a map takes no more

	Goal   model.Time // when it should end; model.Forever if it has no goal
	Submit model.Time // when it was submitted; up to the end of the third line

	Queue     int32 // index into State.Queues
	User      int32 // index into State.Users
	Weight    float64
	Input     model.Bytes
	Priority  model.Priority
	Recurring bool     // it has run before and will again
	_         [38]byte // to the end of the fourth line
}

// Driven is what the driver of the cluster alone notes about a job and looks at when any of its tasks starts or ends, so it lies
// where these do.
type Driven struct {
	Limit model.Limit              // what holds the job back, as recorded last
	Held  [model.Kinds]model.Limit // what keeps it from room of each pool, as last named by the policy
	Wants [model.Kinds]bool        // which kinds of tasks it wants to start, as the policy knows
	Notes uint8                    // what else the driver has to know of it when tasks start or end, in bits of its own
}

// Free notes that nothing holds the job back but that room is taken.
func (d *Driven) Free() { d.Limit, d.Held = model.LimitRoom, [model.Kinds]model.Limit{} }

func newJob(spec *model.Job, now model.Time) Job {
	j := Job{
		ID: spec.ID, Priority: spec.Priority, Weight: spec.Weight, Submit: now, Goal: model.Forever, Need: spec.Need,
		Total: [model.Kinds]int32{spec.Maps, spec.Reduces}, Input: spec.Input, Reads: spec.Input > 0, Recurring: spec.Period > 0,
	}
	if j.Weight == 0 {
		j.Weight = 1
	}
	if spec.Goal > 0 {
		j.Goal = now + spec.Goal
	}
	return j
}

// Admit lets the job be given room and makes its maps eligible.
func (j *Job) Admit() {
	j.Phase = Admitted
	j.Eligible[model.Map] = j.Total[model.Map]
	for k := range j.started {
		j.started[k].init(j.Total[k])
	}
}

// Leave ends the job and frees what it held in memory.
func (j *Job) Leave() {
	j.Phase = Ended
	j.started = [model.Kinds]taskSet{}
}

// Wants returns how many more tasks of kind k may start now.
func (j *Job) Wants(k model.Kind) int32 {
	return j.Eligible[k] + j.Doubled[k] - j.Running[k] - j.Done[k]
}

// Pending returns how many tasks of kind k wait to be started, eligible or not, second attempts among
// them.
func (j *Job) Pending(k model.Kind) int32 {
	return j.Total[k] + j.Doubled[k] - j.Running[k] - j.Done[k]
}

// MapsDone reports whether all maps have ended.
func (j *Job) MapsDone() bool { return j.Done[model.Map] == j.Total[model.Map] }

// Complete reports whether all tasks have ended.
func (j *Job) Complete() bool {
	return j.Done[model.Map] == j.Total[model.Map] && j.Done[model.Reduce] == j.Total[model.Reduce]
}

// Used returns the room that the job's running tasks hold, in one dimension.
func (j *Job) Used(d int) (used int64) {
	for k := range j.Need {
		used += int64(j.Need[k][d]) * int64(j.Running[k])
	}
	return used
}

// First returns the lowest-numbered pending task of kind k, or model.None.
func (j *Job) First(k model.Kind) int32 {
	if j.Pending(k) == 0 {
		return model.None
	}
	return j.next[k]
}

// Started returns the set of tasks of kind k that were started, as words of bits, for locality
// look-ups. The caller does not change it.
func (j *Job) Started(k model.Kind) []uint64 { return j.started[k].words() }

// Ahead adds the set of started maps of a job that is at hand itself to what is asked for.
func (j *Job) Ahead(b *ahead.Batch) {
	if large := j.started[model.Map].large; large != nil {
		ahead.Of(b, &large[0])
	}
}

func (j *Job) take(k model.Kind, index int32) {
	j.started[k].set(index)
	j.Running[k]++
	if index == j.next[k] {
		j.next[k] = j.started[k].nextClear(index+1, j.Total[k])
	}
}

// taskSet is a set of task numbers; up to 192 need no memory of their own.
type taskSet struct {
	small [3]uint64
	large []uint64
}

func (s *taskSet) init(n int32) {
	*s = taskSet{}
	if int(n) > 64*len(s.small) {
		s.large = make([]uint64, (n+63)/64)
	}
}

func (s *taskSet) words() []uint64 {
	if s.large != nil {
		return s.large
	}
	return s.small[:]
}

func (s *taskSet) has(i int32) bool { return s.words()[i>>6]>>(i&63)&1 != 0 }
func (s *taskSet) set(i int32)      { s.words()[i>>6] |= 1 << (i & 63) }
func (s *taskSet) clear(i int32)    { s.words()[i>>6] &^= 1 << (i & 63) }

// nextClear returns the first number from i that is not in the set, or n.
func (s *taskSet) nextClear(i, n int32) int32 {
	if i >= n {
		return n
	}
	words := s.words()
	w := i >> 6
	if rest := ^words[w] >> (i & 63); rest != 0 {
		return min(i+int32(bits.TrailingZeros64(rest)), n)
	}
	for w++; int(w) < len(words); w++ {
		if words[w] != ^uint64(0) {
			return min(w<<6+int32(bits.TrailingZeros64(^words[w])), n)
		}
	}
	return n
}
