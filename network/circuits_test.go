// SPDX-License-Identifier: Apache-2.0

package network

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/fluid"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
	"pgregory.net/rapid"
)

// desk drives circuits alone: elephants that come at given times, each as fast as its circuit.
type desk struct {
	t        interface{ Fatal(...any) }
	solver   *fluid.Solver
	circuits *Circuits
	log      record.Log
	flows    []demand
	begun    map[fluid.Handle]int
}

// demand is one elephant.
type demand struct {
	at       model.Time
	from, to int
	bytes    float64
	end      model.Time
}

func newDesk(t interface{ Fatal(...any) }, racks int, rules CircuitRules, flows ...demand) *desk {
	d := &desk{t: t, solver: fluid.New(), flows: flows, begun: map[fluid.Handle]int{}}
	var err error
	if d.circuits, err = NewCircuits(d.solver, racks, &rules, record.NewSender(&d.log)); err != nil {
		t.Fatal(err)
	}
	return d
}

// run plays everything to its end and returns when the last elephant ended.
func (d *desk) run() (last model.Time) {
	now, look, connect, next := model.Time(0), model.Forever, model.Forever, 0
	slices.SortStableFunc(d.flows, func(a, b demand) int { return int(a.at - b.at) })
	for {
		d.advance(now, &last)
		for ; next < len(d.flows) && d.flows[next].at == now; next++ {
			f := &d.flows[next]
			h, err := d.solver.Start(seconds(now), fluid.Spec{Work: f.bytes, Uses: d.circuits.Use(nil, f.from, f.to)})
			if err != nil {
				d.t.Fatal(err)
			}
			d.begun[h] = next
			d.circuits.Begin(now, f.from, f.to, h, f.bytes)
		}
		var err error
		switch now {
		case connect:
			connect = model.Forever
			err = d.circuits.Connect(now)
		case look:
			connect, err = d.circuits.Look(now)
		}
		if err == nil {
			err = d.circuits.Check(now)
		}
		if err != nil {
			d.t.Fatal(err)
		}
		look = d.circuits.Next(now)
		after := min(look, connect)
		if next < len(d.flows) {
			after = min(after, d.flows[next].at)
		}
		if t, ok := d.solver.Next(); ok {
			end := model.Time(math.Ceil(t * 1e9))
			for seconds(end) < t {
				end++
			}
			after = min(after, end)
		}
		if after == model.Forever {
			if d.solver.Running() > 0 {
				d.t.Fatal(d.solver.Stalled())
			}
			return last
		}
		now = max(now, after)
	}
}

func (d *desk) advance(now model.Time, last *model.Time) {
	var done []fluid.Done
	if err := d.solver.Advance(seconds(now), func(e fluid.Done) { done = append(done, e) }); err != nil {
		d.t.Fatal(err)
	}
	for _, e := range done {
		f := &d.flows[d.begun[e.Handle]]
		f.end = model.Seconds(e.Time)
		*last = max(*last, f.end)
		d.circuits.End(now, f.from, f.to, 0)
	}
}

// story lists what the circuits did, such as "1 0>1 carrying 20 waited 1".
func (d *desk) story() (lines []string) {
	for _, e := range d.log.Events {
		s := fmt.Sprintf("%.6g %d>%d %v", e.Time.Seconds(), int(e.Count)/d.circuits.racks, int(e.Count)%d.circuits.racks, e.Circuit)
		if e.Bytes > 0 {
			s += fmt.Sprintf(" %d", e.Bytes)
		}
		if e.Length > 0 {
			s += fmt.Sprintf(" waited %g", e.Length.Seconds())
		}
		lines = append(lines, s)
	}
	return lines
}

func rules(rate model.Rate, interval, delay model.Time) CircuitRules {
	return CircuitRules{Rate: rate, Interval: interval, Delay: delay, Elephant: 1, Planes: 1}
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// An elephant that comes at 0.3 s waits for the next look and for the switch; when it has ended the circuit stays,
// and another elephant finds it there. One from the same rack to another waits for the port: the pair with the
// most bytes left goes first, and the other one takes over as soon as it has more.
func TestCircuitsTakeTurns(t *testing.T) {
	second := model.Second
	d := newDesk(t, 3, rules(100, second, second/10), demand{at: 3 * second / 10, from: 0, to: 1, bytes: 30},
		demand{at: 5 * second / 2, from: 0, to: 1, bytes: 100}, demand{at: 5 * second / 2, from: 0, to: 2, bytes: 80})
	if last := d.run(); last != 46*second/10 {
		t.Errorf("the last one ended at %v", last)
	}
	same(t, d.story(), []string{
		"1 0>1 switching", "1.1 0>1 carrying waited 0.8", "1.4 0>1 idle 30",
		"2.5 0>1 carrying",
		"3 0>1 off 50", "3 0>2 switching", "3.1 0>2 carrying waited 0.6",
		"3.9 0>2 idle 80",
		"4 0>1 switching", "4 0>2 off", "4.1 0>1 carrying waited 1.1", "4.6 0>1 idle 50",
	})
}

// Figure 4.3 of diverse-2018: a job's 100 units between four racks, from 16, 2, 1, 1 maps and from 5 maps in each, to
// one reduce in each. The time to send what leaves a rack is 60 and 18.75 units.
func TestFigure43Times(t *testing.T) {
	for _, c := range []struct {
		maps [4]float64
		want float64
	}{{[4]float64{16, 2, 1, 1}, 60}, {[4]float64{5, 5, 5, 5}, 18.75}} {
		for _, interval := range []model.Time{model.Second / 4, 5 * model.Second / 4} {
			var flows []demand
			for from, maps := range c.maps {
				for to := range 4 {
					if to != from {
						flows = append(flows, demand{from: from, to: to, bytes: maps * 100 / 20 / 4 * 1e6})
					}
				}
			}
			if got := newDesk(t, 4, rules(1e6, interval, 0), flows...).run(); math.Abs(got.Seconds()-c.want) > 1e-6 {
				t.Errorf("maps %v, a look every %v: %v units, want %v", c.maps, interval, got.Seconds(), c.want)
			}
		}
	}
}

// Whatever is asked of the circuits, all of it arrives, ports are not oversold (Check), and nothing is faster than
// the busiest port.
func TestCircuitsCarryEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		racks := rapid.IntRange(2, 6).Draw(t, "racks")
		r := rules(1000, model.Second, model.Time(rapid.IntRange(0, 900).Draw(t, "delay"))*model.Millisecond)
		r.Planes = rapid.IntRange(1, racks-1).Draw(t, "planes")
		r.Age = model.Time(rapid.IntRange(0, 5).Draw(t, "age")) * model.Second
		out, in, all := make([]float64, racks), make([]float64, racks), 0.0
		var flows []demand
		for range rapid.IntRange(1, 30).Draw(t, "elephants") {
			f := demand{at: model.Time(rapid.IntRange(0, 100).Draw(t, "at")) * model.Second / 10, from: rapid.IntRange(0, racks-1).Draw(t, "from"),
				bytes: float64(rapid.IntRange(1, 5000).Draw(t, "bytes"))}
			f.to = (f.from + rapid.IntRange(1, racks-1).Draw(t, "to")) % racks
			flows = append(flows, f)
			out[f.from] += f.bytes
			in[f.to] += f.bytes
			all += f.bytes
		}
		d := newDesk(t, racks, r, flows...)
		last := d.run()
		busiest := max(slices.Max(out), slices.Max(in)) / 1000 / float64(r.Planes)
		if last.Seconds() < busiest-1e-6 {
			t.Fatalf("ended at %v, the busiest port needs %v s", last, busiest)
		}
		carried, told := model.Bytes(0), model.Bytes(0)
		for _, b := range d.circuits.Carried() {
			carried += b
		}
		for _, e := range d.log.Events {
			told += e.Bytes
		}
		if float64(carried) != all || told != carried {
			t.Fatalf("%v bytes asked for, %d carried, %d recorded", all, carried, told)
		}
	})
}

// A small elephant beside two streams of large ones waits for them all, unless demand ages.
func TestAgeing(t *testing.T) {
	wait := func(age model.Time) model.Time {
		r := rules(100, model.Second, 0)
		r.Age = age
		var flows []demand
		for i := range 20 {
			flows = append(flows, demand{at: model.Time(i) * model.Second, from: 0, to: 1, bytes: 1000}, demand{at: model.Time(i) * model.Second, from: 2, to: 3, bytes: 1000})
		}
		d := newDesk(t, 4, r, append(flows, demand{from: 0, to: 3, bytes: 10})...)
		d.run()
		longest := model.Time(0)
		for _, e := range d.log.Events {
			if e.Count == 3 {
				longest = max(longest, e.Length)
			}
		}
		return longest
	}
	if got := wait(0); got != 200*model.Second {
		t.Errorf("without age it waited %v", got)
	}
	if got := wait(7 * model.Second); got != 7*model.Second {
		t.Errorf("with an age of 7 s it waited %v", got)
	}
}

// With as many planes as other racks, every pair has a circuit and nothing waits for another.
func TestPlanes(t *testing.T) {
	r := rules(100, model.Second, 0)
	var flows []demand
	for from := range 4 {
		for to := range 4 {
			if from != to {
				flows = append(flows, demand{from: from, to: to, bytes: 100})
			}
		}
	}
	for planes, want := range map[int]model.Time{1: 3, 2: 2, 3: 1} {
		r.Planes = planes
		if got := newDesk(t, 4, r, flows...).run(); got != want*model.Second {
			t.Errorf("%d planes: %v, want %d s", planes, got, want)
		}
	}
}

// An elephant that is cancelled leaves no demand.
func TestCancel(t *testing.T) {
	d := newDesk(t, 2, rules(100, model.Second, 0))
	h, _ := d.solver.Start(0, fluid.Spec{Work: 100, Uses: d.circuits.Use(nil, 0, 1)})
	d.circuits.Begin(0, 0, 1, h, 100)
	if next := d.circuits.Next(0); next != 0 {
		t.Errorf("looks at %v", next)
	}
	left, _, _ := d.solver.Cancel(0, h)
	d.circuits.End(0, 0, 1, left)
	if connect, err := d.circuits.Look(0); connect != model.Forever || err != nil || d.circuits.Next(0) != model.Forever || d.circuits.Carried()[1] != 0 {
		t.Errorf("connects at %v, %v; looks at %v; carried %v", connect, err, d.circuits.Next(0), d.circuits.Carried())
	}
}

// The check finds what must not be: a port with two circuits, a circuit that carries without being up, a stranger
// on a circuit.
func TestCheckFinds(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(*desk)
		want  string
	}{
		"ports": {func(d *desk) {
			d.circuits.pairs[1].state, d.circuits.pairs[2].state = record.CircuitIdle, record.CircuitIdle
		}, "rack 0 sends over 2 circuits"},
		"self":     {func(d *desk) { d.circuits.pairs[0].state = record.CircuitIdle }, "from rack 0 to 0"},
		"stranger": {func(d *desk) { d.start(0, 1); d.on(1) }, "its elephants get 0"},
		"down": {func(d *desk) {
			d.circuits.Begin(0, 0, 1, d.start(0, 1), 100)
			d.on(1)
		}, "carries 100 and is off"},
		"lost": {func(d *desk) { d.circuits.flows++ }, "0 elephants between racks, 1 in all"},
	} {
		d := newDesk(t, 3, rules(100, model.Second, 0))
		if err := d.circuits.Check(0); err != nil {
			t.Fatal(err)
		}
		c.plant(d)
		if err := d.circuits.Check(0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (d *desk) start(from, to int) fluid.Handle {
	h, err := d.solver.Start(0, fluid.Spec{Work: 100, Uses: d.circuits.Use(nil, from, to)})
	if err != nil {
		d.t.Fatal(err)
	}
	return h
}

func (d *desk) on(pair int) {
	if err := d.solver.SetCapacity(0, d.circuits.first+fluid.Resource(pair), 100); err != nil {
		d.t.Fatal(err)
	}
}

// A look that serves nobody would come again for ever: it is a fault.
func TestLookThatServesNobody(t *testing.T) {
	d := newDesk(t, 2, rules(100, model.Second, 0))
	d.circuits.flows = 1
	if _, err := d.circuits.Look(0); err == nil || !strings.Contains(err.Error(), "1 elephants wait") {
		t.Error(err)
	}
}

func TestCircuitRulesValidate(t *testing.T) {
	var r CircuitRules
	r.SetDefaults()
	if p := r.Validate(20); p != nil {
		t.Errorf("the defaults are refused: %v", p)
	}
	bad := r
	bad.Interval, bad.Planes = bad.Delay, 4
	if p := bad.Validate(4); len(p) != 2 || p[0].Path != "circuits.interval" || p[1].Path != "circuits.planes" {
		t.Errorf("%v", p)
	}
	for racks, want := range map[int]string{1: "circuits in a cluster of one rack", 5000: "circuits between 5000 racks"} {
		if p := r.Validate(racks); len(p) != 1 || p[0].Found != want {
			t.Errorf("%d racks: %v", racks, p)
		}
	}
}
