// SPDX-License-Identifier: Apache-2.0

package tune

import "github.com/yardmaster/yardmaster/model"

// PRJParams configures prj.
type PRJParams struct {
	Share float64 `yaml:"share" above:"0" max:"1" doc:"The AM share, the same from start to end."`
}

func prjEntry() Entry {
	return Entry{
		Name:    "prj",
		Summary: "One fixed share, large enough for every job of a batch to run at once (parallel running jobs).",
		Source:  "marp-2019 §5.1, table 3",
		Params:  func() any { return &PRJParams{Share: 0.25} },
		New: func(_ Env, params any) (Tuner, error) {
			return &fixed{share: params.(*PRJParams).Share}, nil
		},
	}
}

// OneParams configures one-at-a-time.
type OneParams struct {
	Share float64    `yaml:"share" above:"0" max:"1" doc:"The AM share until the sizes are known."`
	Poll  model.Time `yaml:"poll" above:"0" doc:"Time between two looks until the sizes are known."`
}

func oneEntry() Entry {
	return Entry{
		Name:    "one-at-a-time",
		Summary: "The share that lets exactly one job run (the thesis's FIFO).",
		Source:  "marp-2019 §5.1",
		Params:  func() any { return &OneParams{Share: 0.05, Poll: model.Second} },
		New: func(_ Env, params any) (Tuner, error) {
			return &one{p: *params.(*OneParams)}, nil
		},
	}
}

// one advises the share of one AM and a half, which admits one AM however the scheduler rounds.
type one struct {
	p     OneParams
	state struct{}
}

func (t *one) Step(o *Observation) Advice {
	if share, ok := shareOf(o, 1.5); ok {
		return Advice{Share: min(max(rounded(share, 6), 1e-6), 1), Next: model.Forever, Done: true, Reason: "one AM and a half"}
	}
	return Advice{Share: t.p.Share, Next: o.Time + t.p.Poll, Reason: "the sizes are not known yet"}
}

func (t *one) State() any { return &t.state }

// fixed advises the same share for ever.
type fixed struct {
	share float64
	state struct{}
}

func (f *fixed) Step(*Observation) Advice {
	return Advice{Share: f.share, Next: model.Forever, Done: true, Reason: "a fixed share"}
}

func (f *fixed) State() any { return &f.state }
