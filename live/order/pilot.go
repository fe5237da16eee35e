// SPDX-License-Identifier: Apache-2.0

package order

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
)

// Source is what is asked of a ResourceManager. *rest.Client is one.
type Source interface {
	Apps(context.Context, rest.Filter) ([]rest.App, error)
}

// FactNames are the facts that guards may name.
var FactNames = []string{"pending", "running", "levels"}

// Pilot keeps the priorities of a queue's applications as a policy wants them.
type Pilot struct {
	Source  Source
	Queue   string
	Mirror  *Mirror
	Session *steer.Session // nil for a dry run
	Hand    *Hand
	Most    int        // largest priority to use
	Poll    model.Time // between two looks
	Counts  func(context.Context, *rest.App) Counts

	apps  []rest.App
	there map[string]bool // applications of all queues: one that was moved can still be put back
	said  string
}

var _ steer.Pilot = (*Pilot)(nil)

// Look implements steer.Pilot.
func (p *Pilot) Look(ctx context.Context, now model.Time) ([]steer.Fact, error) {
	all, err := p.Source.Apps(ctx, rest.Filter{States: rest.Unfinished, Requests: true})
	if err != nil {
		return nil, err
	}
	p.apps, p.there = p.apps[:0], map[string]bool{}
	pending, running, levels := 0, 0, map[int]bool{}
	for i := range all {
		p.there[all[i].ID] = true
		if all[i].Queue != p.Queue && "root."+all[i].Queue != p.Queue {
			continue
		}
		p.apps = append(p.apps, all[i])
		levels[all[i].Priority] = true
		if all[i].Containers > 0 {
			running++
		} else {
			pending++
		}
	}
	p.Mirror.Update(now, p.apps, func(a *rest.App) Counts {
		if p.Counts == nil || a.State != rest.StateRunning {
			return Counts{}
		}
		return p.Counts(ctx, a)
	})
	return []steer.Fact{{Name: "pending", Value: float64(pending)}, {Name: "running", Value: float64(running)}, {Name: "levels", Value: float64(len(levels))}}, nil
}

// Act implements steer.Pilot.
func (p *Pilot) Act(ctx context.Context, now model.Time) (steer.Move, error) {
	move := steer.Move{Next: now + p.Poll}
	if p.Hand.Cut != nil {
		p.Most = min(p.Most, *p.Hand.Cut)
	}
	if p.Most == 0 {
		return move, &steer.Stopped{Reason: "the cluster's largest priority is 0 (yarn.cluster.max-application-priority), so nothing can be put in order"}
	}
	rank := p.Mirror.Rank()
	p.remember(rank)
	levels := Levels(rank, p.Most)
	var text []string
	for i := range rank {
		r := &rank[i]
		word := short(r.ID) + ":" + strconv.Itoa(levels[i])
		if levels[i] != r.Priority {
			word = fmt.Sprintf("%s:%d->%d", short(r.ID), r.Priority, levels[i])
		}
		text = append(text, word)
	}
	if said := strings.Join(text, " "); said != p.said {
		p.said = said
		would := ""
		if p.Session == nil {
			would = "would be "
		}
		move.Said = fmt.Sprintf("%8s  %sserved in the order %s", now/model.Second*model.Second, would, said)
	}
	if p.Session == nil {
		return move, nil
	}
	var refusals []string
	for i := range rank {
		if levels[i] == rank[i].Priority {
			continue
		}
		err := p.Session.Set(ctx, steer.Knob{Kind: steer.KindPriority, Name: rank[i].ID}, steer.Of(strconv.Itoa(levels[i])), "rank "+strconv.Itoa(i+1))
		var refusal *steer.Refusal
		switch {
		case errors.As(err, &refusal):
			refusals = append(refusals, rank[i].ID+": "+refusal.Reason)
		case errors.Is(err, steer.ErrGone) || err == nil:
		default:
			return move, err
		}
	}
	move.Refused = strings.Join(refusals, "; ")
	return move, p.Session.Forget(ctx, func(k steer.Knob) bool { return !p.there[k.Name] })
}

// remember says of applications whose priorities were changed what they were at first.
func (p *Pilot) remember(rank []Ranked) {
	if p.Session == nil {
		return
	}
	for i := range rank {
		if was, changed := p.Session.Was(steer.Knob{Kind: steer.KindPriority, Name: rank[i].ID}); changed {
			rank[i].First, _ = strconv.Atoi(was.Text) // the hand has written it
			rank[i].Changed = true
		}
	}
}

// short is an application's number without the cluster's.
func short(id string) string {
	if at := strings.LastIndexByte(id, '_'); at >= 0 {
		return id[at+1:]
	}
	return id
}
