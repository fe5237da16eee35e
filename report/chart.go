// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"strings"
)

// Chart is one drawing of a paper's page: curves, dots, bars, boxes or stacked areas over two axes. It is
// drawn as SVG by this package, without scripts.
type Chart struct {
	Name, Title, Source string // such as "figure-6a", what it shows, where the paper has it
	Text                string // how to read it
	X, Y                ChartAxis
	Categories          []string // bars and boxes only: what stands along x
	Series              []ChartSeries
	Levels              []ChartLevel
}

// ChartAxis says how an axis is labelled and scaled.
type ChartAxis struct {
	Label string
	Log   bool
	Zero  bool // a linear axis begins at 0
}

// Mark is how a series is drawn.
type Mark uint8

// The marks. Bars stand side by side in their category, whose number is X. Areas are stacked in the
// order of the series, which have the same X. A box stands in its category, from quartile to quartile with a line
// at the median, and its whiskers reach to the extremes.
const (
	Curve Mark = iota
	Dots
	Bars
	Area
	Boxes
)

// ChartSeries is one curve, cloud, set of bars or boxes, or area.
type ChartSeries struct {
	Name   string
	Mark   Mark
	Points []ChartPoint
}

// ChartPoint is one value; Low and High bound it if they differ. Of a box it is the median, and they are the extremes.
type ChartPoint struct {
	X, Y, Low, High float64
	Quartiles       [2]float64 // of a box
	Tip             string
}

// ChartLevel is a horizontal line, such as a median.
type ChartLevel struct {
	Name   string
	Y      float64
	Series int // whose colour it has
}

const (
	plotWidth, plotHeight         = 600.0, 340.0
	plotLeft, plotRight           = 58.0, 590.0
	plotTop, plotBottom           = 14.0, 286.0
	chartColours                  = 8
	mostPoints                    = 40   // of a curve that are marked one by one
	barGroup              float64 = 0.82 // share of a category that its bars take
)

// chartView is a chart laid out for the template.
type chartView struct {
	*Chart
	Width, Height            float64
	Left, Right, Top, Bottom float64
	XTicks, YTicks           []chartTick
	Shapes                   []shape
	Legend                   []legendItem
	Empty                    bool
}

type chartTick struct {
	At   float64
	Text string
	Down bool // stands a line lower, so that its neighbours have room
}

// shape is one SVG element: a path, or a rectangle or circle with its tip.
type shape struct {
	Class string // stroke, fill, dot...
	Slot  int
	Path  string
	Tip   string
}

type legendItem struct {
	Name string
	Slot int
}

func newChartView(c *Chart) chartView {
	v := chartView{Chart: c, Width: plotWidth, Height: plotHeight, Left: plotLeft, Right: plotRight, Top: plotTop, Bottom: plotBottom}
	x, y, ok := c.scales()
	if v.Empty = !ok; v.Empty {
		return v
	}
	if len(c.Categories) > 0 {
		for i, name := range c.Categories {
			v.XTicks = append(v.XTicks, chartTick{At: at(x.place(float64(i))), Text: name})
		}
	} else {
		v.XTicks = x.ticks(7)
	}
	v.YTicks = y.ticks(6)
	below := map[float64]float64{} // top of the stack at each x
	for i := range c.Series {
		s := &c.Series[i]
		slot := i % chartColours
		if len(c.Series) > 1 {
			v.Legend = append(v.Legend, legendItem{s.Name, slot})
		}
		switch s.Mark {
		case Curve:
			v.Shapes = append(v.Shapes, curveShapes(s, slot, x, y)...)
		case Dots:
			v.Shapes = append(v.Shapes, dotShape(s, slot, x, y))
		case Bars:
			v.Shapes = append(v.Shapes, barShapes(s, slot, i, len(c.Series), x, y)...)
		case Boxes:
			v.Shapes = append(v.Shapes, boxShapes(s, slot, x, y)...)
		case Area:
			v.Shapes = append(v.Shapes, areaShape(s, slot, below, x, y))
		}
	}
	for _, l := range c.Levels {
		h := at(y.place(l.Y))
		v.Shapes = append(v.Shapes, shape{Class: "level", Slot: l.Series % chartColours, Path: fmt.Sprintf("M%g %gH%g", plotLeft, h, plotRight), Tip: l.Name + " " + short(l.Y)})
	}
	return v
}

// at rounds a position to a tenth of a unit of the drawing.
func at(v float64) float64 { return math.Round(10*v) / 10 }

// scales spans both axes over all that is drawn.
func (c *Chart) scales() (x, y chartScale, ok bool) {
	x, y = newScale(c.X, plotLeft, plotRight), newScale(c.Y, plotBottom, plotTop)
	tops := map[float64]float64{}
	for i := range c.Series {
		for _, p := range c.Series[i].Points {
			x.include(p.X)
			switch c.Series[i].Mark {
			case Area:
				tops[p.X] += p.Y
				y.include(tops[p.X])
			default:
				y.include(p.Y)
				y.include(p.Low)
				y.include(p.High)
			}
		}
	}
	for _, l := range c.Levels {
		y.include(l.Y)
	}
	if len(c.Categories) > 0 {
		x.low, x.high = -0.5, float64(len(c.Categories))-0.5
	}
	boxes := len(c.Series) > 0 && c.Series[0].Mark == Boxes // what they show is a spread, which 0 would hide
	if !boxes && !y.log && (c.Y.Zero || len(c.Categories) > 0) || len(tops) > 0 {
		y.include(0)
	}
	ok = x.seen && y.seen
	x.widen(len(c.Categories) == 0 && !x.log && len(tops) == 0)
	y.widen(boxes)
	return x, y, ok
}

func curveShapes(s *ChartSeries, slot int, x, y chartScale) (shapes []shape) {
	var line, band strings.Builder
	var back []string
	for i, p := range s.Points {
		px, py := at(x.place(p.X)), at(y.place(p.Y))
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&line, "%s%g %g", command, px, py)
		fmt.Fprintf(&band, "%s%g %g", command, px, at(y.place(max(p.High, p.Y))))
		back = append(back, fmt.Sprintf("L%g %g", px, at(y.place(min(p.Low, p.Y)))))
	}
	for i := len(back) - 1; i >= 0; i-- {
		band.WriteString(back[i])
	}
	shapes = append(shapes, shape{Class: "band", Slot: slot, Path: band.String() + "Z"}, shape{Class: "line", Slot: slot, Path: line.String()})
	if len(s.Points) > mostPoints {
		return shapes
	}
	for _, p := range s.Points {
		shapes = append(shapes, shape{Class: "point", Slot: slot, Path: fmt.Sprintf("M%g %gh0", at(x.place(p.X)), at(y.place(p.Y))), Tip: p.tip(s.Name)})
	}
	return shapes
}

// tip is what a pointer on the value shows.
func (p *ChartPoint) tip(series string) string {
	if p.Tip != "" {
		return p.Tip
	}
	text := fmt.Sprintf("%s at %s: %s", series, short(p.X), short(p.Y))
	if p.Low < p.High {
		text += fmt.Sprintf(" (95 %% interval %s to %s)", short(p.Low), short(p.High))
	}
	return text
}

// dotShape draws a whole cloud as one path of strokes without length, which round ends make dots.
func dotShape(s *ChartSeries, slot int, x, y chartScale) shape {
	var b strings.Builder
	for _, p := range s.Points {
		fmt.Fprintf(&b, "M%g %gh0", at(x.place(p.X)), at(y.place(p.Y)))
	}
	return shape{Class: "dots", Slot: slot, Path: b.String()}
}

func barShapes(s *ChartSeries, slot, i, of int, x, y chartScale) (shapes []shape) {
	category := (x.place(1) - x.place(0)) * barGroup
	width := category / float64(of)
	base := at(y.place(0)) // below which values are negative
	for _, p := range s.Points {
		left := x.place(p.X) - category/2 + float64(i)*width
		top := y.place(p.Y)
		shapes = append(shapes, shape{Class: "bar", Slot: slot, Tip: p.tip(s.Name),
			Path: fmt.Sprintf("M%g %gV%gH%gV%gZ", at(left), base, at(top), at(left+width*0.9), base)})
		if p.Low < p.High {
			shapes = append(shapes, shape{Class: "whisker", Slot: slot, Path: fmt.Sprintf("M%g %gV%g", at(left+width*0.45), at(y.place(p.Low)), at(y.place(p.High)))})
		}
	}
	return shapes
}

// boxShapes draws each box over half of its category.
func boxShapes(s *ChartSeries, slot int, x, y chartScale) (shapes []shape) {
	half := (x.place(1) - x.place(0)) / 4
	for _, p := range s.Points {
		middle, low, high := x.place(p.X), y.place(p.Quartiles[0]), y.place(p.Quartiles[1])
		left, right := at(middle-half), at(middle+half)
		shapes = append(shapes,
			shape{Class: "whisker", Slot: slot, Path: fmt.Sprintf("M%g %gV%gM%g %gV%g", at(middle), at(y.place(p.Low)), at(low), at(middle), at(high), at(y.place(p.High)))},
			shape{Class: "bar", Slot: slot, Tip: p.tip(s.Name), Path: fmt.Sprintf("M%g %gV%gH%gV%gZ", left, at(low), at(high), right, at(low))},
			shape{Class: "whisker", Slot: slot, Path: fmt.Sprintf("M%g %gH%g", left, at(y.place(p.Y)), right)})
	}
	return shapes
}

func areaShape(s *ChartSeries, slot int, below map[float64]float64, x, y chartScale) shape {
	var b strings.Builder
	for i, p := range s.Points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%g %g", command, at(x.place(p.X)), at(y.place(below[p.X]+p.Y)))
	}
	for i := len(s.Points) - 1; i >= 0; i-- {
		p := &s.Points[i]
		fmt.Fprintf(&b, "L%g %g", at(x.place(p.X)), at(y.place(below[p.X])))
	}
	for _, p := range s.Points {
		below[p.X] += p.Y
	}
	return shape{Class: "area", Slot: slot, Path: b.String() + "Z", Tip: s.Name}
}
