// SPDX-License-Identifier: Apache-2.0

package slsrun

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/model"
)

// Files are the outputs by name: those of the Scheduler Load Simulator, and what became of applications and
// containers.
var Files = []struct {
	Name  string
	Write func(*Outcome, io.Writer) error
}{
	{"jobruntime.csv", (*Outcome).writeRuntimes},
	{"realtimetrack.json", (*Outcome).writeTrack},
	{"apps.csv", (*Outcome).writeApps},
	{"containers.csv", (*Outcome).writeContainers},
}

// writeRuntimes writes the times of jobs in milliseconds. The trace says nothing of real ends but for histories,
// so they are 0 as in SLS.
func (o *Outcome) writeRuntimes(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "JobID,real_start_time,real_end_time,simulate_start_time,simulate_end_time,job")
	for i := range o.Apps {
		a := &o.Apps[i]
		fmt.Fprintf(b, "%s,%d,0,%d,%d,%s\n", a.id(), millis(a.Job.Submit), millis(a.Submitted), millis(a.Finished), quoted(a.Job.Name))
	}
	return b.Flush()
}

func (a *App) id() string { return fmt.Sprintf("application_0_%04d", a.Number) }

func millis(t model.Time) int64 { return int64(t / model.Millisecond) }

// seconds writes a time, nothing if it never came.
func seconds(t model.Time) string {
	if t == model.None {
		return ""
	}
	return fmt.Sprintf("%.3f", t.Seconds())
}

// quoted writes a field of a CSV file.
func quoted(s string) string {
	return string(csvtext.Append(nil, s))
}

func (o *Outcome) writeApps(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "job,queue,user,start_ms,submitted,accepted,am_alloc,first_alloc,first_run,last_done,finished,containers,killed")
	for i := range o.Apps {
		a := &o.Apps[i]
		fmt.Fprintf(b, "%s,%s,%s,%d,%s,%s,%s,%s,%s,%s,%s,%d,%d\n", quoted(a.Job.Name), quoted(a.Job.Queue), quoted(a.Job.User), millis(a.Job.Submit),
			seconds(a.Submitted), seconds(a.Submitted), seconds(a.Master), seconds(a.FirstGiven), seconds(a.FirstRun),
			seconds(a.LastDone), seconds(a.Finished), a.Containers-1, a.Killed)
	}
	return b.Flush()
}

func (o *Outcome) writeContainers(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "container,job,am,mem,host,allocated,acquired,running,completed,killed,released")
	for i := range o.Containers {
		c := &o.Containers[i]
		completed, killed, master := c.Completed, model.Time(model.None), 0
		if c.Master {
			master = 1
		} else if c.Released {
			completed, killed = model.None, c.Completed
		}
		fmt.Fprintf(b, "container_0_%04d_01_%06d,%s,%d,%d,%s,%s,%s,%s,%s,%s,\n", c.App.Number, c.Number, quoted(c.App.Job.Name), master, c.Memory,
			quoted(c.Node), seconds(c.Allocated), seconds(c.Acquired), seconds(c.Running), seconds(completed), seconds(killed))
	}
	return b.Flush()
}

// writeTrack writes a look at the cluster for each second, in SLS's words.
func (o *Outcome) writeTrack(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "[")
	separator := ""
	o.each(model.Second, func(l *Look) error {
		fields := map[string]any{"time": millis(l.Time) / 1000, "running.applications": l.Applications, "running.containers": l.Containers,
			"cluster.allocated.memory": l.Memory, "cluster.available.memory": o.Total - l.Memory}
		for i, path := range o.Leaves {
			fields["queue."+path[strings.LastIndexByte(path, '.')+1:]+".allocated.memory"] = l.Queues[i]
		}
		line, err := json.Marshal(fields) // keys in order
		fmt.Fprintf(b, "%s\n%s", separator, line)
		separator = ","
		return err
	})
	fmt.Fprintln(b, "\n]")
	return b.Flush()
}

// Look is the cluster at a moment.
type Look struct {
	Time                     model.Time
	Applications, Containers int
	Memory                   int64   // in use, MB
	Queues                   []int64 // of it, by leaf
}

// each calls f for the state of the cluster after each span, until all has ended.
func (o *Outcome) each(span model.Time, f func(*Look) error) {
	l := Look{Queues: make([]int64, len(o.Leaves))}
	at := 0
	for l.Time = 0; at < len(o.Uses); l.Time += span {
		for ; at < len(o.Uses) && o.Uses[at].Time <= l.Time; at++ {
			u := &o.Uses[at]
			l.Memory += u.Memory - l.Queues[u.Queue]
			l.Queues[u.Queue] = u.Memory
			l.Containers += u.Containers
			l.Applications += u.Applications
		}
		if f(&l) != nil {
			return
		}
	}
}

// Print writes what was simulated and what became of it.
func (o *Outcome) Print(w io.Writer) {
	tasks := 0
	for i := range o.Apps {
		tasks += int(o.Apps[i].Job.Maps + o.Apps[i].Job.Reduces)
	}
	fmt.Fprintf(w, "%s in %s, %d MB; %s with %s in %s\n", digits.Count(len(o.topology.Nodes), "node"), digits.Count(o.topology.Racks, "rack"), o.Total,
		digits.Count(len(o.Apps), "job"), digits.Count(tasks, "task"), digits.Count(len(o.Leaves), "queue"))
	for i := range o.Apps {
		a := &o.Apps[i]
		fmt.Fprintf(w, "%s  queue %s  user %s  %d maps  %d reduces  submitted %s s  first container %s s  finished %s s\n", a.Job.Name, a.Job.Queue, a.Job.User,
			a.Job.Maps, a.Job.Reduces, seconds(a.Submitted), seconds(a.FirstGiven), seconds(a.Finished))
	}
}
