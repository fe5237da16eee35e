// SPDX-License-Identifier: Apache-2.0

//go:build !amd64 && !arm64

package ahead

func fetch(first, last uintptr) {}

func fetchAll(at *uintptr, n int) {}
