// SPDX-License-Identifier: Apache-2.0

package control

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/amshare"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

// Tune is the command live tune.
type Tune struct {
	Steering    `embed:""`
	Tuner       string     `required:"" placeholder:"TUNER" help:"Tuner of the AM share, such as cbt or '{cbt: {increase: 0.07}}'."`
	Min         float64    `default:"0.01" help:"Least share."`
	Max         float64    `default:"1" help:"Largest share."`
	Step        float64    `default:"0.25" help:"Largest change of the share at a time."`
	Interval    model.Time `default:"5s" placeholder:"TIME" help:"Least time between two changes."`
	CPU         string     `name:"cpu" default:"nodes" placeholder:"METER" help:"How busy the CPU is: nodes (what NodeManagers measure of their hosts), containers (of containers alone), host (this machine), none, or http://HOST:PORT/metrics of a Prometheus node exporter."`
	Disk        string     `default:"none" placeholder:"METER" help:"How busy the disk is: host, none, or http://HOST:PORT/metrics."`
	Allocations string     `placeholder:"FILE" help:"The Fair Scheduler's allocation file, which is changed in place of the Capacity Scheduler's configuration."`
	Log         string     `placeholder:"FILE" help:"Write down observations and advice in a new file, in a form that replays."`
	Seed        uint64     `default:"1" help:"Of the tuner's random picks."`
}

// Help implements kong's detailed help.
func (Tune) Help() string {
	return `Lets a tuner steer the AM share of a queue: the part of its memory that application masters may take,
which limits how many jobs run at once. Without --apply it says what it would do and why.

Examples:
  yardmaster live tune http://rm:8088 --queue root.prod --tuner marp-auto
  yardmaster live tune http://rm:8088 --queue root.prod --tuner '{cbt: {increase: 0.07}}' \
    --apply --max 0.6 --stop-if 'pending>50' --listen 127.0.0.1:9190

The old share is put back at the end: on a signal, when a guard stops it, or when the cluster is out of
reach for too long. After a kill -9 the next start says so, and live restore puts it back.`
}

// Run implements the command.
func (c *Tune) Run(sh *measure.Shell) error {
	choice, err := c.choice()
	if err != nil {
		return err
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	setup := amshare.Setup{Hand: newHands(client), Knob: steer.Knob{Kind: steer.KindShare, Name: c.Queue},
		Bounds: steer.Bounds{Min: c.Min, Max: c.Max, Step: c.Step, Interval: c.Interval},
		Eyes:   &amshare.Eyes{Source: client, Queue: c.Queue}}
	if err := c.check(sh, client, &setup); err != nil {
		return err
	}
	if setup.Tuner, err = choice.New(c.Seed); err != nil {
		return refused(err)
	}
	clock := steer.NewClock()
	task := "tune " + choice.Name
	session, closed, err := c.session(sh, setup.Hand, clock, task)
	if err != nil {
		return err
	}
	log, err := c.log(choice)
	if err != nil {
		return errors.Join(err, closed())
	}
	if log != nil {
		setup.Recorder = log
		defer log.Close()
	}
	setup.Session = session
	return errors.Join(c.control(sh, amshare.New(setup), session, clock, task, amshare.FactNames), closed())
}

// choice reads the tuner and its parameters.
func (c *Tune) choice() (*tune.Choice, error) {
	choice := &tune.Choice{}
	node, errs := strict.Parse("--tuner", []byte(c.Tuner))
	if len(errs) == 0 {
		errs = strict.Decode(node, choice)
	}
	if len(errs) > 0 {
		return nil, refused(errs)
	}
	if problems := choice.Validate(); len(problems) > 0 {
		return nil, refused(fmt.Errorf("--tuner %s: %s: found %s; allowed: %s", c.Tuner, problems[0].Path, problems[0].Found, problems[0].Allowed))
	}
	return choice, nil
}

// check asks the cluster whether its share can be changed, and completes the setup.
func (c *Tune) check(sh *measure.Shell, client *rest.Client, setup *amshare.Setup) (err error) {
	if problems := setup.Bounds.Problems(); problems != nil {
		return refused(errors.New(strings.Join(problems, "\n")))
	}
	if setup.Eyes.CPU, err = amshare.NewMeter(c.CPU); err != nil {
		return refused(fmt.Errorf("--cpu: %w", err))
	}
	if setup.Eyes.Disk, err = amshare.NewMeter(c.Disk); err != nil {
		return refused(fmt.Errorf("--disk: %w", err))
	}
	s, err := client.Scheduler(sh.Ctx)
	if err != nil {
		return err
	}
	q := s.Root.Find(c.Queue)
	switch {
	case q == nil || !q.Leaf():
		return refused(fmt.Errorf("--queue %s: allowed: %s", c.Queue, leaves(s.Root)))
	case s.Kind == rest.Fair && c.Allocations == "":
		return refused(errors.New("the cluster has the Fair Scheduler; allowed: --allocations FILE, its allocation file"))
	case s.Kind != rest.Fair && c.Allocations != "":
		return refused(fmt.Errorf("--allocations %s: the cluster has the %s; allowed: with the Fair Scheduler", c.Allocations, s.Kind))
	}
	if c.Allocations != "" {
		setup.Knob = steer.Knob{Kind: steer.KindFile, Name: c.Queue, File: c.Allocations}
	}
	_, err = setup.Hand.Read(sh.Ctx, setup.Knob)
	return err
}

// leaves lists the leaf queues.
func leaves(root *rest.Queue) string {
	var names []string
	for q := range root.All() {
		if q.Leaf() {
			names = append(names, q.Path)
		}
	}
	return strings.Join(names, ", ")
}

// tunerLog is a log that closes its file.
type tunerLog struct {
	*tune.Log
	file *os.File
}

// Close writes what is left.
func (l *tunerLog) Close() error { return errors.Join(l.Log.Close(), l.file.Close()) }

// log begins a log, nil if none is asked for. What an earlier controller has written down stays.
func (c *Tune) log(choice *tune.Choice) (*tunerLog, error) {
	if c.Log == "" {
		return nil, nil
	}
	f, err := os.OpenFile(c.Log, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, refused(fmt.Errorf("--log: %w; allowed: a new file", err))
	}
	params := ""
	if choice.Params != nil {
		params = string(strict.Encode(choice.Params).JSON(""))
	}
	return &tunerLog{tune.NewLog(f, choice.Name, params, c.Seed), f}, nil
}
