// SPDX-License-Identifier: Apache-2.0

// Package twin makes a scenario of a real cluster: its nodes and queues as the ResourceManager shows them, its jobs as
// their history tells, and the applications that wait and run now as they may go on.
//
// Take asks and returns a Twin; Write makes a folder of it that compare, run, sweep and backtest take as it is. Nothing
// here changes the cluster.
//
// What is kept: the properties that the model reads, and no others, so that no secret of the cluster's files gets into
// the folder. An Alias replaces the names of users and jobs.
package twin
