// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// TestSearchSameBytes: a search whose runs are run on a cluster that loses some results equals the one here; killed in the
// middle and resumed, too.
func TestSearchSameBytes(t *testing.T) {
	b := newBench(t)
	s, _, err := scenario.LoadOrBuiltin(b.file, b.task.Settings)
	if err != nil {
		t.Fatal(err)
	}
	q := experiment.Search{Scenario: s, Seeds: 3, Options: experiment.Options{Workers: 1},
		Axes: []experiment.Axis{{Path: "policy.fbq.limits", Values: []string{"[5s]", "[20s]", "[40s]"}}}}
	if q.Objective, err = experiment.ParseObjective(s, "mean_elapsed", []string{"makespan<=1000"}); err != nil {
		t.Fatal(err)
	}
	text := func(r *experiment.SearchResult) string {
		var out bytes.Buffer
		if err := result.WriteJSON(&out, r.Summary("small")); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	here, err := q.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	there := Search{Cluster: b.sweep(t, b.journal(t, "unused")).Cluster, Task: Task{Settings: b.task.Settings}, Scenario: b.file, Folder: filepath.Join(b.folder, "runs"), Version: "v", Log: io.Discard}
	t.Setenv("YARD_TEST_DIES", "1")
	if _, err := there.Run(t.Context(), &q); err == nil || !strings.Contains(err.Error(), "the job was killed") {
		t.Fatal(err)
	}
	if journal, err := os.ReadFile(filepath.Join(there.Folder, experiment.JournalName)); err != nil || bytes.Count(journal, []byte("\n")) != 5 {
		t.Errorf("kept are %q, %v; want a head and the four runs whose results were not lost", journal, err)
	}
	os.Unsetenv("YARD_TEST_DIES")
	found, err := there.Run(t.Context(), &q)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := text(found), text(here); got != want {
		t.Errorf("on the cluster\n%s\nhere\n%s", got, want)
	}
	if left, err := os.ReadDir(there.Folder); !os.IsNotExist(err) {
		t.Errorf("the folder of the journal is still there: %v, %v", left, err)
	}
	if left, _ := filepath.Glob(filepath.Join(b.folder, "hdfs", "yardmaster*")); len(left) > 0 {
		t.Errorf("left in the cluster's file system: %v", left)
	}
}
