// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// The problems that this package reports; a cause may follow after a colon.
const (
	probSyntax      = "syntax error"
	probDeep        = "nested too deeply"
	probUnsupported = "not supported"
	probDuplicate   = "duplicate key"
	probUnknown     = "unknown field"
	probMissing     = "missing field"
	probNull        = "no value"
	probType        = "wrong type"
	probValue       = "bad value"
	probBounds      = "out of bounds"
	probImpossible  = "impossible value"
	probPath        = "bad path"
)

// Error is one fault of an input. Every part but Problem may be empty. Found is ready to print:
// texts are quoted already. Hint is the name that was probably meant.
type Error struct {
	Pos
	Path, Problem, Found, Allowed, Hint string
}

// Error formats e as
//
//	file:line:col: path: problem; found X; allowed: Y; did you mean "Z"?
func (e Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			b.WriteString(":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Col))
		}
		b.WriteString(": ")
	}
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Problem)
	if e.Found != "" {
		b.WriteString("; found " + e.Found)
	}
	if e.Allowed != "" {
		b.WriteString("; allowed: " + e.Allowed)
	}
	if e.Hint != "" {
		b.WriteString("; did you mean " + strconv.Quote(e.Hint) + "?")
	}
	return b.String()
}

// Touches reports whether the fault may change what stands at path: it is there, above or below it, or it is the
// misspelt name of a field there. A fault without a path touches everything.
func (e Error) Touches(path string) bool {
	if e.Path == "" || path == "" || within(path, e.Path) || within(e.Path, path) {
		return true
	}
	if e.Problem != probUnknown || e.Hint == "" {
		return false
	}
	meant := e.Hint
	if above := Above(e.Path); above != "" {
		meant = above + "." + meant
	}
	return within(path, meant) || within(meant, path)
}

// Errors are all faults of an input. Functions return them sorted; nil means none.
type Errors []Error

// Error prints one fault per line, sorted by file, line, column and path.
func (e Errors) Error() string {
	sorted := slices.Clone(e)
	sorted.sort()
	lines := make([]string, len(sorted))
	for i, err := range sorted {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns e sorted, or nil when there is no fault. Use it to hand e on as an error: an empty
// Errors in an error variable would not be nil.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	sorted := slices.Clone(e)
	sorted.sort()
	return sorted
}

func (e Errors) sort() {
	slices.SortStableFunc(e, func(a, b Error) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Path, b.Path),
		)
	})
}

// Touch reports whether one of the faults may change what stands at one of the paths.
func (e Errors) Touch(paths ...string) bool {
	return slices.ContainsFunc(e, func(err Error) bool { return slices.ContainsFunc(paths, err.Touches) })
}

// Locate gives the problems that a Validate method found their positions in the tree n. The value
// validated stands at path prefix of n, "" for the root. A path that is not in the file, because
// the fault is in a default, gets the position of its nearest ancestor.
func Locate(n *Node, prefix string, problems []model.Problem) Errors {
	var errs Errors
	for _, p := range problems {
		path := join(prefix, p.Path)
		e := Error{Path: path, Problem: probImpossible, Found: p.Found, Allowed: p.Allowed}
		e.Pos, _ = n.Find(path)
		errs = append(errs, e)
	}
	errs.sort()
	return errs
}

const maxShown = 60 // runes of a found text that a message shows

func shorten(s string) string {
	if r := []rune(s); len(r) > maxShown {
		return string(r[:maxShown]) + "..."
	}
	return s
}

func quote(s string) string { return strconv.Quote(shorten(s)) }
