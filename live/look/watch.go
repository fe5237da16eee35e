// SPDX-License-Identifier: Apache-2.0

package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/connect"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/tape"
	"github.com/yardmaster/yardmaster/live/twin"
)

// Watch is the command live watch.
type Watch struct {
	URL         []string `arg:"" optional:"" help:"Addresses of the ResourceManagers that stand in for each other, such as http://rm1:8088; none with --replay."`
	connect.Who `embed:""`

	History string        `placeholder:"URL" help:"Address of the JobHistoryServer: jobs that have ended tell how long others will take."`
	Most    int           `default:"100" help:"Only the newest ended jobs, this many."`
	Every   time.Duration `default:"5s" help:"Time between two looks."`
	For     time.Duration `placeholder:"TIME" help:"Stop after this time; on a signal if left out."`
	Record  string        `placeholder:"FILE" help:"Write down everything that the cluster answers."`
	Replay  string        `placeholder:"FILE" help:"Show a recording instead of a cluster, without waiting."`
}

// Help implements kong's detailed help.
func (Watch) Help() string {
	return `Examples:
  yardmaster live watch http://rm:8088 --history http://jhs:19888
  yardmaster live watch http://rm:8088 --record monday.tape
  yardmaster live watch --replay monday.tape

Shows queues, applications, the limit that each of those that wait is held back by, and when the model expects them to
end: it simulates what is left of them, as ended jobs of the same name tell. Changes nothing. On a terminal each look takes
the place of the one before.`
}

// Run implements the command.
func (c *Watch) Run(sh *measure.Shell) (err error) {
	if (len(c.URL) == 0) == (c.Replay == "") {
		return &strict.InputError{Err: errors.New("allowed: addresses, or --replay FILE")}
	}
	w := &watcher{out: sh.Out, every: c.Every, now: time.Now}
	config, err := c.Config(c.URL)
	if err != nil {
		return err
	}
	switch {
	case c.Replay != "":
		player, err := play(c.Replay)
		if err != nil {
			return err
		}
		// The addresses stand for whom the recording asked.
		config.URLs, config.Via, config.Retries, w.now, w.every = []string{"http://recording"}, player, -1, player.Now, 0
		if player.Has("/ws/v1/history/") {
			c.History = config.URLs[0]
		}
	case c.Record != "":
		f, fault := os.OpenFile(c.Record, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if fault != nil {
			return &strict.InputError{Err: fault}
		}
		recorder := tape.NewRecorder(f)
		config.Via = recorder
		defer func() { err = errors.Join(err, recorder.Err(), f.Close()) }()
	}
	if w.from, err = c.sources(config); err != nil {
		return err
	}
	w.clear = isTerminal(sh.Out) && c.Replay == ""
	ctx := sh.Ctx
	if c.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	err = w.watch(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil || errors.Is(err, tape.ErrEnd) && w.looks > 0 {
		return nil
	}
	return err
}

func play(file string) (*tape.Player, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &strict.InputError{Err: err}
	}
	defer f.Close()
	p, err := tape.Play(f)
	if err != nil {
		return nil, &strict.InputError{Err: fmt.Errorf("%s: %w", file, err)}
	}
	return p, nil
}

func (c *Watch) sources(config rest.Config) (from twin.Sources, err error) {
	if from.Cluster, err = rest.New(config); err != nil {
		return from, &strict.InputError{Err: err}
	}
	from.Most = c.Most
	if c.History != "" {
		config.URLs = []string{c.History}
		if from.History, err = rest.NewHistory(config); err != nil {
			return from, &strict.InputError{Err: err}
		}
	}
	return from, nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// watcher looks at a cluster again and again.
type watcher struct {
	from  twin.Sources
	out   io.Writer
	every time.Duration
	now   func() time.Time
	clear bool // the screen before each look
	looks int
	twin  *twin.Twin
}

func (w *watcher) watch(ctx context.Context) (err error) {
	for {
		if err = w.look(ctx); err != nil {
			var fault *rest.Error
			if w.looks == 0 || ctx.Err() != nil || !errors.As(err, &fault) || errors.Is(err, tape.ErrEnd) {
				return err
			}
			fmt.Fprintf(w.out, "%s  no look: %v\n", w.now().UTC().Format(time.TimeOnly), err) // what has answered once may come back
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(w.every):
		}
	}
}

// look asks once and shows what it finds.
func (w *watcher) look(ctx context.Context) (err error) {
	if w.twin == nil {
		if w.twin, err = twin.Take(ctx, w.from); err != nil {
			return err
		}
	}
	v := view{Time: w.now()}
	if v.Metrics, err = w.from.Cluster.Metrics(ctx); err != nil {
		return err
	}
	if v.Scheduler, err = w.from.Cluster.Scheduler(ctx); err != nil {
		return err
	}
	if v.Apps, err = w.from.Cluster.Apps(ctx, rest.Filter{States: rest.Unfinished, Requests: true}); err != nil {
		return err
	}
	v.Time = w.now()
	w.twin.See(v.Apps)
	if v.Ends, err = w.twin.Forecast(ctx); err != nil {
		return err
	}
	w.looks++
	var b strings.Builder
	if w.clear {
		b.WriteString("\x1b[H\x1b[2J")
	}
	v.write(&b)
	_, err = io.WriteString(w.out, b.String())
	return err
}
