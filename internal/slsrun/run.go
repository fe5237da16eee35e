// SPDX-License-Identifier: Apache-2.0

// Package slsrun is the command sls: it does what Hadoop's Scheduler Load Simulator does, with its inputs, its
// configuration and its outputs, in simulated time instead of real time.
package slsrun

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/mapreduce"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/formats"
	"github.com/yardmaster/yardmaster/workload/sls"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/handover"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// File is an input file.
type File struct {
	Name string
	io.Reader
}

// Input is what a run depends on.
type Input struct {
	Format string // of the trace, as the package formats calls it; empty: recognised by its content
	Trace  File
	Nodes  File
	Conf   conf.Properties
	At     func(property string) strict.Pos // where it was set; nil if that is not known
	Seed   uint64
	Repair bool // what can be repaired of the trace and the nodes is, instead of refused
}

// Run simulates the trace to its end. What the release refuses of the configuration and what is wrong with the files comes at
// once, joined.
func Run(in Input) (*Outcome, error) {
	s := &site{Properties: in.Conf, at: in.At}
	set, err := settings.Read(in.Conf)
	for _, p := range handover.Refused("", err) {
		s.faults = append(s.faults, handover.Locate(p, s.where))
	}
	rules := s.rules()
	master := s.resource("yarn.sls.am.container.memory", "yarn.sls.am.container.vcores", 1024)
	size := s.resource("yarn.sls.container.memory.mb", "yarn.sls.container.vcores", 1024)
	err = s.readNodes(in.Nodes, in.Repair)
	records, log, unread := formats.ReadAll(in.Trace.Name, in.Trace.Reader, in.Format, in.Repair)
	if err = errors.Join(s.faults.Err(), err, unread); err != nil {
		return nil, err
	}
	jobs, err := s.jobs(records, size)
	if err != nil {
		return nil, err
	}
	out := newOutcome(set, s, jobs)
	out.Notes = append(notes(log), s.notes...)
	masterOf := func(j *model.Job) queue.Resource { return handover.MasterSize(j, master) }
	if problems := handover.Fits(set, s.topology, jobs, masterOf); len(problems) > 0 {
		return nil, refusal(in.Trace.Name, records, problems)
	}
	yarn := &handover.Cluster{Settings: set, Rules: rules, Watch: out.watch,
		Master: masterOf, NewMaster: func(_ *model.Job, w mapreduce.Work, t mapreduce.Tasks) mapreduce.Master {
			return mapreduce.NewSLS(w, t)
		}}
	entry, _ := policies.All.Find("fifo") // it is never asked
	_, err = engine.Run(&engine.Input{Topology: s.topology, Jobs: jobs, Config: engine.DefaultConfig(), Policy: entry, Seed: in.Seed,
		Recorder: out, Yarn: yarn})
	return out, err
}

// refusal says which jobs of the trace cannot run, all at once.
func refusal(file string, records []workload.Record, problems []model.Problem) error {
	var errs strict.Errors
	for _, p := range problems {
		var job int
		var field string
		if _, err := fmt.Sscanf(p.Path, "[%d].%s", &job, &field); err != nil {
			panic(err)
		}
		errs = append(errs, strict.Error{Pos: strict.Pos{File: file}, Path: records[job].Where + ", " + field, Problem: "cannot run", Found: p.Found, Allowed: p.Allowed})
	}
	return errs
}

// site is the simulated cluster.
type site struct {
	conf.Properties
	topology *model.Topology
	notes    []string // about the file of nodes
	faults   strict.Errors
	at       func(property string) strict.Pos
}

// where returns where a property was set.
func (s *site) where(property string) strict.Pos {
	if s.at == nil {
		return strict.Pos{}
	}
	return s.at(property)
}

// notes returns what a log says that was repaired, or has no effect.
func notes(log *workload.Log) (list []string) {
	for _, r := range log.Repaired {
		list = append(list, r.String())
	}
	return append(list, log.Notes()...)
}

// number reads a setting and keeps what is wrong with it.
func (s *site) number(name string, missing int) int {
	n, ok := s.Int(name, missing)
	if !ok || n < 0 {
		s.faults = append(s.faults, strict.Error{Pos: s.where(name), Path: name, Problem: "impossible value", Found: strconv.Quote(s.Or(name, "")), Allowed: fmt.Sprintf("a whole number from 0 to %d", math.MaxInt32)})
	}
	return n
}

func (s *site) resource(memory, vcores string, missing int) queue.Resource {
	return queue.Resource{Memory: int64(s.number(memory, missing)), VCores: int64(s.number(vcores, 1))}
}

// rules returns what hand-over takes: processes start and end at once, and everybody sends heartbeats. A node draws a
// moment in the first interval, at which it does nothing (NMSimulator.firstStep), and sends its first heartbeat an interval
// later.
func (s *site) rules() handover.Rules {
	beat := func(name string) model.Time { return model.Time(max(s.number(name, 1000), 1)) * model.Millisecond }
	node := beat("yarn.sls.nm.heartbeat.interval.ms")
	return handover.Rules{NodeBeat: node, FirstBeat: node, MasterBeat: beat("yarn.sls.am.heartbeat.interval.ms"),
		FromSubmission: true, Attempts: 1}
}

// readNodes makes a cluster of a file of nodes.
func (s *site) readNodes(f File, mend bool) error {
	missing := s.resource("yarn.sls.nm.memory.mb", "yarn.sls.nm.vcores", 10240)
	if !s.set("yarn.sls.nm.vcores") {
		missing.VCores = 10
	}
	log := &workload.Log{File: f.Name, Mend: mend}
	racks, err := sls.ReadNodes(f.Reader, log)
	if err == nil {
		err = log.Err()
	}
	if err != nil {
		return err
	}
	for _, rack := range racks {
		for _, n := range rack.Nodes {
			if n.Labels != "" {
				log.Note(rack.Name+"/"+n.Name, "labels", "node labels have no effect on scheduling")
			}
		}
	}
	s.notes = notes(log)
	t := &model.Topology{Model: model.Yarn, Racks: len(racks)}
	classes := map[model.Room]uint8{}
	for r, rack := range racks {
		for _, n := range rack.Nodes {
			room := model.Room{int32(missing.Memory), int32(missing.VCores)}
			if n.Memory > 0 {
				room[0] = int32(n.Memory / model.MiB)
			}
			if n.VCores > 0 {
				room[1] = n.VCores
			}
			class, known := classes[room]
			if !known {
				class = uint8(len(t.Classes))
				classes[room] = class
				t.Classes = append(t.Classes, model.NodeClass{Name: fmt.Sprintf("%d MiB", room[0]), Room: room, Speed: 1})
			}
			t.Nodes = append(t.Nodes, model.Node{Class: class, Rack: model.RackID(r), Host: model.HostID(len(t.Nodes))})
			t.Names = append(t.Names, n.Name)
		}
		t.RackNames = append(t.RackNames, "/"+strings.Trim(rack.Name, "/"))
	}
	t.Hosts, t.Uplinks = len(t.Nodes), make([]model.Rate, len(racks))
	s.topology = t
	return nil
}

func (s *site) set(name string) bool {
	_, set := s.Text(name)
	return set
}

// jobs makes jobs of the trace; a container takes size unless the trace says another.
func (s *site) jobs(records []workload.Record, size queue.Resource) ([]model.Job, error) {
	var trace workload.TraceConfig
	trace.SetDefaults()
	cost := workload.DefaultCost()
	memory := model.Bytes(size.Memory) * model.MiB
	needs := workload.Needs{MapMemory: memory, MapVCores: int32(size.VCores), ReduceMemory: memory, ReduceVCores: int32(size.VCores)}
	jobs, err := workload.FromRecords(records, &trace, &cost, needs, workload.Site{Model: model.Yarn, Total: s.topology.Total(), Hosts: workload.HostsOf(s.topology)})
	for i := range jobs {
		j := &jobs[i]
		for k, asks := range j.Asks { // the master of SLS asks for all with the size of the first
			if len(asks) > 0 {
				first := size
				if n := asks[0].Need; n[0] > 0 {
					first.Memory = int64(n[0])
				}
				if n := asks[0].Need; n[1] > 0 {
					first.VCores = int64(n[1])
				}
				j.Need[k] = handover.Room(first)
			}
		}
	}
	return jobs, err
}
