// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"fmt"
	"strings"
)

// depth is how often variables of one value are put in before the release gives up.
const depth = 20

// Expand puts ${variables} into a text by the rules of the release. The first one that no other stands in is put in, again
// and again. Where it is no property, the text stays as it is then; where it leads to itself, the text comes back as it
// came. ${env.NAME:-TEXT} and ${env.NAME-TEXT} are TEXT: the environment of the resource manager is not known here, nor
// are the system properties of its process. The error is the release's, for variables that do not come to an end.
func (p Properties) Expand(text string) (string, error) {
	out := text
	for range depth {
		from, to := variable(out)
		if from < 0 {
			return out, nil
		}
		value, known := p.variable(out[from+2 : to-1])
		if !known {
			return out, nil
		}
		if strings.Contains(value, out[from:to]) {
			return text, nil
		}
		out = out[:from] + value + out[to:]
	}
	return "", circular(text)
}

// circular is a text whose variables do not come to an end.
type circular string

// Error says it in the words of the release.
func (text circular) Error() string {
	return fmt.Sprintf("Variable substitution depth too large: %d %s", depth, string(text))
}

// variable returns where the first variable begins and ends that has a name, without blanks and other variables in it;
// -1 if there is none.
func variable(text string) (from, to int) {
	for from = 0; ; from += 2 {
		at := strings.Index(text[from:], "${")
		if at < 0 {
			return -1, 0
		}
		from += at
		end := strings.IndexAny(text[from+2:], "}$ ")
		if end > 0 && text[from+2+end] == '}' {
			return from, from + 2 + end + 1
		}
	}
}

// variable returns what a variable stands for.
func (p Properties) variable(name string) (string, bool) {
	if env, ok := strings.CutPrefix(name, "env."); ok {
		if at := strings.IndexByte(env, '-'); at >= 0 {
			return env[at+1:], true
		}
		return "", false
	}
	value, known := p[name]
	return value, known
}
