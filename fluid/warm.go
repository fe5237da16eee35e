// SPDX-License-Identifier: Apache-2.0

package fluid

// Warmer reads ahead. Where thousands of classes are active, some hundred of them change between two solutions, and they lie
// all over memory; to change one takes several reads, each of which waits for the one before. Whoever has a list of what
// comes next therefore has it warmed: reads for one then overlap with those for the next, and when it is their turn all is
// near. Warming changes nothing but what is near.
type Warmer struct {
	slots   *slots
	graph   *graph
	agenda  *agenda
	list    []int32 // under way
	touched int32   // a sum of what was read, so that it is read
}

// Kinds warms what starts of the given kinds (see Spec) will read.
func (w *Warmer) Kinds(kinds []int32) {
	sum := int32(0)
	for _, k := range kinds {
		if id := k - 1; id >= 0 {
			sum += w.graph.classes[id].span() + w.agenda.services[id].came + w.agenda.places[id]
		}
	}
	for _, k := range kinds {
		if id := k - 1; id >= 0 {
			if v := &w.agenda.services[id]; len(v.members) > 0 {
				sum += int32(v.members[len(v.members)-1].key)
			}
		}
	}
	w.touched = sum
}

// span reads all cache lines of a class.
func (c *class) span() int32 { return c.holder + c.near[1].pair + c.near[3].pair }

// classes warms classes that will change, and their pairs. Those that have members may stay in them.
func (w *Warmer) classes(list []int32, stay bool) {
	if len(list) < 2 || len(w.graph.pairs.all) == 0 {
		return
	}
	sum := int32(0)
	for _, id := range list {
		sum += w.graph.classes[id].span()
	}
	for _, id := range list { // the first pair stands for none: how many there are is a coin toss, so there is no branch on it
		near := &w.graph.classes[id].near
		for i := range near {
			sum += w.graph.pairs.all[max(near[i].pair, 0)].in
		}
	}
	for _, id := range list { // the last class of a pair takes the place of one that leaves it
		c := &w.graph.classes[id]
		if stay && c.members > 0 {
			continue
		}
		uses := c.uses()
		for i := range uses {
			if p := uses[i].pair; p >= 0 {
				if k := &w.graph.pairs.all[p]; len(k.others) > 0 {
					sum += w.graph.classes[k.others[len(k.others)-1].class].near[1].pair
				}
			}
		}
	}
	w.touched = sum
}

// services warms the services of classes that go to other lines.
func (w *Warmer) services(list []int32) {
	sum := int32(0)
	for _, id := range list {
		sum += w.agenda.places[id] + w.agenda.services[id].came
	}
	w.touched = sum
}

// due warms what ends in lines, given by their leaves, up to a time: the classes, and of each the first activity and the
// last, which takes its place.
func (w *Warmer) due(leaves []int32, until float64) {
	w.list = w.list[:0]
	for _, leaf := range leaves {
		l := w.agenda.line(w.agenda.leaves[leaf])
		w.list = l.by(l.clock+l.level*(until-w.agenda.now), w.list)
	}
	sum := int32(0)
	for _, id := range w.list {
		sum += w.agenda.services[id].came
	}
	for _, id := range w.list {
		v := &w.agenda.services[id]
		sum += w.slots.all[slotOf(v.top.key)].class + int32(v.members[len(v.members)-1].key)
	}
	w.touched = sum
}

// by appends the classes of a line whose first members end by a value of its clock.
func (l *line) by(end float64, to []int32) []int32 {
	var places [64]int32 // of those whose children are to be looked at: those below one in the heap end after it
	n := 0
	if len(l.members) > 0 && l.members[0].finish() <= end {
		n = 1
	}
	for n > 0 {
		n--
		i := places[n]
		to = append(to, int32(l.members[i].slot()))
		for c := 2*i + 1; c <= 2*i+2 && int(c) < len(l.members); c++ {
			if l.members[c].finish() <= end {
				places[n] = c
				n++
			}
		}
	}
	return to
}

// ends warms the classes and slots of activities that have ended.
func (w *Warmer) ends(list []booking) {
	if len(list) < 2 {
		return
	}
	sum := int32(0)
	for i := range list {
		sum += w.graph.classes[list[i].class].members + w.slots.all[slotOf(list[i].key)].class
	}
	w.touched = sum
}
