// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package ahead

// Any address is allowed, also one that belongs to no memory.

// fetchAll asks for the lines that an even number of addresses lie in.
//
//go:noescape
func fetchAll(at *uintptr, n int)

// fetchItems asks for the items of a number in n lists.
//
//go:noescape
func fetchItems(lists *Rows, n int, i uintptr)
