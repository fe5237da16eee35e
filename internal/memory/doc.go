// SPDX-License-Identifier: Apache-2.0

// Package memory sets up how the program uses memory: on large pages, and with less garbage where much lives. A simulation of a
// large cluster reads all over what it holds, so with small pages many a read first waits until its page is found.
package memory

// Prepare is called once, before anything else lives.
func Prepare() {
	preferLarge()
	spare()
}
