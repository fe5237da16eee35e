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

// start is when the resource manager was started, in milliseconds: the same as the oracle's. The release's tables of attempts and
// containers have an order that follows from it. It shows where sums of 32 bits are rounded, and where several masters are killed at
// once.
const start = 1_000_000_000_000

// Hash is the hash of the attempt in the release.
func (a *Attempt) Hash() uint32 {
	const perApp, perAttempt = 371237, 347671
	moment := start
	app := uint32(perApp*(perApp*6521+(moment^moment>>32)) + a.App)
	return perAttempt*(perAttempt*5501+app) + uint32(a.Number)
}

// Hash is the hash of the container in the release.
func (c *Container) Hash() uint32 { return 31*uint32(c.Number) + c.Attempt.Hash() }

// Leaving returns the containers that the attempt has, in the order in which the release ends them with it: that of a table that
// doubles as soon as it is three quarters full.
func (a *Attempt) Leaving() []*Container {
	list := slices.Collect(a.Live())
	if len(list) < 2 {
		return list
	}
	table := hashed{size: 16}
	for a.most*4 >= table.size*3 {
		table.size *= 2
	}
	slices.SortStableFunc(list, func(x, y *Container) int { return cmp.Compare(table.bucketOf(x.Hash()), table.bucketOf(y.Hash())) })
	return list
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
