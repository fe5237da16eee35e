// SPDX-License-Identifier: Apache-2.0

package yarnqueues

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// Trees returns the queues of those policies that are YARN's resource manager, with what each queue used in the run that
// is shown of it; runs may be nil.
func Trees(s *scenario.Scenario, choices []scenario.PolicyChoice, runs []*metrics.Run) (trees []report.QueueTree) {
	for i := range choices {
		_, params := choices[i].Entry()
		c, ok := params.(*handover.Config)
		if !ok {
			continue
		}
		settings, err := c.Settings()
		if err != nil {
			continue
		}
		site := &Site{Scenario: s, Settings: settings, config: c, master: c.Hadoop().Master}
		tree := site.tree(choices[i].Label())
		if runs != nil {
			site.use(&tree, &runs[i].Series)
		}
		trees = append(trees, tree)
	}
	return trees
}

// tree returns guarantees and maxima.
func (s *Site) tree(name string) report.QueueTree {
	out := report.QueueTree{Name: name}
	t := s.trial().Tree()
	all := float64(max(t.Cluster.Memory, 1))
	for i := range t.Queues {
		q, set := &t.Queues[i], &s.Settings.Queues[i]
		x := report.TreeQueue{Path: q.Path, Name: q.Path[strings.LastIndexByte(q.Path, '.')+1:], Depth: strings.Count(q.Path, "."),
			Guarantee: float64(q.Min.Memory) / all, Maximum: float64(q.Max.Memory) / all}
		if set.Leaf {
			factor := fmt.Sprintf("%g times the guarantee", set.Users.Factor)
			if set.Users.Factor < 0 {
				factor = "no bound"
			}
			x.Rules = fmt.Sprintf("user: at least %g %%, %s; masters %.4g %%", set.Users.Percent, factor, 100*set.MasterShare)
		}
		if set.Stopped {
			x.Rules = "stopped"
		}
		out.Queues = append(out.Queues, x)
	}
	return out
}

// use adds what the queues used over time: a parent what its children do.
func (s *Site) use(tree *report.QueueTree, series *metrics.Series) {
	at := map[string]int{}
	for i := range s.Settings.Queues {
		at[s.Settings.Queues[i].Path] = i
	}
	leaves := s.Settings.Leaves()
	tree.Width = series.Width.Seconds()
	for _, line := range series.Lines {
		if line.Name != metrics.LineHeld {
			continue
		}
		for i := range tree.Queues {
			if tree.Queues[i].Use == nil {
				tree.Queues[i].Use = make([]float64, len(line.Values))
			}
		}
		path, ok := leaves.Find(line.Key)
		for i := at[path]; ok && i >= 0; i = s.Settings.Queues[i].Parent {
			for k, v := range line.Values {
				tree.Queues[i].Use[k] += v
			}
		}
	}
}

// Page returns a page about what the queues mean.
func (s *Site) Page(e *Explanation) *report.QueuePage {
	p := &report.QueuePage{Title: "Queues of " + s.Conf.Label, Subtitle: "YARN's Capacity Scheduler on " + e.Cluster,
		Facts:   [][2]string{{"Memory", fmt.Sprintf("%d MiB", e.Memory)}, {"Vcores", fmt.Sprint(e.VCores)}, {"Application master", fmt.Sprintf("%d MiB", e.Master)}},
		Caveats: s.Conf.Warnings(), Trees: []report.QueueTree{s.tree(s.Conf.Label)}}
	table := func(title, note string, rows [][]string) {
		for _, row := range rows[1:] {
			for i := range row {
				row[i] = strings.ReplaceAll(row[i], " ", "\u00a0") // an amount stays on its line
			}
		}
		p.Texts = append(p.Texts, report.TextTable{Title: title, Note: note, Head: rows[0], Rows: rows[1:]})
	}
	table("What users reach", "Memory in MiB that one user holds who wants everything, by how many do, while other queues are idle; and jobs that run at a time.", e.UserTable())
	if len(e.Users) > 0 {
		table("Users of "+s.Scenario.Name, "Memory in MiB: of the largest job, and what the user can hold.", e.NamedTable())
	}
	return p
}
