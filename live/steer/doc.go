// SPDX-License-Identifier: Apache-2.0

// Package steer changes settings of a live cluster so that they can always be put back.
//
// A Knob names one setting, a Hand reads and writes it. Everything that a controller changes goes through a
// Session, which
//
//   - holds the lock of its cluster and queue, so that two controllers never steer one queue;
//   - writes down in its Journal what stood there before, and what it is about to write, and waits until both are on
//     disk before it acts, and acts no more once the journal takes no more lines;
//   - reads back what it wrote, because a resource manager may answer that it has applied a change which has no
//     effect;
//   - never repeats a write blindly: after a lost answer it reads first;
//   - stops when a value stands there that it has not written: another hand is at work.
//
// Restore puts everything back. It works from the journal alone, so the next process can do it after this one was
// killed; a session that still runs needs no journal for it. What somebody else has changed meanwhile is left as it is,
// and said.
//
// A Controller calls a Pilot, which looks at the cluster and acts through a session, at the times that the pilot
// names. It stops on a signal, a guard, a connection lost for too long or a fault, and restores.
package steer
