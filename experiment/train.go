// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/workload"
)

// Cell is one cell of the grid of a training.
type Cell struct {
	svm.Params
	Accuracy float64
}

// Train finds the classifier that tells jobs of the class small from others, on records that were measured.
func Train(ctx context.Context, records []workload.Record, small string, workers int) (*svm.Classifier, []Cell, error) {
	raw, classes := make([][]float64, len(records)), map[string]bool{}
	var names []string
	var seen strings.Builder
	for i := range records {
		r := &records[i]
		if r.Maps == workload.Unknown || r.Reduces == workload.Unknown || r.Class == "" {
			return nil, nil, &strict.InputError{Err: fmt.Errorf("job %q has no class or no number of tasks; allowed: a trace that workload measure wrote", r.Name)}
		}
		raw[i] = []float64{float64(r.Maps), float64(r.Reduces), float64(max(r.Shuffle, 0))}
		if !classes[r.Class] {
			classes[r.Class] = true
			names = append(names, r.Class)
		}
		fmt.Fprintln(&seen, r.Class, raw[i])
	}
	if !classes[small] || len(names) != 2 {
		return nil, nil, &strict.InputError{Err: fmt.Errorf("jobs of the classes %s; allowed: two classes, one of them %s: measure a trace with jobs that end first on either kind of machine", strings.Join(names, ", "), small)}
	}
	c := &svm.Classifier{Features: hybrid.Features, Positive: small, Scaling: svm.FitScaling(raw), Points: len(records), Trace: result.Hash([]byte(seen.String()))}
	for _, name := range names {
		if name != small {
			c.Negative = name
		}
	}
	search := svm.Search{Folds: 5, Points: make([]svm.Point, len(raw))}
	search.C, search.Gamma = svm.DefaultGrid()
	for i := range raw {
		search.Points[i] = svm.Point{X: c.Scaling.Apply(nil, raw[i]), Positive: records[i].Class == small}
	}
	cells, accuracy := make([]Cell, search.Cells()), make([]float64, search.Cells())
	// The costliest cells, those of the largest C, go first.
	err := each(ctx, len(cells), workers, func(_ context.Context, i int) (err error) {
		cell := len(cells) - 1 - i
		accuracy[cell], err = search.Judge(cell)
		cells[cell] = Cell{search.Params(cell), accuracy[cell]}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	params, validated := search.Best(accuracy)
	c.C, c.Validated = params.C, validated
	c.Machine, _, err = svm.Train(search.Points, params)
	return c, cells, err
}
