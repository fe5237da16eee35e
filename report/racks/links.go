// SPDX-License-Identifier: Apache-2.0

// Package racks takes what pages draw of the links and circuits between racks from a run.
package racks

import (
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report/packed"
)

// Links is what the racks' links carried under one policy. Row r stands for PerRow neighbouring racks, or as many as
// are left. It is empty where nothing went from rack to rack over links.
type Links struct {
	Racks  int         `json:"racks"`
	PerRow int         `json:"perRow"`
	Width  packed.Num  `json:"width"` // seconds of a bucket
	Links  []LinkRow   `json:"links"` // 2*row up, 2*row+1 down
	Sent   packed.Nums `json:"sent"`  // bytes from row to row: number from*rows+to
}

// LinkRow is the mean of the links of one row over time.
type LinkRow struct {
	Use       packed.Percents `json:"use"`
	Congested packed.Percents `json:"congested"` // of the time
}

// NewLinks takes what the page draws of a run's links, in at most these numbers of rows and buckets.
func NewLinks(r *metrics.Run, rackRows, buckets int) Links {
	racks := len(r.Links.Links) / 2
	if racks == 0 {
		return Links{}
	}
	length := len(r.Links.Links[0].Use)
	group := max((length+buckets-1)/buckets, 1)
	n := Links{Racks: racks, PerRow: (racks + rackRows - 1) / rackRows, Width: packed.Num(r.Links.Width.Seconds() * float64(group))}
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
			n.Links = append(n.Links, LinkRow{packed.Percents(packed.Merge(use, group)), packed.Percents(packed.Merge(congested, group))})
		}
	}
	if t := r.Traffic; t != nil {
		rows := len(n.Links) / 2
		n.Sent = make(packed.Nums, rows*rows)
		for i, bytes := range t.Bytes {
			n.Sent[i/t.Racks/n.PerRow*rows+i%t.Racks/n.PerRow] += float64(bytes)
		}
	}
	return n
}
