// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package ahead

// fetch asks for the lines that the bytes from an address on lie in, for one line if there are no bytes. Any address is allowed, also
// one that belongs to no memory.
//
//go:noescape
func fetch(at, bytes uintptr)
