// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// LogVersion is the version of the log format, in the first line of each log. Readers accept this
// one only; new optional words do not raise it.
const LogVersion = 1

// Log records what passes between a tuner and its cluster as text, one line per observation or
// advice, made to be read by people and by ReadLog:
//
//	tuner-log 1
//	tuner cbt
//	params {faithful: true}
//	seed 7
//	at 16s idle 83 pending 5 running 1 share 0.05 written 0.05 apps a1:running:12.5 a2:pending:0
//	-> 0.09 next 47s idle: one more job
//	!! 0.09 refused: the file cannot be written
//
// What is not known is left out. The words of an observation are idle, disk, pending, running, share,
// written, latency, am, container, memory, available and, last, apps. An application is
// ID:state:progress, or ID:state:progress:memory:containers; "-" is an unknown part. Blank lines and
// lines that begin with # are left alone.
type Log struct {
	w   *bufio.Writer
	err error
}

var _ Recorder = (*Log)(nil)

// NewLog starts a log for a tuner of that name. params is its parameters as one line of YAML, which
// may be empty.
func NewLog(w io.Writer, tuner, params string, seed uint64) *Log {
	l := &Log{w: bufio.NewWriter(w)}
	l.printf("tuner-log %d\ntuner %s\n", LogVersion, tuner)
	if params != "" {
		l.printf("params %s\n", strings.Join(strings.Fields(params), " "))
	}
	l.printf("seed %d\n", seed)
	return l
}

// Observed writes one observation.
func (l *Log) Observed(o *Observation) { l.printf("%s\n", formatObservation(o)) }

// Advised writes one advice.
func (l *Log) Advised(a Advice) { l.printf("%s\n", formatAdvice(a)) }

// Refused writes that the actuator turned the last advice down.
func (l *Log) Refused(share float64, err error) {
	l.printf("!! %s refused: %s\n", formatFloat(share), strings.Join(strings.Fields(err.Error()), " "))
}

// Close writes what is buffered and returns the first error.
func (l *Log) Close() error {
	if err := l.w.Flush(); l.err == nil {
		l.err = err
	}
	return l.err
}

func (l *Log) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(l.w, format, args...); l.err == nil {
		l.err = err
	}
}

func formatAdvice(a Advice) string {
	next := "next " + a.Next.String()
	if a.Done {
		next = "done"
	}
	return strings.TrimSpace(fmt.Sprintf("-> %s %s %s", formatFloat(a.Share), next, a.Reason))
}

func formatObservation(o *Observation) string {
	var b strings.Builder
	b.WriteString("at " + o.Time.String())
	word(&b, "idle", o.Idle, formatFloat)
	word(&b, "disk", o.Disk, formatFloat)
	word(&b, "pending", o.Pending, strconv.Itoa)
	word(&b, "running", o.Running, strconv.Itoa)
	word(&b, "share", o.Share, formatFloat)
	word(&b, "written", o.Written, formatFloat)
	word(&b, "latency", o.Latency, model.Time.String)
	word(&b, "am", o.AM, model.Bytes.String)
	word(&b, "container", o.Container, model.Bytes.String)
	word(&b, "memory", o.Memory, model.Bytes.String)
	word(&b, "available", o.Available, model.Bytes.String)
	if o.AppsKnown {
		b.WriteString(" apps")
		for i := range o.Apps {
			b.WriteString(" " + formatApp(&o.Apps[i]))
		}
	}
	return b.String()
}

func formatApp(a *App) string {
	s := a.ID + ":" + a.State.String() + ":" + part(a.Progress, formatFloat)
	if a.Memory.Known || a.Containers.Known {
		s += ":" + part(a.Memory, model.Bytes.String) + ":" + part(a.Containers, strconv.Itoa)
	}
	return s
}

func word[T any](b *strings.Builder, name string, r Reading[T], format func(T) string) {
	if r.Known {
		b.WriteString(" " + name + " " + format(r.Value))
	}
}

func part[T any](r Reading[T], format func(T) string) string {
	if !r.Known {
		return "-"
	}
	return format(r.Value)
}

// formatFloat writes x so that it is read back exactly, without an exponent.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
