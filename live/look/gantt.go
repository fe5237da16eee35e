// SPDX-License-Identifier: Apache-2.0

package look

import (
	"encoding/csv"
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/internal/csvtext"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report/plot"
	"github.com/yardmaster/yardmaster/workload"
)

// gantt writes when and where each task of a history ran, in seconds since the first submission, and returns a chart of
// it: one dot with its span for each task, in the order of jobs and tasks.
func gantt(w io.Writer, records []workload.Record) (*plot.Chart, error) {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"job", "name", "kind", "task", "host", "asked", "start", "end"}) // Flush tells
	chart := &plot.Chart{Name: "tasks", Title: "When tasks ran", Text: "The middle of each task and its span, tasks of one job side by side.",
		X: plot.Axis{Label: "task", Zero: true}, Y: plot.Axis{Label: "seconds since the first submission", Zero: true},
		Series: []plot.Series{{Name: "maps", Mark: plot.Dots}, {Name: "reduces", Mark: plot.Dots}}}
	row := 0
	for i := range records {
		r := &records[i]
		if r.Past == nil {
			continue
		}
		at := func(t model.Time) float64 { return (r.Submit + t).Seconds() }
		for k, runs := range r.Past.Runs {
			for n := range runs {
				run := &runs[n]
				_ = out.Write([]string{csvtext.Guard(r.Name), csvtext.Guard(r.Class), model.Kind(k).String(), fmt.Sprint(n), run.Host,
					fmt.Sprintf("%.3f", at(run.Asked)), fmt.Sprintf("%.3f", at(run.Start)), fmt.Sprintf("%.3f", at(run.End))})
				row++
				s, e := at(run.Start), at(run.End)
				chart.Series[k].Points = append(chart.Series[k].Points, plot.Point{X: float64(row), Y: (s + e) / 2, Low: s, High: e, Tip: r.Class})
			}
		}
	}
	out.Flush()
	return chart, out.Error()
}
