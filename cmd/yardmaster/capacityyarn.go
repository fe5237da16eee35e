// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/advise/yarnqueues"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

// yarn returns the site where YARN's own rules hold: the settings are YARN's, the cluster has memory and vcores, and nobody
// asks for the rules of Hadoop 1. Otherwise it is nil.
func (c *capacitySite) yarn(w *world) (*yarnqueues.Site, error) {
	folder := !strings.EqualFold(filepath.Ext(c.File), ".xml")
	if !folder {
		src, err := scenario.ReadInput(c.File)
		if text, err := conf.Decode(src); err == nil {
			src = text
		}
		if err != nil || c.Hadoop1 || !bytes.Contains(src, []byte("yarn.scheduler.capacity.")) {
			return nil, nil // whoever reads it says what is wrong
		}
	} else if c.Hadoop1 {
		return nil, &strict.InputError{Err: fmt.Errorf("--hadoop1 %s: allowed: a file capacity-scheduler.xml", c.File)}
	}
	sites, err := advise.LoadYarn(c.File)
	settings, err2 := parseSettings(c.Set)
	if err := errors.Join(err, err2); err != nil {
		return nil, &strict.InputError{Err: err}
	}
	s, _, err := scenario.LoadSite(c.Workload, c.On, append(sites[0].Settings(), settings...))
	if err != nil {
		return nil, err
	}
	if s.Cluster.RoomModel() != model.Yarn {
		if folder {
			return nil, &strict.InputError{Err: fmt.Errorf("%s: the scenario has no memory and vcores; allowed: one with cluster.room: yarn (--on)", c.File)}
		}
		fmt.Fprintf(w.err, "yardmaster: warning: %s is judged by the rules of Hadoop 1: the scenario's cluster has no memory and vcores (cluster.room: yarn)\n", c.File)
		return nil, nil
	}
	warnYarn(w, sites)
	if c.Workload == "" { // the jobs of --on are not looked at, so that they may be of other queues
		s = scenario.WithJobs(s, func(uint64) []model.Job { return nil })
	}
	return yarnqueues.New(s, sites[0])
}

// explainYarn prints what the queues of YARN mean.
func (c *capacityExplainCmd) explainYarn(w *world, site *yarnqueues.Site) error {
	e := site.Explain(c.Workload != "")
	if c.Out != "" {
		page := site.Page(e)
		page.Version, page.Command = version.String(), w.command()
		var text bytes.Buffer
		if err := report.WriteQueues(&text, page); err != nil {
			return err
		}
		if err := result.WriteFile(c.Out, text.Bytes()); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return result.WriteJSON(w.out, e)
	}
	fmt.Fprintf(w.out, "%s (YARN 3) on %s: %d MiB, %d vcores\n\nqueues, memory in MiB\n", c.File, e.Cluster, e.Memory, e.VCores)
	console.Columns(w.out, e.QueueTable())
	fmt.Fprintf(w.out, "\nwhat one user holds who wants everything, by how many do, while other queues are idle; masters take %d MiB\n", e.Master)
	console.Columns(w.out, e.UserTable())
	if len(e.Users) > 0 {
		fmt.Fprintf(w.out, "\nusers of %s\n", site.Scenario.Name)
		console.Columns(w.out, e.NamedTable())
	}
	return nil
}

// searchYarn is SearchCapacity under YARN's rules; the text is that of the file with the queues.
func searchYarn(w *world, site *yarnqueues.Site, file string, q experiment.Search) (*searched, error) {
	if !strings.EqualFold(filepath.Ext(file), ".xml") {
		file = filepath.Join(file, "capacity-scheduler.xml")
	}
	src, err := scenario.ReadInput(file)
	if err != nil {
		return nil, err
	}
	if _, err := capacityxml.Rewrite(file, src, nil); err != nil {
		return nil, &strict.InputError{Err: err} // what cannot be written is not searched
	}
	found, err := site.Search(w.ctx, q)
	if err != nil {
		return nil, err
	}
	found.XML, err = capacityxml.Rewrite(file, src, found.Edits)
	return found, err
}
