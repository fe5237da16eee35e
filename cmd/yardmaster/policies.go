// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/scenario"
)

type policiesCmd struct {
	Name string `arg:"" optional:"" help:"Show this policy with its parameters and rules."`
}

// Run implements the command.
func (c *policiesCmd) Run(w *world) error {
	if c.Name == "" {
		for _, e := range policies.All {
			fmt.Fprintf(w.out, "%-8s %s\n", e.Name, e.Summary)
		}
		fmt.Fprintf(w.out, "\nyardmaster policies NAME shows parameters, needs and the source of each rule.\n")
		return nil
	}
	if _, err := scenario.Choose(c.Name); err != nil {
		return err
	}
	e, _ := policies.All.Find(c.Name)
	describePolicy(w.out, e)
	return nil
}

func describePolicy(out io.Writer, e *policy.Entry) {
	fmt.Fprintf(out, "%s: %s\n\n", e.Name, e.Summary)
	fmt.Fprintf(out, "source    %s\nneeds     %s\ndecides   %s\npromises  %s\n", e.Source, e.Needs, e.Can, promises(e.Promises))
	fmt.Fprintf(out, "\nrules\n")
	for _, r := range e.Rules {
		fmt.Fprintf(out, "  - %s (%s)\n", r.Text, r.Source)
	}
	if e.Params == nil {
		fmt.Fprintf(out, "\nno parameters\n")
		return
	}
	fmt.Fprintf(out, "\nparameters\n")
	for _, f := range strict.Fields(e.Params()) {
		fmt.Fprintf(out, "  %s (%s", f.Path, f.Type)
		if f.Default != "" {
			fmt.Fprintf(out, ", default %s", f.Default)
		}
		fmt.Fprintf(out, ")\n      %s", f.Doc)
		if f.Allowed != "" {
			fmt.Fprintf(out, " Allowed: %s.", f.Allowed)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "\nin a scenario\n  policy: {%s: {%s: ...}}\n", e.Name, strict.Fields(e.Params())[0].Path)
}

func promises(p policy.Promise) string {
	var out []string
	if p&policy.WorkConserving != 0 {
		out = append(out, "no idle room while a task waits")
	}
	if p&policy.StarvationFree != 0 {
		out = append(out, "no starvation")
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, "; ")
}
