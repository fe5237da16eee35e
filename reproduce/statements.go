// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// statements returns the table of README.md whose first column is headed by a statement, which says of each statement of
// the paper what became of it: its head and its rows. Empty if the paper has no such table.
func statements(fsys fs.FS, paper string) (table [][]string, err error) {
	src, err := fs.ReadFile(fsys, path.Join(paper, "README.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(src)) {
		cells := cellsOf(line)
		switch {
		case len(cells) == 0:
			if len(table) > 0 {
				return table, nil
			}
		case len(table) == 0:
			if strings.HasPrefix(strings.ToLower(cells[0]), "statement") {
				table = append(table, cells)
			}
		case strings.Trim(cells[0], "-: ") != "" || len(table) > 1: // not the line below the head
			table = append(table, cells)
		}
	}
	return table, err
}

// cellsOf returns the cells of a line of a table, none if it is not one.
func cellsOf(line string) (cells []string) {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return nil
	}
	for cell := range strings.SplitSeq(line[1:len(line)-1], "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}
