// SPDX-License-Identifier: Apache-2.0

// Package look is the commands that look at a live cluster: live import, live watch and live bench. But for the jobs that
// bench submits they change nothing.
package look

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/printed"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/connect"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/twin"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// Import is the command live import.
type Import struct {
	connect.Flags `embed:""`

	Out       string        `required:"" placeholder:"DIR" help:"New folder for the scenario."`
	History   string        `placeholder:"URL|DIR" help:"Jobs that have ended: address of the JobHistoryServer, such as http://jhs:19888, or a folder of its history files."`
	Last      time.Duration `placeholder:"TIME" help:"Only jobs that ended in this time, such as 24h (with a JobHistoryServer)."`
	Most      int           `default:"200" help:"Only the newest jobs, this many (with a JobHistoryServer)."`
	Conf      string        `placeholder:"DIR" help:"Folder of Hadoop's files, for properties that the ResourceManager does not show."`
	Anonymise string        `placeholder:"KEYFILE" help:"Give users and jobs other names, always the same for the same key; a key is made if the file is not there."`
}

// Help implements kong's detailed help.
func (Import) Help() string {
	return `Examples:
  yardmaster live import http://rm:8088 --history http://jhs:19888 --out twin
  yardmaster compare twin --what-if nodes=-2
  yardmaster live import http://rm1:8088,http://rm2:8088 --keytab me.keytab --principal me@REALM --history done --out twin

Makes a scenario of a cluster: nodes with names, racks, sizes and labels; the queues' settings as they stand; the jobs that
have ended, with what they really took. Prints how well the scenario predicts these (as backtest does). Applications that
wait or run are a second scenario, now.yaml. Nothing of the cluster is changed, and only properties that the model reads
are kept.`
}

// Run implements the command.
func (c *Import) Run(sh *measure.Shell) error {
	from, err := c.sources()
	if err != nil {
		return err
	}
	t, err := twin.Take(sh.Ctx, from)
	if err != nil {
		return err
	}
	for _, n := range t.Notes {
		fmt.Fprintln(sh.Err, "yardmaster: note:", printed.Line(n))
	}
	s, err := t.Write(c.Out)
	if err != nil {
		return err
	}
	rows, err := backtest(sh.Ctx, s)
	if err != nil {
		return err
	}
	console.Backtest(sh.Out, rows)
	if len(rows) > 0 {
		e := rows[0].Elapsed
		fmt.Fprintf(sh.Out, "mean absolute error of elapsed: %.1f %%\n", 100*e.Absolute/e.Actual)
	}
	if t.Masters.Jobs > 0 {
		fmt.Fprintln(sh.Out, t.Masters)
	}
	fmt.Fprintf(sh.Out, "%s: %s, %s, %s that ended, %s that wait or run\n", c.Out, digits.Count(len(t.Cluster.Nodes), "node"), t.Kind, digits.Count(len(t.Past), "job"), digits.Count(len(t.Present), "application"))
	return nil
}

// sources returns where the twin comes from.
func (c *Import) sources() (from twin.Sources, err error) {
	if from.Cluster, err = c.Client(nil); err != nil {
		return from, err
	}
	from.Most = c.Most
	if c.Last > 0 {
		from.Since = rest.Moment(time.Now().Add(-c.Last).UnixMilli())
	}
	if strings.Contains(c.History, "://") {
		if from.History, err = c.Flags.History(c.History); err != nil {
			return from, err
		}
	} else {
		from.Done = c.History
	}
	if c.Conf != "" {
		sites, err := advise.LoadYarn(c.Conf)
		if err != nil {
			return from, err
		}
		from.Site = sites[0].Properties
	}
	if c.Anonymise != "" {
		if from.Alias, err = twin.NewAlias(c.Anonymise); err != nil {
			return from, &strict.InputError{Err: err}
		}
	}
	return from, nil
}

// backtest holds what the scenario predicts for its jobs against what they took; nil if it does not say.
func backtest(ctx context.Context, s *scenario.Scenario) ([]result.BacktestRow, error) {
	b, err := advise.NewBacktest(s, s.Seeds)
	if err != nil {
		return nil, nil // jobs that have not ended have nothing to be held against
	}
	compared, err := experiment.Compare(ctx, s, []scenario.PolicyChoice{s.Policy}, s.Seeds, nil, experiment.Options{Observe: b.Observe})
	if err != nil {
		return nil, err
	}
	return b.Rows(len(compared.Seeds)), nil
}
