// SPDX-License-Identifier: Apache-2.0

// Package hugepages asks the operating system for large pages of memory. A simulation of a large cluster reads all over what it
// holds, so with small pages many a read first waits until its page is found.
package hugepages
