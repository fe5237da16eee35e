// SPDX-License-Identifier: Apache-2.0

// Package hadoop1 is the Capacity Scheduler of Hadoop 1 (release 0.20.203) as roles of a policy: the order of jobs with
// its limits by queue and user, and the admission by the poller and workers that initialise jobs. Both share a Book of queues, users
// and jobs. thesis.go has the rules of capacity-2013's own simulator where they differ.
package hadoop1
