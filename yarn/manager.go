// SPDX-License-Identifier: Apache-2.0

// Package yarn is the resource manager of YARN around its scheduler: applications, the attempts of their
// masters, and the containers that masters have heard of or not.
package yarn

import (
	"errors"
	"slices"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/capacity"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// ErrTooLarge refuses a request for a container above the largest that there is.
var ErrTooLarge = errors.New("greater than maximum allowed allocation")

// Log hears what the resource manager decides, in order.
type Log interface {
	capacity.Listener
	// Ended is called when a container has ended. silent says that its application is not told.
	Ended(c *capacity.Container, exit int, silent bool)
}

// Exit codes of containers.
const (
	Aborted   = -100 // given back, lost, or the application has ended
	Preempted = -102
	diskFault = -101
)

// state is how far an attempt has come.
type state uint8

const (
	scheduled state = iota // its master waits for a container
	allocated              // its master has one
	running                // its master has registered
	finishing              // its master has unregistered, and will end
	ended
)

// App is an application.
type App struct {
	Number      int
	User        string
	Queue       string // path
	priority    int
	master      queue.Resource
	maxAttempts int

	Attempt *capacity.Attempt // the present one, nil before the first
	state   state
	fails   int
	done    bool
}

// Running reports whether the application's master has registered and not ended.
func (a *App) Running() bool { return !a.done && a.state == running }

// Allocated reports whether the application's master has a container and has not registered.
func (a *App) Allocated() bool { return !a.done && a.Attempt != nil && a.state == allocated }

// Over reports whether the application has had its last attempt.
func (a *App) Over() bool { return a.done }

// Manager is the resource manager. What happens at once in several applications is carried on step by step
// in all of them, as its one queue of events does.
type Manager struct {
	*capacity.Scheduler
	log      Log
	settings *settings.Scheduler
	apps     map[int]*App
	now      int64
	started  []*App   // masters that were given a container in this step
	events   []func() // to be carried out, in order
	asked    []capacity.Request
}

// NewManager returns a resource manager of a cluster without nodes.
func NewManager(settings *settings.Scheduler, log Log) *Manager {
	m := &Manager{log: log, settings: settings, apps: map[int]*App{}}
	m.Scheduler = capacity.New(settings, m)
	return m
}

// At sets the time in milliseconds.
func (m *Manager) At(now int64) { m.now = now }

// App returns an application, nil if there is none of that number.
func (m *Manager) App(number int) *App { return m.apps[number] }

// Started implements capacity.Listener.
func (m *Manager) Started(c *capacity.Container) {
	if c.Master {
		m.started = append(m.started, m.apps[c.Attempt.App])
	}
	m.log.Started(c)
}

// Reserved implements capacity.Listener.
func (m *Manager) Reserved(c *capacity.Container, kept bool) { m.log.Reserved(c, kept) }

// Refused implements capacity.Listener.
func (m *Manager) Refused(p capacity.Proposal) { m.log.Refused(p) }

func (m *Manager) later(event func()) { m.events = append(m.events, event) }

// settle carries out what follows from a step.
func (m *Manager) settle() {
	for len(m.started) > 0 || len(m.events) > 0 {
		for _, a := range m.started {
			m.Take(a.Attempt)
			a.state = allocated
		}
		m.started = m.started[:0]
		if len(m.events) > 0 {
			event := m.events[0]
			m.events = m.events[1:]
			event()
		}
	}
}

// Submission is what a client asks for.
type Submission struct {
	App, Priority, Attempts int
	Queue, User             string
	Master                  queue.Resource
}

// SubmitApp lets a client submit an application. The error is a *capacity.Rejection, or ErrTooLarge.
func (m *Manager) SubmitApp(s Submission) error {
	if !m.fits(s.Master) {
		return ErrTooLarge
	}
	a := &App{Number: s.App, User: s.User, Queue: s.Queue, priority: m.AppPriority(s.Priority), master: m.Normalize(s.Master), maxAttempts: m.settings.MaxAttempts}
	if s.Attempts > 0 {
		a.maxAttempts = min(a.maxAttempts, s.Attempts)
	}
	m.apps[s.App] = a
	path, err := m.Admit(s.App, s.Queue, s.User)
	if err != nil {
		a.done = true
		return err
	}
	a.Queue = path
	m.later(func() { m.attempt(a) })
	m.settle()
	return nil
}

// attempt begins the next attempt of an application.
func (m *Manager) attempt(a *App) {
	number := 1
	if a.Attempt != nil {
		number = a.Attempt.Number + 1
	}
	a.Attempt = &capacity.Attempt{App: a.Number, Number: number, User: a.User, Priority: a.priority, Master: a.master}
	a.state = scheduled
	m.Submit(a.Attempt, a.Queue, m.now)
	m.later(func() {
		m.Ask(a.Attempt, []capacity.Request{{At: capacity.Any, Size: a.master, Count: 1}})
		m.Take(a.Attempt)
	})
}

// Register lets a master that has a container start.
func (m *Manager) Register(a *App) { a.state = running }

func (m *Manager) fits(r queue.Resource) bool { return r.Within(m.MaxAlloc()) }

// Allocate is a master's heartbeat: it replaces asks, gives containers back, and takes over new ones. The
// error is ErrTooLarge.
func (m *Manager) Allocate(a *App, requests []capacity.Request, release []*capacity.Container) error {
	var asked, size queue.Resource
	m.asked = append(m.asked[:0], requests...)
	requests = m.asked
	for i := range requests {
		if r := &requests[i]; i > 0 && r.Size == asked {
			r.Size = size
		} else {
			if !m.fits(r.Size) {
				return ErrTooLarge
			}
			asked, size = r.Size, m.Normalize(r.Size)
			r.Size = size
		}
	}
	for _, c := range release {
		if !c.Ended {
			m.end(c, Aborted, !c.Taken)
		}
	}
	m.Ask(a.Attempt, requests)
	m.Take(a.Attempt)
	m.settle()
	return nil
}

// Done is a container that a node reports as ended.
type Done struct {
	Container *capacity.Container
	Exit      int
}

// NodeHeartbeat lets a node report ended containers, and gives it others.
func (m *Manager) NodeHeartbeat(n *capacity.Node, done []Done) {
	for _, d := range done {
		if !d.Container.Ended { // a node may report it twice
			m.end(d.Container, d.Exit, false)
		}
	}
	m.Heartbeat(n)
	m.settle()
}

// Complete ends a container.
func (m *Manager) Complete(c *capacity.Container, exit int) {
	m.end(c, exit, false)
	m.settle()
}

// Preempt gives up reservations and ends containers that have to make way for others.
func (m *Manager) Preempt(reservations, containers []*capacity.Container) {
	for _, c := range reservations {
		m.Unreserve(c)
	}
	for _, c := range containers {
		m.end(c, Preempted, false)
	}
	m.settle()
}

// end frees a container and lets its application know.
func (m *Manager) end(c *capacity.Container, exit int, silent bool) {
	m.End(c)
	m.log.Ended(c, exit, silent)
	if !c.Master {
		return
	}
	if a := m.apps[c.Attempt.App]; c.Attempt == a.Attempt && a.state != ended {
		m.later(func() { m.masterEnded(a, c, exit) })
	}
}

// masterEnded ends an attempt whose master is gone without a word, and begins the next if there may be one.
func (m *Manager) masterEnded(a *App, c *capacity.Container, exit int) {
	if a.done || a.state == ended || c.Attempt != a.Attempt {
		return
	}
	if a.state == finishing {
		a.state, a.done = ended, true
		m.later(func() {
			m.finishAttempt(a)
			m.Gone(a.Attempt)
		})
		return
	}
	if exit != Aborted && exit != Preempted && exit != diskFault {
		a.fails++
	}
	a.state = ended
	m.later(func() {
		m.finishAttempt(a)
		if a.maxAttempts == 1 || a.fails >= a.maxAttempts { // the first one may be the only one, whatever ended it
			a.done = true
			m.Gone(a.Attempt)
			return
		}
		m.later(func() { m.attempt(a) })
	})
}

// finishAttempt takes the present attempt out of the scheduler.
func (m *Manager) finishAttempt(a *App) {
	for _, c := range a.Attempt.Leaving() {
		m.End(c)
		m.log.Ended(c, Aborted, false)
	}
	m.Finish(a.Attempt)
}

// Unregister lets a master announce its end. The application is over when its container has ended.
func (m *Manager) Unregister(a *App) { a.state = finishing }

// EndApp lets a master that runs unregister and end, or kills the application.
func (m *Manager) EndApp(a *App) {
	if !a.Running() {
		m.Kill(a)
		return
	}
	a.state, a.done = ended, true
	if c := a.Attempt.MasterContainer(); c != nil {
		m.end(c, 0, false)
	}
	m.finishAttempt(a)
	m.Gone(a.Attempt)
	m.settle()
}

// Kill ends an application at its client's wish.
func (m *Manager) Kill(a *App) {
	if a.done {
		return
	}
	a.state, a.done = ended, true
	m.finishAttempt(a)
	m.Gone(a.Attempt)
	m.settle()
}

// LoseNode takes a node away with its containers.
func (m *Manager) LoseNode(n *capacity.Node) {
	for _, c := range slices.Clone(n.Containers) {
		m.end(c, Aborted, false)
	}
	if c := n.Reserved(); c != nil {
		m.Unreserve(c)
	}
	m.RemoveNode(n)
	m.settle()
}

// RefreshQueues takes over changed settings. The error is a *settings.Fault; nothing changes then.
func (m *Manager) RefreshQueues(settings *settings.Scheduler) error {
	if err := m.Refresh(settings); err != nil {
		return err
	}
	m.settings = settings
	m.settle()
	return nil
}
