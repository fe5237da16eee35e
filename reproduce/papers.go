// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// Papers returns the names of the papers in fsys, in order. A paper is a folder with expected.yaml. A folder
// without it whose own folders have one is a paper with chapters, and each of those is listed as
// PAPER/CHAPTER.
func Papers(fsys fs.FS) ([]string, error) {
	names, err := withFigures(fsys, ".")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range names {
		if f.figures {
			out = append(out, f.name)
			continue
		}
		chapters, err := withFigures(fsys, f.name)
		if err != nil {
			return nil, err
		}
		for _, c := range chapters {
			if c.figures {
				out = append(out, c.name)
			}
		}
	}
	return out, nil
}

// folder is a folder of papers and whether it has expected.yaml.
type folder struct {
	name    string
	figures bool
}

// withFigures returns the folders below dir, in order.
func withFigures(fsys fs.FS, dir string) (folders []folder, err error) {
	entries, err := fs.ReadDir(fsys, dir)
	for _, e := range entries {
		if e.IsDir() {
			name := path.Join(dir, e.Name())
			_, err := fs.Stat(fsys, path.Join(name, "expected.yaml"))
			folders = append(folders, folder{name, err == nil})
		}
	}
	return folders, err
}

// Find returns the papers that text names among names, which Papers returned: one of them, or all chapters of a
// paper. With /EXPERIMENT behind the name of one, experiment is that.
func Find(names []string, text string) (found []string, experiment string, err error) {
	if strings.HasSuffix(text, "/") {
		return nil, "", &strict.InputError{Err: fmt.Errorf("reproduce %s: allowed: PAPER or PAPER/CHAPTER, and /EXPERIMENT behind it", text)}
	}
	var parents []string // papers with chapters
	for _, n := range names {
		rest, below := strings.CutPrefix(text, n+"/")
		switch {
		case n == text:
			return []string{n}, "", nil
		case below:
			return []string{n}, rest, nil
		case strings.HasPrefix(n, text+"/"):
			found = append(found, n)
		}
		if parent, _, chapter := strings.Cut(n, "/"); chapter && !slices.Contains(parents, parent) {
			parents = append(parents, parent)
		}
	}
	if len(found) > 0 {
		return found, "", nil
	}
	name, rest, _ := strings.Cut(text, "/")
	if slices.Contains(parents, name) {
		chapter, _, _ := strings.Cut(rest, "/")
		name += "/" + chapter
	}
	return nil, "", unknown(fmt.Sprintf("unknown paper %q", name), name, slices.Concat(names, parents))
}

// unknown is the error of a name that is not among those allowed.
func unknown(what, name string, allowed []string) error {
	msg := what + "; allowed: " + strings.Join(allowed, ", ")
	if near := strict.Nearest(name, allowed); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return &strict.InputError{Err: fmt.Errorf("%s", msg)}
}
