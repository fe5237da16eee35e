// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package ahead

import "unsafe"

// fetch asks for the lines that the bytes from p on lie in, for one line if there are no bytes. Any address is allowed, also
// one that belongs to no memory.
//
//go:noescape
func fetch(p unsafe.Pointer, bytes uintptr)
