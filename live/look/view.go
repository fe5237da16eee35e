// SPDX-License-Identifier: Apache-2.0

package look

import (
	"fmt"
	"io"
	"time"

	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
)

// view is one look at a cluster.
type view struct {
	Time      time.Time
	Metrics   *rest.Metrics
	Scheduler *rest.Scheduler
	Apps      []rest.App
	Ends      map[string]model.Time // from now, by application
}

// write shows it, an empty line at its end.
func (v *view) write(w io.Writer) {
	m := v.Metrics
	fmt.Fprintf(w, "%s  %s, %s, %s of %s in use, %d applications run, %d wait\n\n", v.Time.UTC().Format(time.DateTime),
		v.Scheduler.Kind, digits.Count(m.Active, "node"), gib(m.Allocated), gib(m.Memory), m.Running, m.Pending)
	rows := [][]string{{"queue", "used", "guaranteed", "at most", "masters", "share of masters", "run", "wait"}}
	for q := range v.Scheduler.Root.All() {
		if !q.Leaf() {
			continue
		}
		rows = append(rows, []string{q.Path, gib(q.Used.Memory), gib(q.Guaranteed.Memory), gib(q.Limit.Memory),
			gib(q.AMUsed.Memory) + " of " + gib(q.AMLimit.Memory), fmt.Sprintf("%g", q.AMShare), fmt.Sprint(q.ActiveApps), fmt.Sprint(q.PendingApps)})
	}
	console.Columns(w, rows)
	fmt.Fprintln(w)
	if len(v.Apps) > 0 {
		rows = [][]string{{"application", "name", "user", "queue", "state", "progress", "containers", "expected to end", "waits for"}}
		for i := range v.Apps {
			rows = append(rows, v.row(&v.Apps[i]))
		}
		console.Columns(w, rows)
		fmt.Fprintln(w)
	}
}

func (v *view) row(a *rest.App) []string {
	end := "?"
	if d, ok := v.Ends[a.ID]; ok {
		end = fmt.Sprintf("%s (in %.0f s)", v.Time.Add(time.Duration(d)).UTC().Format(time.TimeOnly), d.Seconds())
	}
	return []string{a.ID, a.Name, a.User, a.Queue, string(a.State), fmt.Sprintf("%.0f %%", a.Progress), fmt.Sprint(a.Containers), end, why(a)}
}

func gib(b model.Bytes) string { return fmt.Sprintf("%.1f GiB", float64(b)/float64(model.GiB)) }
