// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"errors"
	"fmt"
	"strings"
)

// Unknown is the error of a name that is not among those known, with the one that was probably meant.
func Unknown(what, name string, known []string) error {
	text := fmt.Sprintf("unknown %s %q; allowed: %s", what, name, strings.Join(known, ", "))
	if near := Nearest(name, known); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return errors.New(text)
}

// Nearest returns the candidate that somebody who wrote name most probably meant, or "" when
// none is near. Near is a Damerau-Levenshtein distance of at most 2 that leaves at least half of
// the longer name untouched, or else a shared beginning of at least 3 letters and half of the
// shorter name. Case does not count, nor does _ for -. Ties go to the smaller text, so the order
// of candidates does not matter.
func Nearest(name string, candidates []string) string {
	const far = 3
	from := fold(name)
	best, bestDist, bestPrefix := "", far, 0
	for _, c := range candidates {
		to := fold(c)
		dist, prefix := distance(from, to), commonPrefix(from, to)
		if dist > 2 || 2*dist > max(len(from), len(to)) {
			dist = far
		}
		if dist == far && (prefix < 3 || 2*prefix < min(len(from), len(to))) {
			continue
		}
		better := dist < bestDist || dist == bestDist && prefix > bestPrefix
		same := dist == bestDist && prefix == bestPrefix
		if better || same && (best == "" || c < best) {
			best, bestDist, bestPrefix = c, dist, prefix
		}
	}
	return best
}

func fold(s string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(s), "_", "-"))
}

func commonPrefix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that turn a
// into b (optimal string alignment).
func distance(a, b []rune) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
