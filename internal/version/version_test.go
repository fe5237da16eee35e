// SPDX-License-Identifier: Apache-2.0

package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	own := strings.TrimSpace(release)
	if own == "" || strings.ContainsAny(own, " \n+") {
		t.Fatalf("release %q", own)
	}
	for _, c := range []struct{ module, revision, want string }{
		{"(devel)", "", own},
		{"v" + own, "", own},
		{"(devel)", "0123456789abcdef0123", own + "+0123456789ab"},
		{"v0.0.0-20261115120000-fedcba987654", "", own + "+fedcba987654"},
		{"v0.1.1-0.20261115120000-fedcba987654", "", own + "+fedcba987654"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.module}}
		if c.revision != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: c.revision}}
		}
		if got := of(info); got != c.want {
			t.Errorf("module %s, revision %s: %s, want %s", c.module, c.revision, got, c.want)
		}
	}
}
