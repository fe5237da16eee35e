// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/jobcsv"
	"github.com/yardmaster/yardmaster/workload/sls"
	"github.com/yardmaster/yardmaster/workload/synth"
)

// Trace is a workload file in hand, for the commands that look at it or change it.
type Trace struct {
	Name     string
	Records  []workload.Record
	Repaired []workload.Fault
}

// LoadTrace reads a trace file of any known format.
func LoadTrace(file, format string, mend bool) (*Trace, error) {
	t, err := readTrace(file, format, mend)
	if err != nil {
		return nil, err
	}
	return &Trace{Name: filepath.Base(file), Records: t.records, Repaired: t.repaired}, nil
}

// GeneratedTrace returns the workload of a scenario and seed as a trace: every job with the lengths
// that its tasks have in that run.
func GeneratedTrace(ctx context.Context, s *Scenario, seed uint64) (*Trace, error) {
	jobs, err := Jobs(ctx, s, seed)
	if err != nil {
		return nil, err
	}
	t := &Trace{Name: s.Name}
	for i := range jobs {
		t.Records = append(t.Records, workload.ToRecord(&jobs[i], jobs, s.Cluster.RoomModel(), seed))
	}
	return t, nil
}

// Jobs prices the trace on the cluster of a scenario.
func (t *Trace) Jobs(s *Scenario) ([]model.Job, error) {
	var c workload.TraceConfig
	c.SetDefaults()
	jobs, err := workload.FromRecords(t.Records, &c, &s.Workload.Cost, s.Workload.Needs, siteOf(s, s.Seed))
	if err != nil {
		return nil, &InputError{err}
	}
	return jobs, nil
}

// Describe says what the trace is like on the cluster of a scenario.
func (t *Trace) Describe(s *Scenario) (*workload.Description, error) {
	jobs, err := t.Jobs(s)
	if err != nil {
		return nil, err
	}
	return workload.Describe(jobs, siteOf(s, s.Seed)), nil
}

// Slice keeps the jobs submitted in [from, to) and a share of them.
func (t *Trace) Slice(from, to model.Time, share float64) error {
	t.Records = workload.Thin(workload.Slice(t.Records, from, to), share)
	if len(t.Records) == 0 {
		return &InputError{fmt.Errorf("no job is left after slicing and thinning")}
	}
	return nil
}

// Scale moves the submissions so that the busiest pool of the scenario's cluster has the load, or
// by a factor on the gaps if load is 0. It returns the factor.
func (t *Trace) Scale(s *Scenario, load, factor float64) (float64, error) {
	jobs, err := t.Jobs(s)
	if err != nil {
		return 0, err
	}
	before := lastSubmit(jobs)
	if load > 0 {
		if err := workload.ScaleLoad(jobs, siteOf(s, s.Seed), load); err != nil {
			return 0, &InputError{err}
		}
		factor = float64(lastSubmit(jobs)) / float64(before)
	} else {
		workload.Stretch(jobs, factor)
	}
	for i := range t.Records {
		if t.Records[i].After == "" {
			t.Records[i].Submit = jobs[i].Submit
		}
	}
	return factor, nil
}

func lastSubmit(jobs []model.Job) (last model.Time) {
	for i := range jobs {
		if jobs[i].After == model.None {
			last = max(last, jobs[i].Submit)
		}
	}
	return last
}

// CSV returns the trace in Yardmaster's own format.
func (t *Trace) CSV() ([]byte, error) {
	var b bytes.Buffer
	err := jobcsv.Write(&b, t.Records)
	return b.Bytes(), err
}

// ClusterFromNodes turns an SLS nodes file into the cluster section of a scenario: nodes with the same
// memory and vcores form a class. Where the file does not say them, memory and vcores are those
// given.
func ClusterFromNodes(file string, mend bool, memory model.Bytes, vcores int32) (*cluster.Config, []workload.Fault, error) {
	src, err := readInput(file)
	if err != nil {
		return nil, nil, err
	}
	log := &workload.Log{File: file, Mend: mend}
	racks, err := sls.ReadNodes(bytes.NewReader(src), log)
	if err == nil {
		err = log.Err()
	}
	if err != nil {
		return nil, nil, &InputError{err}
	}
	c := cluster.DefaultConfig()
	c.Room, c.Racks = "yarn", len(racks)
	for _, r := range racks {
		for _, n := range r.Nodes {
			n.Memory, n.VCores = cmp.Or(n.Memory, memory), cmp.Or(n.VCores, vcores)
			at := slices.IndexFunc(c.Classes, func(k cluster.ClassConfig) bool { return k.Memory == n.Memory && k.VCores == n.VCores })
			if at < 0 {
				at = len(c.Classes)
				c.Classes = append(c.Classes, cluster.ClassConfig{})
				c.Classes[at].SetDefaults()
				c.Classes[at].Name, c.Classes[at].Memory, c.Classes[at].VCores = fmt.Sprintf("class%d", at+1), n.Memory, n.VCores
			}
			c.Classes[at].Nodes++
		}
	}
	return &c, log.Repaired, nil
}

// facebookCluster is the empty cluster of slowdown-2015 §V-A with the facebook preset.
const facebookCluster = `
cluster: {racks: 5, classes: [{nodes: 100, map-slots: 6, reduce-slots: 2}]}
workload: {generate: {arrivals: {process: poisson, load: 70%}, preset: {facebook: {}}}}
`

// FacebookMarginals measures the facebook preset over so many seeds on the paper's cluster.
func FacebookMarginals(ctx context.Context, seeds int) ([]synth.Marginals, error) {
	s, err := Parse("facebook", []byte(facebookCluster), nil)
	if err != nil {
		return nil, err
	}
	out := make([]synth.Marginals, seeds)
	err = each(ctx, seeds, 0, func(ctx context.Context, i int) error {
		r := NewRepetition(s, s.Seed+uint64(i))
		if err := r.prepare(ctx); err != nil {
			return err
		}
		out[i] = synth.Measure(r.jobs, r.reference)
		return nil
	})
	return out, err
}
