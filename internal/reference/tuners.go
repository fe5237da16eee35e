// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/tune"
)

const tunersIntro = `A tuner changes the AM share of a YARN cluster while jobs run: the part of the memory that application
masters may take, and so how many jobs run at once. It is a state machine: an observation in, advice out.
It reads no clock; where a script would sleep, its advice says when to be called next. A scenario names it
in its section ` + "`yarn`" + `, or beside a policy. Beside ` + "`yarn-capacity`" + ` it sets ` + "`maximum-am-resource-percent`" + ` of all queues, beside ` + "`yarn-fair`" + ` ` + "`maxAMShare`" + `:

    yarn: {tuner: marp-auto}
    yarn: {tuner: {cbt: {faithful: true}}}
    policies:
      - {fair: {}, tuner: {prj: {share: 0.25}}, as: all at once}
      - {yarn-capacity: {}, tuner: cbt}
      - {yarn-fair: {}, tuner: cbt}

What passes between a tuner and its cluster can be recorded as text, one line per observation or advice, and
replayed into a tuner:

    tuner-log 1
    tuner cbt
    params {faithful: true}
    seed 7
    at 16s idle 83 pending 5 running 1 share 0.05 written 0.05 apps a1:running:12.5 a2:pending:0
    -> 0.09 next 47s idle: one more job
    !! 0.09 refused: the file cannot be written

The words of an observation are what YARN's REST interface and the host tell: the idle CPU (without waiting for
disks) and how busy the disk is, in percent; jobs pending and running; the share in effect and the one written in
the configuration; how long a written one takes to act; the sizes of an AM, of a task's container, of the queue's
memory and of what is free of it; and the applications with state, progress and, if known, memory and containers.
What is not known is left out.
`

// Tuners writes the table of tuners.
func Tuners(w io.Writer) {
	fmt.Fprintf(w, "# Tuners\n\n%s%s\n", generated, tunersIntro)
	fmt.Fprintf(w, "| tuner | in a sentence | source |\n|---|---|---|\n")
	for _, e := range tune.All {
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", e.Name, cell(e.Summary), cell(e.Source))
	}
	for _, e := range tune.All {
		writeFields(w, e.Name, e.Summary, strict.Fields(e.Params()), nil)
	}
}
