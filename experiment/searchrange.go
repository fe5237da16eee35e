// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// rangeText is LOW..HIGH/N with the same unit at both ends: N values from LOW to HIGH.
var rangeText = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)([a-zA-Z%]*)\.\.([0-9]+(?:\.[0-9]+)?)([a-zA-Z%]*)/([0-9]+)`)

// ParseSpace reads an axis of a search: PATH=VALUE,VALUE as for a sweep, where a value may hold one range
// LOW..HIGH/N, which stands for N values from LOW to HIGH in equal ratios, such as
// policy.fbq.limits=[2000s..40000s/8].
func ParseSpace(text string) (Axis, error) {
	axis, err := ParseAxis(text)
	if err != nil {
		return axis, err
	}
	var values []string
	for _, v := range axis.Values {
		more, err := expandRange(v)
		if err != nil {
			return Axis{}, &strict.InputError{Err: fmt.Errorf("%s: %w", text, err)}
		}
		for _, m := range more {
			if !slices.Contains(values, m) {
				values = append(values, m)
			}
		}
	}
	axis.Values = values
	return axis, nil
}

func expandRange(value string) ([]string, error) {
	at := rangeText.FindStringSubmatchIndex(value)
	if at == nil {
		return []string{value}, nil
	}
	part := func(i int) string { return value[at[2*i]:at[2*i+1]] }
	low, _ := strconv.ParseFloat(part(1), 64)
	high, _ := strconv.ParseFloat(part(3), 64)
	n, err := strconv.Atoi(part(5))
	if err != nil || n < 2 || n > 1000 || low <= 0 || high <= low || part(2) != part(4) {
		return nil, fmt.Errorf("found the range %q; allowed: LOW..HIGH/N with 0 < LOW < HIGH in the same unit and N from 2 to 1000, such as 2000s..40000s/8", value[at[0]:at[1]])
	}
	whole := !strings.Contains(part(1)+part(3), ".")
	var out []string
	for i := range n {
		v := low * math.Pow(high/low, float64(i)/float64(n-1))
		text := strconv.FormatFloat(v, 'g', 3, 64)
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
		switch {
		case i == 0:
			text = part(1)
		case i == n-1:
			text = part(3)
		case whole:
			f, _ := strconv.ParseFloat(text, 64)
			text = strconv.FormatFloat(math.Round(f), 'f', -1, 64)
		}
		out = append(out, value[:at[0]]+text+part(2)+value[at[1]:])
	}
	return out, nil
}
