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
	places  []int32 // under way
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
	w.touched = sum
}

// span reads all cache lines of a class.
func (c *class) span() int32 { return c.holder + c.near[1].pair + c.near[3].pair }

// classes warms classes that will change, and their pairs.
func (w *Warmer) classes(list []int32) {
	if len(list) < 2 {
		return
	}
	sum := int32(0)
	for _, id := range list {
		sum += w.graph.classes[id].span()
	}
	for _, id := range list {
		uses := w.graph.classes[id].uses()
		for i := range uses {
			if p := uses[i].pair; p >= 0 {
				sum += w.graph.pairs.all[p].in
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

// due warms the classes of a line whose first members end by a value of its clock.
func (w *Warmer) due(l *line, end float64) {
	sum := int32(0)
	w.places = w.places[:0]
	if len(l.members) > 0 && l.members[0].finish() <= end {
		w.places = append(w.places, 0)
	}
	for at := 0; at < len(w.places); at++ { // those below one in the heap end after it
		i := w.places[at]
		v := &w.agenda.services[l.members[i].slot()]
		sum += w.slots.all[slotOf(v.top.key)].class + int32(v.members[len(v.members)-1].key)
		for c := 2*i + 1; c <= 2*i+2 && int(c) < len(l.members); c++ {
			if l.members[c].finish() <= end {
				w.places = append(w.places, c)
			}
		}
	}
	w.touched = sum
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
