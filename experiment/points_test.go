// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// A point is named by the last steps of its paths, a property as a whole.
func TestPointLabel(t *testing.T) {
	p := Point{Choice: scenario.Named("tags", nil), Settings: []strict.Setting{{Path: "policy.tags.limits", Value: "[14000s]"},
		{Path: `policy.yarn-capacity.properties["yarn.scheduler.capacity.root.a.maximum-capacity"]`, Value: "40"},
		{Path: `policy.yarn-capacity.properties["mapreduce.am.max-attempts"]`, Value: "1"}, {Path: "policy.capacity.queues[0].capacity", Value: "30"}}}
	if got, want := p.label(), "tags limits=[14000s] root.a.maximum-capacity=40 mapreduce.am.max-attempts=1 capacity=30"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
