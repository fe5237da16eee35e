// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"reflect"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
)

// TestFramework is table I of slowdown-2015 on the registry: what tells the policies apart is what
// their entries and parameters say. Param. is the number of values that must be set for K queues: K
// itself, K-1 limits, and the K-1 capacities that the last one follows from.
func TestFramework(t *testing.T) {
	for _, c := range []struct {
		name                           string
		multiple, partitions, feedback bool
		jobSize                        string
		param                          func(k int) int
	}{
		{"fifo", false, false, false, "unknown", func(int) int { return 0 }},
		{"fbq", true, false, true, "unknown", func(k int) int { return k }},
		{"tags", true, true, true, "unknown", func(k int) int { return 2*k - 1 }},
		{"sita", true, true, false, "predicted", func(k int) int { return 2*k - 1 }},
		{"comp", true, false, false, "compared", func(int) int { return 1 }},
	} {
		e, ok := policies.All.Find(c.name)
		if !ok {
			t.Fatalf("no policy %s", c.name)
		}
		var params any
		if e.Params != nil {
			params = e.Params()
		}
		limits, hasLimits := params.(interface{ Rising() []model.Time })
		parts, divides := params.(policy.Divider)
		predicts, hasPredict := params.(policy.Needer)
		compares := has(params, "Queues")
		multiple := hasLimits || compares
		if multiple != c.multiple || divides != c.partitions || divides != (e.Can&policy.CanPartition != 0) {
			t.Errorf("%s: multiple queues %t, partitions %t, can %v", c.name, multiple, divides, e.Can)
		}
		if feedback := hasLimits && !hasPredict; feedback != c.feedback {
			t.Errorf("%s: feedback %t", c.name, feedback)
		}
		size := "unknown"
		switch {
		case hasPredict && compares:
			size = "compared"
		case hasPredict:
			size = "predicted"
		}
		if size != c.jobSize || e.Needs != 0 || hasPredict && predicts.Needs() != 0 {
			t.Errorf("%s: job size %s, needs %v", c.name, size, e.Needs)
		}
		count, k := 0, 1
		if hasLimits {
			k = len(limits.Rising()) + 1
			count += k // K, and K-1 limits
		}
		if parts != nil {
			count += reflect.ValueOf(params).Elem().FieldByName("Capacities").Len() - 1
		}
		if compares {
			count++
		}
		if want := c.param(k); count != want {
			t.Errorf("%s: %d parameters, want %d for K = %d", c.name, count, want, k)
		}
	}
}

func has(params any, field string) bool {
	return params != nil && reflect.ValueOf(params).Elem().FieldByName(field).IsValid()
}
