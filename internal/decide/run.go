// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/preempt"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// run is one scenario on its way.
type run struct {
	printer
	sc       *scenario
	props    conf.Properties
	open     func(string) ([]byte, error)
	rm       *yarn.Manager
	monitor  *preempt.Monitor
	nodes    map[string]*capacity.Node // that are there
	numbers  []int                     // of applications, sorted
	deferred map[int][]*step           // asks that wait for a master
	active   map[*capacity.Attempt]bool
}

// World is what a run may use of the world outside.
type World struct {
	Open func(name string) ([]byte, error) // reads configuration files
	Out  io.Writer
	Warn func(text string) // is told of settings that have no effect here; may be nil
}

// Run reads a scenario and prints what is decided. The error is a strict.Errors where the scenario is at fault.
func Run(file string, src []byte, w World) error {
	sc, err := read(file, src)
	if err != nil {
		return err
	}
	r := &run{sc: sc, props: conf.Properties{}, open: w.Open, nodes: map[string]*capacity.Node{}, deferred: map[int][]*step{}, active: map[*capacity.Attempt]bool{}}
	r.printer = newPrinter(w.Out)
	if err := r.configure(sc.ConfFiles, sc.Conf); err != nil {
		return err
	}
	if w.Warn != nil {
		for _, e := range r.props.Unmodelled() {
			w.Warn(fmt.Sprintf("%s is not modelled: %s", e.Name, e.Missing))
		}
	}
	set, err := settings.Read(r.props)
	if err != nil {
		r.add("refused", "why=%s", joined(err.Error()))
		r.flush()
		return r.out.Flush()
	}
	if w.Warn != nil {
		for _, text := range set.Odd() {
			w.Warn(text)
		}
	}
	r.rm = yarn.NewManager(set, &r.printer)
	r.monitor = preempt.New(r.rm.Scheduler)
	for i := range sc.Nodes {
		if !sc.Nodes[i].Late {
			r.addNode(&sc.Nodes[i])
		}
	}
	r.settle()
	for i := range sc.Steps {
		s := &sc.Steps[i]
		r.step = i + 1
		if s.T != nil {
			r.now = *s.T
		}
		r.rm.At(r.now)
		if err := r.do(s); err != nil {
			return err
		}
		r.settle()
	}
	return r.out.Flush()
}

// configure takes over properties.
func (r *run) configure(files []string, over map[string]*text) error {
	site := &conf.Site{Properties: r.props}
	for _, name := range files {
		if r.open == nil {
			return errNoFiles
		}
		if err := site.Read(name, r.open); err != nil {
			return err
		}
	}
	merge(r.props, over)
	return nil
}

func (r *run) addNode(n *node) {
	if r.nodes[n.Name] != nil {
		return
	}
	c := &capacity.Node{Name: n.Name, Rack: n.Rack, Total: queue.Resource{Memory: n.Mem, VCores: n.VC}}
	r.nodes[n.Name] = c
	r.rm.AddNode(c)
}

// settle ends a step: what nobody is told of, then who has become active.
func (r *run) settle() {
	r.over()
	var fresh []*capacity.Attempt
	for _, n := range r.numbers {
		a := r.rm.App(n).Attempt
		if a != nil && a.Activated() && !r.active[a] {
			r.active[a] = true
			fresh = append(fresh, a)
		}
	}
	r.activated(fresh)
	r.flush()
}

// app returns the application of a step, nil if it has not been submitted.
func (r *run) app(s *step) *yarn.App { return r.rm.App(*s.App) }

func (r *run) do(s *step) error {
	switch s.Op {
	case "submit":
		r.submit(s)
	case "register":
		if a := r.app(s); a != nil && a.Allocated() {
			r.register(a)
		}
	case "registerAll":
		for _, n := range r.numbers {
			if a := r.rm.App(n); a.Allocated() {
				r.register(a)
			}
		}
	case "ask":
		r.ask(s)
	case "hb":
		r.heartbeat(s)
	case "finish":
		if c := r.pick(*s.App, s.C, s.Pick); c != nil {
			r.rm.Complete(c, s.Exit)
		}
	case "end":
		if a := r.app(s); a != nil {
			r.rm.EndApp(a)
		}
	case "kill":
		if a := r.app(s); a != nil {
			r.rm.Kill(a)
		}
	case "node":
		for i := range r.sc.Nodes {
			if r.sc.Nodes[i].Name == s.Node {
				r.addNode(&r.sc.Nodes[i])
			}
		}
	case "lost":
		if n := r.nodes[s.Node]; n != nil {
			delete(r.nodes, s.Node)
			r.rm.LoseNode(n)
		}
	case "refresh":
		return r.refresh(s)
	case "preempt":
		r.preempt()
	case "dump":
		r.dump()
	}
	return nil
}

func (r *run) submit(s *step) {
	n := *s.App
	at, twice := slices.BinarySearch(r.numbers, n)
	if twice {
		return
	}
	err := r.rm.SubmitApp(yarn.Submission{App: n, Priority: s.Prio, Attempts: s.Attempts, Queue: s.Queue, User: s.User, Master: queue.Resource{Memory: s.Mem, VCores: s.VC}})
	if r.rm.App(n) != nil {
		r.numbers = slices.Insert(r.numbers, at, n)
	}
	var no *capacity.Rejection
	switch {
	case errors.As(err, &no):
		r.add("reject", "queue=%s user=%s app=%d why=%s", no.Queue, s.User, n, reason(no))
	case err != nil:
		r.add("reject", "op=submit app=%d why=over-maximum-allocation", n)
	}
}

// reason returns the short word for a rejection, or the release's text.
func reason(no *capacity.Rejection) string {
	switch no.Reason {
	case capacity.UnknownQueue:
		return "unknown-queue"
	case capacity.TooManyInQueue:
		return "max-applications"
	case capacity.TooManyOfUser:
		return "max-applications-user"
	}
	return word(no.Text)
}

// register lets a master start, and runs the asks that waited for it.
func (r *run) register(a *yarn.App) {
	r.rm.Register(a)
	later := r.deferred[a.Number]
	delete(r.deferred, a.Number)
	for _, s := range later {
		r.ask(s)
	}
}

func (r *run) ask(s *step) {
	a := r.app(s)
	if a == nil || !a.Running() {
		if s.Defer {
			r.deferred[*s.App] = append(r.deferred[*s.App], s)
		}
		return
	}
	requests := make([]capacity.Request, len(s.Reqs))
	for i, q := range s.Reqs {
		requests[i] = capacity.Request{Priority: q.Prio, At: r.rm.Place(q.At), Size: queue.Resource{Memory: q.Mem, VCores: q.VC}, Count: q.N, Strict: !q.Relax}
	}
	var release []*capacity.Container
	for _, number := range s.Release {
		if c := a.Attempt.Container(number); c != nil {
			release = append(release, c)
		}
	}
	if err := r.rm.Allocate(a, requests, release); err != nil {
		r.add("reject", "op=ask app=%d why=over-maximum-allocation", *s.App)
		return
	}
	if s.Show {
		room := r.rm.Headroom(a.Attempt)
		r.add("headroom", "app=%d mem=%d vc=%d", *s.App, room.Memory, room.VCores)
	}
}

func (r *run) heartbeat(s *step) {
	n := r.nodes[s.Node]
	if n == nil {
		return
	}
	var done []yarn.Done
	for _, d := range s.Done {
		if c := r.pick(*d.App, d.C, d.Pick); c != nil && c.Node == n {
			done = append(done, yarn.Done{Container: c, Exit: d.Exit})
		}
	}
	r.rm.NodeHeartbeat(n, done)
}

// pick returns the container that a step names, if its master has heard of it.
func (r *run) pick(app int, c *number, k int) *capacity.Container {
	a := r.rm.App(app)
	if a == nil || a.Attempt == nil {
		return nil
	}
	var list []*capacity.Container
	for o := range a.Attempt.Live() {
		named := !o.Master
		if c != nil {
			named = c.am && o.Master || !c.am && int(o.Number) == c.n
		}
		if o.Taken && named {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[k%len(list)]
}

// preempt lets the monitor look once.
func (r *run) preempt() {
	round := r.monitor.Round(r.now)
	for _, c := range round.Noted {
		r.Noted(c)
	}
	r.rm.Preempt(round.Freed, round.Ended)
}

func (r *run) refresh(s *step) error {
	if err := r.configure(s.ConfFiles, s.Conf); err != nil {
		return err
	}
	changed, err := settings.Read(r.props)
	if err == nil {
		err = r.rm.RefreshQueues(changed)
	}
	var fault *settings.Fault
	if errors.As(err, &fault) {
		text := "Failed to re-init queues : " + fault.Text
		if fault.Again { // going back to the old settings fails as well, and that is what the release tells
			text = fault.Text
		}
		r.add("reject", "op=refresh why=%s", word("IOException:"+text))
		return nil
	}
	return err
}
