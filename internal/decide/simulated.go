// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"io"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// Decisions writes what the resource manager of a simulated run decides, in the lines of this package. A step is one
// thing that happens: a heartbeat, a submission, a start.
type Decisions struct {
	printer
	fresh []*capacity.Attempt
}

// NewDecisions returns a writer of decisions. Close it at the end of the run.
func NewDecisions(w io.Writer) *Decisions {
	return &Decisions{printer: newPrinter(w)}
}

// Step begins a step.
func (d *Decisions) Step(now model.Time) {
	d.settle()
	d.step++
	d.now = int64(now / model.Millisecond)
}

// Activated hears that the limits on masters have let an attempt in.
func (d *Decisions) Activated(a *capacity.Attempt) { d.fresh = append(d.fresh, a) }

// settle prints the lines of the step that ends.
func (d *Decisions) settle() {
	d.over()
	d.activated(d.fresh)
	d.fresh = d.fresh[:0]
	d.flush()
}

// Close prints what is left.
func (d *Decisions) Close() error {
	d.settle()
	return d.out.Flush()
}

// activated adds the lines of attempts that were activated in a step.
func (p *printer) activated(fresh []*capacity.Attempt) {
	slices.SortFunc(fresh, func(a, b *capacity.Attempt) int {
		return cmp.Or(cmp.Compare(a.Queue(), b.Queue()), cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.App, b.App))
	})
	for _, a := range fresh {
		p.add("activate", "queue=%s user=%s app=%d att=%d prio=%d", a.Queue(), a.User, a.App, a.Number, a.Priority)
	}
}
