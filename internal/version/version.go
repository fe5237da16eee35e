// SPDX-License-Identifier: Apache-2.0

// Package version says which program this is: its release, and the revision that it was built from where that is known.
package version

import (
	_ "embed"
	"regexp"
	"runtime/debug"
	"strings"
)

// release is the last release, or the one that is being worked on.
//
//go:embed release.txt
var release string

// pseudo matches versions that go install makes up for a revision without a tag; they end in its first twelve digits.
var pseudo = regexp.MustCompile(`^v[0-9.]+-.*[0-9]{14}-([0-9a-f]{12})$`)

// String returns the release and the revision: 0.1.0+1234567890ab.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return strings.TrimSpace(release)
	}
	return of(info)
}

// of returns the version of a build: from a checkout, from a module proxy, or without either.
func of(info *debug.BuildInfo) string {
	own := strings.TrimSpace(release)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return own + "+" + s.Value[:12]
		}
	}
	if m := pseudo.FindStringSubmatch(info.Main.Version); m != nil {
		return own + "+" + m[1]
	}
	return own
}
