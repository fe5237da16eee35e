// SPDX-License-Identifier: Apache-2.0

package csvtext

import (
	"encoding/csv"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"etl":              "etl",
		"o'clock":          "o'clock",
		"'quoted'":         "'quoted'",
		"a=b":              "a=b",
		"=1+2":             "'=1+2",
		"+1":               "'+1",
		"-x":               "'-x",
		"@sum":             "'@sum",
		"\tx":              "'\tx",
		"\r=x":             "\"'\r=x\"",
		"'=1":              "''=1",
		"a,b":              `"a,b"`,
		`=HYPERLINK("x,")`: `"'=HYPERLINK(""x,"")"`,
	} {
		if got := string(Append(nil, text)); got != want {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
	}
}

// Whatever is written begins with nothing that a spreadsheet runs, and comes back as it was.
func FuzzRound(f *testing.F) {
	for _, s := range []string{"", "'", "''", "'=", "=", "''+a", "-1", "a,\"b\"\n", "\t", "@"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g := Guard(s)
		if g != "" && strings.ContainsAny(g[:1], "=+-@\t\r") {
			t.Errorf("%q is written as %q", s, g)
		}
		if b := Bare(g); b != s {
			t.Errorf("%q comes back as %q", s, b)
		}
		if strings.Contains(s, "\r") { // encoding/csv makes \r\n in quotes a newline
			return
		}
		row, err := csv.NewReader(strings.NewReader("x," + string(Append(nil, s)) + "\n")).Read()
		if err != nil || len(row) != 2 || row[1] != g {
			t.Errorf("%q is read as %q: %v", s, row, err)
		}
	})
}
