// SPDX-License-Identifier: Apache-2.0

package rackplan

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// SiteOf returns the racks of a cluster, without circuits. Where tasks take memory and vcores, a container is as large as
// the largest task of the jobs to be planned.
func SiteOf(t *model.Topology, forecasts []policy.Forecast) *Site {
	s := &Site{Shared: t.Model != model.Slots}
	for k := range model.Kind(model.Kinds) {
		need := t.Model.Need(k)
		if t.Model == model.Yarn {
			need = largest(forecasts)
		}
		s.Containers[k] = make([]int, t.Racks)
		for _, n := range t.Nodes {
			s.Containers[k][n.Rack] += t.Classes[n.Class].Room.Times(need)
		}
	}
	if len(t.Uplinks) > 0 {
		s.Packets = slices.Min(t.Uplinks)
	}
	return s
}

// Part returns racks of a cluster as a cluster of their own, in which they are numbered from 0.
func Part(t *model.Topology, racks []model.RackID) *model.Topology {
	part := *t
	part.Racks, part.Nodes, part.Uplinks = len(racks), nil, nil
	for _, n := range t.Nodes {
		if i, is := slices.BinarySearch(racks, n.Rack); is {
			n.Rack = model.RackID(i)
			part.Nodes = append(part.Nodes, n)
		}
	}
	for _, r := range racks {
		if len(t.Uplinks) > 0 {
			part.Uplinks = append(part.Uplinks, t.Uplinks[r])
		}
	}
	return &part
}

// MoveTo puts a plan that was made for a part of a cluster into its racks.
func (p *Plan) MoveTo(racks []model.RackID) {
	for i := range p.Jobs {
		for _, shares := range p.Jobs[i].Racks {
			for n := range shares {
				shares[n].Rack = racks[shares[n].Rack]
			}
		}
	}
}

// largest returns the most memory and the most vcores that a task takes.
func largest(forecasts []policy.Forecast) (need model.Room) {
	for i := range forecasts {
		for k, tasks := range forecasts[i].Tasks {
			if tasks > 0 {
				need[0], need[1] = max(need[0], forecasts[i].Need[k][0]), max(need[1], forecasts[i].Need[k][1])
			}
		}
	}
	return need
}

// File is a plan as it is written down: with the cluster that it is for and the names of the jobs.
type File struct {
	Planner string     `yaml:"planner" required:"true" doc:"The policy that made the plan."`
	Racks   []FileRack `yaml:"racks" required:"true" doc:"The racks of the cluster, in order."`
	Jobs    []FileJob  `yaml:"jobs" required:"true" doc:"The jobs, the one with the highest priority first."`
}

// FileRack is a rack of the cluster.
type FileRack struct {
	Maps    int `yaml:"maps" min:"0" doc:"Maps that it can run at a time."`
	Reduces int `yaml:"reduces" min:"0" doc:"Reduces that it can run at a time."`
}

// FileJob is what is planned for a job.
type FileJob struct {
	Name        string      `yaml:"name" required:"true" doc:"Name of the job."`
	Heavy       bool        `yaml:"heavy" doc:"It has enough shuffle data for circuits."`
	MapRacks    []FileShare `yaml:"map-racks" doc:"Where its maps are to run."`
	ReduceRacks []FileShare `yaml:"reduce-racks" doc:"Where its reduces are to run."`
	Start       model.Time  `yaml:"start" min:"0" doc:"When its first map is expected to start."`
	MapsEnd     model.Time  `yaml:"maps-end" min:"0" doc:"When its last map is expected to end."`
	End         model.Time  `yaml:"end" min:"0" doc:"When it is expected to end."`
}

// FileShare is the tasks of a job that a rack is to run.
type FileShare struct {
	Rack  int   `yaml:"rack" min:"0" doc:"Number of the rack, from 0."`
	Tasks int32 `yaml:"tasks" min:"0" doc:"Containers booked there."`
}

// ToFile returns the plan as it is written down.
func (p *Plan) ToFile(planner string, site *Site) *File {
	f := &File{Planner: planner}
	for r := range site.Racks() {
		f.Racks = append(f.Racks, FileRack{site.Containers[model.Map][r], site.Containers[model.Reduce][r]})
	}
	for i := range p.Jobs {
		j := &p.Jobs[i]
		f.Jobs = append(f.Jobs, FileJob{Name: j.Name, Heavy: j.Heavy, MapRacks: toFile(j.Racks[model.Map]), ReduceRacks: toFile(j.Racks[model.Reduce]),
			Start: j.Start, MapsEnd: j.End[model.Map], End: j.End[model.Reduce]})
	}
	return f
}

func toFile(shares []Share) []FileShare {
	out := make([]FileShare, len(shares))
	for i, s := range shares {
		out[i] = FileShare{int(s.Rack), s.Tasks}
	}
	return out
}

// Bytes returns the file's content, which ReadFile reads.
func (f *File) Bytes() []byte { return append(strict.Encode(f).JSON("  "), '\n') }

// ReadFile reads a plan for a cluster and jobs. The error lists everything that is wrong with it, with its place in the
// file.
func ReadFile(name string, src []byte, site *Site, forecasts []policy.Forecast) (*File, error) {
	node, errs := strict.Parse(name, src)
	if node == nil {
		return nil, &strict.InputError{Err: errs}
	}
	f := &File{}
	if errs = append(errs, strict.Decode(node, f)...); len(errs) == 0 {
		errs = strict.Locate(node, "", f.problems(site, forecasts))
	}
	if len(errs) > 0 {
		return nil, &strict.InputError{Err: errs}
	}
	return f, nil
}

// problems returns what makes the plan one of another cluster, or of other jobs.
func (f *File) problems(site *Site, forecasts []policy.Forecast) (problems []model.Problem) {
	bad := func(path, found, allowed string) {
		problems = append(problems, model.Problem{Path: path, Found: found, Allowed: allowed})
	}
	const again = "; make the plan again with: yardmaster plan jobs"
	if len(f.Racks) != site.Racks() {
		bad("racks", fmt.Sprintf("a plan for %d racks", len(f.Racks)), fmt.Sprintf("the %d racks of the cluster%s", site.Racks(), again))
		return problems
	}
	for i, r := range f.Racks {
		if maps, reduces := site.Containers[model.Map][i], site.Containers[model.Reduce][i]; r.Maps != maps || r.Reduces != reduces {
			bad(fmt.Sprintf("racks[%d]", i), fmt.Sprintf("room for %d maps and %d reduces", r.Maps, r.Reduces),
				fmt.Sprintf("room for %d and %d, as the cluster has%s", maps, reduces, again))
		}
	}
	known := map[string]*policy.Forecast{}
	for i := range forecasts {
		known[forecasts[i].Name] = &forecasts[i]
	}
	seen := map[string]bool{}
	for i := range f.Jobs {
		j, at := &f.Jobs[i], fmt.Sprintf("jobs[%d].", i)
		job := known[j.Name]
		switch {
		case seen[j.Name]:
			bad(at+"name", fmt.Sprintf("%q twice", j.Name), "each job once")
		case job == nil:
			bad(at+"name", fmt.Sprintf("%q, which no recurring job of the workload has", j.Name), "names of recurring jobs"+again)
		default:
			for _, p := range j.problems(site, job) {
				bad(at+p.Path, p.Found, p.Allowed)
			}
		}
		seen[j.Name] = true
	}
	return problems
}

// problems returns what makes the racks of a job ones that it cannot run in.
func (j *FileJob) problems(site *Site, job *policy.Forecast) (problems []model.Problem) {
	for k, shares := range [][]FileShare{j.MapRacks, j.ReduceRacks} {
		kind := model.Kind(k)
		bad := func(path, found, allowed string) {
			problems = append(problems, model.Problem{Path: fmt.Sprintf("%s-racks%s", kind, path), Found: found, Allowed: allowed})
		}
		if job.Tasks[k] > 0 && len(shares) == 0 {
			bad("", "no rack", fmt.Sprintf("racks for the %d %ss of the job", job.Tasks[k], kind))
		}
		last := -1
		for n, s := range shares {
			path := fmt.Sprintf("[%d].rack", n)
			switch {
			case s.Rack >= site.Racks():
				bad(path, fmt.Sprint(s.Rack), fmt.Sprintf("racks 0 to %d", site.Racks()-1))
			case s.Rack <= last:
				bad(path, fmt.Sprintf("%d after %d", s.Rack, last), "racks in ascending order, each once")
			case !site.has(kind, s.Rack):
				bad(path, fmt.Sprintf("%d, which runs no %ss", s.Rack, kind), "racks with room for them")
			}
			last = s.Rack
		}
	}
	return problems
}

// For returns the plan of the file with the jobs' numbers. Jobs without a place in it are not planned.
func (f *File) For(forecasts []policy.Forecast) *Plan {
	numbers := map[string]model.JobID{}
	for i := range forecasts {
		numbers[forecasts[i].Name] = forecasts[i].Job
	}
	p := &Plan{}
	for i := range f.Jobs {
		j := &f.Jobs[i]
		id, known := numbers[j.Name]
		if !known {
			continue
		}
		p.Jobs = append(p.Jobs, Placement{Job: id, Name: j.Name, Heavy: j.Heavy, Widths: Widths{len(j.MapRacks), len(j.ReduceRacks)},
			Racks: [model.Kinds][]Share{fromFile(j.MapRacks), fromFile(j.ReduceRacks)},
			Start: j.Start, End: [model.Kinds]model.Time{j.MapsEnd, j.End}})
	}
	return p
}

func fromFile(shares []FileShare) []Share {
	out := make([]Share, len(shares))
	for i, s := range shares {
		out[i] = Share{model.RackID(s.Rack), s.Tasks}
	}
	return out
}
