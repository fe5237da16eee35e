// SPDX-License-Identifier: Apache-2.0

package hdfs

import "github.com/yardmaster/yardmaster/model"

// lists holds the blocks or entries of an index in lists, one for each node or rack, in ascending order. All lie in one piece
// of memory, so that a look-up after a long time finds what it needs in the same page: first, by list, the position of
// its first number that may be pending, None if there is none; then the numbers, doubled, plus one for the last of a list.
// Once a map becomes pending again its entries must come first: chains take the place of the lists.
type lists []int32

// sorted makes n lists in the place of what was there, of being the list of each entry. As many entries at a time have the same
// number.
func sorted[L ~int32](l lists, of []L, n int, same int32) lists {
	l = room(l, n+len(of))
	clear(l[:n])
	for _, i := range of {
		l[i]++
	}
	end := int32(n)
	for i, count := range l[:n] {
		end += count
		l[i] = end
	}
	for e := len(of); e > 0; {
		number := (int32(e) - 1) / same
		for first := int(number * same); e > first; e-- {
			at := &l[of[e-1]]
			*at--
			l[*at] = number << 1
		}
	}
	end = int32(len(l))
	for i := n - 1; i >= 0; i-- {
		if l[i] == end {
			l[i] = model.None
		} else {
			l[end-1] |= 1
			end = l[i]
		}
	}
	return l
}

// room returns a slice of n items in the memory of another one if it suffices. What stands in it is not cleared.
func room[S ~[]T, T any](old S, n int) S {
	if n <= cap(old) {
		return old[:n]
	}
	return make(S, n)
}

// rename gives what stands in n lists the numbers that it has elsewhere.
func (l lists) rename(n int, numbers []int32) {
	for i, e := range l[n:] {
		l[n+i] = numbers[e>>1]<<1 | e&1
	}
}

// pending returns the first pending map of a list of blocks, or model.None.
func (l lists) pending(list int32, started []uint64) int32 {
	first := &l[list]
	for at := *first; at >= 0; at++ {
		e := l[at]
		if b := e >> 1; pending(b, started) {
			*first = at
			return b
		}
		if e&1 != 0 {
			*first = model.None
			break
		}
	}
	return model.None
}

// isFirst reports whether a list of blocks begins with this one.
func (l lists) isFirst(list, block int32) bool {
	at := l[list]
	return at >= 0 && l[at]>>1 == block
}

// each calls f for what stands in a list.
func (l lists) each(list int32, f func(number int32)) {
	for at := l[list]; at >= 0; at++ {
		f(l[at] >> 1)
		if l[at]&1 != 0 {
			break
		}
	}
}
