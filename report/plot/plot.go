// SPDX-License-Identifier: Apache-2.0

package plot

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
	X, Y                Axis
	Categories          []string // bars and boxes only: what stands along x
	Series              []Series
	Levels              []Level
}

// Axis says how an axis is labelled and scaled.
type Axis struct {
	Label string
	Log   bool
	Zero  bool // a linear axis begins At 0
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
	Rings // mark some dots of another series
)

// Series is one curve, cloud, set of bars or boxes, or area.
type Series struct {
	Name   string
	Mark   Mark
	Points []Point
}

// Point is one value; Low and High bound it if they differ. Of a box it is the median, and they are the extremes.
type Point struct {
	X, Y, Low, High float64
	Quartiles       [2]float64 // of a box
	Tip             string
}

// Level is a horizontal line, such as a median.
type Level struct {
	Name   string
	Y      float64
	Series int // whose colour it has
}

// Colours is the number of colours that series have in turn.
const Colours = 8

const (
	plotWidth, plotHeight         = 600.0, 340.0
	plotLeft, plotRight           = 58.0, 590.0
	plotTop, plotBottom           = 14.0, 286.0
	mostPoints                    = 40   // of a curve or cloud that are marked one by one
	barGroup              float64 = 0.82 // share of a category that its bars take
)

// View is a chart laid out for the template.
type View struct {
	*Chart
	Width, Height            float64
	Left, Right, Top, Bottom float64
	XTicks, YTicks           []Tick
	Shapes                   []Shape
	Legend                   []LegendItem
	Empty                    bool
}

// Tick is a mark on an axis.
type Tick struct {
	At   float64
	Text string
	Down bool // stands a line lower, so that its neighbours have room
}

// Shape is one SVG element: a path, or a rectangle or circle with its tip.
type Shape struct {
	Class string // stroke, fill, dot...
	Slot  int
	Path  string
	Tip   string
}

// LegendItem is a series in the legend.
type LegendItem struct {
	Name string
	Slot int
	Ring bool // it is drawn as Rings
}

// NewView lays a chart out.
func NewView(c *Chart) View {
	v := View{Chart: c, Width: plotWidth, Height: plotHeight, Left: plotLeft, Right: plotRight, Top: plotTop, Bottom: plotBottom}
	x, y, ok := c.scales()
	if v.Empty = !ok; v.Empty {
		return v
	}
	if len(c.Categories) > 0 {
		for i, name := range c.Categories {
			v.XTicks = append(v.XTicks, Tick{At: At(x.Place(float64(i))), Text: name})
		}
	} else {
		v.XTicks = x.Ticks(7)
	}
	v.YTicks = y.Ticks(6)
	below := map[float64]float64{} // top of the stack at each x
	for i := range c.Series {
		s := &c.Series[i]
		slot := i % Colours
		if len(c.Series) > 1 {
			v.Legend = append(v.Legend, LegendItem{s.Name, slot, s.Mark == Rings})
		}
		switch s.Mark {
		case Curve:
			v.Shapes = append(v.Shapes, curveShapes(s, slot, x, y)...)
		case Dots:
			v.Shapes = append(v.Shapes, dotShapes(s, slot, x, y)...)
		case Rings:
			v.Shapes = append(v.Shapes, ringShape(s, slot, x, y))
		case Bars:
			v.Shapes = append(v.Shapes, barShapes(s, slot, i, len(c.Series), x, y)...)
		case Boxes:
			v.Shapes = append(v.Shapes, boxShapes(s, slot, x, y)...)
		case Area:
			v.Shapes = append(v.Shapes, areaShape(s, slot, below, x, y))
		}
	}
	for _, l := range c.Levels {
		h := At(y.Place(l.Y))
		v.Shapes = append(v.Shapes, Shape{Class: "level", Slot: l.Series % Colours, Path: fmt.Sprintf("M%g %gH%g", plotLeft, h, plotRight), Tip: l.Name + " " + Short(l.Y)})
	}
	return v
}

// At rounds a position to a tenth of a unit of the drawing.
func At(v float64) float64 { return math.Round(10*v) / 10 }

// scales spans both axes over all that is drawn.
func (c *Chart) scales() (x, y Scale, ok bool) {
	x, y = NewScale(c.X, plotLeft, plotRight), NewScale(c.Y, plotBottom, plotTop)
	tops := map[float64]float64{}
	for i := range c.Series {
		for _, p := range c.Series[i].Points {
			x.Include(p.X)
			switch c.Series[i].Mark {
			case Area:
				tops[p.X] += p.Y
				y.Include(tops[p.X])
			default:
				y.Include(p.Y)
				y.Include(p.Low)
				y.Include(p.High)
			}
		}
	}
	for _, l := range c.Levels {
		y.Include(l.Y)
	}
	if len(c.Categories) > 0 {
		x.low, x.high = -0.5, float64(len(c.Categories))-0.5
	}
	boxes := len(c.Series) > 0 && c.Series[0].Mark == Boxes // what they show is a spread, which 0 would hide
	if !boxes && !y.log && (c.Y.Zero || len(c.Categories) > 0) || len(tops) > 0 {
		y.Include(0)
	}
	ok = x.seen && y.seen
	x.widen(len(c.Categories) == 0 && !x.log && len(tops) == 0)
	y.widen(boxes)
	return x, y, ok
}

func curveShapes(s *Series, slot int, x, y Scale) (shapes []Shape) {
	var line, band strings.Builder
	var back []string
	for i, p := range s.Points {
		px, py := At(x.Place(p.X)), At(y.Place(p.Y))
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&line, "%s%g %g", command, px, py)
		fmt.Fprintf(&band, "%s%g %g", command, px, At(y.Place(max(p.High, p.Y))))
		back = append(back, fmt.Sprintf("L%g %g", px, At(y.Place(min(p.Low, p.Y)))))
	}
	for i := len(back) - 1; i >= 0; i-- {
		band.WriteString(back[i])
	}
	shapes = append(shapes, Shape{Class: "band", Slot: slot, Path: band.String() + "Z"}, Shape{Class: "line", Slot: slot, Path: line.String()})
	if len(s.Points) > mostPoints {
		return shapes
	}
	return append(shapes, pointShapes(s, slot, x, y)...)
}

// pointShapes marks each value, which says what it is.
func pointShapes(s *Series, slot int, x, y Scale) (shapes []Shape) {
	for _, p := range s.Points {
		shapes = append(shapes, Shape{Class: "point", Slot: slot, Path: fmt.Sprintf("M%g %gh0", At(x.Place(p.X)), At(y.Place(p.Y))), Tip: p.tip(s.Name)})
	}
	return shapes
}

// tip is what a pointer on the value shows.
func (p *Point) tip(series string) string {
	if p.Tip != "" {
		return p.Tip
	}
	text := fmt.Sprintf("%s at %s: %s", series, Short(p.X), Short(p.Y))
	if p.Low < p.High {
		text += fmt.Sprintf(" (95 %% interval %s to %s)", Short(p.Low), Short(p.High))
	}
	return text
}

// dotShapes draws a whole cloud as one path of strokes without length, which round ends make dots; a few values one by one.
func dotShapes(s *Series, slot int, x, y Scale) []Shape {
	if len(s.Points) <= mostPoints {
		return pointShapes(s, slot, x, y)
	}
	var b strings.Builder
	for _, p := range s.Points {
		fmt.Fprintf(&b, "M%g %gh0", At(x.Place(p.X)), At(y.Place(p.Y)))
	}
	return []Shape{{Class: "dots", Slot: slot, Path: b.String()}}
}

// ringShape draws a circle around each value.
func ringShape(s *Series, slot int, x, y Scale) Shape {
	var b strings.Builder
	for _, p := range s.Points {
		fmt.Fprintf(&b, "M%g %ga4 4 0 1 0 8 0a4 4 0 1 0-8 0", At(x.Place(p.X)-4), At(y.Place(p.Y)))
	}
	return Shape{Class: "rings", Slot: slot, Path: b.String()}
}

func barShapes(s *Series, slot, i, of int, x, y Scale) (shapes []Shape) {
	category := (x.Place(1) - x.Place(0)) * barGroup
	width := category / float64(of)
	base := At(y.Place(0)) // below which values are negative
	for _, p := range s.Points {
		left := x.Place(p.X) - category/2 + float64(i)*width
		top := y.Place(p.Y)
		shapes = append(shapes, Shape{Class: "bar", Slot: slot, Tip: p.tip(s.Name),
			Path: fmt.Sprintf("M%g %gV%gH%gV%gZ", At(left), base, At(top), At(left+width*0.9), base)})
		if p.Low < p.High {
			shapes = append(shapes, Shape{Class: "whisker", Slot: slot, Path: fmt.Sprintf("M%g %gV%g", At(left+width*0.45), At(y.Place(p.Low)), At(y.Place(p.High)))})
		}
	}
	return shapes
}

// boxShapes draws each box over half of its category.
func boxShapes(s *Series, slot int, x, y Scale) (shapes []Shape) {
	half := (x.Place(1) - x.Place(0)) / 4
	for _, p := range s.Points {
		middle, low, high := x.Place(p.X), y.Place(p.Quartiles[0]), y.Place(p.Quartiles[1])
		left, right := At(middle-half), At(middle+half)
		shapes = append(shapes,
			Shape{Class: "whisker", Slot: slot, Path: fmt.Sprintf("M%g %gV%gM%g %gV%g", At(middle), At(y.Place(p.Low)), At(low), At(middle), At(high), At(y.Place(p.High)))},
			Shape{Class: "bar", Slot: slot, Tip: p.tip(s.Name), Path: fmt.Sprintf("M%g %gV%gH%gV%gZ", left, At(low), At(high), right, At(low))},
			Shape{Class: "whisker", Slot: slot, Path: fmt.Sprintf("M%g %gH%g", left, At(y.Place(p.Y)), right)})
	}
	return shapes
}

func areaShape(s *Series, slot int, below map[float64]float64, x, y Scale) Shape {
	var b strings.Builder
	for i, p := range s.Points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%g %g", command, At(x.Place(p.X)), At(y.Place(below[p.X]+p.Y)))
	}
	for i := len(s.Points) - 1; i >= 0; i-- {
		p := &s.Points[i]
		fmt.Fprintf(&b, "L%g %g", At(x.Place(p.X)), At(y.Place(below[p.X])))
	}
	for _, p := range s.Points {
		below[p.X] += p.Y
	}
	return Shape{Class: "area", Slot: slot, Path: b.String() + "Z", Tip: s.Name}
}
