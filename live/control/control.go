// SPDX-License-Identifier: Apache-2.0

// Package control is the commands that steer a live cluster: live tune, live order and live restore. They are dry runs
// unless they are told to apply.
package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/printed"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/amshare"
	"github.com/yardmaster/yardmaster/live/connect"
	"github.com/yardmaster/yardmaster/live/order"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
)

// Reach says which cluster and queue a command is about, and where journals are.
type Reach struct {
	connect.Flags `embed:""`
	Queue         string `required:"" placeholder:"PATH" help:"Full path of the leaf queue, such as root.prod."`
	State         string `placeholder:"DIR" help:"Folder of journals and locks; ~/.local/state/yardmaster if left out. Controllers of one queue must share it."`
}

// Steering are the flags of commands that steer.
type Steering struct {
	Reach        `embed:""`
	Apply        bool       `help:"Change the cluster. Without it nothing is changed: the command says what it would do."`
	StopIf       []string   `sep:"none" placeholder:"RULE" help:"Stop and put everything back when this holds, such as 'pending>50' (repeatable)."`
	For          model.Time `placeholder:"TIME" help:"Stop after this time, such as 2h; on a signal if left out."`
	Patience     model.Time `default:"2min" placeholder:"TIME" help:"How long the cluster may be out of reach before everything is put back."`
	Restore      bool       `help:"First put back what a controller that was killed has left changed."`
	Listen       string     `placeholder:"HOST:PORT" help:"Show a status page and Prometheus metrics (/metrics) here; loopback only."`
	ListenPublic bool       `help:"Let --listen open an address that other machines can reach."`
}

// refused makes an error one of the input.
func refused(err error) error { return &strict.InputError{Err: err} }

// client returns a client of the ResourceManagers.
func (f *Reach) client() (*rest.Client, error) { return f.Client(nil) }

// cluster names the cluster in journals and locks: its addresses in one order, this machine by one name.
func (f *Reach) cluster() string {
	var names []string
	for _, text := range f.URL {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			continue // the client refuses it
		}
		host := strings.ToLower(u.Host)
		for _, alias := range []string{"localhost", "[::1]"} {
			if rest, ok := strings.CutPrefix(host, alias); ok && (rest == "" || rest[0] == ':') {
				host = "127.0.0.1" + rest
			}
		}
		names = append(names, host)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}

// folder returns where journals are.
func (f *Reach) folder() (string, error) {
	if f.State != "" {
		return f.State, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "yardmaster"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", refused(fmt.Errorf("no folder for journals: %w; allowed: --state DIR", err))
	}
	return filepath.Join(home, ".local", "state", "yardmaster"), nil
}

// command returns a command line about the same queue.
func (f *Reach) command(name string) string {
	text := "yardmaster live " + name + " " + strings.Join(f.URL, " ") + " --queue " + f.Queue
	if f.User != "" {
		text += " --user " + f.User
	}
	if f.TokenCommand != "" {
		text += " --token-command '" + f.TokenCommand + "'"
	}
	if f.Kerberos {
		text += " --kerberos"
	}
	if f.Keytab != "" {
		text += " --keytab " + f.Keytab + " --principal " + f.Principal
	}
	if f.State != "" {
		text += " --state " + f.State
	}
	return text
}

// hands turns knobs by their kind.
type hands map[string]steer.Hand

func (h hands) of(k steer.Knob) (steer.Hand, error) {
	if hand := h[k.Kind]; hand != nil {
		return hand, nil
	}
	return nil, &steer.Refusal{Reason: "nobody knows how to turn a " + k.Kind}
}

// Read implements steer.Hand.
func (h hands) Read(ctx context.Context, k steer.Knob) (steer.Value, error) {
	hand, err := h.of(k)
	if err != nil {
		return steer.Value{}, err
	}
	return hand.Read(ctx, k)
}

// Write implements steer.Hand.
func (h hands) Write(ctx context.Context, k steer.Knob, v steer.Value) error {
	hand, err := h.of(k)
	if err != nil {
		return err
	}
	return hand.Write(ctx, k, v)
}

// newHands returns all hands on a cluster.
func newHands(c *rest.Client) hands {
	return hands{steer.KindShare: &amshare.Hand{Client: c}, steer.KindFile: amshare.FileHand{}, steer.KindPriority: &order.Hand{Client: c}}
}

// Restore is the command live restore.
type Restore struct {
	Reach `embed:""`
}

// Help implements kong's detailed help.
func (Restore) Help() string {
	return `Puts back what a controller of the queue has left changed that was killed before it could. What
somebody else has changed since then is left as it is, and said.`
}

// Run implements the command.
func (c *Restore) Run(sh *measure.Shell) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	journal, err := c.journal()
	if err != nil {
		return err
	}
	defer journal.Close()
	if journal.Unfinished() == nil {
		fmt.Fprintf(sh.Out, "nothing is left changed in %s\n", c.Queue)
		return nil
	}
	return c.putBack(sh, journal, newHands(client))
}

func (f *Reach) journal() (*steer.Journal, error) {
	folder, err := f.folder()
	if err != nil {
		return nil, err
	}
	return steer.OpenJournal(folder, f.cluster(), f.Queue)
}

// putBack restores what the last session left.
func (f *Reach) putBack(sh *measure.Shell, journal *steer.Journal, hand steer.Hand) error {
	_, err := steer.Begin(hand, journal, steer.NewClock(), steer.Entry{})
	var left *steer.Unfinished
	if !errors.As(err, &left) {
		return err
	}
	return left.Session.Restore(sh.Ctx, func(text string) { fmt.Fprintln(sh.Out, printed.Line(text)) })
}

// session begins a session, nil for a dry run. closed releases its lock.
func (f *Steering) session(sh *measure.Shell, hand steer.Hand, clock steer.Clock, task string) (s *steer.Session, closed func() error, err error) {
	if !f.Apply {
		return nil, func() error { return nil }, nil
	}
	journal, err := f.journal()
	if err != nil {
		return nil, nil, err
	}
	if f.Restore && journal.Unfinished() != nil {
		if err := f.putBack(sh, journal, hand); err != nil {
			journal.Close()
			return nil, nil, err
		}
	}
	s, err = steer.Begin(hand, journal, clock, steer.Entry{Cluster: f.cluster(), Queue: f.Queue, Task: task})
	var left *steer.Unfinished
	if errors.As(err, &left) {
		err = refused(fmt.Errorf("%w\nput it back with\n  %s\nor add --restore", err, f.command("restore")))
	}
	if err != nil {
		journal.Close()
		return nil, nil, err
	}
	return s, journal.Close, nil
}

// control lets a pilot steer until it is stopped.
func (f *Steering) control(sh *measure.Shell, pilot steer.Pilot, session *steer.Session, clock steer.Clock, task string, facts []string) error {
	c := &steer.Controller{Pilot: pilot, Session: session, Clock: clock, Patience: f.Patience, For: model.Forever,
		Status: &steer.Status{Task: task, Cluster: f.cluster(), Queue: f.Queue, Apply: f.Apply},
		Log:    slog.New(slog.NewTextHandler(sh.Err, nil)), Say: func(text string) { fmt.Fprintln(sh.Out, printed.Line(text)) }}
	if f.For > 0 {
		c.For = f.For
	}
	for _, text := range f.StopIf {
		g, err := steer.ParseGuard(text, facts)
		if err != nil {
			return refused(err)
		}
		c.Guards = append(c.Guards, g)
	}
	if f.Listen != "" {
		l, err := steer.Listen(f.Listen, f.ListenPublic)
		if err != nil {
			return refused(err)
		}
		c.Status.Serve(sh.Ctx, l)
		fmt.Fprintf(sh.Err, "status on http://%s/\n", l.Addr())
	}
	if !f.Apply {
		fmt.Fprintln(sh.Out, "dry run: nothing is changed; --apply acts")
	}
	return c.Run(sh.Ctx)
}
