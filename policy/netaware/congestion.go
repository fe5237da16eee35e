// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// congestion is which racks are congested. Where there is only one, nothing crosses racks.
type congestion struct {
	params *NASParams
	links  *policy.Links
	racks  []bool
}

// LinksSampled implements policy.LinkObserver: when a rack becomes congested or is relieved, others may start
// there.
func (c *congestion) LinksSampled(model.Time) (changed bool) {
	for r := range c.racks {
		now := len(c.racks) > 1 && c.links.Load(model.RackID(r)) >= float64(c.params.Congestion)
		changed = changed || now != c.racks[r]
		c.racks[r] = now
	}
	return changed && c.params.CRRTS
}

// relieves reports whether CR-RTS is at work in the rack.
func (c *congestion) relieves(rack model.RackID) bool { return c.params.CRRTS && c.racks[rack] }

// stopping reports whether the rack does not start maps of some jobs.
func (c *congestion) stopping(rack model.RackID) bool {
	return c.relieves(rack) && c.params.Stop != "none"
}
