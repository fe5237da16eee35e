// SPDX-License-Identifier: Apache-2.0

package report

import (
	"io"
	"strings"
	"unicode"
)

// wideTable is the width above which Table writes one line per policy instead of one per metric.
const wideTable = 132

// Table writes the summary as an aligned plain-text table: the mean with half the width of its
// interval, the difference against the first policy, and a * where the difference's interval
// excludes zero. One line is one metric, or one metric of one policy where that would be too
// wide. Write errors are ignored, as those of fmt.Println are.
func Table(w io.Writer, rows []Row, policies []string) {
	lines := wideLines(rows, policies)
	right := 1 // columns from this one on are aligned to the right
	if tableWidth(lines) > wideTable {
		lines = longLines(rows, policies)
		right = 2
	}
	var b strings.Builder
	writeAligned(&b, lines, right)
	if starred(rows) {
		b.WriteString("* the 95 % interval of the paired difference against " + policies[0] + " excludes zero\n")
	}
	_, _ = io.WriteString(w, b.String())
}

// wideLines has a line for each metric and up to two columns for each policy: value and difference.
func wideLines(rows []Row, policies []string) [][]string {
	head := []string{"metric"}
	for i, p := range policies {
		if head = append(head, p); i > 0 {
			head = append(head, "vs "+policies[0])
		}
	}
	lines := [][]string{head}
	for i := range rows {
		s := scaleOf(&rows[i])
		line := []string{rows[i].Metric}
		for k, c := range rows[i].Cells {
			if line = append(line, valueText(s, c)); k > 0 {
				line = append(line, diffText(c))
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// longLines has a line for each metric and policy.
func longLines(rows []Row, policies []string) [][]string {
	lines := [][]string{{"metric", "policy", "mean", "vs " + policies[0]}}
	for i := range rows {
		s := scaleOf(&rows[i])
		name := rows[i].Metric
		for k, c := range rows[i].Cells {
			if k >= len(policies) {
				break
			}
			lines = append(lines, []string{name, policies[k], valueText(s, c), diffText(c)})
			name = ""
		}
	}
	return lines
}

func valueText(s scale, c Cell) string {
	if c.Empty {
		return "-"
	}
	if !c.HasInterval {
		return s.mean(c.Mean)
	}
	n := decimals(c.Mean / s.div)
	return s.unit(number(c.Mean/s.div, n) + " ± " + s.half(c.Mean, (c.High-c.Low)/2))
}

// diffText ends in a star or in a space, so that the numbers of a column stay aligned.
func diffText(c Cell) string {
	switch {
	case !c.HasDiff:
		return ""
	case c.Better != 0:
		return percent(c.Diff) + " *"
	}
	return percent(c.Diff) + "  "
}

func starred(rows []Row) bool {
	for _, r := range rows {
		for _, c := range r.Cells {
			if c.HasDiff && c.Better != 0 {
				return true
			}
		}
	}
	return false
}

func columnWidths(lines [][]string) []int {
	var widths []int
	for _, line := range lines {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displayWidth(cell))
		}
	}
	return widths
}

func tableWidth(lines [][]string) int {
	total := -2
	for _, w := range columnWidths(lines) {
		total += w + 2
	}
	return total
}

// writeAligned pads every cell to the width of its column, two spaces apart; columns from right
// on are aligned to the right. No line ends in a space.
func writeAligned(b *strings.Builder, lines [][]string, right int) {
	widths := columnWidths(lines)
	for n, line := range lines {
		var text strings.Builder
		for i, cell := range line {
			if i > 0 {
				text.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-displayWidth(cell))
			if i >= right {
				text.WriteString(pad + cell)
			} else {
				text.WriteString(cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
		if n == 0 {
			b.WriteString(strings.Repeat("─", tableWidth(lines)) + "\n")
		}
	}
}

// displayWidth is the number of terminal columns that s takes: marks that combine with the rune
// before them take none, East Asian wide runes and emoji two.
func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
			r >= 0xFF01 && r <= 0xFF60, r >= 0x1F300 && r <= 0x1FAFF:
			n += 2
		default:
			n++
		}
	}
	return n
}
