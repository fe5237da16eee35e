// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"io"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/rm"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/tune"
)

// TunerLog starts a log of what passes between the scenario's tuner and the cluster, nil if it has none.
func TunerLog(s *scenario.Scenario, w io.Writer) *tune.Log {
	tuner := s.TunerOf(&s.Policy)
	if tuner == nil {
		return nil
	}
	params := ""
	if tuner.Params != nil {
		params = string(strict.Encode(tuner.Params).JSON(""))
	}
	return tune.NewLog(w, tuner.Name, params, s.Seed)
}

// withoutTuner returns the section as a job that is alone meets it: its master always starts.
func withoutTuner(y *rm.Rules) *rm.Rules {
	if y == nil {
		return nil
	}
	alone := *y
	alone.Tuner, alone.Share = tune.Choice{}, 1
	return &alone
}
