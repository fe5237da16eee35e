// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/yardmaster/yardmaster/experiment"
)

// Sweep is a sweep to be run on a cluster.
type Sweep struct {
	Cluster
	Task     Task
	Scenario string // file, empty for the built-in one
	Grid     *experiment.Grid
	Journal  *experiment.Journal
	Name     string    // of the job
	Log      io.Writer // what the hadoop command says
}

// Run runs what the journal does not hold yet, and returns the values of all runs in grid order. Nothing is left on the
// cluster then.
func (s *Sweep) Run(ctx context.Context) ([][]float64, error) {
	j, err := s.job()
	if err != nil {
		return nil, err
	}
	if err := j.all(ctx); err != nil {
		return nil, err
	}
	return s.Grid.All(s.Journal), nil
}

// job returns the sweep as a job.
func (s *Sweep) job() (*job, error) {
	task := s.Task
	task.Queries = queries(s.Grid)
	if s.Scenario != "" {
		task.Scenario = filepath.Base(s.Scenario)
	}
	inputs, err := s.files()
	return &job{Cluster: s.Cluster, name: s.Name, task: task, inputs: inputs, batch: s.Grid, journal: s.Journal, log: s.Log}, err
}

// files lists the scenario and what it reads, over all points of the grid. Names are as beside the scenario.
func (s *Sweep) files() (out shipment, err error) {
	folder := filepath.Dir(s.Scenario)
	paths := []string{s.Scenario}
	for p := range s.Grid.Points() {
		point := s.Grid.Scenario(p)
		if err := out.traces(point); err != nil {
			return nil, err
		}
		w := &point.Workload
		if w.Trace != nil && w.Trace.File != "" {
			paths = append(paths, w.Trace.File)
		}
		for _, name := range []string{w.Classifier, w.Measure} {
			if _, err := os.Stat(filepath.Join(folder, name)); name != "" && err == nil {
				paths = append(paths, filepath.Join(folder, name))
			}
		}
	}
	if s.Scenario == "" {
		return out, nil
	}
	for _, path := range paths {
		if err := out.add(path, folder, ""); err != nil {
			return nil, err
		}
	}
	return out, nil
}
