// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/yarn"
	"github.com/yardmaster/yardmaster/yarn/capacity"
)

// line is a line of a step, with what lines of ends are sorted by.
type line struct {
	kind, text   string
	app, att, no int // of a container that has ended or will, 0 of other lines
}

// printer collects the lines of a step.
type printer struct {
	out  *bufio.Writer
	step int
	now  int64
	buf  []line
	late []line                       // ends that no application is told of: they are seen when the step is over
	kept map[*capacity.Container]bool // reserved
	gone []*capacity.Container        // reservations that were given up
}

func newPrinter(w io.Writer) printer {
	return printer{out: bufio.NewWriter(w), kept: map[*capacity.Container]bool{}}
}

// over adds the lines of what is seen only when the step is over.
func (p *printer) over() {
	p.buf = append(p.buf, p.late...)
	p.late = p.late[:0]
	p.flushGone()
}

func (p *printer) add(kind, format string, args ...any) {
	p.buf = append(p.buf, line{kind: kind, text: fmt.Sprintf(format, args...)})
}

func container(c *capacity.Container, loc string) string {
	a := c.Attempt
	return fmt.Sprintf("node=%s queue=%s user=%s app=%d att=%d c=%d prio=%d mem=%d vc=%d loc=%s",
		c.Node.Name, a.Queue(), a.User, a.App, a.Number, c.Number, c.Priority, c.Size.Memory, c.Size.VCores, loc)
}

// Started implements yarn.Log.
func (p *printer) Started(c *capacity.Container) {
	p.flushGone()
	text := container(c, c.Locality.String())
	if p.kept[c] {
		delete(p.kept, c)
		text += " reserved=1"
	}
	p.add("allocate", "%s", text)
}

// Reserved implements yarn.Log.
func (p *printer) Reserved(c *capacity.Container, kept bool) {
	if !kept {
		delete(p.kept, c)
		p.gone = append(p.gone, c)
		return
	}
	p.flushGone()
	p.kept[c] = true
	p.add("reserve", "%s", container(c, "-"))
}

// flushGone adds lines of reservations that were given up, by node: they are seen when the next container is given, or the step is
// over.
func (p *printer) flushGone() {
	slices.SortFunc(p.gone, func(a, b *capacity.Container) int { return cmp.Compare(a.Node.Name, b.Node.Name) })
	for _, c := range p.gone {
		p.add("unreserve", "%s", container(c, "-"))
	}
	p.gone = p.gone[:0]
}

// Refused implements yarn.Log.
func (p *printer) Refused(r capacity.Proposal) {
	p.add("refused-commit", "node=%s queue=%s app=%d prio=%d mem=%d vc=%d what=%s",
		r.Node.Name, r.Attempt.Queue(), r.Attempt.App, r.Priority, r.Size.Memory, r.Size.VCores, map[bool]string{false: "allocate", true: "reserve"}[r.Reserve])
}

// Ended implements yarn.Log.
func (p *printer) Ended(c *capacity.Container, exit int, silent bool) {
	if silent {
		exit = 0 // nobody was told
	}
	kind := "release"
	if exit == yarn.Preempted {
		kind = "kill"
	}
	l := of(c, kind, fmt.Sprintf(" exit=%d", exit))
	if silent {
		p.late = append(p.late, l)
	} else {
		p.buf = append(p.buf, l)
	}
}

// Noted adds the line of a container that will be pre-empted.
func (p *printer) Noted(c *capacity.Container) { p.buf = append(p.buf, of(c, "preempt-warn", "")) }

// of is a line of a container that has ended, or will.
func of(c *capacity.Container, kind, more string) line {
	return line{kind, container(c, "-") + more, c.Attempt.App, c.Attempt.Number, int(c.Number)}
}

// flush prints the lines of a step: runs of ends sorted, repeated refusals as one line.
func (p *printer) flush() {
	for i := 0; i < len(p.buf); {
		j := i + 1
		for j < len(p.buf) && p.buf[i].no > 0 && p.buf[j].kind == p.buf[i].kind {
			j++
		}
		run := p.buf[i:j]
		slices.SortStableFunc(run, func(a, b line) int {
			return cmp.Or(cmp.Compare(a.app, b.app), cmp.Compare(a.att, b.att), cmp.Compare(a.no, b.no))
		})
		for _, l := range run {
			if l.kind == "refused-commit" {
				for j < len(p.buf) && p.buf[j] == l {
					j++
				}
				l.text += fmt.Sprintf(" times=%d", j-i)
			}
			fmt.Fprintf(p.out, "%d %d %s", p.step, p.now, l.kind)
			if l.text != "" {
				fmt.Fprint(p.out, " ", l.text)
			}
			fmt.Fprintln(p.out)
		}
		i = j
	}
	p.buf = p.buf[:0]
}

// joined makes a sentence of the release one word; word cuts it at the length that the oracle shows.
func joined(s string) string { return strings.Join(strings.Fields(s), "_") }

func word(s string) string {
	s = joined(s)
	return s[:min(len(s), 100)]
}

// six prints a share with six digits after the point. As in Java, halves of the shortest decimal number that
// stands for it are rounded up.
func six(share float32) string {
	if share != share {
		return "NaN"
	}
	text := strconv.FormatFloat(float64(share), 'f', -1, 64)
	whole, digits, _ := strings.Cut(text, ".")
	if len(digits) <= 6 {
		return whole + "." + digits + "000000"[len(digits):]
	}
	millionths, _ := strconv.ParseInt(whole+digits[:6], 10, 64)
	if digits[6] >= '5' {
		millionths++
	}
	return fmt.Sprintf("%d.%06d", millionths/1_000_000, millionths%1_000_000)
}

// dump prints all limits.
func (r *run) dump() {
	s := r.rm.Scheduler
	p := &r.printer
	tree := s.Tree()
	p.add("d-cluster", "total=%v nodes=%d maxalloc=%v", tree.Cluster, len(s.Nodes()), s.MaxAlloc())
	nodes := slices.Clone(s.Nodes())
	slices.SortFunc(nodes, func(a, b *capacity.Node) int { return cmp.Compare(a.Name, b.Name) })
	for _, n := range nodes {
		reserved := "-"
		if c := n.Reserved(); c != nil {
			reserved = fmt.Sprintf("%d:%v", c.Attempt.App, c.Size)
		}
		p.add("d-node", "node=%s rack=%s total=%v used=%v free=%v containers=%d reserved=%s", n.Name, n.Rack, n.Total, n.Used, n.Free(), len(n.Containers), reserved)
	}
	places := make([]int, len(tree.Queues))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(tree.Queues[a].Path, tree.Queues[b].Path) })
	for _, at := range places {
		r.dumpQueue(at)
	}
}

func (r *run) dumpQueue(at int) {
	s, p := r.rm.Scheduler, &r.printer
	tree := s.Tree()
	q := &tree.Queues[at]
	text := fmt.Sprintf("queue=%s cap=%s abscap=%s absmax=%s usedcap=%s absused=%s min=%v max=%v used=%v reserved=%v pending=%v",
		q.Path, six(q.Share), six(q.AbsCapacity), six(q.AbsMaximum), six(tree.UsedCapacity(q)), six(tree.AbsUsed(q)), q.Min, q.Max, q.Used, q.Reserved, q.Pending)
	leaf := s.Report(at)
	if leaf == nil {
		p.add("d-queue", "%s", text)
		return
	}
	p.add("d-queue", "%s amlimit=%v amused=%v useramlimit=%v active=%d pendingapps=%d maxapps=%d maxappsuser=%d",
		text, leaf.MasterLimit, leaf.MastersUsed, leaf.UserMasterLimit, leaf.Active, leaf.Waiting, leaf.MaxApps, leaf.MaxUserApps)
	for _, u := range leaf.Users {
		p.add("d-user", "queue=%s user=%s used=%v amused=%v limit=%v limitall=%v useramlimit=%v active=%d pendingapps=%d",
			q.Path, u.Name, u.Used, u.MastersUsed, u.Limit, u.LimitAll, u.MasterLimit, u.Active, u.Waiting)
	}
	for _, a := range leaf.Apps {
		p.add("d-app", "queue=%s user=%s app=%d used=%v pending=%v reserved=%v headroom=%v", q.Path, a.User, a.App, a.Used, a.Pending, a.Reserved, s.Headroom(a))
	}
}
