// SPDX-License-Identifier: Apache-2.0

package fluid

import "testing"

func TestSlots(t *testing.T) {
	l := &slots{}
	add := func(tag uint64) uint64 {
		a := l.add()
		if *a != (activity{key: a.key}) {
			t.Errorf("a new slot holds %+v", *a)
		}
		a.tag = tag
		return a.key
	}
	a, b := add(7), add(8)
	l.release(slotOf(a))
	c := add(9)
	if slotOf(c) != slotOf(a) || c <= b {
		t.Errorf("keys %x, %x, %x: want the slot of the first again and a greater number", a, b, c)
	}
	for _, h := range []Handle{0, Handle(a), Handle(c) + 5} {
		if l.find(h) != nil {
			t.Errorf("handle %x names an activity", h)
		}
	}
	if found := l.find(Handle(c)); found == nil || found.tag != 9 {
		t.Errorf("found %+v", found)
	}
	if n := l.running(); n != 2 {
		t.Errorf("%d running", n)
	}
	all := func(*activity) bool { return true }
	if first := l.first(all); first == nil || first.tag != 8 {
		t.Errorf("first-started: %+v", first)
	}
	l.release(slotOf(b))
	l.release(slotOf(c))
	if first := l.first(all); first != nil || l.running() != 0 {
		t.Errorf("first-started of none: %+v", first)
	}
}
