// SPDX-License-Identifier: Apache-2.0

package network

// Exchange is what the tasks of one job send each other from rack to rack: every source sends the same to every
// receiver. Sources and receivers come one after the other.
type Exchange struct {
	racks     int
	each      float64   // bytes from one source to one receiver
	sources   []int32   // that are there, by rack
	receivers []int32   // that are there, by rack
	passages  []Passage // by pair of racks: from*racks+to
	refused   int32     // pairs that were refused
	stirred   []bool    // by rack: something has changed for what goes there
}

// Passage says whether what a job sends from one rack to another may go, and how.
type Passage struct {
	State    PassageState
	Elephant bool // all of it together is an elephant
}

// PassageState says whether data may go from one rack to another.
type PassageState uint8

// The states of a passage. One that is open stays open.
const (
	Unasked PassageState = iota
	Refused
	Open
)

// NewExchange returns an exchange in which each source sends so many bytes to each receiver.
func NewExchange(racks int, each float64) *Exchange {
	counts := make([]int32, 2*racks)
	return &Exchange{racks: racks, each: each, sources: counts[:racks], receivers: counts[racks:],
		passages: make([]Passage, racks*racks), stirred: make([]bool, racks)}
}

// Source adds sources in a rack; those that are lost are negative.
func (x *Exchange) Source(rack int, count int32) { x.sources[rack] += count }

// Receiver adds receivers in a rack; those that leave are negative.
func (x *Exchange) Receiver(rack int, count int32) {
	x.receivers[rack] += count
	x.stirred[rack] = true
}

// Flow returns what one receiver gets from the sources of a rack.
func (x *Exchange) Flow(from int) float64 { return x.each * float64(x.sources[from]) }

// Aggregate returns what the receivers of a rack get from the sources of another.
func (x *Exchange) Aggregate(from, to int) float64 { return x.Flow(from) * float64(x.receivers[to]) }

// Passage returns the passage from one rack to another.
func (x *Exchange) Passage(from, to int) *Passage { return &x.passages[from*x.racks+to] }

// Answer notes whether a passage is open.
func (x *Exchange) Answer(from, to int, open bool) {
	p := x.Passage(from, to)
	if p.State == Refused {
		x.refused--
	}
	if p.State = Open; !open {
		p.State = Refused
		x.refused++
	}
}

// Waits reports whether a passage was refused.
func (x *Exchange) Waits() bool { return x.refused > 0 }

// Stir notes that something has changed for all passages.
func (x *Exchange) Stir() {
	for rack := range x.stirred {
		x.stirred[rack] = true
	}
}

// AskAgain calls ask for each refused passage for which something has changed since the last call.
func (x *Exchange) AskAgain(ask func(from, to int)) {
	for to, stirred := range x.stirred {
		if x.stirred[to] = false; !stirred {
			continue
		}
		for from := range x.racks {
			if x.Passage(from, to).State == Refused {
				ask(from, to)
			}
		}
	}
}
