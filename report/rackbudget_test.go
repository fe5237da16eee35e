// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/racks"
)

// A page of runs without rack links has no section about them.
func TestNoNetwork(t *testing.T) {
	p := madePage(5, 2)
	if hasNetwork(p.Policies) || racks.NewLinks(p.Policies[0].Run, rackRows, 10).Links != nil {
		t.Error("there are links in a run without any")
	}
	if hasCircuits([]PolicyRun{{Run: &metrics.Run{}}}) {
		t.Error("a run without circuits has some")
	}
	if addNetwork(p, 2); !hasNetwork(p.Policies) {
		t.Error("there are no links in a run with two racks")
	}
}
