// SPDX-License-Identifier: Apache-2.0

package nodelist

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/measure"
)

// printed runs the command on two nodes without a size, and returns what it printed, its warnings and its error.
func printed(t *testing.T, c Command) (out, warned string, err error) {
	t.Helper()
	c.File = filepath.Join(t.TempDir(), "nodes.json")
	if err := os.WriteFile(c.File, []byte(`{"rack": "r", "nodes": [{"node": "n1"}, {"node": "n2"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	err = c.Run(&measure.Shell{Ctx: context.Background(), Out: &stdout, Err: &stderr})
	return stdout.String(), stderr.String(), err
}

// Nodes have the size that is asked for; without one they have Hadoop's simulator's, and a warning says so. Two nodes hold
// two replicas.
func TestSizes(t *testing.T) {
	cores := int32(4)
	out, warned, err := printed(t, Command{Memory: "3GiB", VCores: &cores})
	if err != nil || warned != "" || !strings.Contains(out, "3GiB") || !strings.Contains(out, "hdfs: {replication: 2}") {
		t.Errorf("%v, %q, %s", err, warned, out)
	}
	if out, warned, err = printed(t, Command{}); err != nil || !strings.Contains(warned, "warning") || !strings.Contains(out, "10GiB") {
		t.Errorf("%v, %q, %s", err, warned, out)
	}
}

// Sizes of nothing and a folder that is not there are refused, and nothing is printed.
func TestRefused(t *testing.T) {
	none := int32(0)
	for want, c := range map[string]Command{"--memory 0B": {Memory: "0B"}, "--memory much": {Memory: "much"}, "--vcores 0": {VCores: &none}, "absent": {Conf: "absent"}} {
		if out, _, err := printed(t, c); err == nil || !strings.Contains(err.Error(), want) || out != "" {
			t.Errorf("%s: %v, %q", want, err, out)
		}
	}
}
