// SPDX-License-Identifier: Apache-2.0

// Package hybrid is the order of jobs in a cluster of strong and weak machines: few that scale up, many that scale out
// (diverse-2018 §5.2).
//
// A judge tells small jobs from large ones when they are submitted. Small jobs run on scale-up machines, large ones on
// scale-out machines, each kind in an order of its own. A scale-out machine that finds no job waiting takes over the
// whole of a small job that has not started: the one that is nearest to being large. It stays there for good. Nothing
// is taken the other way, unless the parameters ask for it; an idle scale-up machine waits for the next small job.
//
// The orders inside may plan recurring jobs, each kind in the racks of its machines: Planning is the order then.
//
// A cluster without scale-up machines, or with nothing else, is one part in which all jobs share. Where all machines
// of one kind are lost, the other kind serves all jobs.
package hybrid
