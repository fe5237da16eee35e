// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"cmp"
	"math"
	"slices"
)

// order is applications in the order in which they are served. Fair order goes by what an application used
// and asked for when it was last put into its place: after a container has started or ended it is put there
// anew, once the order is asked for.
type order struct {
	fair, bySize bool
	list         []*Attempt
	moved        []*Attempt // to be put into their places
}

func (o *order) compare(a, b *Attempt) int {
	if !o.fair {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.App, b.App))
	}
	return cmp.Or(
		cmp.Compare(o.magnitude(a), o.magnitude(b)),
		cmp.Compare(a.start, b.start),
		cmp.Compare(b.wanted(), a.wanted()),
		cmp.Compare(a.App, b.App),
	)
}

// wanted is 1 for an application that used or asked for something when it was last put into its place, 0 for others.
func (a *Attempt) wanted() int64 { return min(a.seenUsed+a.seenPending, 1) }

// magnitude is the memory that an application uses; with sizes, in proportion to the logarithm of all that
// it wants.
func (o *order) magnitude(a *Attempt) float64 {
	used := float64(a.seenUsed)
	if o.bySize && a.seenUsed != 0 {
		return used / (math.Log1p(float64(a.seenUsed+a.seenPending)) / math.Ln2)
	}
	return used
}

// add puts an application into its place that nothing is known of yet.
func (o *order) add(a *Attempt) { o.insert(a) }

func (o *order) insert(a *Attempt) {
	at, _ := slices.BinarySearchFunc(o.list, a, o.compare)
	o.list = slices.Insert(o.list, at, a)
}

// remove takes an application out and reports whether it was there.
func (o *order) remove(a *Attempt) bool {
	o.moved = slices.DeleteFunc(o.moved, func(b *Attempt) bool { return a == b })
	a.moved = false
	at, found := slices.BinarySearchFunc(o.list, a, o.compare)
	if !found || o.list[at] != a {
		return false
	}
	o.list = slices.Delete(o.list, at, at+1)
	return true
}

// touch notes that an application's use has changed.
func (o *order) touch(a *Attempt) {
	if o.fair && !a.moved {
		a.moved = true
		o.moved = append(o.moved, a)
	}
}

// settle puts applications that were touched into their places.
func (o *order) settle() {
	for _, a := range o.moved {
		a.moved = false
		if at, found := slices.BinarySearchFunc(o.list, a, o.compare); found {
			o.list = slices.Delete(o.list, at, at+1)
		}
		a.see()
		o.insert(a)
	}
	o.moved = o.moved[:0]
}

// become changes the kind of order. What was to be put into its place stays where it is until it is touched
// again, as in the release.
func (o *order) become(fair, bySize bool) {
	for _, a := range o.moved {
		a.moved = false
	}
	o.moved = o.moved[:0]
	o.fair, o.bySize = fair, bySize
	slices.SortFunc(o.list, o.compare)
}
