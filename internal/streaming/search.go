// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/yardmaster/yardmaster/experiment"
)

// Search is a search whose runs are run on a cluster, one job for each of its steps.
type Search struct {
	Cluster
	Task     Task
	Scenario string    // file, empty for the built-in one
	Folder   string    // of the journal; it is removed when the search has ended
	Version  string    // of this program
	Log      io.Writer // what the hadoop command says
}

// Run searches as q.Run does. The journal remembers every run, so that the same search goes on where it was stopped or
// killed.
func (s *Search) Run(ctx context.Context, q *experiment.Search) (*experiment.SearchResult, error) {
	grid, err := q.Grid()
	if err != nil {
		return nil, err
	}
	journal, err := experiment.OpenJournal(s.Folder, grid, s.Version)
	if err != nil {
		return nil, err
	}
	s.Task.Axes, s.Task.Seeds, s.Task.Measure = grid.Axes, grid.Seeds, queries(grid)
	runs, err := (&Sweep{Cluster: s.Cluster, Task: s.Task, Scenario: s.Scenario, Grid: grid, Journal: journal, Name: "yardmaster search", Log: s.Log}).job()
	if err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	there := *q
	there.Elsewhere = runs.some
	found, err := there.Run(ctx)
	if err = errors.Join(err, journal.Close()); err != nil {
		return nil, err
	}
	runs.clean(ctx)
	return found, os.RemoveAll(s.Folder)
}
