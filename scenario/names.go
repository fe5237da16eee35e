// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yardmaster/yardmaster/result"
)

// fileName reports whether a name can be the name of a folder everywhere.
func fileName(name string) bool {
	if name == "" || len(name) > 100 || name[0] == '.' || name[0] == ' ' || name[len(name)-1] == ' ' ||
		slices.Contains([]string{result.SummaryName, result.ManifestName, result.PageName}, name) {
		return false
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return false
		}
	}
	return true
}

const fileNameAllowed = `1 to 100 printable characters without / \ : * ? " < > |, not beginning with a dot or space, and not the name of a result file`

// Label makes a text a name in results: it replaces what cannot be in the name of a result folder.
func Label(text string) string {
	text = strings.Map(func(r rune) rune {
		if !fileName("x" + string(r) + "x") {
			return '-'
		}
		return r
	}, strings.TrimSpace(text))
	text = strings.TrimLeft(text, ". ")
	if !fileName(text) {
		return "settings-" + strings.TrimSpace(string([]rune(text)[:min(40, len([]rune(text)))]))
	}
	return text
}
