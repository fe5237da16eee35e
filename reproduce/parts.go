// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
)

// Part is one comparison of a reproduction: an experiment, or an experiment under a reading.
type Part struct {
	Name string // such as PAPER/EXPERIMENT
	plan func() (*runs, error)
}

// Contest returns what the part compares. It is made anew by each call.
func (p *Part) Contest() (*experiment.Contest, error) {
	r, err := p.plan()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	return &r.contest, nil
}

// Parts lists the comparisons that Try makes, in its order. Without changes they are those of Reproduce.
func Parts(fsys fs.FS, paper string, trial Trial) (parts []Part, err error) {
	e, err := trial.load(fsys, paper)
	if err != nil {
		return nil, err
	}
	return e.parts(fsys, trial.Only, trial.Quick)
}

// parts lists the comparisons of all experiments and readings, or of one.
func (e *Expected) parts(fsys fs.FS, only string, quick bool) (parts []Part, err error) {
	paper, names := e.paper, e.names()
	for i := range e.Experiments {
		if x := &e.Experiments[i]; only == "" || only == x.Name {
			parts = append(parts, Part{paper + "/" + x.Name, func() (*runs, error) { return x.plan(fsys, e, x.effort(quick)) }})
		}
	}
	for i := range e.Readings {
		c := &e.Readings[i]
		names = append(names, c.Name)
		if only != "" && only != c.Name {
			continue
		}
		for _, of := range c.Of {
			x := &e.Experiments[slices.Index(e.names(), of)]
			for k := range c.Choices {
				parts = append(parts, Part{fmt.Sprintf("%s/%s: %s", paper, c.Name, c.Choices[k].Name), func() (*runs, error) {
					shown, err := c.shown(fsys, paper, x)
					if err != nil {
						return nil, err
					}
					return c.Choices[k].on(shown).plan(fsys, e, c.effort(quick))
				}})
			}
		}
	}
	if len(parts) == 0 {
		return nil, unknown(fmt.Sprintf("paper %s has no experiment %q", paper, only), only, names)
	}
	return parts, nil
}

// kept returns a place for the runs that comparisons have in common.
func kept(parts []Part) (*experiment.Kept, error) {
	if len(parts) < 2 {
		return nil, nil
	}
	k := experiment.NewKept()
	for i := range parts {
		c, err := parts[i].Contest()
		if err != nil {
			return nil, err
		}
		k.Expect(c)
	}
	return k, nil
}

// BandParts lists the comparisons that WriteBands makes, in its order.
func BandParts(fsys fs.FS, paper, only string) (parts []Part, err error) {
	e, err := loadFigures(fsys, paper)
	if err != nil {
		return nil, err
	}
	for i := range e.Experiments {
		x := &e.Experiments[i]
		if len(x.Figures) == 0 || only != "" && only != x.Name {
			continue
		}
		for _, much := range x.bandEfforts() {
			parts = append(parts, Part{paper + "/" + x.Name, func() (*runs, error) { return x.bandPlan(fsys, e, much) }})
		}
	}
	if only != "" && len(parts) == 0 {
		return nil, e.withoutFigures(only)
	}
	return parts, nil
}
