// SPDX-License-Identifier: Apache-2.0

// Package jobmap draws the jobs of a trace or of a run by maps and shuffle data: which are small and which are large, what
// a classifier calls them, where it draws the line between them, and which of them were stolen.
package jobmap

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/report/plot"
)

// Job is a dot of the map.
type Job struct {
	Name    string
	Maps    int32
	Shuffle model.Bytes
	Small   bool // it is
	Called  bool // it is called small
	Stolen  bool
}

// Map is what is drawn.
type Map struct {
	Name, Title  string
	Small, Large string // what jobs are called
	Jobs         []Job
	Classifier   *svm.Classifier // draws the line; nil for none
}

// mostDots bounds the dots of a series; of more jobs every n-th is drawn.
const mostDots = 1500

// Chart lays the map out. Stolen jobs have a ring around their dot.
func (m *Map) Chart() plot.Chart {
	chart := plot.Chart{Name: m.Name, Title: m.Title, X: plot.Axis{Label: "maps", Log: true}, Y: plot.Axis{Label: "shuffle data, bytes; 1 stands for none", Log: true},
		Text: "Dots are jobs, by the class that they have; those are drawn apart to which the classifier, told their shuffle data, gives another. The line is where it changes its mind about a job with a reduce for each GiB of shuffle data."}
	if m.Classifier == nil {
		chart.Text = "Dots are jobs, by what they are taken for when they are submitted."
	}
	names := []string{m.Small, m.Large, m.Small + " called " + m.Large, m.Large + " called " + m.Small}
	dots := make([][]plot.Point, len(names))
	var stolen []plot.Point
	for i := range m.Jobs {
		j := &m.Jobs[i]
		shuffle := max(1, float64(j.Shuffle))
		which := 0
		if !j.Small {
			which = 1
		}
		if j.Called != j.Small {
			which += 2
		}
		p := plot.Point{X: float64(j.Maps), Y: shuffle, Low: shuffle, High: shuffle, Tip: j.Name}
		if dots[which] = append(dots[which], p); j.Stolen {
			stolen = append(stolen, p)
		}
	}
	thinned := len(stolen) > mostDots
	for i, list := range dots {
		thinned = thinned || len(list) > mostDots
		if m.Classifier == nil && len(list) == 0 {
			continue
		}
		chart.Series = append(chart.Series, series(names[i], plot.Dots, list))
	}
	if m.Classifier != nil {
		chart.Series = append(chart.Series, plot.Series{Name: "the line", Points: Boundary(m.Classifier)})
	}
	if len(stolen) > 0 {
		chart.Series = append(chart.Series, series("stolen", plot.Rings, stolen))
		chart.Text += " A ring is around each job that machines of the other kind took over before it started."
	}
	if thinned {
		chart.Text += fmt.Sprintf(" Of more than %d alike every n-th is drawn.", mostDots)
	}
	return chart
}

// series returns a series of the jobs, of every n-th if there are too many.
func series(name string, mark plot.Mark, list []plot.Point) plot.Series {
	every := (len(list) + mostDots - 1) / mostDots
	out := plot.Series{Name: fmt.Sprintf("%s, %s", name, digits.Count(len(list), "job")), Mark: mark}
	for k := 0; k < len(list); k += every {
		out.Points = append(out.Points, list[k])
	}
	return out
}

// Boundary returns, for sizes of shuffle data in ascending order, the number of maps from which on the classifier calls a job large that
// has a reduce for each GiB of shuffle data.
func Boundary(c *svm.Classifier) (line []plot.Point) {
	for shuffle := 1.0; shuffle < 1e13; shuffle *= 1.5 {
		reduces := math.Ceil(shuffle / float64(model.GiB))
		for maps := 1.0; maps < 1e5; maps *= 1.05 {
			if c.Decision(math.Round(maps), reduces, shuffle) > 0 {
				continue
			}
			if maps > 1 {
				line = append(line, plot.Point{X: math.Round(maps), Y: shuffle, Low: shuffle, High: shuffle})
			}
			break
		}
	}
	return line
}

// OfRun returns the map of a run under hybrid with the parameters. The classifier, if jobs are told apart by one, is asked
// as of jobs that have run before. A job is small if it was measured and is, or else if it is called so.
func OfRun(policy string, run *metrics.Run, p *hybrid.Params, c *svm.Classifier) *Map {
	m := &Map{Name: "map-" + policy, Title: "Jobs by maps and shuffle data under " + policy, Small: "small", Large: "large"}
	if p.Classify == "svm" && c != nil {
		m.Small, m.Large, m.Classifier = c.Positive, c.Negative, c
	}
	for i := range run.Jobs {
		r := &run.Jobs[i]
		j := Job{Name: r.Name, Maps: r.Maps, Shuffle: r.Shuffle, Stolen: r.Stolen}
		switch {
		case m.Classifier != nil:
			j.Called = c.Decision(float64(r.Maps), float64(r.Reduces), float64(max(r.Shuffle, 0))) > 0
		case p.Classify == "oracle":
			j.Called = r.Class == p.ClassName()
		default:
			j.Called = r.Input < p.Limit
		}
		j.Small = j.Called
		if m.Classifier != nil && (r.Class == c.Positive || r.Class == c.Negative) {
			j.Small = r.Class == c.Positive
		}
		m.Jobs = append(m.Jobs, j)
	}
	return m
}
