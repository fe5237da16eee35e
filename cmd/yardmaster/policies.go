// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/scenario"
)

type policiesCmd struct {
	Name string `arg:"" optional:"" help:"Show this policy with its parameters and rules."`
}

// Run implements the command.
func (c *policiesCmd) Run(w *world) error {
	if c.Name == "" {
		for _, e := range policies.Choosable {
			fmt.Fprintf(w.out, "%-8s %s\n", e.Name, e.Summary)
		}
		fmt.Fprintf(w.out, "\nEach is a combination of roles. A scenario may combine others: policy: {order: fair, place: delay}.\n\n")
		for i := range policies.Tables {
			t := &policies.Tables[i]
			fmt.Fprintf(w.out, "%-9s %s %s\n", t.Role, t.Summary, strings.Join(t.Names(), ", "))
		}
		fmt.Fprintf(w.out, "\nyardmaster policies NAME shows parameters, needs and the source of each rule; NAME may be that of a role.\n")
		return nil
	}
	if e, ok := policies.Choosable.Find(c.Name); ok {
		console.Policy(w.out, e)
		return nil
	}
	if policies.IsRole(c.Name) {
		console.Role(w.out, c.Name)
		return nil
	}
	_, err := scenario.Choose(c.Name)
	return err
}
