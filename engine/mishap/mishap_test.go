// SPDX-License-Identifier: Apache-2.0

package mishap_test

import (
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/engine/mishap"
	"github.com/yardmaster/yardmaster/model"
)

// The cluster has five nodes in two racks.
func TestValidate(t *testing.T) {
	r := mishap.DefaultRules()
	last, beyond := int32(1), int32(2)
	r.Losses = []mishap.Loss{{Node: 4}, {Node: 5}, {Rack: &last}, {Rack: &beyond}, {Node: 1, Rack: &last}}
	r.MeanUptime = 59 * model.Second
	var paths []string
	for _, p := range r.Validate(5, 2) {
		paths = append(paths, p.Path)
	}
	if want := []string{"losses[1].node", "losses[3].rack", "losses[4].node", "mean-uptime"}; !slices.Equal(paths, want) {
		t.Errorf("faults %q, want %q", paths, want)
	}
	if !r.Nodes() || !r.Any() {
		t.Error("nodes are lost and nobody knows")
	}
	if r.None(); r.Any() || len(r.Validate(5, 2)) != 0 {
		t.Error("faults are left")
	}
	if r.Speculation.On = true; r.Nodes() || !r.Any() {
		t.Error("speculation loses no nodes, but attempts")
	}
}
