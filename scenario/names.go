// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yardmaster/yardmaster/result"
)

const mostName = 100 // bytes of the name of a folder

// fileName reports whether a name can be the name of a folder everywhere.
func fileName(name string) bool {
	if name == "" || len(name) > mostName || name[0] == '.' || name[0] == ' ' || name[len(name)-1] == ' ' ||
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

// byName is a setting of a map as Label has it, such as policy.yarn-capacity.properties[-NAME-].
var byName = regexp.MustCompile(`[\w.-]+\[-(?:yarn\.scheduler\.capacity\.)?([^]]+)-]`)

// shorter keeps of changes with a name that is too long what tells them apart: the ends of the names of properties, and the
// values. What is still too long loses its middle.
func shorter(text string) string {
	if text = byName.ReplaceAllString(text, "$1"); len(text) > mostName {
		text = strings.ToValidUTF8(text[:40], "") + "…" + strings.ToValidUTF8(text[len(text)-50:], "")
	}
	return text
}

// Label makes a text a name in results: it replaces what cannot be in the name of a result folder, and shortens changes
// such as PATH=VALUE that are longer than one.
func Label(text string) string {
	text = strings.Map(func(r rune) rune {
		if !fileName("x" + string(r) + "x") {
			return '-'
		}
		return r
	}, strings.TrimSpace(text))
	text = strings.TrimLeft(text, ". ")
	if len(text) > mostName && strings.Contains(text, "=") {
		text = shorter(text)
	}
	if !fileName(text) {
		return "settings-" + strings.TrimSpace(string([]rune(text)[:min(40, len([]rune(text)))]))
	}
	return text
}
