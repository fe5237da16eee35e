// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package ahead

import "unsafe"

// fetch asks for the lines of so many bytes, at least one. An address that is nobody's is no fault.
//
//go:noescape
func fetch(p unsafe.Pointer, bytes uintptr)
