// SPDX-License-Identifier: Apache-2.0

// Package netaware has place roles that see the racks' links: ShuffleWatcher, and NAS, the network-aware
// scheduler of diverse-2018, chapter 3. Both go under any order of jobs.
//
// Neither knows how much data a job's maps will make. Predictor says what they may know: what ended maps have
// made, and for jobs that have run before what they made then.
package netaware
