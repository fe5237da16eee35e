// SPDX-License-Identifier: Apache-2.0

package keyed

import "slices"

// Turns is Heap for items that mostly get a key behind all others of the same Major, as whoever is served goes behind those
// that have as much. Where thousands share a few Majors, a queue for each of these takes the place of the heap: to set a key
// costs O(1), amortised. Other items stand in a heap. Majors are not below zero. The zero value is empty.
type Turns struct {
	Crowd int // how many items stand in the heap before a Major gets a queue: a few are quicker in the heap

	levels [rungs]int64 // Major + 1 of the rungs that have items, 0 of the others; side by side for those who look for one
	rungs  [rungs]rung
	lowest *rung // that has items, nil if none has
	rest   Heap
	holds  []hold // by identifier

	// The iteration.
	rung   *rung // of the next turn, nil after the last one
	at     int   // where the next turn stands
	other  int32 // next identifier of the rest, -1 after the last one
	others bool  // the iteration stands at one of the rest
}

// rungs is how many Majors may have a queue. A crowd that waits has nothing, or what one task takes.
const rungs = 4

// rung is a queue of items that have the same Major.
type rung struct {
	count int32  // of valid turns; a rung without any is free for another Major
	tag   hold   // what its holds end with
	head  int    // no valid turn stands before it
	base  uint32 // the number of the first turn: they are numbered as they come
	turns []Seat // in order of Minor and tie; void ones, whose ID is below 0, stay until they are met
}

// Seat is where an item stands in an order: mostly its turn in a queue. Of void turns that stand together, the first to be met may
// have minus their number for an identifier, so that whoever comes by again passes them at once.
type Seat struct {
	minor   int64 // of its key
	Tie, ID int32
}

func (i *Item) seat() Seat { return Seat{i.Key.Minor, i.Tie, i.ID} }

// hold says which turn is that of an item, by its number and the rung; 0 if it stands in no queue. A turn can be seen to be void where
// it stands: to ask the item would be to go far, for each that comes next.
type hold uint32

const turnNumbers = 1 << 29 // they begin anew behind the last one, for no more bits are left of them; a queue is shorter

func (r *rung) hold(at int) hold { return hold(r.base+uint32(at))<<3 | r.tag }

// rung returns the number of the rung of a hold, which ends with a one.
func (h hold) rung() int { return int(h >> 1 % rungs) }

// at returns where the turn of a hold stands.
func (r *rung) at(h hold) int { return int((uint32(h>>3) - r.base) % turnNumbers) }

// takes reports whether a turn may stand behind the last one of the queue.
func (r *rung) takes(minor int64, tie int32) bool {
	n := len(r.turns)
	if n == 0 {
		return true
	}
	last := &r.turns[n-1]
	return last.minor < minor || last.minor == minor && last.Tie < tie
}

// item returns a turn as Heap compares it.
func (s *Turns) item(r *rung, at int) Item {
	t := &r.turns[at]
	return Item{Key{s.levels[r.tag.rung()] - 1, t.minor}, t.Tie, t.ID}
}

// Crowded reports whether there are queues.
func (s *Turns) Crowded() bool { return s.lowest != nil }

// Has reports whether id is there.
func (s *Turns) Has(id int32) bool {
	return int(id) < len(s.holds) && s.holds[id] != 0 || s.rest.Has(id)
}

// SetTied adds id with the key, or changes its key: see Heap.SetTied.
func (s *Turns) SetTied(id, tie int32, key Key) { s.set(id, tie, key, s.void(id)) }

// Change changes the key of id if it is there.
func (s *Turns) Change(id, tie int32, key Key) {
	if queued := s.void(id); queued || s.rest.Has(id) {
		s.set(id, tie, key, queued)
	}
}

// set gives id the key. It stands in the heap, or nowhere if it is new or, queued, was in a queue.
func (s *Turns) set(id, tie int32, key Key, queued bool) {
	r := s.of(key.Major)
	if r == nil || !r.takes(key.Minor, tie) {
		s.rest.SetTied(id, tie, key)
		return
	}
	if !queued {
		s.enlist(id)
	}
	if len(r.turns) == cap(r.turns) {
		s.tidy(r)
	}
	n := len(r.turns)
	s.holds[id] = r.hold(n)
	r.turns = r.turns[:n+1]
	last := &r.turns[n] // field by field: to copy what was just written takes long
	last.minor, last.Tie, last.ID = key.Minor, tie, id
	if r.count++; r.count == 1 {
		s.levels[r.tag.rung()] = key.Major + 1
		s.lowest = s.above(1)
	}
}

// enlist prepares for the turn of an item that was in no queue.
func (s *Turns) enlist(id int32) {
	s.rest.Remove(id)
	for int(id) >= len(s.holds) {
		s.holds = append(s.holds, 0)
	}
}

// Remove takes id out; absent ones are ignored.
func (s *Turns) Remove(id int32) {
	if !s.void(id) {
		s.rest.Remove(id)
	}
}

// void makes the turn of an item void and reports whether it had one.
func (s *Turns) void(id int32) bool {
	if int(id) >= len(s.holds) || s.holds[id] == 0 {
		return false
	}
	held := s.holds[id]
	s.holds[id] = 0
	r := &s.rungs[held.rung()]
	at := r.at(held)
	if r.count--; r.count == 0 {
		r.head, r.turns, s.levels[r.tag.rung()] = 0, r.turns[:0], 0
		s.lowest = s.above(1)
	} else if r == s.rung && at == s.at && at-r.head <= passed {
		s.close(r, at)
	} else {
		r.turns[at].ID = void
	}
	return true
}

// void is the ID of a void turn. That of the first of several may be less: minus their number.
const void = -1

// close takes out the turn at which the iteration stands: mostly one of the first, that of whoever is served. Those who were passed
// over move up, so that nobody passes it again.
func (s *Turns) close(r *rung, at int) {
	turns, head := r.turns[:at+1], r.head
	for ; at > head; at-- {
		turns[at] = turns[at-1]
		if id := turns[at].ID; id >= 0 {
			s.holds[id] = r.hold(at)
		}
	}
	r.head = head + 1
}

// passed is how many turns move at the most when one behind them is taken out; behind more it stays, void.
const passed = 16

// of returns the rung of the Major, or a free one if there is a crowd in the heap; nil if there is none.
func (s *Turns) of(major int64) *rung {
	if s.lowest == nil && s.rest.Len() < s.Crowd {
		return nil
	}
	switch major + 1 { // a loop takes longer
	case s.levels[0]:
		return &s.rungs[0]
	case s.levels[1]:
		return &s.rungs[1]
	case s.levels[2]:
		return &s.rungs[2]
	case s.levels[3]:
		return &s.rungs[3]
	}
	if s.rest.Len() < s.Crowd {
		return nil
	}
	return s.free()
}

// free returns a rung without items, nil if there is none.
func (s *Turns) free() (free *rung) {
	for i := range s.rungs {
		if r := &s.rungs[i]; r.count == 0 {
			r.tag, free = hold(i)<<1|1, r
		}
	}
	return free
}

// tidy makes room in a queue that is full: in its own memory, unless most of its turns are valid.
func (s *Turns) tidy(r *rung) {
	rest := r.turns[r.head:]
	if len(rest) <= cap(r.turns)/2 { // void ones stand in front, as where the first is always served
		r.turns = append(r.turns[:0], rest...)
		r.base, r.head = r.base+uint32(r.head), 0
	} else if int(r.count) < len(rest)/2 {
		valid := r.turns[:0]
		for i := range rest {
			if t := &rest[i]; t.ID >= 0 {
				s.holds[t.ID] = r.hold(len(valid))
				valid = append(valid, *t)
			}
		}
		r.head, r.turns = 0, valid
	}
	if len(r.turns) == cap(r.turns) {
		r.turns = slices.Grow(r.turns, 1)
	}
}

// above returns the rung with the lowest level from one on, nil if there is none.
func (s *Turns) above(level int64) (least *rung) {
	for i, l := range s.levels {
		if l >= level && (least == nil || l < s.levels[least.tag.rung()]) {
			least = &s.rungs[i]
		}
	}
	return least
}

// from returns where the first valid turn stands from a place on, the length of the queue if there is none.
func (r *rung) from(at int) int {
	if at < len(r.turns) && r.turns[at].ID >= 0 { // mostly
		return at
	}
	return r.pass(at)
}

// pass is from at a void turn, or at the end.
func (r *rung) pass(start int) int {
	at := start
	for at < len(r.turns) && r.turns[at].ID < 0 {
		at -= int(r.turns[at].ID)
	}
	if at > start+1 {
		r.turns[start].ID = int32(start - at)
	}
	return at
}

// first returns where the first valid turn of a rung that has some stands.
func (r *rung) first() int {
	r.head = r.from(r.head)
	return r.head
}

// Top returns the first identifier and its key without starting an iteration; there must be one.
func (s *Turns) Top() (int32, Key) {
	if s.lowest == nil {
		return s.rest.Top()
	}
	first := s.item(s.lowest, s.lowest.first())
	if s.rest.Len() > 0 && s.rest.items[0].Before(&first) {
		return s.rest.Top()
	}
	return first.ID, first.Key
}

// First starts an iteration in order and returns the first identifier, or -1.
func (s *Turns) First() int32 {
	if r := s.lowest; r != nil && len(s.rest.items) == 0 { // mostly
		s.rung, s.other, s.others, s.at = r, -1, false, r.first()
		return r.turns[s.at].ID
	}
	s.enter(s.lowest)
	s.other = s.rest.First()
	return s.current()
}

// Next returns the identifier after the last one that First or Next returned, or -1. No key must change in between.
func (s *Turns) Next() int32 {
	if s.others {
		s.other = s.rest.Next()
	} else {
		r := s.rung
		if s.at = r.from(s.at + 1); s.at == len(r.turns) {
			s.enter(s.above(s.levels[r.tag.rung()] + 1))
		} else if s.other < 0 { // mostly
			return r.turns[s.at].ID
		}
	}
	return s.current()
}

// enter moves the iteration to the first turn of a rung.
func (s *Turns) enter(r *rung) {
	if s.rung = r; r != nil {
		s.at = r.first()
	}
}

// current returns the identifier at which the iteration stands.
func (s *Turns) current() int32 {
	if s.others = s.rung == nil; s.others {
		return s.other
	}
	if s.other >= 0 {
		turn := s.item(s.rung, s.at)
		if s.others = s.rest.items[s.rest.walk[0]].Before(&turn); s.others {
			return s.other
		}
	}
	return s.rung.turns[s.at].ID
}

// Firsts tells who comes first, without starting an iteration: as many as there are seats, or nobody. They may be in the seats that it
// is given or elsewhere, and are valid until something changes. The last two are there; among those before them may be some that have
// been served or have left, so that fewer come. It looks into one queue alone, or into the heap: where both have to do with the first
// ones, it may err.
func (s *Turns) Firsts(seats []Seat) []Seat {
	r := s.lowest
	if s.rest.Len() >= len(seats) && (r == nil || s.rest.items[0].Key.Major < s.levels[r.tag.rung()]-1) {
		s.rest.firsts(seats)
		return seats
	}
	if r == nil || int(r.count) < len(seats) {
		return nil
	}
	if turns := r.turns[r.head:]; len(turns) >= len(seats) && turns[len(seats)-1].ID >= 0 && turns[max(len(seats)-2, 0)].ID >= 0 {
		return turns[:len(seats)] // mostly all are valid
	}
	at := r.head
	for n := range seats { // there are as many
		at = r.from(at)
		seats[n] = r.turns[at]
		at++
	}
	return seats
}
