// SPDX-License-Identifier: Apache-2.0

package mapreduce

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// A second attempt is one more ask of its kind: of a map on its nodes, of a reduce anywhere. If the first ends before the second
// has a container it is asked for no longer; if the first is lost the second is all that is needed.
func TestSecondAttempts(t *testing.T) {
	begin := func() (*desk, *appMaster) {
		d := &desk{}
		w := work(2, 2)
		w.Near = func(i int32) []*capacity.Node { return [][]*capacity.Node{{n1}, {n3}}[i] }
		rules := DefaultAskRules()
		m := NewAppMaster(w, &rules, d).(*appMaster)
		ask(m, 0)
		m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n1), d.give(20, n3)}})
		expect(t, "maps", d.said(), "map 0 in 2, map 1 in 3")
		ask(m, 1)
		m.Ended(model.Task{Kind: model.Map, Index: 0}, Done)
		m.Answer(&Answer{})
		expect(t, "reduces are asked for", ask(m, 2), "2x10@*")
		m.Answer(&Answer{Given: []*capacity.Container{d.give(10, n1), d.give(10, n1)}})
		expect(t, "reduces", d.said(), "reduce 0 in 4, reduce 1 in 5")
		expect(t, "nothing is left", ask(m, 3), "0x10@*")
		return d, m
	}
	slow, reduce := model.Task{Kind: model.Map, Index: 1}, model.Task{Kind: model.Reduce, Index: 1}

	d, m := begin()
	m.Double(slow)
	expect(t, "one more map", ask(m, 4), "1x20@* 1x20@n3 1x20@/b")
	m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n2)}})
	expect(t, "second attempt", d.said(), "map 1 in 6")
	m.Ended(slow, Done)
	m.Double(reduce)
	m.Answer(&Answer{})
	expect(t, "one more reduce", ask(m, 5), "1x10@* 0x20@* 0x20@n3 0x20@/b")
	m.Ended(reduce, Done)
	expect(t, "the first has ended", ask(m, 6), "0x10@*")
	m.Ended(model.Task{Kind: model.Reduce, Index: 0}, Done)
	expect(t, "each counts once", d.said(), "finish")

	_, m = begin()
	m.Double(slow)
	ask(m, 4)
	m.Ended(slow, Lost)
	expect(t, "the second is asked for already", ask(m, 5), "")

	_, m = begin()
	m.Double(slow)
	m.Ended(slow, Done)
	expect(t, "no container is asked for", ask(m, 4), "0x20@* 0x20@n3 0x20@/b")
}

// Two attempts at a task run, and both are lost, one after the other or at once: it is asked for when the second is. The other
// attempt at a reduce is the only one when maps need its room: it is killed and asked for again.
func TestBothAttemptsLost(t *testing.T) {
	slow, reduce := model.Task{Kind: model.Map}, model.Task{Kind: model.Reduce}
	d, rules := &desk{}, DefaultAskRules()
	m := NewAppMaster(work(1, 1), &rules, d).(*appMaster)
	ask(m, 0)
	m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n1)}})
	m.Double(slow)
	ask(m, 1)
	m.Answer(&Answer{Given: []*capacity.Container{d.give(20, n2)}})
	ask(m, 2)
	m.Ended(slow, Lost)
	expect(t, "the other goes on", ask(m, 3), "")
	m.Ended(slow, Lost)
	expect(t, "none is left", ask(m, 4), "1x5@*")
	m.Answer(&Answer{Ended: []Ended{{Task: slow}, {Task: slow}}, Given: []*capacity.Container{d.give(5, n1)}})
	m.Ended(slow, Done)
	m.Answer(&Answer{Ended: []Ended{{Task: slow}}})
	ask(m, 5)
	m.Answer(&Answer{Given: []*capacity.Container{d.give(10, n1)}})
	m.Double(reduce)
	m.Answer(&Answer{})
	ask(m, 6)
	m.Answer(&Answer{Given: []*capacity.Container{d.give(10, n2)}})
	m.Ended(reduce, Lost)
	m.Ended(slow, Undone)
	d.said()
	m.Answer(&Answer{Ended: []Ended{{Task: reduce}}})
	expect(t, "the map needs room", d.said(), "kill reduce 0")
	ask(m, 7)
	m.Answer(&Answer{Ended: []Ended{{Task: reduce}}, Given: []*capacity.Container{d.give(5, n1)}})
	m.Ended(slow, Done)
	m.Answer(&Answer{Ended: []Ended{{Task: slow}}})
	expect(t, "the reduce once more", ask(m, 8), "0x5@* 1x10@*")
}
