// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"math"

	"github.com/yardmaster/yardmaster/model"
)

// share returns what each of the tasks gets of b.
func share(b model.Bytes, tasks int32) float64 {
	if tasks <= 0 {
		return 0
	}
	return float64(b) / float64(tasks)
}

// mapOutput returns what a map of the job leaves on its disk for the reduces.
func mapOutput(j *model.Job) float64 {
	if j.Reduces == 0 {
		return 0
	}
	return share(j.Shuffle, j.Maps)
}

// spills returns how many files a map with this much memory to sort in writes before it merges them.
func (c *TaskCosts) spills(out, buffer float64) float64 {
	return math.Ceil(out / (buffer * float64(c.SpillAt)))
}

// shortLived reports whether the spills of a map never reach the disk: they are merged and deleted before
// a host with a page cache begins to write them back, which Linux does after 30 s.
func (c *TaskCosts) shortLived(out, buffer float64) bool {
	return c.FileCache && c.spills(out, buffer) > 1
}

// merger works out what merging costs.
type merger struct{ made []int } // scratch

// passes returns how often the data of equal files is merged before the last merge, which joins at most
// factor files. As Hadoop does, the first merge takes as many files as leave all later ones full, and each
// takes the smallest files there are; so 19 files by 10 cost 10/19, not 1.
func (m *merger) passes(files float64, factor int32) float64 {
	n, f := int(files), int(factor)
	take := (n-1)%(f-1) + 1
	if take == 1 {
		take = f
	}
	made, total := m.made[:0], 0
	first := 0
	for left := n; left+len(made)-first > f; take = f {
		sum := 0
		for range take {
			if left > 0 {
				left--
				sum++
			} else {
				sum += made[first]
				first++
			}
		}
		made = append(made, sum)
		total += sum
	}
	m.made = made[:0]
	return float64(total) / files
}
