// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package memory

// preferLarge does nothing: no other system is asked.
func preferLarge() {}
