// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// Products beyond 64 bits are told apart: sizes of 10^6 hours squared.
func TestSptpOrder(t *testing.T) {
	const year = 365 * model.Day
	d := newDesk(t, "sptp", "", racks(model.Containers, 1, 1, model.Room{9, 0}), plain(model.Containers, 4, 3, 0),
		sizes{0: 100*year + 1, 1: 100 * year, 2: 1, 3: 3 * model.Second})
	for id := range model.JobID(4) {
		d.admit(id)
	}
	d.ranked(t, "smallest product first", 0, 2, 3, 1, 0)
}
