// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"bytes"
	"testing"
)

// FuzzRun: any scenario is refused, or decided alike twice.
func FuzzRun(f *testing.F) {
	f.Add([]byte(`{` + twoLeaves + `, "steps": [{"op": "submit", "app": 1, "queue": "root.dev", "user": "a"}, {"op": "hb", "t": 9, "node": "n1"},
		{"op": "registerAll"}, {"op": "ask", "app": 1, "reqs": [{"mem": 1000, "n": 2}]}, {"op": "hb", "node": "n1"}, {"op": "dump"}]}`))
	f.Add([]byte(`{"conf": {"yarn.scheduler.capacity.root.queues": "a"}, "nodes": [{"name": "n", "mem": 1, "vc": 1, "late": true}], "steps": [{"op": "node", "node": "n"}, {"op": "lost", "node": "n"}]}`))
	f.Add([]byte(`{"steps": [`))
	f.Fuzz(func(t *testing.T, src []byte) {
		var once, again bytes.Buffer
		err := Run("s.json", src, World{Out: &once})
		if twice := Run("s.json", src, World{Out: &again}); (twice == nil) != (err == nil) || once.String() != again.String() {
			t.Fatalf("%v\n%s\nthen %v\n%s", err, once.String(), twice, again.String())
		}
	})
}
