// SPDX-License-Identifier: Apache-2.0

// Package policies holds the scheduling policies, one file and one test each. A policy file uses
// nothing declared in another one; what two need lives in the package policy/kit.
//
// To add one: write its file with a function that returns its Entry, its test, one line in All,
// and one scenario test. Help, docs, scenario validation and the conformance suite follow.
package policies

import "github.com/yardmaster/yardmaster/policy"

// All is the table of policies.
var All = policy.Registry{
	fifoEntry(),
	fairEntry(),
	delayEntry(),
	srptEntry(),
	sptpEntry(),
	edfEntry(),
	deadlineMinEntry(),
	deadlineMaxEntry(),
	fbqEntry(),
	tagsEntry(),
	sitaEntry(),
	compEntry(),
	capacityEntry(),
}
