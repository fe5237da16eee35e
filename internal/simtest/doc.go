// SPDX-License-Identifier: Apache-2.0

// Package simtest tests the simulator as a whole.
//
// Four parts can be used by tests of other packages: Generate draws a cluster with a workload,
// Params draws valid parameters of a policy, Combine a combination of roles with theirs, and Audit is an
// independent twin of the engine's accounting that reads nothing but the recorded events. The rest are
// tests:
//
//   - the conformance suite (conformance_test.go and its neighbours), which every entry of
//     policies.All and random combinations of roles pass on generated cases; a failing case is shrunk to a
//     small one;
//   - a driver by hand (arrivals_test.go) under which jobs and nodes come as they come;
//   - scenario files (testdata/scenarios), small stories with the dialogue that a run must produce.
//
// To add a policy nothing changes here except one scenario file; if it has parameters, Params may
// draw them, and roleText those of a role.
package simtest
