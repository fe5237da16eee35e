// SPDX-License-Identifier: Apache-2.0

package hdfs

import "github.com/yardmaster/yardmaster/model"

// lists holds the entries of an index in lists, one for each node or rack, in ascending order. A list lies in one
// piece, so that a look-up touches little memory though the job was not looked at for long. Once a map becomes
// pending again its entries must come first: chains take the place of the lists.
type lists struct {
	first   []int32 // by list: position of the first entry that may be pending, None if there is none; entries lie behind it
	entries []int32 // twice the number of the entry, plus one for the last of its list
}

// sorted makes n lists in the place of what was there, of being the list of each entry. They lie in one piece of memory,
// so that a look-up after a long time finds both parts in the same page.
func sorted[L ~int32](l *lists, of []L, n int) {
	memory := room(l.first, n+len(of))
	l.first, l.entries = memory[:n], memory[n:]
	first, entries := l.first, l.entries
	clear(first)
	for _, i := range of {
		first[i]++
	}
	end := int32(0)
	for i, count := range first {
		end += count
		first[i] = end
	}
	for e := len(of) - 1; e >= 0; e-- {
		at := &first[of[e]]
		*at--
		entries[*at] = int32(e) << 1
	}
	end = int32(len(entries))
	for i := len(first) - 1; i >= 0; i-- {
		if first[i] == end {
			first[i] = model.None
		} else {
			entries[end-1] |= 1
			end = first[i]
		}
	}
}

// room returns a slice of n items in the memory of another one if it suffices. What stands in it is not cleared.
func room[T any](old []T, n int) []T {
	if n <= cap(old) {
		return old[:n]
	}
	return make([]T, n)
}

// empty returns no lists, with the memory of what was there.
func (l *lists) empty() lists { return lists{first: l.first[:0]} }

// rename gives entries the numbers that they have elsewhere.
func (l *lists) rename(numbers []int32) {
	for i, e := range l.entries {
		l.entries[i] = numbers[e>>1]<<1 | e&1
	}
}

// chains returns chains of the entries that may be pending, with room for all those of the index.
func (l *lists) chains(entries int32) *chains {
	c := newChains(len(l.first), int(entries))
	for i, at := range l.first {
		for before := int32(-1 - i); at >= 0; at++ {
			e := l.entries[at] >> 1
			c.link(before, e)
			before = e
			if l.entries[at]&1 != 0 {
				break
			}
		}
	}
	return c
}
