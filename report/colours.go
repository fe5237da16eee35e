// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/metrics"
)

// queueColours is how many queues have a colour of their own on a page; further ones share a grey.
const queueColours = 12

// policySwatch returns the classes of the style sheet that have the colour and the dashes of a policy's line, as policyColor and
// dashes of the scripts choose them.
func policySwatch(i int) string {
	class := fmt.Sprintf("s%d", i%8)
	if dashes := i / 4 % 5; dashes > 0 {
		class += fmt.Sprintf(" dash%d", dashes)
	}
	return class
}

// colouredQueues returns the queues of all runs in the order of their colours, so that a queue has one colour in every
// chart and table of a page: by name, or where there are more queues than colours those that held most for longest, of
// equal ones those with the most jobs.
func colouredQueues(policies []PolicyRun) []string {
	jobs, held := map[string]int{}, map[string]float64{}
	for _, p := range policies {
		for i := range p.Run.Jobs {
			jobs[p.Run.Jobs[i].Queue]++
		}
		for _, l := range p.Run.Series.Lines {
			if l.Name == metrics.LineQueue {
				jobs[l.Key] += 0
				held[l.Key] += area(l.Values) * p.Run.Series.Width.Seconds()
			}
		}
	}
	list := make([]string, 0, len(jobs))
	for q := range jobs {
		list = append(list, q)
	}
	slices.Sort(list)
	if len(list) > queueColours {
		slices.SortStableFunc(list, func(a, b string) int {
			return cmp.Or(cmp.Compare(held[b], held[a]), cmp.Compare(jobs[b], jobs[a]))
		})
		list = list[:queueColours]
	}
	return list
}

// queueClass returns the class of the style sheet that has the colour of a queue, by any of its names; "" for what is no
// queue of the page.
func queueClass(queues []string, names ...string) string {
	i := slices.IndexFunc(queues, func(q string) bool { return q != "" && slices.Contains(names, q) })
	if i < 0 {
		return ""
	}
	return "q" + string(rune('a'+i))
}

// queueOfMetric returns the queue that a metric of the summary is about, such as prod of prod.mean_wait.
func queueOfMetric(metric string) string {
	if i := strings.LastIndexByte(metric, '.'); i >= 0 {
		return metric[:i]
	}
	return ""
}
