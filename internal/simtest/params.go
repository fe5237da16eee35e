// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policy"
)

// Params draws valid parameters of the policy for a generated case, and returns them with the YAML
// text that they were read from. A policy that it does not know gets its defaults.
func Params(d Draw, e *policy.Entry) (params any, text string) {
	if e.Params == nil {
		return nil, ""
	}
	params = e.Params()
	switch e.Name {
	case "fair":
		text = fairText(d)
	case "delay":
		text = fairText(d) + delayText(d)
	case "deadline-max":
		text = deadlineText(d)
	case "deadline-min":
		text = deadlineText(d) + fmt.Sprintf("no-goal-slots: %d\n", d("no-goal-slots", 1, 3))
	case "fbq":
		text = limitsText(d, d("queues", 2, 4))
	case "tags", "sita":
		queues := d("queues", 2, 3)
		text = limitsText(d, queues) + partsText(d, queues)
		if e.Name == "sita" {
			text += predictText(d)
		}
	case "comp":
		text = fmt.Sprintf("queues: %d\n", d("queues", 2, 5)) + predictText(d)
	case "capacity":
		text = capacityText(d)
	case "corral":
		text = planText(d)
	case "jobpacker":
		text = planText(d) + fmt.Sprintf("sub-batches: %d\naggregate-adhoc: %t\n", d("sub-batches", 1, 4), d.chance("aggregate-adhoc", 2))
	default:
		return params, ""
	}
	return paramsOf(e, text), text
}

// paramsOf returns the parameters of a policy as the text has them.
func paramsOf(e *policy.Entry, text string) any {
	params := e.Params()
	node, errs := strict.Parse("params", []byte(text))
	if errs == nil {
		errs = strict.Decode(node, params)
	}
	if errs != nil {
		panic(fmt.Sprintf("simtest: parameters drawn for %s are refused: %v\n%s", e.Name, errs, text))
	}
	return params
}

func fairText(d Draw) string {
	var b strings.Builder
	by := d("by", 0, 2)
	fmt.Fprintf(&b, "by: %s\nwithin: %s\n", []string{"job", "user", "pool"}[by], []string{"fair", "fifo"}[d("within", 0, 1)])
	if by == 0 {
		return b.String()
	}
	prefix := []string{"", "u", "q"}[by]
	for _, field := range []string{"weights", "min-shares"} {
		if !d.chance(field, 2) {
			continue
		}
		fmt.Fprintf(&b, "%s: {", field)
		for i := range 2 {
			fmt.Fprintf(&b, "%s%d: %g, ", prefix, i, []float64{1, 2, 0.5, 3}[d(field, 0, 3)])
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func deadlineText(d Draw) string {
	times := []string{"3s", "1s", "300ms", "20s"}
	return fmt.Sprintf("interval: %s\npatience: %s\nreduce-cost: %g\nper-node: %t\ndrain: %t\n", times[d("interval", 0, 3)], times[d("patience", 0, 3)],
		[]float64{1, 0.5, 3}[d("reduce-cost", 0, 2)], d.chance("per-node", 2), d.chance("drain", 2))
}

// capacityText draws settings of capacity: of its queues, of initialisation, of its locality delay.
func capacityText(d Draw) string { return initText(d) + chancesText(d) + capacityOrderText(d) }

// initText draws how jobs are initialised, sometimes few at a time.
func initText(d Draw) string {
	return fmt.Sprintf("init-poll-interval: %s\nmaximum-system-jobs: %d\n", []string{"3s", "1s", "700ms"}[d("init-poll-interval", 0, 2)],
		[]int{5000, 5, 2}[d("maximum-system-jobs", 0, 2)])
}

func chancesText(d Draw) string {
	return fmt.Sprintf("locality-wait-factor: %g\nrack-wait-factor: %g\n", []float64{1, 0, 2, 0.4}[d("locality-wait-factor", 0, 3)],
		[]float64{0, 1, 0.3}[d("rack-wait-factor", 0, 2)])
}

// capacityOrderText draws queues for the names that generated jobs have, sometimes with limits so tight that
// jobs are refused.
func capacityOrderText(d Draw) string {
	var b strings.Builder
	fmt.Fprintf(&b, "default-init-accept-jobs-factor: %d\nmaximum-tasks-per-heartbeat: %d\nmaximum-tasks-after-offswitch: %d\n",
		[]int{1000, 1}[d("accept-factor", 0, 1)], []int{32767, 1, 3}[d("maximum-tasks-per-heartbeat", 0, 2)], d("maximum-tasks-after-offswitch", 0, 2))
	if d.chance("small-jobs-only", 3) {
		b.WriteString("default-maximum-active-tasks-per-user: 8\n")
	}
	if d.chance("no-queues", 4) {
		return b.String()
	}
	b.WriteString("queues:\n")
	for i, share := range [][]int{{50, 25, 25}, {34, 33, 33}, {90, 5, 5}}[d("shares", 0, 2)] {
		fmt.Fprintf(&b, "  - {name: q%d, capacity: %d, maximum-capacity: %d, minimum-user-limit-percent: %d, user-limit-factor: %g, supports-priority: %t}\n", i, share,
			[]int{-1, share, 100}[d("maximum", 0, 2)], []int{100, 50, 10}[d("percent", 0, 2)], []float64{1, 2, 10}[d("factor", 0, 2)], d.chance("supports-priority", 2))
	}
	return b.String()
}

func delayText(d Draw) string {
	skips, waits := []int{0, 1, 3, 40}, []string{"0s", "1s", "5s"}
	return fmt.Sprintf("node-skips: %d\nrack-skips: %d\nnode-wait: %s\nrack-wait: %s\n",
		skips[d("node-skips", 0, 3)], skips[d("rack-skips", 0, 3)], waits[d("node-wait", 0, 2)], waits[d("rack-wait", 0, 2)])
}

func limitsText(d Draw, queues int) string {
	limits, at := make([]string, queues-1), 0
	for i := range limits {
		at += d("limit", 1, 20)
		limits[i] = fmt.Sprintf("%ds", at)
	}
	return "limits: [" + strings.Join(limits, ", ") + "]\n"
}

func partsText(d Draw, queues int) string {
	shares := []string{"[50%, 50%]", "[30%, 70%]", "[80%, 20%]"}
	if queues == 3 {
		shares = []string{"[40%, 30%, 30%]", "[20%, 60%, 20%]", "[34%, 33%, 33%]"}
	}
	return fmt.Sprintf("capacities: %s\npartition: %s\n", shares[d("capacities", 0, 2)], []string{"nodes", "slots"}[d("partition", 0, 1)])
}

func predictText(d Draw) string {
	return []string{"predict: input\n", "predict: tasks\nsample: 30%\n", "predict: perfect\n", "predict: perfect\nerror: 0.8\n"}[d("predict", 0, 3)]
}

func planText(d Draw) string {
	return insideText(d) + fmt.Sprintf("over-provisioning: %g\nform: %s\nelephant: %s\n", []float64{0, 0.5, 1}[d("over-provisioning", 0, 2)],
		[]string{"figure", "text"}[d("form", 0, 1)], []string{"1.125GB", "10MB"}[d("elephant", 0, 1)])
}

// insideText draws the order of jobs inside another order.
func insideText(d Draw) string {
	return fmt.Sprintf("order: %s\n", []string{"fair", "fifo", "fbq", "capacity"}[d("order", 0, 3)])
}
