// SPDX-License-Identifier: Apache-2.0

//go:build !race

package heapunit

// RaceDetector says whether the race detector is compiled in: timings then say nothing about the code.
const RaceDetector = false
