// SPDX-License-Identifier: Apache-2.0

package planned

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy/rackplan"
)

// Site is what parameters of planners have in common.
type Site struct {
	Elephant model.Bytes `yaml:"elephant" above:"0" doc:"Shuffle data from which on a job is planned in racks of its own; where there are circuits, that of the network counts."`

	given *rackplan.File
}

// DefaultSite returns the threshold of §4.1.2.
func DefaultSite() Site { return Site{Elephant: 1.125e9} }

// Follow makes planners with these parameters follow a plan in place of their own.
func (s *Site) Follow(f *rackplan.File) { s.given = f }

// Given returns the plan that planners with these parameters follow in place of their own, nil if there is none.
func (s *Site) Given() *rackplan.File { return s.given }

// Planner is implemented by parameters of policies that plan.
type Planner interface {
	Rules() Rules
	Follow(*rackplan.File)
	Given() *rackplan.File
}
