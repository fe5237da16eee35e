// SPDX-License-Identifier: Apache-2.0

package twin

import (
	"context"
	"os"
	"path/filepath"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// Forecast simulates the present and returns how long from now each of its applications is expected to take. Those whose
// work is not known are left out.
func (t *Twin) Forecast(ctx context.Context) (map[string]model.Time, error) {
	ends := map[string]model.Time{}
	if len(t.Present) == 0 {
		return ends, nil
	}
	dir, err := os.MkdirTemp("", "yardmaster-now")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := t.Write(dir); err != nil {
		return nil, err
	}
	s, _, err := scenario.LoadOrBuiltin(filepath.Join(dir, PresentName), nil)
	if err != nil {
		return nil, err
	}
	observe := func(_, _ int, g *metrics.Group) {
		for _, j := range g.Jobs {
			ends[j.Name] = j.Submit + j.Elapsed()
		}
	}
	_, err = experiment.Compare(ctx, s, []scenario.PolicyChoice{s.Policy}, 1, nil, experiment.Options{Workers: 1, Observe: observe})
	return ends, err
}
