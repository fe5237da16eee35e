// SPDX-License-Identifier: Apache-2.0

// Package ahead asks the processor for memory that will be looked at soon. What is far away takes the time of hundreds of
// instructions to come; whoever knows early what will be needed can have it come while something else is done. Nothing but
// time depends on it: to ask for the wrong memory, or for none, changes no result.
package ahead

import "unsafe"

// Keeper keeps something about each job.
type Keeper interface {
	// Ahead asks for what is kept about the job in a slot of the cluster. The caller has not looked at the job itself, which may be
	// far away as well.
	Ahead(slot int32)
}

// Batch is memory that is asked for at once: to ask for each value by itself puts away, every time, what the one who asks has in
// hand. A value is asked for by its first and its last byte: what is kept about a job lies in one line of memory or two. Of more than
// sixteen values, the last sixteen are asked for. The zero value is empty.
type Batch struct {
	n  int
	at [32]uintptr // the first and the last byte of each
}

func (b *Batch) add(first, last uintptr) {
	b.at[b.n&30], b.at[b.n&30+1] = first, last
	b.n += 2
}

// Of adds a value. The pointer may be nil.
func Of[T any](b *Batch, p *T) {
	at := uintptr(unsafe.Pointer(p))
	b.add(at, at+unsafe.Sizeof(*p)-1)
}

// Item adds an item of a list. It may lie outside of the list: where it lies is a number, not a pointer to nowhere.
func Item[T any](b *Batch, list []T, i int) {
	var item T
	at := uintptr(unsafe.Pointer(unsafe.SliceData(list))) + uintptr(i)*unsafe.Sizeof(item)
	b.add(at, at+unsafe.Sizeof(item)-1)
}

// Either adds two items of a list from i on to a batch if wanted is 1, and if it is 0 what lies near at hand: to leave it would be a
// jump that the processor cannot foresee, which takes longer.
func Either[T, N any](b *Batch, wanted uint64, list []T, i int, near *N) {
	var item T
	at := uintptr(unsafe.Pointer(near))
	at ^= -uintptr(wanted) & (at ^ (uintptr(unsafe.Pointer(unsafe.SliceData(list))) + uintptr(i)*unsafe.Sizeof(item)))
	b.add(at, at+unsafe.Sizeof(item))
}

// line is how many bytes of memory come together.
const line = 64

// Line adds the first line of a value that begins with one. (Of for one of its fields would not do: to work out where a
// field lies, Go looks at the value.)
func Line[T any](b *Batch, p *T) { b.add(uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(p))) }

// Lines adds the first two.
func Lines[T any](b *Batch, p *T) { b.add(uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(p))+line) }

// Ask asks for all that was added.
func (b *Batch) Ask() {
	fetchAll(&b.at[0], min(b.n, len(b.at)))
	b.n = 0
}

// Rows is a list of which items are asked for.
type Rows struct{ base, size uintptr }

// RowsOf returns the rows of a list, which has to stay in use.
func RowsOf[T any](list []T) Rows {
	var item T
	return Rows{uintptr(unsafe.Pointer(unsafe.SliceData(list))), unsafe.Sizeof(item)}
}

// Items asks for the items of a number in several lists, of which they may lie outside.
func Items(lists []Rows, i int32) { fetchItems(unsafe.SliceData(lists), len(lists), uintptr(i)) }
