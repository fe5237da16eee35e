// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/policy"
)

// Role lists what can play a role, with parameters.
func Role(out io.Writer, name string) {
	for i := range policies.Tables {
		t := &policies.Tables[i]
		if t.Role != name {
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", t.Role, t.Summary)
		if t.Default != "" {
			fmt.Fprintf(out, "left out, it is %s\n", t.Default)
		}
		for _, r := range t.Table {
			fmt.Fprintf(out, "\n%s: %s (%s)\n", r.Name, r.Summary, r.Source)
			if len(r.Orders) > 0 {
				fmt.Fprintf(out, "  goes with the orders %s\n", strings.Join(r.Orders, ", "))
			}
			if r.Params != nil {
				describeFields(out, r.Params())
			}
		}
	}
}

// Policy prints what a policy is, its rules and its parameters.
func Policy(out io.Writer, e *policy.Entry) {
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
	describeFields(out, e.Params())
	fmt.Fprintf(out, "\nin a scenario\n  policy: {%s: {%s: ...}}\n", e.Name, strict.Fields(e.Params())[0].Path)
}

// describeFields lists parameters.
func describeFields(out io.Writer, params any) {
	for _, f := range strict.Fields(params) {
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
