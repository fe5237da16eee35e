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

func (h *hashed) bucket(name string) uint32 { return h.bucketOf(hash(name)) }

func (h *hashed) bucketOf(hash uint32) uint32 { return (hash ^ hash>>16) & uint32(h.size-1) }

// hash is that of a Java string.
func hash(name string) (sum uint32) {
	for _, c := range utf16.Encode([]rune(name)) {
		sum = 31*sum + uint32(c)
	}
	return sum
}

// hashNode is the hash of a node's name and port in the release. Ports differ from cluster to cluster; here all nodes have 1, as the
// oracle's.
func hashNode(name string) uint32 {
	const prime = 493217
	return prime*(prime*8501+hash(name)) + 1
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
