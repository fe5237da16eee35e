// SPDX-License-Identifier: Apache-2.0

package model

// Master is what a workload says about the application master of a job. What it does not say is zero.
type Master struct {
	Kind  string // the type that a trace of SLS names, such as mapreduce or dag; empty means mapreduce
	Need  Room   // of its container: MiB of memory and vcores; 0 if not said
	Start Time   // from the start of its process until the job is initialised; 0 if not said

	// SlowStart is the share of maps that must have ended before reduces are asked for; nil if not said.
	SlowStart *float64
}

// Ask is what a workload says about the container of one task. What it does not say is zero.
type Ask struct {
	Need     Room  // MiB of memory and vcores; 0 in a dimension means as Job.Need
	Priority int32 // of the request, the lowest number being served first; 0 means that of the task's kind
	Delay    Time  // from the start of the master until it asks
}
