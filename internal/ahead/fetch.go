// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package ahead

// fetch asks for the lines that two addresses lie in. Any address is allowed, also one that belongs to no memory.
//
//go:noescape
func fetch(first, last uintptr)

// fetchAll asks for the lines that an even number of addresses lie in.
//
//go:noescape
func fetchAll(at *uintptr, n int)
