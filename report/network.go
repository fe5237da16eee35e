// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/metrics"
)

const (
	rackRows   = 40      // racks that are drawn one by one; of more, neighbours share a row
	linkBudget = 120_000 // cells of all strips of a page together
)

// rackData is what the racks' links carried under one policy. Row r stands for PerRow neighbouring racks, or as many as
// are left. It is empty where nothing went from rack to rack over links.
type rackData struct {
	Racks  int       `json:"racks"`
	PerRow int       `json:"perRow"`
	Width  num       `json:"width"` // seconds of a bucket
	Links  []linkRow `json:"links"` // 2*row up, 2*row+1 down
	Sent   nums      `json:"sent"`  // bytes from row to row: number from*rows+to
}

// linkRow is the mean of the links of one row over time.
type linkRow struct {
	Use       percents `json:"use"`
	Congested percents `json:"congested"` // of the time
}

// percents is a list of shares that is embedded in whole percent.
type percents []float64

// MarshalJSON writes the shares as whole numbers.
func (p percents) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 3*len(p)+2), '[')
	for i, v := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(math.Round(100*v)), 10)
	}
	return append(b, ']'), nil
}

func hasNetwork(policies []PolicyRun) bool {
	for _, p := range policies {
		if len(p.Run.Links.Links) > 0 {
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

// newNetwork takes what the page draws of a run's links, in at most these numbers of rows and buckets.
func newNetwork(r *metrics.Run, rackRows, buckets int) rackData {
	racks := len(r.Links.Links) / 2
	if racks == 0 {
		return rackData{}
	}
	length := len(r.Links.Links[0].Use)
	group := max((length+buckets-1)/buckets, 1)
	n := rackData{Racks: racks, PerRow: (racks + rackRows - 1) / rackRows, Width: num(r.Links.Width.Seconds() * float64(group))}
	for first := 0; first < racks; first += n.PerRow {
		for way := range 2 {
			use, congested := make([]float64, length), make([]float64, length)
			last := min(first+n.PerRow, racks)
			for rack := first; rack < last; rack++ {
				l := &r.Links.Links[2*rack+way]
				for k := range length {
					use[k] += l.Use[k] / float64(last-first)
					congested[k] += l.Congested[k] / float64(last-first)
				}
			}
			n.Links = append(n.Links, linkRow{percents(merge(use, group)), percents(merge(congested, group))})
		}
	}
	if t := r.Traffic; t != nil {
		rows := len(n.Links) / 2
		n.Sent = make(nums, rows*rows)
		for i, bytes := range t.Bytes {
			n.Sent[i/t.Racks/n.PerRow*rows+i%t.Racks/n.PerRow] += float64(bytes)
		}
	}
	return n
}
