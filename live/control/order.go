// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/order"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/scenario"
)

// Order is the command live order.
type Order struct {
	Steering `embed:""`
	Policy   string     `required:"" placeholder:"POLICY" help:"Policy whose order is carried out, such as edf or '{fbq: {limits: [60s]}}'."`
	Levels   int        `default:"10" help:"Largest priority to use; the cluster's maximum (yarn.cluster.max-application-priority) may be lower."`
	Poll     model.Time `default:"3s" placeholder:"TIME" help:"Time between two looks; a ResourceManager counts service in steps of 3 s."`
	Goals    string     `placeholder:"FILE" help:"Completion-time goals: lines of a pattern of application names and a time. The tag goal=TIME of an application comes first."`
	Sizes    string     `placeholder:"FILE" help:"Sizes of applications, for policies that need them: lines of a pattern of names and the sum of the task lengths."`
	Seed     uint64     `default:"1" help:"Of the policy's random picks."`
}

// Help implements kong's detailed help.
func (Order) Help() string {
	return `Lets a policy order the applications of a leaf queue, by their priorities: the Capacity Scheduler's
order fifo serves the highest priority first. Without --apply it says what it would do. No application is
killed or moved.

Examples:
  yardmaster live order http://rm:8088 --queue root.prod --policy '{fbq: {limits: [120s]}}'
  yardmaster live order http://rm:8088 --queue root.prod --policy edf --goals goals.txt --apply

Old priorities are put back at the end, as with live tune. A policy that decides more than an order, or needs to know
what a ResourceManager does not tell, is refused with the reason.`
}

// Run implements the command.
func (c *Order) Run(sh *measure.Shell) error {
	entry, params, err := c.choice()
	if err != nil {
		return err
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	if err := c.check(sh, client); err != nil {
		return err
	}
	mirror, err := order.NewMirror(entry, params, c.Seed)
	if err != nil {
		return refused(err)
	}
	if mirror.Goals, err = said(c.Goals); err != nil {
		return err
	}
	if mirror.Sizes, err = said(c.Sizes); err != nil {
		return err
	}
	all := newHands(client)
	pilot := &order.Pilot{Source: client, Queue: c.Queue, Mirror: mirror, Hand: all[steer.KindPriority].(*order.Hand), Most: c.Levels, Poll: c.Poll,
		Counts: func(ctx context.Context, a *rest.App) order.Counts { return counts(ctx, client, a) }}
	clock := steer.NewClock()
	task := "order " + entry.Name
	session, closed, err := c.session(sh, all, clock, task)
	if err != nil {
		return err
	}
	pilot.Session = session
	return errors.Join(c.control(sh, pilot, session, clock, task, order.FactNames), closed())
}

// counts asks an application's master how many tasks it has. One that does not answer tells nothing.
func counts(ctx context.Context, client *rest.Client, a *rest.App) (c order.Counts) {
	if a.Type != "MAPREDUCE" {
		return c
	}
	maps, reduces, err := client.TasksOf(ctx, a.ID)
	if err != nil || maps.Total+reduces.Total == 0 {
		return c
	}
	c.Known = true
	for k, t := range [model.Kinds]rest.Tasks{maps, reduces} {
		c.Total[k], c.Done[k], c.Running[k] = int32(t.Total), int32(t.Done), int32(t.Running)
	}
	return c
}

// choice reads the policy and its parameters, and refuses one that cannot order a live queue.
func (c *Order) choice() (*policy.Entry, any, error) {
	choice := scenario.PolicyChoice{}
	node, errs := strict.Parse("--policy", []byte(c.Policy))
	if len(errs) == 0 {
		errs = strict.Decode(node, &choice)
	}
	if len(errs) > 0 {
		return nil, nil, refused(errs)
	}
	entry, params := choice.Entry()
	if v, ok := params.(policy.Validator); ok {
		if problems := v.Validate(); len(problems) > 0 {
			return nil, nil, refused(fmt.Errorf("--policy %s: %s: found %s; allowed: %s", c.Policy, problems[0].Path, problems[0].Found, problems[0].Allowed))
		}
	}
	if err := order.Refuses(entry, params, c.Sizes != ""); err != nil {
		return nil, nil, refused(err)
	}
	if c.Levels < 1 || c.Poll <= 0 {
		return nil, nil, refused(fmt.Errorf("--levels %d --poll %s: allowed: at least 1, above 0s", c.Levels, c.Poll))
	}
	return entry, params, nil
}

// check asks whether the queue serves applications by their priorities.
func (c *Order) check(sh *measure.Shell, client *rest.Client) error {
	s, err := client.Scheduler(sh.Ctx)
	if err != nil {
		return err
	}
	if s.Kind != rest.Capacity {
		return refused(fmt.Errorf("the cluster has the %s, which does not serve applications by priority; allowed: the Capacity Scheduler", s.Kind))
	}
	q := s.Root.Find(c.Queue)
	if q == nil || !q.Leaf() {
		return refused(fmt.Errorf("--queue %s: allowed: %s", c.Queue, leaves(s.Root)))
	}
	if q.Order != "" && !strings.Contains(strings.ToLower(q.Order), "fifo") {
		return refused(fmt.Errorf("queue %s has the ordering policy %s, which does not go by priority; allowed: fifo", c.Queue, q.Order))
	}
	return nil
}

// said reads a file of goals or sizes; no file says nothing.
func said(file string) (order.Said, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, refused(err)
	}
	defer f.Close()
	out, err := order.ReadSaid(file, f)
	if err != nil {
		return nil, refused(err)
	}
	return out, nil
}
