// SPDX-License-Identifier: Apache-2.0

package network

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// Exchange is what the tasks of one job send each other from rack to rack: every source sends the same to every
// receiver. Sources and receivers come one after the other.
type Exchange struct {
	Job       *cluster.Job
	Whole     bool      // all that goes from one rack to another is one flow
	each      float64   // bytes from one source to one receiver
	sources   []int32   // that are there, by rack
	receivers []int32   // that are there, by rack
	passages  []passage // by pair of racks: from*racks+to
	refused   int32     // pairs that were refused
	stirred   []bool    // by rack: something has changed for what goes there
	asking    bool      // the gate is to be asked again

	again model.Time // when the gate is to be asked although nothing has happened, Forever if never
}

// passage says whether what a job sends from one rack to another may go, and how.
type passage struct {
	state    passageState
	elephant bool // all of it together is an elephant
}

// passageState says whether data may go from one rack to another. A passage that is open stays open.
type passageState uint8

const (
	unasked passageState = iota
	refused
	open
)

func newExchange(racks int, each float64) *Exchange {
	counts := make([]int32, 2*racks)
	return &Exchange{each: each, sources: counts[:racks], receivers: counts[racks:],
		passages: make([]passage, racks*racks), stirred: make([]bool, racks), again: model.Forever}
}

// Flow returns what one receiver gets from the sources of a rack.
func (x *Exchange) Flow(from int) float64 { return x.each * float64(x.sources[from]) }

// Aggregate returns what the receivers of a rack get from the sources of another.
func (x *Exchange) Aggregate(from, to int) float64 { return x.Flow(from) * float64(x.receivers[to]) }

func (x *Exchange) passage(from, to int) *passage { return &x.passages[from*len(x.sources)+to] }

// answer notes whether a passage is open.
func (x *Exchange) answer(from, to int, may bool) {
	p := x.passage(from, to)
	if p.state == refused {
		x.refused--
	}
	if p.state = open; !may {
		p.state = refused
		x.refused++
	}
}

// stir notes that something has changed for all passages.
func (x *Exchange) stir() {
	for rack := range x.stirred {
		x.stirred[rack] = true
	}
}

// changed calls ask for each refused passage for which something has changed since the last call.
func (x *Exchange) changed(ask func(from, to int)) {
	for to, stirred := range x.stirred {
		if x.stirred[to] = false; !stirred {
			continue
		}
		for from := range x.sources {
			if x.passage(from, to).state == refused {
				ask(from, to)
			}
		}
	}
}
