// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"github.com/yardmaster/yardmaster/scenario"
)

var rewrite = flag.Bool("rewrite", false,
	"write what the scenario files' runs say now as their expectation. "+
		"WARNING: this makes every test pass, right or wrong. Read every line of the difference and know why it changed")

// story is a scenario file: a text, a scenario, and one or more runs of it. The form is
//
//	# what the file teaches and why the expectation is right
//	<scenario>
//	...YAML...
//	</scenario>
//	policy: {fair: {by: user}}
//	set: jobs.ramp-up = 100%
//	----
//	...what the run says, up to an empty line...
//
// The lines policy and set change the scenario for the run; there may be any number of set lines,
// and comment lines before each run.
type story struct {
	scenario string
	runs     []*storyRun
	parts    []string // the file: text before the first expectation, between two, and so on
}

type storyRun struct {
	settings []strict.Setting
	expected string
}

// TestScenarios runs the stories in testdata/scenarios and compares what they say.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) < 14 {
		t.Fatalf("%d scenario files: the test looks in the wrong place (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := parseStory(string(src))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			var out strings.Builder
			for i, r := range s.runs {
				said := tell(t, file, s.scenario, r.settings)
				if said != r.expected && !*rewrite {
					t.Errorf("%s, run %d: found\n%s\nexpected\n%s%s", file, i+1, said, r.expected, difference(said, r.expected))
				}
				out.WriteString(s.parts[i] + said)
			}
			out.WriteString(s.parts[len(s.runs)])
			if *rewrite && out.String() != string(src) {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func parseStory(src string) (*story, error) {
	s := &story{}
	var part, body strings.Builder
	run := &storyRun{}
	inScenario, inExpected := false, false
	for line := range strings.Lines(src) {
		text := strings.TrimRight(line, "\r\n")
		if inExpected {
			if text != "" {
				run.expected += line
				continue
			}
			s.runs = append(s.runs, run)
			run, inExpected = &storyRun{}, false
		}
		part.WriteString(line)
		switch {
		case text == "</scenario>":
			inScenario = false
		case inScenario:
			body.WriteString(line)
		case text == "<scenario>":
			inScenario = true
		case text == "----":
			s.parts = append(s.parts, part.String())
			part.Reset()
			inExpected = true
		case text == "" || strings.HasPrefix(text, "#"):
		case strings.HasPrefix(text, "policy: "):
			run.settings = append(run.settings, strict.Setting{Path: "policy", Value: strings.TrimPrefix(text, "policy: ")})
		case strings.HasPrefix(text, "set: "):
			path, value, ok := strings.Cut(strings.TrimPrefix(text, "set: "), " = ")
			if !ok {
				return nil, fmt.Errorf("found %q; allowed: set: PATH = VALUE", text)
			}
			run.settings = append(run.settings, strict.Setting{Path: path, Value: value})
		default:
			return nil, fmt.Errorf("found %q; allowed: a comment, <scenario>, policy:, set: or ----", text)
		}
	}
	if inExpected {
		s.runs = append(s.runs, run)
	}
	s.parts = append(s.parts, part.String())
	s.scenario = body.String()
	if s.scenario == "" || len(s.runs) == 0 {
		return nil, fmt.Errorf("a scenario and at least one run are needed")
	}
	return s, nil
}

// tell runs the scenario and returns the dialogue and the table, or the error.
func tell(t *testing.T, file, src string, settings []strict.Setting) string {
	s, err := scenario.Parse(file, []byte(src), settings)
	if err != nil {
		t.Fatal(err)
	}
	e, params := find(s.Policy.Name)
	if s.Policy.Params != nil {
		params = s.Policy.Params
	}
	topology := s.Cluster.Topology()
	jobs, err := experiment.Jobs(t.Context(), s, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	log, collector := &record.Log{}, metrics.NewCollector(topology, jobs)
	in := &engine.Input{Topology: topology, Jobs: jobs, Config: s.Config, Replication: s.HDFS.Replication,
		Policy: e, Params: params, Seed: s.Seed, Recorder: record.Tee{log, collector}, Check: 1, Inspect: progressGuard(nil)}
	_, runErr := engine.Run(in)
	var b bytes.Buffer
	writeDialogue(&b, topology, jobs, log.Events)
	if runErr != nil {
		fmt.Fprintf(&b, "error: %v\n", runErr)
		return b.String()
	}
	run := collector.Run(nil)
	if err := run.Check(); err != nil {
		t.Error(err)
	}
	writeTable(&b, run)
	return b.String()
}

// difference names the first line that differs.
func difference(found, expected string) string {
	f, e := strings.Split(found, "\n"), strings.Split(expected, "\n")
	for i := range min(len(f), len(e)) {
		if f[i] != e[i] {
			return fmt.Sprintf("line %d is the first that differs:\n  found    %s\n  expected %s", i+1, f[i], e[i])
		}
	}
	return fmt.Sprintf("%d lines found, %d expected", len(f), len(e))
}

// writeDialogue writes one line per event: time, job, what.
func writeDialogue(b *bytes.Buffer, topology *model.Topology, jobs []model.Job, events []record.Event) {
	width, times := 0, 0
	for i := range jobs {
		width = max(width, len(jobs[i].Name))
	}
	for i := range events {
		times = max(times, len(events[i].Time.String()))
	}
	for i := 0; i < len(events); i++ {
		e := &events[i]
		what := sentence(topology, e)
		if e.Kind == record.JobSubmitted && i+1 < len(events) && events[i+1].Kind == record.JobAdmitted && events[i+1].Task.Job == e.Task.Job && events[i+1].Time == e.Time {
			what = "submitted, admitted"
			i++
		}
		name := "-"
		if e.Task.Job != model.None {
			name = jobs[e.Task.Job].Name
		}
		fmt.Fprintf(b, "%*v  %-*s  %s\n", times, e.Time, width, name, what)
	}
}

func sentence(topology *model.Topology, e *record.Event) string {
	task := fmt.Sprintf("%v %d", e.Task.Kind, e.Task.Index)
	if e.Attempt > 0 {
		task += fmt.Sprintf(" (attempt %d)", e.Attempt+1)
	}
	switch e.Kind {
	case record.JobSubmitted:
		return "submitted"
	case record.JobAdmitted:
		return "admitted"
	case record.JobRefused:
		return "refused: " + e.Limit.String()
	case record.JobBlocked:
		return "held back: " + e.Limit.String()
	case record.TasksEligible:
		if e.Count < 0 {
			return fmt.Sprintf("%d %vs may no longer start", -e.Count, e.Task.Kind)
		}
		return fmt.Sprintf("%d %vs may start", e.Count, e.Task.Kind)
	case record.TaskStarted:
		where := fmt.Sprintf("node %d", e.Node)
		if topology.Racks > 1 {
			where += fmt.Sprintf(" in rack %d", topology.Nodes[e.Node].Rack)
		}
		if e.Locality != model.NoInput {
			where += ", " + e.Locality.String()
		}
		if e.Limit != model.LimitRoom {
			where += "; from now on held back: " + e.Limit.String()
		}
		return task + " starts on " + where
	case record.TaskShuffling:
		return task + " copies the rest"
	case record.TaskComputing:
		return task + " has its data and computes"
	case record.TaskEnded:
		return fmt.Sprintf("%s ends on node %d after %v", task, e.Node, e.Length)
	case record.TaskKilled:
		return fmt.Sprintf("%s is killed on node %d", task, e.Node)
	case record.TaskDropped:
		if e.Node == model.None {
			return task + " needs no second attempt"
		}
		return fmt.Sprintf("%s is dropped on node %d", task, e.Node)
	case record.TaskDoubled:
		return task + " is to be tried again"
	case record.TaskUndone:
		return task + " must run again, its output is lost"
	case record.TaskWaiting:
		return task + " waits for maps again"
	case record.NodeLost:
		return fmt.Sprintf("node %d is lost", e.Node)
	case record.NodeReturned:
		return fmt.Sprintf("node %d returns", e.Node)
	case record.DataMoved:
		over := ""
		if e.Over > 0 {
			over = fmt.Sprintf(", %d MB over circuits", e.Over/1e6)
		}
		return fmt.Sprintf("sent %d MB over links, %d MB across racks%s, for %v", e.Bytes/1e6, e.Cross/1e6, over, e.Purpose)
	case record.CircuitChanged:
		s := fmt.Sprintf("circuit from rack %d to %d: %v", int(e.Count)/topology.Racks, int(e.Count)%topology.Racks, e.Circuit)
		if e.Length > 0 {
			s += fmt.Sprintf(" after %v", e.Length)
		}
		if e.Bytes > 0 {
			s += fmt.Sprintf(", it carried %d MB", e.Bytes/1e6)
		}
		return s
	case record.LinkCongested, record.LinkRelieved:
		state := map[record.Kind]string{record.LinkCongested: "is congested", record.LinkRelieved: "is relieved"}[e.Kind]
		return fmt.Sprintf("link of rack %d, %s, %s", e.Count/2, []string{"up", "down"}[e.Count%2], state)
	case record.JobStolen:
		return "stolen"
	case record.AMStarted:
		return fmt.Sprintf("application master starts on node %d", e.Node)
	case record.AMEnded:
		return fmt.Sprintf("application master leaves node %d", e.Node)
	case record.RoomChanged:
		return map[int32]string{0: "no node has room", 1: "some node has room"}[int32(e.Count)]
	case record.ChoreStarted:
		return fmt.Sprintf("set-up or clean-up starts on node %d", e.Node)
	case record.ChoreEnded:
		return fmt.Sprintf("set-up or clean-up ends on node %d", e.Node)
	case record.HostSampled:
		return fmt.Sprintf("hosts: %.0f %% user, %.0f %% system, %.0f %% I/O wait, share %g", 100*e.Host.User, 100*e.Host.System, 100*e.Host.Wait, e.Host.Share)
	case record.LinkLoads:
		return fmt.Sprintf("links of racks: %.0f %% up, %.0f %% down in use", 100*e.Up, 100*e.Down)
	}
	return "ended"
}

// writeTable writes a line for each job: its times and where they went.
func writeTable(b *bytes.Buffer, run *metrics.Run) {
	rows := [][]string{{"job", "submit", "start", "finish", "waiting", "elapsed", "blame"}}
	for i := range run.Jobs {
		j := &run.Jobs[i]
		row := []string{j.Name}
		for _, t := range []model.Time{j.Submit, j.FirstStart, j.Finish, j.Waiting(), j.Elapsed()} {
			row = append(row, t.String())
		}
		rows = append(rows, append(row, blame(j)))
	}
	var widths [7]int
	for _, row := range rows {
		for c, text := range row {
			widths[c] = max(widths[c], len(text))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for c, text := range row[1:6] {
			line += fmt.Sprintf("  %*s", widths[c+1], text)
		}
		b.WriteString(strings.TrimRight(line+"  "+row[6], " ") + "\n")
	}
}

// blame lists the parts of the job's time that are not zero, and the limits other than room.
func blame(j *metrics.Job) string {
	var parts []string
	for p, t := range j.Blame {
		if t != 0 {
			parts = append(parts, fmt.Sprintf("%v %v", metrics.Part(p), t))
		}
	}
	for l, t := range j.Limits {
		if t != 0 && model.Limit(l) != model.LimitRoom {
			parts = append(parts, fmt.Sprintf("(held by %v for %v)", model.Limit(l), t))
		}
	}
	return strings.Join(parts, ", ")
}
