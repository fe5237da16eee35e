// SPDX-License-Identifier: Apache-2.0

// Package reference writes the reference pages of the documentation from the code: scenario files, policies,
// tuners and results, each from the structs and tables that the program itself reads.
package reference

import (
	"fmt"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/course"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/synth"
)

const generated = "<!-- Generated from the code by `make docs`; do not edit. -->\n\n"

// Scenarios writes the reference of scenario files, from the structs that read them.
func Scenarios(w io.Writer) {
	fmt.Fprintf(w, "# Scenario reference\n\n%s", generated)
	fmt.Fprintf(w, "A scenario is a YAML file. Unknown fields, wrong types, missing units and impossible values are refused, all at once, each with its line and what is allowed. ")
	fmt.Fprintf(w, "Durations are written with their unit (`300ms`, `12000s`, `1.5h`), sizes too (`128MiB`, `1.5GB`), shares as `70%%` or `0.7`.\n")
	s := scenario.Defaults("the file's name")
	writeFields(w, "Top level", "", strict.Fields(s), func(f strict.Field) bool {
		return !strings.ContainsAny(f.Path, "[") && !strings.HasPrefix(f.Path, "workload.else.")
	})
	var class cluster.ClassConfig
	class.SetDefaults()
	writeFields(w, "`cluster.classes[]`", "", strict.Fields(&class), nil)
	var job workload.JobConfig
	job.SetDefaults()
	writeFields(w, "`workload.jobs[]`", "", strict.Fields(&job), nil)
	var k synth.ClassConfig
	k.SetDefaults()
	writeFields(w, "`workload.generate.classes[]`", "", strict.Fields(&k), nil)
	var rule workload.Rule
	rule.SetDefaults()
	writeFields(w, "`workload.assign[]`", "", strict.Fields(&rule), nil)
	writeFields(w, "Distributions", "Where a number or duration may vary, a plain value is a constant and a mapping is a distribution:",
		strict.Fields(synth.DistFields()), nil)
}

func writeFields(w io.Writer, title, intro string, fields []strict.Field, keep func(strict.Field) bool) {
	fmt.Fprintf(w, "\n## %s\n\n", title)
	if intro != "" {
		fmt.Fprintf(w, "%s\n\n", intro)
	}
	fmt.Fprintf(w, "| field | type | default | meaning |\n|---|---|---|---|\n")
	for _, f := range fields {
		if keep != nil && !keep(f) {
			continue
		}
		def := ""
		if f.Default != "" {
			def = "`" + f.Default + "`"
		}
		if f.Required {
			def = "(required)"
		}
		doc := f.Doc
		if f.Allowed != "" {
			doc += " Allowed: " + f.Allowed + "."
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", f.Path, f.Type, cell(def), cell(doc))
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// Policies writes the table of policies.
func Policies(w io.Writer) {
	fmt.Fprintf(w, "# Policies\n\n%s", generated)
	fmt.Fprintf(w, "| policy | in a sentence | source | needs |\n|---|---|---|---|\n")
	for _, e := range policies.Choosable {
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", e.Name, cell(e.Summary), cell(e.Source), e.Needs)
	}
	for _, e := range policies.Choosable {
		fmt.Fprintf(w, "\n## %s\n\n%s Decides: %s.\n\n", e.Name, e.Summary, e.Can)
		for _, r := range e.Rules {
			fmt.Fprintf(w, "- %s (%s)\n", r.Text, r.Source)
		}
		if e.Params == nil {
			continue
		}
		parameters(w, e.Params())
	}
	roles(w)
}

// parameters writes a table of parameters.
func parameters(w io.Writer, params any) {
	fmt.Fprintf(w, "\n| parameter | type | default | meaning |\n|---|---|---|---|\n")
	for _, f := range strict.Fields(params) {
		doc := f.Doc
		if f.Allowed != "" {
			doc += " Allowed: " + f.Allowed + "."
		}
		fmt.Fprintf(w, "| `%s` | %s | `%s` | %s |\n", f.Path, f.Type, f.Default, cell(doc))
	}
}

// roles writes the roles that policies are made of.
func roles(w io.Writer) {
	fmt.Fprintf(w, "\n# Roles\n\nEach policy above but `yarn-capacity` and `yarn-fair` is a combination of five roles. A scenario may combine others, with parameters and a label as usual:\n\n"+
		"    policy: {order: {fair: {by: user}}, place: {delay: {node-wait: 3s}}, as: mine}\n\n"+
		"Roles that make no sense together are refused with the reason.\n")
	for i := range policies.Tables {
		t := &policies.Tables[i]
		fmt.Fprintf(w, "\n## %s\n\n%s", t.Role, t.Summary)
		if t.Default != "" {
			fmt.Fprintf(w, " Left out, it is `%s`.", t.Default)
		}
		fmt.Fprintf(w, "\n\n| name | in a sentence | source | goes with the orders |\n|---|---|---|---|\n")
		for _, r := range t.Table {
			with := "any"
			if len(r.Orders) > 0 {
				with = strings.Join(r.Orders, ", ")
			}
			fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", r.Name, cell(r.Summary), cell(r.Source), with)
		}
		for _, r := range t.Table {
			if r.Params != nil {
				fmt.Fprintf(w, "\nParameters of the %s `%s`:\n", t.Role, r.Name)
				parameters(w, r.Params())
			}
		}
	}
}

// columns writes a table of the columns of a CSV file.
func columns(w io.Writer, columns [][2]string) {
	fmt.Fprintf(w, "| column | meaning |\n|---|---|\n")
	for _, c := range columns {
		fmt.Fprintf(w, "| `%s` | %s |\n", c[0], cell(c[1]))
	}
}

// Results writes the reference of result files.
func Results(w io.Writer) {
	fmt.Fprintf(w, "# Result reference\n\n%s", generated)
	fmt.Fprintf(w, "CSV files are quoted as in RFC 4180. A text that others chose, such as the name of a job, and that begins with `=`, `+`, `-`, `@`, a tab or a carriage return has an apostrophe before it, so that a spreadsheet shows it and does not run it; one that begins with apostrophes before such a sign gets one more. `workload` and the other readers of Yardmaster take the apostrophe off.\n\n")
	fmt.Fprintf(w, "## jobs.csv\n\nOne row per job that ended, in order of id. Times are seconds since the start of the run, exact to the nanosecond.\n\n")
	columns(w, result.AllColumns())
	fmt.Fprintf(w, "\nIn the jobs.csv that `compare --all-seeds` writes into the folder itself, the columns `policy` and `seed` come first.\n")
	fmt.Fprintf(w, "\n## tasks.csv\n\nOne row per attempt of a task, in the order in which they started; written with `--tasks`. See [results in DuckDB and pandas](analysis.md).\n\n")
	columns(w, result.TaskColumns)
	fmt.Fprintf(w, "\n## series.csv\n\n`time,series,key,value`: the mean of a series over the bucket that begins at `time` (seconds).\n\n| series | key | value |\n|---|---|---|\n")
	for _, k := range metrics.LineKinds {
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", k.Name, k.Key, k.Text)
	}
	fmt.Fprintf(w, "\n## links.csv\n\nHow the racks' links fared over time, one row for each bucket of each link. The file is there where links are modelled (durations: network, resources), the cluster has several racks, and something went from one to another.\n\n")
	columns(w, result.LinkColumns)
	fmt.Fprintf(w, "\n## traffic.csv\n\nWhat went from rack to rack over the run, one row for each pair of racks with any. The file is there where links.csv or circuits.csv is.\n\n")
	columns(w, result.TrafficColumns)
	fmt.Fprintf(w, "\n## circuits.csv\n\nWhich racks were connected when, one row for each circuit that was made, in that order. The file is there where circuits carried something. Times are seconds since the start of the run.\n\n")
	columns(w, result.CircuitColumns)
	fmt.Fprintf(w, "\n## plan.csv\n\nA plan of recurring jobs beside what happened, one row for each rack, job and kind of task that was planned or ran there, by rack and time. The file is there in results of `run` with a policy that plans, where jobs recur.\n\n")
	columns(w, course.Columns)
	fmt.Fprintf(w, "\n## Metrics\n\nThe names of metrics in summary.json, `--fail-if` and expected.yaml are those of [how results are defined](metrics.md).\n")
}
