// SPDX-License-Identifier: Apache-2.0

//go:build !amd64 && !arm64

package ahead

func fetchAll(at *uintptr, n int) {}

func fetchItems(lists *Rows, n int, i uintptr) {}
