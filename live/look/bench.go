// SPDX-License-Identifier: Apache-2.0

package look

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/internal/console"
	"github.com/yardmaster/yardmaster/internal/digits"
	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/stats"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/version"
	"github.com/yardmaster/yardmaster/live/amshare"
	"github.com/yardmaster/yardmaster/live/bench"
	"github.com/yardmaster/yardmaster/live/connect"
	"github.com/yardmaster/yardmaster/live/control"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/twin"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/report"
	"github.com/yardmaster/yardmaster/report/plot"
)

// Bench is the command live bench.
type Bench struct {
	URL         string `arg:"" help:"Address of the ResourceManager."`
	Batch       string `arg:"" help:"Jobs: a YAML file, or a trace of any format whose jobs become SleepJobs."`
	connect.Who `embed:""`

	Out      string        `required:"" placeholder:"DIR" help:"New folder for what was measured."`
	Times    int           `default:"1" help:"Repetitions of each setting, in turn."`
	Queue    string        `placeholder:"PATH" help:"Leaf queue whose share of masters is set, such as root.prod, and the queue of jobs that name none."`
	Shares   []float64     `placeholder:"SHARE,…" help:"Shares of masters to run under; the cluster's own if left out. Needs --apply."`
	Tuners   []string      `sep:"none" name:"tuner" placeholder:"TUNER" help:"Tuner of the share to run under (repeatable). Needs --apply."`
	Apply    bool          `help:"Let --shares and --tuner change the cluster; the old share is put back after each run."`
	State    string        `placeholder:"DIR" help:"Folder of journals and locks, as of live tune."`
	Hadoop   string        `default:"hadoop" help:"The hadoop command that submits jobs."`
	SleepJar string        `placeholder:"JAR" help:"Jar with SleepJob, in place of the batch's."`
	History  string        `placeholder:"URL" help:"Address of the JobHistoryServer: with it, tasks are drawn over time and the folder twin is made, a scenario of what was observed."`
	Every    time.Duration `default:"1s" help:"Time between two looks at the cluster."`
	CPU      string        `name:"cpu" default:"nodes" help:"How busy the CPU is, as of live tune."`
	Disk     string        `default:"none" help:"How busy the disk is, as of live tune."`
}

// Help implements kong's detailed help.
func (Bench) Help() string {
	return `Examples:
  yardmaster live bench http://rm:8088 batch.yaml --out measured --times 3 --history http://jhs:19888
  yardmaster live bench http://rm:8088 batch.yaml --out curve --queue root.prod --shares 0.1,0.2,0.4,0.8 --apply

Submits the jobs of a batch, waits for their end, and again under each setting: what takes the place of scripts around
hadoop jar. Measures makespans, how busy the cluster is each second and, with --history, when tasks ran; draws the curve of
makespan over share; writes what was observed as a scenario, so that compare answers for this cluster.

A batch:
  sleep-jar: share/hadoop/mapreduce/hadoop-mapreduce-client-jobclient-3.4.2-tests.jar
  jobs:
    - {name: a, user: alice, queue: root.prod, maps: 8, map: 10s, reduces: 1, reduce: 5s}
    - {name: b, at: 30s, program: terasort, args: [/in, "/out-{run}"]}`
}

// setting is what a run is made under.
type setting struct {
	name  string
	share float64 // 0 if it is none
	tuner string  // of live tune; empty: nothing is steered
}

func (c *Bench) settings() ([]setting, error) {
	if len(c.Shares)+len(c.Tuners) == 0 {
		return []setting{{name: "as it is"}}, nil
	}
	if !c.Apply || c.Queue == "" {
		return nil, &strict.InputError{Err: errors.New("--shares and --tuner change the cluster; allowed: with --apply and --queue")}
	}
	var list []setting
	for _, s := range c.Shares {
		if !(s > 0 && s <= 1) {
			return nil, &strict.InputError{Err: fmt.Errorf("--shares %g: allowed: above 0, at most 1", s)}
		}
		list = append(list, setting{name: strconv.FormatFloat(s, 'g', -1, 64), share: s, tuner: fmt.Sprintf("{prj: {share: %g}}", s)})
	}
	for _, t := range c.Tuners {
		list = append(list, setting{name: t, tuner: t})
	}
	return list, nil
}

// Run implements the command.
func (c *Bench) Run(sh *measure.Shell) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	b, err := c.prepare()
	if err != nil {
		return err
	}
	if err := os.Mkdir(c.Out, 0o777); err != nil {
		return &strict.InputError{Err: err}
	}
	begin := rest.Moment(time.Now().UnixMilli())
	outcomes, err := c.runs(sh, b, settings)
	if err != nil {
		return err
	}
	return c.report(sh, settings, outcomes, begin)
}

// runs runs the batch as often as it is asked to under each setting. What was measured is in series.csv and jobs.csv after
// each run, so a job that fails costs no run but its own, and not what was seen of that one.
func (c *Bench) runs(sh *measure.Shell, b *bench.Bench, settings []setting) (outcomes []*bench.Outcome, err error) {
	series, err := os.Create(filepath.Join(c.Out, "series.csv"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, series.Close()) }()
	file, err := os.Create(filepath.Join(c.Out, "jobs.csv"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	b.Series = csv.NewWriter(series)
	jobs := csv.NewWriter(file)
	_ = b.Series.Write(bench.SeriesHead) // Flush tells
	_ = jobs.Write(bench.JobsHead)
	jobs.Flush()
	for run := range c.Times * len(settings) {
		s := settings[run%len(settings)]
		o, err := c.under(sh, &s, func(ctx context.Context) (*bench.Outcome, error) { return b.Run(ctx, run+1, s.name) })
		b.Series.Flush()
		err = errors.Join(err, b.Series.Error())
		if o != nil {
			err = errors.Join(err, o.Write(jobs))
		}
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, o)
		fmt.Fprintf(sh.Err, "run %d, %s: makespan %.1f s, mean elapsed %.1f s\n", o.Run, o.Setting, o.Makespan.Seconds(), o.Mean.Seconds())
	}
	return outcomes, nil
}

func (c *Bench) prepare() (b *bench.Bench, err error) {
	if c.Times < 1 {
		return nil, &strict.InputError{Err: fmt.Errorf("--times %d: allowed: at least 1", c.Times)}
	}
	if c.Every <= 0 {
		return nil, &strict.InputError{Err: fmt.Errorf("--every %s: allowed: above 0s", c.Every)}
	}
	b = &bench.Bench{Hadoop: c.Hadoop, Every: c.Every}
	if b.Batch, err = bench.Load(c.Batch, c.SleepJar, c.Queue); err != nil {
		return nil, err
	}
	if b.CPU, err = amshare.NewMeter(c.CPU); err != nil {
		return nil, &strict.InputError{Err: fmt.Errorf("--cpu: %w", err)}
	}
	if b.Disk, err = amshare.NewMeter(c.Disk); err != nil {
		return nil, &strict.InputError{Err: fmt.Errorf("--disk: %w", err)}
	}
	b.Cluster, err = (&connect.Flags{URL: []string{c.URL}, Who: c.Who}).Client(nil)
	return b, err
}

// under runs a batch while a tuner steers, if there is one. The old share is back when it returns.
func (c *Bench) under(sh *measure.Shell, s *setting, run func(context.Context) (*bench.Outcome, error)) (*bench.Outcome, error) {
	if s.tuner == "" {
		return run(sh.Ctx)
	}
	t := &control.Tune{Tuner: s.tuner, Min: 0.0001, Max: 1, Step: 1, Interval: model.Second, CPU: c.CPU, Disk: c.Disk, Seed: 1}
	t.Flags, t.Queue, t.State, t.Apply, t.Patience = connect.Flags{URL: []string{c.URL}, Who: c.Who}, c.Queue, c.State, true, 2*60*model.Second
	steering, stop := context.WithCancel(sh.Ctx)
	defer stop()
	running, cancel := context.WithCancel(sh.Ctx)
	defer cancel()
	ready := &untilSaid{text: "share", said: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		err := t.Run(&measure.Shell{Ctx: steering, Out: ready, Err: io.Discard})
		cancel() // without its tuner a run means nothing
		ended <- err
	}()
	select {
	case <-ready.said:
	case <-running.Done():
		return nil, fmt.Errorf("%s does not steer: %w", s.name, <-ended)
	}
	o, err := run(running)
	stop()
	steered := <-ended
	if sh.Ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return nil, fmt.Errorf("%s steers no more: %w", s.name, steered)
	}
	return o, errors.Join(err, besides(steered, context.Canceled))
}

// besides returns what an error says besides another: a tuner that was told to stop says so, and what it could not put back.
func besides(err, other error) error {
	if err == other {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var rest []error
	for _, e := range joined.Unwrap() {
		rest = append(rest, besides(e, other))
	}
	return errors.Join(rest...)
}

// untilSaid notices a text in what a command prints.
type untilSaid struct {
	text string
	said chan struct{}
	seen bool
}

func (u *untilSaid) Write(b []byte) (int, error) {
	if !u.seen && strings.Contains(string(b), u.text) {
		u.seen = true
		close(u.said)
	}
	return len(b), nil
}

// report writes and prints what was measured.
func (c *Bench) report(sh *measure.Shell, settings []setting, outcomes []*bench.Outcome, begin rest.Moment) error {
	page := &report.PaperPage{Title: "live bench of " + filepath.Base(c.Batch), Subtitle: fmt.Sprintf("%s on a real cluster", digits.Count(len(outcomes), "run")),
		Version: version.String(), Command: "yardmaster live bench " + filepath.Base(c.Batch)}
	curve := plot.Chart{Name: "makespan", Title: "Makespan over the share of masters", Source: "On the ResourceManager's clock", X: plot.Axis{Label: "share of masters"}, Y: plot.Axis{Label: "makespan, s", Zero: true},
		Series: []plot.Series{{Name: "mean"}, {Name: "runs", Mark: plot.Dots}}}
	rows := [][]string{{"setting", "runs", "makespan", "least", "most", ""}}
	longest := 0.0
	for _, o := range outcomes {
		longest = max(longest, o.Makespan.Seconds())
	}
	for _, s := range settings {
		var spans []float64
		for _, o := range outcomes {
			if o.Setting == s.name {
				spans = append(spans, o.Makespan.Seconds())
			}
		}
		mean, least, most := stats.Mean(spans), spans[0], spans[0]
		for _, x := range spans {
			least, most = min(least, x), max(most, x)
			if s.share > 0 {
				curve.Series[1].Points = append(curve.Series[1].Points, plot.Point{X: s.share, Y: x})
			}
		}
		if s.share > 0 {
			curve.Series[0].Points = append(curve.Series[0].Points, plot.Point{X: s.share, Y: mean, Low: least, High: most})
		} else {
			curve.Text += fmt.Sprintf("Dashed: %s, %.1f s. ", s.name, mean)
			curve.Levels = append(curve.Levels, plot.Level{Name: s.name, Y: mean})
		}
		page.Facts = append(page.Facts, [2]string{s.name, fmt.Sprintf("makespan %.1f s (%.1f to %.1f s, %s)", mean, least, most, digits.Count(len(spans), "run"))})
		rows = append(rows, []string{s.name, fmt.Sprint(len(spans)), fmt.Sprintf("%.1f s", mean), fmt.Sprintf("%.1f s", least), fmt.Sprintf("%.1f s", most), strings.Repeat("#", int(mean/longest*40))})
	}
	console.Columns(sh.Out, rows)
	if len(curve.Series[0].Points) > 0 {
		page.Charts = append(page.Charts, curve)
	}
	if c.History != "" {
		chart, err := c.observed(sh, outcomes, begin)
		if err != nil {
			return err
		}
		page.Charts = append(page.Charts, *chart)
	}
	f, err := os.Create(filepath.Join(c.Out, "bench.html"))
	if err != nil {
		return err
	}
	return errors.Join(report.WritePaper(f, page), f.Close())
}

// mostJobs is how many of the newest jobs are looked through for those of the batch, which may not be the only ones.
const mostJobs = 20_000

// observed makes a scenario of the jobs that ran, and a chart of when their tasks did.
func (c *Bench) observed(sh *measure.Shell, outcomes []*bench.Outcome, begin rest.Moment) (*plot.Chart, error) {
	from := twin.Sources{Since: begin, Most: mostJobs}
	for _, o := range outcomes {
		for i := range o.Apps {
			from.Only = append(from.Only, o.Apps[i].ID)
		}
	}
	var err error
	if from.Cluster, err = (&connect.Flags{URL: []string{c.URL}, Who: c.Who}).Client(nil); err != nil {
		return nil, err
	}
	if from.History, err = c.Who.History(c.History); err != nil {
		return nil, err
	}
	t, err := twin.Take(sh.Ctx, from)
	if err != nil {
		return nil, err
	}
	if len(t.Past) < len(from.Only) {
		fmt.Fprintf(sh.Err, "yardmaster: note: the JobHistoryServer knows %d of %d jobs so far\n", len(t.Past), len(from.Only))
	}
	t.Present = nil
	if _, err := t.Write(filepath.Join(c.Out, "twin")); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(c.Out, "gantt.csv"))
	if err != nil {
		return nil, err
	}
	chart, err := gantt(f, t.Past)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	fmt.Fprintf(sh.Out, "what was observed is the scenario %s\n", filepath.Join(c.Out, "twin"))
	return chart, nil
}
