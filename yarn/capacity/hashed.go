// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"slices"
	"unicode/utf16"
)

// hashed is the order in which the release goes through a table of names: by bucket of a table that doubles
// when it is three quarters full and never shrinks. The order shows where sums of 32 bits are rounded, and
// between queues that are equal after a refresh.
type hashed struct{ size int }

// grow makes the table large enough for n names.
func (h *hashed) grow(n int) {
	h.size = max(h.size, 16)
	for n*4 > h.size*3 {
		h.size *= 2
	}
}

func (h *hashed) bucket(name string) uint32 {
	var sum int32
	for _, c := range utf16.Encode([]rune(name)) {
		sum = 31*sum + int32(c)
	}
	return (uint32(sum) ^ uint32(sum)>>16) & uint32(h.size-1)
}

// sort orders users; those of one bucket stay as they are.
func (h *hashed) sort(list []*user) {
	h.grow(len(list))
	slices.SortStableFunc(list, func(a, b *user) int { return cmp.Compare(h.bucket(a.name), h.bucket(b.name)) })
}

// names orders names; those of one bucket stay as they are.
func (h *hashed) names(list []string) {
	h.grow(len(list))
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(h.bucket(a), h.bucket(b)) })
}
