// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Papers is a reproduction whose runs are run on a cluster: those of all its comparisons in one job.
type Papers struct {
	Cluster
	Names   []string // of the papers
	Trial   reproduce.Trial
	Bands   bool // the comparisons are those of WriteBands
	Check   bool
	Folder  string    // journals are below it
	Version string    // of this program
	Log     io.Writer // what the hadoop command says

	journal string // folder of the journal
}

// Run runs what the journal does not hold yet, and returns what answers for the runs of every comparison
// (experiment.Options.Measured). The journal remembers every run, so that the same reproduction goes on where it was
// stopped or killed; Done removes it.
func (p *Papers) Run(ctx context.Context) (func(*experiment.Contest) ([][]float64, error), error) {
	s, inputs, err := p.study()
	if err != nil {
		return nil, err
	}
	p.journal = filepath.Join(p.Folder, "reproduce-"+s.Identity(p.Version)[:16])
	journal, err := experiment.OpenJournal(p.journal, s, p.Version)
	if err != nil {
		return nil, err
	}
	defer journal.Close()
	j := &job{Cluster: p.Cluster, name: "yardmaster reproduce", task: Task{Study: s, Check: p.Check}, inputs: inputs, batch: s, journal: journal, log: p.Log}
	err = j.all(ctx)
	switch {
	case err != nil && journal.Len() == 0:
		return nil, errors.Join(err, p.Done())
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("stopped; %d of %d runs are kept in %s, the same command goes on from there", journal.Len(), s.Runs(), p.journal)
	case err != nil:
		return nil, err
	}
	return func(c *experiment.Contest) ([][]float64, error) { return s.values(c, journal.Values) }, nil
}

// Done removes the journal.
func (p *Papers) Done() error { return os.RemoveAll(p.journal) }

// study lists the comparisons, each once, and the traces that they read.
func (p *Papers) study() (*study, shipment, error) {
	s := &study{Trial: p.Trial, Bands: p.Bands}
	var inputs shipment
	for _, paper := range p.Names {
		parts, err := s.list(paper)
		if err != nil {
			return nil, nil, err
		}
		for i := range parts {
			c, err := parts[i].Contest()
			if err != nil {
				return nil, nil, err
			}
			one := part{Paper: paper, Index: i, Name: parts[i].Name, Contest: c.Identity(""), Count: c.Runs(), Numbers: len(c.Queries)}
			if slices.ContainsFunc(s.Parts, one.same) {
				continue
			}
			s.Parts = append(s.Parts, one)
			for k := range c.Variants {
				if err := errors.Join(embedded(paper, c.Variants[k].Scenario), inputs.traces(c.Variants[k].Scenario)); err != nil {
					return nil, nil, fmt.Errorf("%s: %w", parts[i].Name, err)
				}
			}
		}
	}
	return s, inputs, nil
}

// embedded refuses a scenario of a paper that was changed to read files that neither come with the binary nor are traces by
// name.
func embedded(paper string, s *scenario.Scenario) error {
	var files []string
	if s.Workload.Trace != nil && s.Workload.Trace.File != "" {
		files = append(files, s.Workload.Trace.File)
	}
	if s.Workload.Classifier != "" {
		files = append(files, s.Workload.Classifier)
	}
	if s.Workload.Measure != "" {
		files = append(files, path.Join(paper, s.Workload.Measure))
	}
	for _, file := range files {
		if _, err := fs.Stat(papers.Files, filepath.ToSlash(file)); err != nil {
			return &strict.InputError{Err: fmt.Errorf("--on hadoop: the scenario reads %s; allowed: files of the paper, and a trace by its name in the folder $%s", file, scenario.TracesVariable)}
		}
	}
	return nil
}

// study is the comparisons of some papers as one list of runs.
type study struct {
	Trial reproduce.Trial `json:"trial"`
	Bands bool            `json:"bands,omitempty"`
	Parts []part          `json:"parts"`
}

var _ experiment.Batch = (*study)(nil)

// part is one of the comparisons.
type part struct {
	Paper   string `json:"paper"`
	Index   int    `json:"index"`   // among the parts of the paper
	Name    string `json:"name"`    // for messages
	Contest string `json:"contest"` // its identity, to see that both sides mean the same
	Count   int    `json:"runs"`
	Numbers int    `json:"numbers"` // that a run gives
}

// same reports whether the other has the same results.
func (p part) same(other part) bool { return p.Contest == other.Contest }

// Identity implements experiment.Batch.
func (s *study) Identity(version string) string {
	text := version
	for i := range s.Parts {
		text += "\n" + s.Parts[i].Contest
	}
	return result.Hash([]byte(text))
}

// Runs implements experiment.Batch.
func (s *study) Runs() (n int) {
	for i := range s.Parts {
		n += s.Parts[i].Count
	}
	return n
}

// Width implements experiment.Batch.
func (s *study) Width(run int) int {
	p, _ := s.at(run)
	return p.Numbers
}

// at returns the part of a run, and its number there.
func (s *study) at(run int) (*part, int) {
	i := 0
	for ; run >= s.Parts[i].Count; i++ {
		run -= s.Parts[i].Count
	}
	return &s.Parts[i], run
}

// list returns the comparisons of a paper.
func (s *study) list(paper string) ([]reproduce.Part, error) {
	if s.Bands {
		return reproduce.BandParts(papers.Files, paper, s.Trial.Only)
	}
	return reproduce.Parts(papers.Files, paper, s.Trial)
}

// find implements finder.
func (s *study) find(run int) (measurer, error) {
	p, run := s.at(run)
	parts, err := s.list(p.Paper)
	if err != nil {
		return nil, err
	}
	if p.Index >= len(parts) {
		return nil, fmt.Errorf("%s: this binary does not know it", p.Name)
	}
	c, err := parts[p.Index].Contest()
	if err != nil {
		return nil, err
	}
	if c.Identity("") != p.Contest {
		return nil, fmt.Errorf("%s: this binary, or a trace, is not the one of the command that submitted the run", p.Name)
	}
	return func(ctx context.Context, opt experiment.Options) ([]float64, error) {
		values, err := c.Measure(ctx, run, opt)
		if err != nil {
			err = fmt.Errorf("%s: %w", p.Name, err)
		}
		return values, err
	}, nil
}

// values returns what the runs of a comparison measured, by number, from what all runs have.
func (s *study) values(c *experiment.Contest, all func(run int) []float64) ([][]float64, error) {
	identity, first := c.Identity(""), 0
	for i := range s.Parts {
		if s.Parts[i].Contest != identity {
			first += s.Parts[i].Count
			continue
		}
		values := make([][]float64, c.Runs())
		for run := range values {
			values[run] = all(first + run)
		}
		return values, nil
	}
	return nil, errors.New("internal fault: a comparison was not among those that were run")
}
