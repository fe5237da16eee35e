// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"fmt"
	"strings"
	"testing"
)

// What there is one of stands in the singular.
func TestFactsCount(t *testing.T) {
	const world = `
cluster: {classes: [{name: big, nodes: %d, map-slots: 2, reduce-slots: 2}]}
hdfs: {replication: %[1]d}
workload: {jobs: [{name: a, submit: 0s, maps: %[1]d, map-length: 10s}%s]}
`
	for _, c := range []struct {
		n    int
		more string
		want string
	}{
		{1, "", "1 big node with 2 map + 2 reduce slots in 1 rack; 128MiB blocks, 1 replica; 1 job, 1 task (first seed)"},
		{2, ", {name: b, submit: 0s, maps: 1, map-length: 10s}", "2 big nodes with 2 map + 2 reduce slots in 1 rack; 128MiB blocks, 2 replicas; 2 jobs, 3 tasks (first seed)"},
	} {
		var got []string
		for _, f := range parseNamed(t, fmt.Sprintf(world, c.n, c.more)).Facts() {
			if f[0] != "Heartbeat" {
				got = append(got, f[1])
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s, want %s", text, c.want)
		}
	}
}
