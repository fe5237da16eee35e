// SPDX-License-Identifier: Apache-2.0

package report

const (
	rackRows   = 40      // racks that are drawn one by one; of more, neighbours share a row
	linkBudget = 120_000 // cells of all strips of a page together
)

func hasNetwork(policies []PolicyRun) bool {
	for _, p := range policies {
		if len(p.Run.Links.Links) > 0 {
			return true
		}
	}
	return false
}

func hasCircuits(policies []PolicyRun) bool {
	for _, p := range policies {
		if p.Run.Circuits != nil {
			return true
		}
	}
	return false
}

// linkBuckets returns how many buckets the strip of each policy may have, so that all of them together stay within
// linkBudget.
func linkBuckets(policies []PolicyRun) int {
	rows := 0
	for _, p := range policies {
		rows += 4 * min(len(p.Run.Links.Links)/2, rackRowsFor(len(policies))) // use and congestion, up and down
	}
	budget := linkBudget * sharing / max(len(policies), sharing) // what else each policy brings needs room as well
	return min(maxBuckets, max(budget/max(rows, 1), 16))
}

// rackRowsFor returns how many rows each policy of a page has: more than a few share what those would get.
func rackRowsFor(policies int) int {
	if policies <= sharing {
		return rackRows
	}
	return max(rackRows*sharing/policies, 4)
}
