// SPDX-License-Identifier: Apache-2.0

// Package hashed finds small numbers by hash, without allocation once it has grown.
package hashed

// Index finds numbers by hash. It is open-addressed and at most half full.
type Index struct {
	entries []entry
	live    int
}

// entry is a number with its hash; number is one more than what it stands for, 0 if the place is free.
type entry struct {
	hash   uint64
	number int32
}

// Mix adds x to a hash. For a given h no two x give the same result.
func Mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// Find returns the first number with the given hash, -1 if there is none.
func (x *Index) Find(hash uint64) int32 {
	_, number := x.First(hash)
	return number
}

// First returns the first number with the given hash and where it stands, -1 if there is none.
func (x *Index) First(hash uint64) (at uint64, number int32) {
	if len(x.entries) == 0 {
		return 0, -1
	}
	return x.After(hash, hash-1)
}

// After returns the next number with the given hash behind a place.
func (x *Index) After(hash, place uint64) (at uint64, number int32) {
	mask := uint64(len(x.entries) - 1)
	for i := (place + 1) & mask; ; i = (i + 1) & mask {
		if e := &x.entries[i]; e.hash == hash || e.number == 0 {
			return i, e.number - 1
		}
	}
}

// Add adds a number.
func (x *Index) Add(hash uint64, number int32) {
	x.live++
	if 2*x.live > len(x.entries) {
		old := x.entries
		x.entries = make([]entry, max(64, 2*len(old)))
		for _, e := range old {
			if e.number != 0 {
				x.place(e)
			}
		}
	}
	x.place(entry{hash, number + 1})
}

func (x *Index) place(e entry) {
	mask := uint64(len(x.entries) - 1)
	i := e.hash & mask
	for x.entries[i].number != 0 {
		i = (i + 1) & mask
	}
	x.entries[i] = e
}

// Remove takes a number out and closes the gap.
func (x *Index) Remove(hash uint64, number int32) {
	x.live--
	mask := uint64(len(x.entries) - 1)
	i := hash & mask
	for x.entries[i].number != number+1 {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; x.entries[j].number != 0; j = (j + 1) & mask {
		home := x.entries[j].hash & mask
		if (j-home)&mask >= (j-i)&mask {
			x.entries[i] = x.entries[j]
			i = j
		}
	}
	x.entries[i] = entry{}
}
