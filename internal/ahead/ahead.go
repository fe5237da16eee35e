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

// Of asks for the lines of memory in which a value lies. The pointer may be nil.
func Of[T any](p *T) { fetch(uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }

// Item asks for an item of a list. It may lie outside of the list: where it lies is a number, not a pointer to nowhere.
func Item[T any](list []T, i int) {
	var item T
	size := unsafe.Sizeof(item)
	fetch(uintptr(unsafe.Pointer(unsafe.SliceData(list)))+uintptr(i)*size, size)
}

// line is how many bytes of memory come together.
const line = 64

// Lines asks for the first lines of a value that begins with one. (Of for one of its fields would not do: to work out where a
// field lies, Go looks at the value.)
func Lines[T any](p *T, n uintptr) { fetch(uintptr(unsafe.Pointer(p)), n*line) }
