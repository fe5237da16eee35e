// SPDX-License-Identifier: Apache-2.0

package slssynth

// heap is a binary heap of jobs by their submission. Jobs of the same second leave it in the order that the moves of
// Java's PriorityQueue give them, which SLS has no rule for.
type heap []job

func (h *heap) add(j job) {
	*h = append(*h, j)
	at := len(*h) - 1
	for at > 0 {
		parent := (at - 1) / 2
		if j.submit >= (*h)[parent].submit {
			break
		}
		(*h)[at] = (*h)[parent]
		at = parent
	}
	(*h)[at] = j
}

func (h *heap) poll() job {
	list := *h
	first, last := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	if len(list) == 0 {
		return first
	}
	at := 0
	for at < len(list)/2 {
		child := 2*at + 1
		if right := child + 1; right < len(list) && list[child].submit > list[right].submit {
			child = right
		}
		if last.submit <= list[child].submit {
			break
		}
		list[at] = list[child]
		at = child
	}
	list[at] = last
	return first
}
