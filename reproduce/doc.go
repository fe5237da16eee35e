// SPDX-License-Identifier: Apache-2.0

// Package reproduce runs published experiments and judges what comes out.
//
// A paper, or a chapter of one, is a folder with scenarios and expected.yaml (Expected): its experiments, the
// figures and tables that were published about them, the statements that must be true (relations such as
// fair@mean_slowdown < 0.6 * fifo@mean_slowdown), and the drawings of its page. Reproduce runs each
// experiment as a comparison of experiment, asks it the queries that the figures and drawings need, and
// turns every figure into a Finding: the paper's value, ours with its interval, a verdict of a closed list,
// and the cause where ours deviates. Charts are drawn of the same runs.
//
// The package knows what a paper says and how to hold a comparison against it. It does not know how runs
// are made or which papers there are: papers holds them as files, and the command decides what is written.
package reproduce
