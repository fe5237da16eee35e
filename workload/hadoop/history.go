// SPDX-License-Identifier: Apache-2.0

package hadoop

import (
	"fmt"
	"math"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// Done is a task that succeeded, as its successful attempt ran. Times are milliseconds since the
// epoch, amounts are bytes or workload.Unknown.
type Done struct {
	Start, Finish int64
	Ready         int64 // when a reduce had its data, sorted
	Input         int64 // that a map read
	Shuffle       int64 // that a reduce fetched
	Output        int64 // written to HDFS
	Host          string
	Others        string // further hosts of its block, with commas between them
	Asked         int64  // when its master first wanted it
	Ran           string // where it ran
}

// History is a job of a job history. Tasks that did not succeed are not part of it.
type History struct {
	ID, Name, User, Queue string
	Outcome               string // for messages
	Priority              model.Priority
	Submit                int64 // milliseconds since the epoch
	Memory                [model.Kinds]model.Bytes
	Done                  [model.Kinds][]Done

	// Whole says that the history tells of the master, too, and of when tasks were asked for. Instants are milliseconds since
	// the epoch or workload.Unknown.
	Whole                      bool
	MasterStart, Inited, Ended int64
	MasterHost                 string
}

// Origin turns milliseconds since the epoch into times since the first job of a file.
type Origin struct {
	known bool
	first int64
}

// Since returns the time from the first instant asked for to t, negative if t is earlier.
func (o *Origin) Since(t int64) model.Time {
	if !o.known {
		o.known, o.first = true, t
	}
	return model.Time(t-o.first) * model.Millisecond
}

// Record returns the job as a record, or nil and a fault if no task of it succeeded or the bytes
// of its tasks do not add up. Class is the job's name, since Name must tell runs apart.
//
// A reduce's own length counts from Ready; ShuffleTail is the mean over the reduces of the time
// from the last map's end, or the reduce's start if that is later, to Ready.
func (h *History) Record(c *Check, o *Origin, where string) *workload.Record {
	maps, reduces := h.Done[model.Map], h.Done[model.Reduce]
	submit := o.Since(h.Submit)
	if len(maps)+len(reduces) == 0 {
		c.Mend("outcome", fmt.Sprintf("%s, no task succeeded", Quote(h.Outcome)), "a job with at least one successful task", "dropped")
		return nil
	}
	r := workload.NewRecord(where)
	r.Name, r.Class, r.User, r.Queue = h.ID, h.Name, h.User, h.Queue
	r.Submit, r.Priority, r.Memory = submit, h.Priority, h.Memory
	r.Maps, r.Reduces = int32(len(maps)), int32(len(reduces))

	h.actual(&r)

	lastMap := int64(0)
	r.MapLengths = make([]model.Time, len(maps))
	for i, d := range maps {
		r.MapLengths[i] = millis(d.Finish - d.Start)
		lastMap = max(lastMap, d.Finish)
	}
	r.MapHosts = hosts(maps, func(d *Done) string { return d.Host })
	r.OtherHosts = hosts(maps, func(d *Done) string { return d.Others })
	if h.Whole {
		h.past(&r)
	}
	r.ReduceLengths = make([]model.Time, len(reduces))
	tail := mean{n: int64(len(reduces))}
	for i, d := range reduces {
		r.ReduceLengths[i] = millis(d.Finish - d.Ready)
		tail.add(max(0, d.Ready-max(d.Start, lastMap)))
	}
	r.ShuffleTail = tail.time()

	writers := reduces
	if len(reduces) == 0 {
		writers = maps
	}
	r.Input = c.total(maps, "input", func(d *Done) int64 { return d.Input })
	r.Output = c.total(writers, "output", func(d *Done) int64 { return d.Output })
	if r.Shuffle = 0; len(reduces) > 0 {
		r.Shuffle = c.total(reduces, "shuffle", func(d *Done) int64 { return d.Shuffle })
	}
	if c.Bad {
		return nil
	}
	return &r
}

// actual sets when the job really began and ended: its first successful attempt's start and the last
// one's end. Instants before the submission, from clocks that differ, count as it.
func (h *History) actual(r *workload.Record) {
	first, last := int64(math.MaxInt64), h.Submit
	for _, list := range h.Done {
		for _, d := range list {
			first, last = min(first, d.Start), max(last, d.Finish)
		}
	}
	r.Waited, r.Elapsed = millis(max(0, first-h.Submit)), millis(last-h.Submit)
}

// Counts compares the number of tasks that a successful job had with those that are listed.
func (c *Check) Counts(field string, said int64, listed int) {
	if said != int64(listed) {
		c.Mend(field, fmt.Sprintf("%d for %d tasks that are listed", said, listed), "as many as are listed", "the listed tasks are taken")
	}
}

// total adds up what is known of an amount; Unknown if no task knows it.
func (c *Check) total(tasks []Done, field string, of func(*Done) int64) model.Bytes {
	sum := int64(workload.Unknown)
	for i := range tasks {
		v := of(&tasks[i])
		if v == workload.Unknown {
			continue
		}
		sum = max(sum, 0)
		if v > math.MaxInt64-sum {
			c.Refuse(field, "more than 9223372036854775807 bytes over all tasks", "a sum that fits into 63 bits")
			return workload.Unknown
		}
		sum += v
	}
	return model.Bytes(sum)
}

// past keeps how the master and the tasks ran.
func (h *History) past(r *workload.Record) {
	since := func(ms int64) model.Time {
		if ms == workload.Unknown {
			return workload.Unknown
		}
		return millis(max(0, ms-h.Submit))
	}
	p := &workload.Past{MasterStart: since(h.MasterStart), MasterHost: h.MasterHost, Initialised: since(h.Inited), Finished: since(h.Ended)}
	for k, list := range h.Done {
		p.Runs[k] = make([]workload.Run, len(list))
		for i := range list {
			d := &list[i]
			p.Runs[k][i] = workload.Run{Asked: since(d.Asked), Start: since(d.Start), End: since(d.Finish), Host: d.Ran}
		}
	}
	r.Past = p
	if h.MasterStart != workload.Unknown && h.Inited >= h.MasterStart {
		r.Master.Start = millis(h.Inited - h.MasterStart)
	}
}

// hosts returns what of tells of each task, nil if it tells nothing of any.
func hosts(tasks []Done, of func(*Done) string) []string {
	var list []string
	for i := range tasks {
		host := of(&tasks[i])
		if host != "" && list == nil {
			list = make([]string, len(tasks))
		}
		if list != nil {
			list[i] = host
		}
	}
	return list
}

// Path returns the name of a host as "/rack/host". A host without a rack is in Hadoop's
// /default-rack.
func Path(rack, host string) string {
	rack, host = strings.Trim(rack, "/"), strings.Trim(host, "/")
	switch {
	case host == "":
		return ""
	case rack != "":
		return "/" + rack + "/" + host
	case strings.Contains(host, "/"):
		return "/" + host
	}
	return "/default-rack/" + host
}

func millis(ms int64) model.Time { return model.Time(ms) * model.Millisecond }

// mean is the mean of n spans of milliseconds, without a sum that could overflow.
type mean struct{ n, whole, rest int64 }

func (m *mean) add(ms int64) {
	m.whole += ms / m.n
	m.rest += ms % m.n
}

func (m *mean) time() model.Time {
	if m.n == 0 {
		return 0
	}
	return millis(m.whole+m.rest/m.n) + model.Time(m.rest%m.n)*model.Millisecond/model.Time(m.n)
}

// Ready returns when a reduce attempt had its data: sorted if the history says it, else shuffled,
// else its start. Instants outside the attempt are faults whose repair is the nearer end of it.
func (c *Check) Ready(d Done, sorted Num, sortedField string, shuffled Num, shuffledField string) int64 {
	field := sortedField
	at, given := c.Amount(sorted, sortedField, MaxMillis)
	if !given || at == 0 {
		field = shuffledField
		if at, given = c.Amount(shuffled, shuffledField, MaxMillis); !given || at == 0 {
			return d.Start
		}
	}
	if at < d.Start || at > d.Finish {
		c.Mend(field, fmt.Sprint(at), fmt.Sprintf("from the start %d to the end %d of the attempt", d.Start, d.Finish), "taken as the nearer of the two")
	}
	return min(max(at, d.Start), d.Finish)
}
