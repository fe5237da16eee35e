// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// Gate is the part of a Driver that asks a ShuffleGate.
type Gate struct {
	gate   ShuffleGate
	driver *Driver
}

// Aggregates reports whether all that the job sends from one rack to another is one flow.
func (g *Gate) Aggregates(j *cluster.Job) bool { return g.gate.Aggregates(j) }

// MayFetch reports whether the job's reduces in one rack may begin to fetch from another, and when to ask again if not.
func (g *Gate) MayFetch(now model.Time, j *cluster.Job, from, to model.RackID, bytes model.Bytes) (may bool, again model.Time) {
	g.driver.before("MayFetch", now)
	may, again = g.gate.MayFetch(now, j, RackFlow{from, to, bytes})
	g.driver.after("MayFetch", now)
	return may, again
}
