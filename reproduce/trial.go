// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"io/fs"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
)

// Trial is how experiments are changed to look for the cause of a deviation.
type Trial struct {
	Only  string           `json:"only,omitempty"` // name of the experiment; all if empty
	Quick bool             `json:"quick,omitempty"`
	Set   []strict.Setting `json:"set,omitempty"`   // on top of the experiments' own
	Seeds int              `json:"seeds,omitempty"` // repetitions; the experiments' own if zero
}

// Try is Reproduce with changed experiments. Nothing is held against deviations.yaml.
func Try(ctx context.Context, fsys fs.FS, paper string, trial Trial, opt experiment.Options) (*Reproduction, error) {
	e, err := trial.load(fsys, paper)
	if err != nil {
		return nil, err
	}
	out, err := e.reproduce(ctx, fsys, &Reproduction{Paper: paper, Title: e.Title, Quick: trial.Quick}, trial.Only, opt)
	if err == nil {
		out.Changes = nil
	}
	return out, err
}

// load reads expected.yaml and changes the experiments.
func (trial *Trial) load(fsys fs.FS, paper string) (*Expected, error) {
	e, err := loadFigures(fsys, paper)
	if err != nil {
		return nil, err
	}
	for i := range e.Experiments {
		x := &e.Experiments[i]
		x.changes = trial.Set
		if trial.Seeds > 0 {
			x.Seeds, x.QuickSeeds = trial.Seeds, trial.Seeds
		}
	}
	for i := range e.Readings {
		if trial.Seeds > 0 {
			e.Readings[i].Seeds, e.Readings[i].QuickSeeds = trial.Seeds, trial.Seeds
		}
	}
	return e, nil
}
