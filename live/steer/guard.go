// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fact is something that was seen, by its name in guards and metrics.
type Fact struct {
	Name  string
	Value float64
}

// Guard stops a controller when a fact crosses a limit.
type Guard struct {
	Name  string
	Above bool // stops above the limit, otherwise below it
	Equal bool // stops at the limit as well
	Limit float64
}

// ParseGuard reads NAME>NUMBER, with >, >=, < or <=, where NAME is one of the names.
func ParseGuard(text string, names []string) (Guard, error) {
	at := strings.IndexAny(text, "<>")
	fault := fmt.Errorf("--stop-if %s: allowed: NAME>NUMBER with >, >=, < or <=, where NAME is one of %s", text, strings.Join(names, ", "))
	if at < 0 {
		return Guard{}, fault
	}
	g := Guard{Name: strings.TrimSpace(text[:at]), Above: text[at] == '>'}
	rest := text[at+1:]
	rest, g.Equal = strings.CutPrefix(rest, "=")
	var err error
	if g.Limit, err = strconv.ParseFloat(strings.TrimSpace(rest), 64); err != nil || !slices.Contains(names, g.Name) {
		return Guard{}, fault
	}
	return g, nil
}

// String returns the guard as it is written.
func (g Guard) String() string {
	sign := "<"
	if g.Above {
		sign = ">"
	}
	if g.Equal {
		sign += "="
	}
	return g.Name + sign + strconv.FormatFloat(g.Limit, 'g', -1, 64)
}

// Stops returns the value that stops the controller, if one of the facts does. A fact that is not known does not.
func (g Guard) Stops(facts []Fact) (float64, bool) {
	for _, f := range facts {
		if f.Name == g.Name {
			return f.Value, g.Above && f.Value > g.Limit || !g.Above && f.Value < g.Limit || g.Equal && f.Value == g.Limit
		}
	}
	return 0, false
}
