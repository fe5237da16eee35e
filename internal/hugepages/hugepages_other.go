// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package hugepages

// Prefer does nothing: no other system is asked.
func Prefer() {}
