// SPDX-License-Identifier: Apache-2.0

package printed

import "testing"

// Letters of all scripts and spaces stay; what moves the cursor, colours, rings, ends the line or turns its direction is
// written out.
func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		`daily "load" \ é 日本 10 %`: `daily "load" \ é 日本 10 %`,
		"a\u00a0b":                 "a\u00a0b",
		"job\x1b[2J\x1b[31mred":    `job\x1b[2J\x1b[31mred`,
		"a\nroot.fake  1 GiB":      `a\nroot.fake  1 GiB`,
		"a\rb\tc\a\x7f":            `a\rb\tc\a\x7f`,
		"a\u009b2Jb":               `a\u009b2Jb`, // the same as ESC [ to terminals of eight bits
		"a\x9b2Jb\xff":             "a\ufffd2Jb\ufffd",
		"a\u202eb\u2028c":          `a\u202eb\u2028c`,
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
