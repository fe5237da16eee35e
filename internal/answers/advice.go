// SPDX-License-Identifier: Apache-2.0

package answers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/report/plot"
	"github.com/yardmaster/yardmaster/result"
)

// BacktestAnswer is backtest.json.
type BacktestAnswer struct {
	Rows []result.BacktestRow `json:"rows"`
	Jobs []advise.BacktestJob `json:"jobs"`
}

// Backtest is the page that holds predictions against what happened.
func Backtest(name, under string, b *BacktestAnswer) *report.Answer {
	a := &report.Answer{Title: name, Subtitle: "backtest under " + under, Notes: []string{"How far to trust it: " + advise.Trust(b.Rows) + "."}}
	all := b.Rows[0]
	a.Facts = [][2]string{{"jobs", fmt.Sprint(all.Jobs)}, {"mean error of waiting", report.Span(all.Waiting.Absolute)}, {"mean error of elapsed time", report.Span(all.Elapsed.Absolute)},
		{"order of elapsed times", fmt.Sprintf("rank correlation %.2f", all.Elapsed.Order)}}
	for _, m := range []struct {
		title string
		of    func(*advise.BacktestJob) [2]float64
	}{{"Elapsed time", func(j *advise.BacktestJob) [2]float64 { return j.Elapsed }}, {"Waiting time", func(j *advise.BacktestJob) [2]float64 { return j.Waited }}} {
		a.Parts = append(a.Parts, report.Part{Chart: scatter(m.title, b.Jobs, m.of)})
	}
	a.Parts = append(a.Parts, report.Part{Chart: residuals(b.Rows)}, report.Part{Table: worst(b.Jobs)}, report.Part{Table: accuracyTable(b.Rows)})
	return a
}

// scatter draws what was predicted over what was seen, a colour for each queue; on the line they are equal.
func scatter(title string, jobs []advise.BacktestJob, of func(*advise.BacktestJob) [2]float64) *plot.Chart {
	c := &plot.Chart{Title: title + ": predicted against seen", Text: "One dot is one job. On the line the prediction is right; above it the job was expected to take longer than it did.", X: plot.Axis{Label: "seen (s)", Log: true}, Y: plot.Axis{Label: "predicted (s)", Log: true}}
	var queues []string
	low, high := math.Inf(1), math.Inf(-1)
	by := map[string]*plot.Series{}
	for i := range jobs {
		v := of(&jobs[i])
		if v[0] <= 0 || v[1] <= 0 {
			continue // no place on a logarithmic axis
		}
		s := by[jobs[i].Queue]
		if s == nil {
			s = &plot.Series{Name: cmp.Or(jobs[i].Queue, "jobs"), Mark: plot.Dots}
			by[jobs[i].Queue] = s
			queues = append(queues, jobs[i].Queue)
		}
		s.Points = append(s.Points, plot.Point{X: v[0], Y: v[1], Low: v[1], High: v[1],
			Tip: fmt.Sprintf("%s: seen %s s, predicted %s s", jobs[i].Name, plot.Short(v[0]), plot.Short(v[1]))})
		low, high = min(low, v[0], v[1]), max(high, v[0], v[1])
	}
	slices.Sort(queues)
	for _, q := range queues {
		c.Series = append(c.Series, *by[q])
	}
	if len(queues) > 0 {
		c.Series = append(c.Series, plot.Series{Name: "as seen", Points: []plot.Point{{X: low, Y: low, Low: low, High: low}, {X: high, Y: high, Low: high, High: high}}})
	}
	return c
}

// residuals draws the errors of each queue.
func residuals(rows []result.BacktestRow) *plot.Chart {
	c := &plot.Chart{Name: "residuals", Title: "Errors by queue", Text: "The median of predicted minus seen (above 0: predicted too long), and the mean of how far off a job was, in seconds of elapsed time.", Y: plot.Axis{Label: "s"}}
	median, absolute := plot.Series{Name: "median error", Mark: plot.Bars}, plot.Series{Name: "mean absolute error", Mark: plot.Bars}
	for i, r := range rows {
		name := cmp.Or(r.Queue, "all")
		c.Categories = append(c.Categories, name)
		median.Points = append(median.Points, point(i, r.Elapsed.Median, fmt.Sprintf("%s: median error %+.1f s", name, r.Elapsed.Median)))
		absolute.Points = append(absolute.Points, point(i, r.Elapsed.Absolute, fmt.Sprintf("%s: off by %.1f s on average", name, r.Elapsed.Absolute)))
	}
	c.Series = []plot.Series{median, absolute}
	return c
}

// worst lists the jobs whose elapsed time was predicted worst.
func worst(jobs []advise.BacktestJob) *report.TextTable {
	t := &report.TextTable{Title: "Worst jobs", Note: "Those whose elapsed time was missed by most; backtest.json has all.", Head: []string{"job", "queue", "waited", "predicted", "elapsed", "predicted", "off by"}}
	order := slices.Clone(jobs)
	off := func(j *advise.BacktestJob) float64 { return math.Abs(j.Elapsed[1] - j.Elapsed[0]) }
	slices.SortStableFunc(order, func(a, b advise.BacktestJob) int { return cmp.Compare(off(&b), off(&a)) })
	for i := range order[:min(len(order), 30)] {
		j := &order[i]
		t.Rows = append(t.Rows, []string{j.Name, j.Queue, report.Span(j.Waited[0]), report.Span(j.Waited[1]), report.Span(j.Elapsed[0]), report.Span(j.Elapsed[1]), signed(j.Elapsed[1]-j.Elapsed[0]) + " s"})
	}
	return t
}

func accuracyTable(rows []result.BacktestRow) *report.TextTable {
	t := &report.TextTable{Title: "By queue", Head: []string{"queue", "jobs", "time", "seen", "predicted", "median error", "mean absolute error", "rank correlation"}}
	for _, r := range rows {
		for _, v := range []struct {
			title string
			result.Accuracy
		}{{"waiting", r.Waiting}, {"elapsed", r.Elapsed}} {
			t.Rows = append(t.Rows, []string{cmp.Or(r.Queue, "all"), fmt.Sprint(r.Jobs), v.title, report.Span(v.Actual), report.Span(v.Predicted), signed(v.Median) + " s", report.Span(v.Absolute), fmt.Sprintf("%.2f", v.Order)})
		}
	}
	return t
}

// Lint is the page of the traps in a file of settings.
func Lint(file, scenario string, traps []advise.Trap, seeds int) *report.Answer {
	a := &report.Answer{Title: file, Subtitle: "traps on " + scenario, Facts: [][2]string{{"traps", fmt.Sprint(len(traps))}, {"repetitions", fmt.Sprint(seeds)}}}
	if len(traps) == 0 {
		a.Notes = append(a.Notes, "No trap was found.")
		return a
	}
	c := &plot.Chart{Name: "saved", Title: "What each remedy saves", Text: "Seconds of elapsed time that a job which pays for the trap saves without it, with the paired 95 % interval, and what happens to all other jobs (above 0: they gain too). Numbers are those of the table.", Y: plot.Axis{Label: "s per job"}}
	saved, others := plot.Series{Name: "jobs that pay", Mark: plot.Bars}, plot.Series{Name: "all other jobs", Mark: plot.Bars}
	t := &report.TextTable{Title: "Traps", Note: "Costs are means over the repetitions, paired.", Head: []string{"trap", "queue", "saved per job", "others", "who pays", "remedy", "found", "change"}}
	for i := range traps {
		p := &traps[i]
		var edits []string
		for _, e := range p.Edits {
			edits = append(edits, fmt.Sprintf("%s: %s → %s", e.Property, cmp.Or(e.Old, "not set"), e.New))
		}
		row := []string{fmt.Sprintf("%d. %s", i+1, p.Name), p.Queue, "it stops jobs, or cannot be measured", "", "", p.Remedy, p.Found, strings.Join(edits, "; ")}
		c.Categories = append(c.Categories, fmt.Sprint(i+1))
		if k := p.Cost; k != nil {
			gain := k.Others[0] - k.Others[1]
			row[2], row[3], row[4] = fmt.Sprintf("%+.1f s (%+.1f to %+.1f)", k.Saved[0], k.Saved[1], k.Saved[2]), signed(gain)+" s", fmt.Sprintf("%s (%.0f)", k.Victims, k.Jobs)
			saved.Points = append(saved.Points, plot.Point{X: float64(i), Y: k.Saved[0], Low: k.Saved[1], High: k.Saved[2], Tip: p.Name + " in " + p.Queue + ": " + row[2]})
			others.Points = append(others.Points, point(i, gain, "all other jobs: "+row[3]))
		}
		t.Rows = append(t.Rows, row)
	}
	c.Series = []plot.Series{saved, others}
	a.Parts = []report.Part{{Chart: c}, {Table: t}}
	return a
}

// Goals is the page of what is known about completion-time goals before a run.
func Goals(check *advise.GoalCheck) *report.Answer {
	bad := 0
	for _, r := range check.Jobs {
		if r.Slack < 0 {
			bad++
		}
	}
	a := &report.Answer{Title: check.Scenario, Subtitle: fmt.Sprintf("goals of seed %d", check.Seed), Facts: [][2]string{{"jobs with a goal", fmt.Sprint(len(check.Jobs))}, {"without", fmt.Sprint(check.Without)},
		{"cannot be met even alone", fmt.Sprint(bad)}, {"conflicts", fmt.Sprint(len(check.Conflicts))}}}
	s := &report.Strip{Name: "goals", Title: "From submission to goal", Text: "One row is one job: the time that it takes alone, and what its goal leaves beyond. Where the goal is over before the job could be, the rest is marked as short.", Kinds: []string{"alone", "slack", "short even alone"}}
	t := &report.TextTable{Title: "Jobs with a goal", Head: []string{"job", "class", "submitted", "goal", "alone", "slack", "pace", "weight"}}
	for i, r := range check.Jobs {
		if i < mostRows {
			t.Rows = append(t.Rows, []string{r.Job, r.Class, orDash(r.Submit, "s"), report.Span(r.Goal), report.Span(r.Alone), signed(r.Slack) + " s", orDash(r.Pace, "slots"), fmt.Sprintf("%.3g", r.Weight)})
		}
		if r.Submit == nil || len(s.Rows) >= 60 {
			continue
		}
		at := *r.Submit
		row := report.StripRow{Name: r.Job, Spans: []report.StripSpan{{From: at, To: at + min(r.Alone, r.Goal), Kind: 0, Tip: r.Job + ": alone " + report.Span(r.Alone)}}}
		if r.Slack >= 0 {
			row.Spans = append(row.Spans, report.StripSpan{From: at + r.Alone, To: at + r.Goal, Kind: 1, Pale: true, Tip: r.Job + ": slack " + report.Span(r.Slack)})
		} else {
			row.Spans = append(row.Spans, report.StripSpan{From: at + r.Goal, To: at + r.Alone, Kind: 2, Tip: fmt.Sprintf("%s: %s short even alone", r.Job, report.Span(-r.Slack))})
		}
		s.Rows = append(s.Rows, row)
	}
	if n := len(check.Jobs) - len(t.Rows); n > 0 {
		t.Note = fmt.Sprintf("%d more are in goals.json.", n)
	}
	if len(s.Rows) < len(check.Jobs) {
		s.Text += fmt.Sprintf(" %d of %d jobs are drawn.", len(s.Rows), len(check.Jobs))
	}
	if len(s.Rows) > 0 {
		a.Parts = append(a.Parts, report.Part{Strip: s})
	}
	a.Parts = append(a.Parts, report.Part{Table: clashes(check)}, report.Part{Table: t})
	return a
}

func orDash(v *float64, unit string) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f %s", *v, unit)
}

// clashes lists where goals stand in each other's way.
func clashes(check *advise.GoalCheck) *report.TextTable {
	t := &report.TextTable{Title: "Where goals stand in each other's way", Note: "A conflict: no policy can meet all of them. Crowded: even paces do not fit together, so some jobs must run ahead or catch up.", Head: []string{"what", "from", "to", "needs", "jobs"}}
	for _, f := range check.Conflicts {
		t.Rows = append(t.Rows, []string{"conflict", report.Span(f.From), report.Span(f.To), fmt.Sprintf("%.0f %% of the %s room", 100*f.Load, f.Pool), named(f.Jobs)})
	}
	for _, f := range check.Crowded {
		t.Rows = append(t.Rows, []string{"crowded", report.Span(f.From), report.Span(f.To), fmt.Sprintf("%.0f of %d slots", f.Pace, f.Room), named(f.Jobs)})
	}
	if len(t.Rows) == 0 {
		t.Rows = append(t.Rows, []string{"nothing", "", "", "", ""})
	}
	return t
}

// named lists the first few.
func named(list []string) string {
	const most = 20
	if len(list) > most {
		return fmt.Sprintf("%s and %d others", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
