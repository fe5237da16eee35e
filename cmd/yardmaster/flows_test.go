// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"
)

// Two flows of 100 bytes from different nodes into one share its link of 10 bytes/s: both end at 20 s;
// a flow on the node itself ends when it starts.
func TestFlows(t *testing.T) {
	inFolder(t, small)
	os.WriteFile("f.txt", []byte("topology 1 3 100 10 1000 1000\nflow a 0 2 100 0\nflow b 1 2 100 0\nflow c 1 1 5 7\n"), 0o644)
	o := yardmaster("flows", "f.txt", "--stats")
	if o.code != exitDone || o.out != "a 20\nb 20\nc 7\n" || !strings.HasPrefix(o.err, "run_s=") || !strings.Contains(o.err, " run_cpu_s=") {
		t.Errorf("exit code %d, %q, %q", o.code, o.out, o.err)
	}
}

func TestBadFlows(t *testing.T) {
	inFolder(t, small)
	os.WriteFile("f.txt", []byte("topology 1 3 0 10 1000 1000\nflow a 0 9 100 0\nflow a 1 2 -5 0\n"), 0o644)
	o := yardmaster("flows", "f.txt")
	if o.code != exitRefused || o.out != "" || strings.Count(o.err, "line") < 3 {
		t.Errorf("exit code %d, %q, %q", o.code, o.out, o.err)
	}
}
