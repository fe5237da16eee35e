// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"

	"github.com/yardmaster/yardmaster/report/plot"
)

const (
	stripColours             = 12
	stripWidth, stripLeft    = 900.0, 190.0
	stripRow, stripBar       = 26.0, 18.0
	stripTop                 = 4.0
	heatWidth, heatLeft      = 900.0, 150.0
	heatTop, heatMost        = 26.0, 34.0
	stripRight, heatRight    = 872.0, 890.0
	stripFoot, heatFoot      = 26.0, 30.0
	labelRunes, heatLabelGap = 28, 12.0
)

// stripView is a strip laid out.
type stripView struct {
	*Strip
	Width, Height, Bottom, Left float64
	Ticks                       []plot.Tick
	Lines                       []stripLine
	Legend                      []stripKey
}

// stripKey is a kind of span in the legend.
type stripKey struct {
	Name, Class string
	Pale        bool // all its spans are
}

type stripLine struct {
	Name string
	Y    float64
	Bars []stripBarView
}

type stripBarView struct {
	X, Y, W, H float64
	Class      string // its colour
	Pale       bool
	Tip        string
}

// class returns the class of the page's style sheet that has the colour of a kind.
func (s *Strip) class(kind int) string {
	if s.Limits && kind > 0 {
		return "limit-" + s.Kinds[kind]
	}
	return fmt.Sprintf("k%d", kind%stripColours)
}

func newStripView(s *Strip) *stripView {
	v := &stripView{Strip: s, Width: stripWidth, Left: stripLeft}
	x := plot.NewScale(plot.Axis{}, stripLeft, stripRight)
	used, solid := make([]bool, len(s.Kinds)), make([]bool, len(s.Kinds))
	for _, r := range s.Rows {
		for _, p := range r.Spans {
			x.Include(p.From)
			x.Include(p.To)
			used[p.Kind] = true
			solid[p.Kind] = solid[p.Kind] || !p.Pale
		}
	}
	x.Lengthen()
	for i, r := range s.Rows {
		y := stripTop + float64(i)*stripRow
		line := stripLine{Name: shorten(r.Name), Y: y + stripBar/2}
		for _, p := range r.Spans {
			left := x.Place(p.From)
			line.Bars = append(line.Bars, stripBarView{X: plot.At(left), Y: y, W: plot.At(max(x.Place(p.To)-left, 0.4)), H: stripBar, Class: s.class(p.Kind), Pale: p.Pale, Tip: p.Tip})
		}
		v.Lines = append(v.Lines, line)
	}
	v.Bottom = stripTop + float64(len(s.Rows))*stripRow
	v.Height = v.Bottom + stripFoot
	for _, t := range x.Ticks(8) {
		t.Text += " s"
		v.Ticks = append(v.Ticks, t)
	}
	for i, name := range s.Kinds {
		if used[i] {
			v.Legend = append(v.Legend, stripKey{name, s.class(i), !solid[i]})
		}
	}
	return v
}

// shorten cuts a name that stands beside a row.
func shorten(name string) string {
	if r := []rune(name); len(r) > labelRunes {
		return string(r[:labelRunes-1]) + "…"
	}
	return name
}

// heatView is a map laid out.
type heatView struct {
	*Heat
	Width, Height, Left, Bottom float64
	Cells                       []heatCell
	RowTicks                    []plot.Tick
	ColTicks                    []colTick
	Low, High                   string
	Mark                        *heatCell
}

// colTick is the label of a column; Anchor is which part of it stands at the tick.
type colTick struct {
	plot.Tick
	Anchor string
}

type heatCell struct {
	X, Y, W, H float64
	Share      float64 // of the colour, 0.05 to 1
	Tip        string
}

func newHeatView(h *Heat) *heatView {
	v := &heatView{Heat: h, Width: heatWidth, Left: heatLeft}
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range h.Values {
		for _, x := range r {
			if !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	if low > high {
		low, high = 0, 0
	}
	unit := func(x float64) string {
		if h.Unit == "share" {
			return plot.Short(100*x) + " %"
		}
		return Amount(x, h.Unit)
	}
	v.Low, v.High = unit(low), unit(high)
	height := min(heatMost, max(4, 420/float64(max(len(h.Rows), 1))))
	width := (heatRight - heatLeft) / float64(max(len(h.Cols), 1))
	for i, r := range h.Values {
		for j, x := range r {
			if math.IsNaN(x) {
				continue
			}
			share := 1.0
			if high > low {
				share = 0.06 + 0.94*(x-low)/(high-low)
			}
			c := heatCell{X: plot.At(heatLeft + float64(j)*width), Y: plot.At(heatTop + float64(i)*height), W: plot.At(max(width, 0.5)), H: plot.At(height), Share: math.Round(1000*share) / 1000,
				Tip: fmt.Sprintf("%s, %s: %s", h.Rows[i], h.Cols[j], unit(x))}
			v.Cells = append(v.Cells, c)
			if h.Best == [2]int{i, j} {
				v.Mark = &c
			}
		}
	}
	v.Bottom = heatTop + float64(len(h.Rows))*height
	v.Height = v.Bottom + heatFoot
	every := max(1, int(math.Ceil(12/height)))
	for i := 0; i < len(h.Rows); i += every {
		v.RowTicks = append(v.RowTicks, plot.Tick{At: plot.At(heatTop + (float64(i)+0.5)*height), Text: shorten(h.Rows[i])})
	}
	v.ColTicks = colTicks(h.Cols, width)
	return v
}

// colTicks labels columns, as many as have room beside each other; a label that would reach beyond the drawing ends with the
// last column.
func colTicks(cols []string, width float64) (ticks []colTick) {
	longest := 4
	for _, c := range cols {
		longest = max(longest, displayWidth(shorten(c)))
	}
	every := max(1, int(math.Ceil((letter*float64(longest)+heatLabelGap)/width)))
	reach := 0.0 // where the last label ends
	for j := 0; j < len(cols); j += every {
		text, at, anchor := shorten(cols[j]), heatLeft+(float64(j)+0.5)*width, "middle"
		half := letter * float64(displayWidth(text)) / 2
		left := at - half
		if at+half > heatWidth {
			at, anchor, left = heatRight, "end", heatRight-2*half
		}
		if left >= reach {
			ticks = append(ticks, colTick{plot.Tick{At: plot.At(at), Text: text}, anchor})
			reach = left + 2*half
		}
	}
	return ticks
}
