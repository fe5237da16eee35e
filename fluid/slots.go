// SPDX-License-Identifier: Apache-2.0

package fluid

// slotBits is the width of the slot number inside a handle; the rest is the sequence.
const slotBits = 26

// slotOf returns the slot number inside a key.
func slotOf(key uint64) uint32 { return uint32(key & (1<<slotBits - 1)) }

// activity is a slot for a running activity.
type activity struct {
	key     uint64 // its handle, sequence<<slotBits | slot; 0 if the slot is free
	tag     uint64
	mass    float64
	weight  float64
	class   int32
	streams int32
}

// slots holds the running activities. A slot is used again, a key is not.
type slots struct {
	all      []activity
	places   places // in the services of their classes
	free     []uint32
	sequence uint64
}

// add returns a free slot with a key of its own, the rest to be filled in by the caller.
func (l *slots) add() *activity {
	slot := uint32(len(l.all))
	if n := len(l.free); n > 0 {
		slot = l.free[n-1]
		l.free = l.free[:n-1]
	} else if slot >= 1<<slotBits {
		panic("fluid: more than 67 million running activities")
	} else {
		l.all = append(l.all, activity{})
		l.places = append(l.places, 0)
	}
	l.sequence++
	a := &l.all[slot]
	a.key = l.sequence<<slotBits | uint64(slot)
	return a
}

// release frees a slot.
func (l *slots) release(slot uint32) {
	l.all[slot] = activity{}
	l.free = append(l.free, slot)
}

// find returns the activity that a handle names, nil if it is not running.
func (l *slots) find(h Handle) *activity {
	slot := slotOf(uint64(h))
	if h == 0 || int(slot) >= len(l.all) || l.all[slot].key != uint64(h) {
		return nil
	}
	return &l.all[slot]
}

// running returns the number of activities.
func (l *slots) running() int { return len(l.all) - len(l.free) }

// first returns the first-started activity of those for which ok holds, nil if there is none.
func (l *slots) first(ok func(*activity) bool) *activity {
	var first *activity
	for i := range l.all {
		if a := &l.all[i]; a.key != 0 && (first == nil || a.key < first.key) && ok(a) {
			first = a
		}
	}
	return first
}
