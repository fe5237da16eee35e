// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policies"
)

// Combine draws roles that go with the order, and valid parameters of all of them, and returns the
// combination with the YAML text that it was read from.
func Combine(d Draw, order string) (c policies.Combination, text string) {
	queues := d("queues", 2, 3)
	var b strings.Builder
	for i := range policies.Tables {
		table := &policies.Tables[i]
		name := order
		if table.Default != "" {
			var names []string
			for _, role := range table.Table {
				plans := role.Name != "planned" || order != "hybrid" // which plans no racks by default
				if role.Orders == nil || slices.Contains(role.Orders, order) && plans {
					names = append(names, role.Name)
				}
			}
			name = names[d(table.Role, 0, len(names)-1)]
		}
		fmt.Fprintf(&b, "%s:\n  %s:\n", table.Role, name)
		for line := range strings.Lines(roleText(d, table.Role+" "+name, queues)) {
			b.WriteString("    " + line)
		}
	}
	node, errs := strict.Parse("combination", []byte(b.String()))
	if errs = append(errs, strict.Decode(node, &c)...); len(errs) > 0 {
		panic(fmt.Sprintf("simtest: a combination that was drawn is refused: %v\n%s", errs, b.String()))
	}
	return c, b.String()
}

// roleText draws the parameters of a role; one that it does not know gets its defaults. Orders with queues
// have the given number of them.
func roleText(d Draw, role string, queues int) string {
	switch role {
	case "order fair":
		return fairText(d)
	case "order deadline-max":
		return deadlineText(d)
	case "order deadline-min":
		return deadlineText(d) + fmt.Sprintf("no-goal-slots: %d\n", d("no-goal-slots", 1, 3))
	case "order fbq":
		return limitsText(d, queues)
	case "order sita":
		return limitsText(d, queues) + predictText(d)
	case "order comp":
		return fmt.Sprintf("queues: %d\n", queues) + predictText(d)
	case "order capacity":
		return capacityOrderText(d)
	case "place delay":
		return delayText(d)
	case "place chances":
		return chancesText(d)
	case "partition parts":
		return partsText(d, queues)
	case "admit capacity":
		return initText(d)
	}
	return ""
}
