// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"reflect"
	"testing"
	"testing/fstest"
)

// The table is found by its head, wherever it stands, and ends with the first line that is none of it.
func TestStatements(t *testing.T) {
	fsys := fstest.MapFS{
		"p/README.md": {Data: []byte("# P\n\n| what | value |\n|---|---|\n| a | 1 |\n\n## S\n\n| statement of the paper | ours |\n|:---|---:|\n| FIFO is worst | `fifo` 3 |\n| | 4 |\n\nEnd | of | text |\n| x | y |\n")},
		"q/README.md": {Data: []byte("| what | value |\n|---|---|\n| a | 1 |\n")},
	}
	for paper, want := range map[string][][]string{
		"p": {{"statement of the paper", "ours"}, {"FIFO is worst", "`fifo` 3"}, {"", "4"}},
		"q": nil,
		"r": nil,
	} {
		if got, err := statements(fsys, paper); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, %v; want %q", paper, got, err, want)
		}
	}
}
