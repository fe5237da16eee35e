// SPDX-License-Identifier: Apache-2.0

package order

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// Said is what people say about applications by their names: goals, or sizes. The first pattern that fits counts.
type Said []struct {
	Pattern string
	Time    model.Time
}

// ReadSaid reads lines of a pattern of names, with * and ?, and a time. Blank lines and lines that begin with # are left
// alone.
func ReadSaid(name string, r io.Reader) (Said, error) {
	var out Said
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		at := strings.LastIndexAny(text, " \t")
		var t model.Time
		if at < 0 || t.UnmarshalText([]byte(text[at+1:])) != nil || t <= 0 {
			return nil, fmt.Errorf("%s:%d: found %q; allowed: a pattern of names and %s", name, n, text, t.Allowed())
		}
		pattern := strings.TrimSpace(text[:at])
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%s:%d: pattern %q: %w", name, n, pattern, err)
		}
		out = append(out, struct {
			Pattern string
			Time    model.Time
		}{pattern, t})
	}
	return out, in.Err()
}

// Of returns what is said about a name.
func (s Said) Of(name string) (model.Time, bool) {
	for i := range s {
		if ok, _ := path.Match(s[i].Pattern, name); ok { // the pattern was tried
			return s[i].Time, true
		}
	}
	return 0, false
}

// goalTag returns the goal in an application's tags, such as goal=300s.
func goalTag(tags string) (model.Time, bool) {
	for tag := range strings.SplitSeq(tags, ",") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(tag), "goal="); ok {
			var t model.Time
			if t.UnmarshalText([]byte(text)) == nil && t > 0 {
				return t, true
			}
		}
	}
	return 0, false
}
