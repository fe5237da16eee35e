// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"io"
	"strings"
)

// WriteReference writes docs/metrics.md: every metric, what its name is made of, and how blame is shared out.
func WriteReference(w io.Writer) {
	fmt.Fprint(w, referenceHead)
	for i := range families {
		f := &families[i]
		text := f.text
		if f.note != "" {
			text += ". " + f.note
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", f.name, f.unit, f.better, text)
	}
	fmt.Fprint(w, "\nWords in capitals stand for one of these:\n\n| word | may be | meaning |\n|---|---|---|\n")
	for _, k := range []*key{stat, pool, window} {
		for _, c := range k.choices {
			fmt.Fprintf(w, "| %s | `%s` | %s |\n", k.placeholder, c.Label, c.Text)
		}
	}
	fmt.Fprint(w, "| PART | a part of blame | see below |\n| LIMIT | a limit | see below |\n")
	fmt.Fprint(w, "\nA statistic that is a ratio (`cv`, `scv`, `vNN`) has no unit, whatever it is of.\n")
	var whole, part []string
	for i := range families {
		if families[i].whole {
			whole = append(whole, "`"+families[i].name+"`")
		}
		if families[i].part != nil {
			part = append(part, "`"+families[i].name+"`")
		}
	}
	fmt.Fprintf(w, "\n## Some of the jobs\n\nA metric is of all jobs, unless one of these stands in front of it. The cluster as a whole has %s; its parts have %s.\n\n| in front | whose metric |\n|---|---|\n",
		strings.Join(whole, ", "), strings.Join(part, ", "))
	for _, s := range selectors {
		fmt.Fprintf(w, "| `%s` | %s |\n", s.form, s.text)
	}
	fmt.Fprint(w, referenceBlame)
	writeChoices(w, "part", partKey.choices)
	fmt.Fprint(w, referenceLimits)
	writeChoices(w, "limit", limitKey.choices)
}

func writeChoices(w io.Writer, what string, choices []Choice) {
	fmt.Fprintf(w, "| %s | on pages | when |\n|---|---|---|\n", what)
	for _, c := range choices {
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", c.Name, c.Label, c.Text)
	}
}

const referenceHead = "# How results are defined\n\n<!-- Generated from the code by `make docs`; do not edit. -->\n" + `
Every number in tables, files and pages is computed in one place (the package ` + "`metrics`" + `), from the events of the
run alone. The [result reference](results-reference.md) lists the files and their columns.

These are the names of metrics in summary.json, ` + "`--fail-if`, `--objective`" + ` and expected.yaml. Under *better* stands the
direction in which a metric improves.

| metric | unit | better | meaning |
|---|---|---|---|
`

const referenceBlame = `
## Blame

A job's elapsed time is split into parts that add up to it to the nanosecond. While maps are unfinished, each moment is
shared among the unfinished maps: those without room are starved, the others run. After the last map, each moment is
shared among the unfinished reduces in the same way. So a job that runs 30 of its 100 maps at a time spends 70 % of that
time starved. A task runs from the moment at which it has room: launching its process (` + "`tasks.start-up`" + `) is part of
that. Reduces that the ramp-up limit keeps back while maps are pending do not count, since that time belongs to the maps.

`

const referenceLimits = `
The waiting and starved parts are split once more by the **limit** that held the job back: what the policy named last, or
*room* when nothing but other jobs' use of the room did. A limit holds until the job starts a task.
Where maps and reduces have slots of their own, they are held back each by itself: what counts is what keeps maps waiting as
long as the job has any to start, then what keeps its reduces waiting.

`
