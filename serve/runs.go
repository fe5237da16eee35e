// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
)

// The states of a run.
const (
	waiting   = "waiting" // another one runs
	running   = "running"
	done      = "done"
	refused   = "refused" // the input is at fault
	failed    = "failed"
	cancelled = "cancelled"
)

// status is what the page is told of a run.
type status struct {
	State   string  `json:"state"`
	Share   float64 `json:"share"` // of the work, 0 to 1
	Text    string  `json:"text"`  // how far it is, for people
	Left    float64 `json:"left"`  // seconds; 0 if unknown
	Faults  []fault `json:"faults,omitempty"`
	Output  string  `json:"output,omitempty"`
	Result  string  `json:"result,omitempty"` // the folder that it wrote, below the workbench's
	Command string  `json:"command"`
}

// job is one command that the page asked for.
type job struct {
	args   []string
	result string
	stop   context.CancelFunc

	mu  sync.Mutex
	now status
}

// update changes the status.
func (j *job) update(change func(*status)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(&j.now)
}

// look returns the status.
func (j *job) look() status {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now
}

// runs runs commands, one at a time: each uses all cores by itself.
type runs struct {
	ctx     context.Context
	command Command
	turn    chan struct{} // holds one token
	all     sync.WaitGroup

	mu   sync.Mutex
	jobs []*job
}

func newRuns(ctx context.Context, command Command) *runs {
	r := &runs{ctx: ctx, command: command, turn: make(chan struct{}, 1)}
	r.turn <- struct{}{}
	return r
}

// wait returns when all runs have ended.
func (r *runs) wait() { r.all.Wait() }

// begin starts a command that writes the folder result, and returns its number.
func (r *runs) begin(args []string, shown, result string) int {
	ctx, stop := context.WithCancel(r.ctx)
	j := &job{args: args, result: result, stop: stop, now: status{State: waiting, Text: "waits for another run", Command: shown}}
	r.mu.Lock()
	r.jobs = append(r.jobs, j)
	id := len(r.jobs) - 1
	r.mu.Unlock()
	r.all.Go(func() {
		defer stop()
		select {
		case <-r.turn:
			r.run(ctx, j)
			r.turn <- struct{}{}
		case <-ctx.Done():
			j.update(func(s *status) { s.State, s.Text = cancelled, "cancelled" })
		}
	})
	return id
}

// run runs the command to its end.
func (r *runs) run(ctx context.Context, j *job) {
	start := time.Now()
	j.update(func(s *status) { s.State, s.Text = running, "reading the input" })
	var out bytes.Buffer
	var last time.Time
	var mu sync.Mutex
	err := r.command(ctx, j.args, &out, func(p experiment.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < 100*time.Millisecond {
			return
		}
		last = time.Now()
		j.update(func(s *status) { s.advance(p, time.Since(start)) })
	})
	j.update(func(s *status) {
		var input *strict.InputError
		s.Output = out.String()
		switch {
		case err == nil:
			s.State, s.Share, s.Text, s.Result, s.Left = done, 1, "done in "+time.Since(start).Round(100*time.Millisecond).String(), j.result, 0
			return
		case ctx.Err() != nil || errors.Is(err, context.Canceled):
			s.State, s.Text = cancelled, "cancelled"
			return
		case errors.As(err, &input):
			s.State, s.Text = refused, "refused"
		default:
			s.State, s.Text = failed, "failed"
		}
		s.Faults = faultsOf(err)
	})
}

// advance notes progress.
func (s *status) advance(p experiment.Progress, spent time.Duration) {
	share := 0.0
	if p.Run.Jobs > 0 {
		share = float64(p.Run.Ended) / float64(p.Run.Jobs)
		s.Text = fmt.Sprintf("%s: %d of %d jobs, simulated %s", p.Label, p.Run.Ended, p.Run.Jobs, time.Duration(p.Run.Now).Round(time.Second))
	}
	if p.Total > 1 {
		share = (float64(p.Done) + min(share, 0.99)) / float64(p.Total)
		s.Text = fmt.Sprintf("%d of %d runs; %s", p.Done, p.Total, s.Text)
		if p.Run.Jobs == 0 {
			s.Text = fmt.Sprintf("%d of %d runs", p.Done, p.Total)
		}
	}
	s.Share = max(s.Share, share)
	if s.Share > 0.01 {
		s.Left = spent.Seconds() * (1 - s.Share) / s.Share
	}
}

// find returns the run that a request names.
func (r *runs) find(req *http.Request) *job {
	id, err := strconv.Atoi(req.PathValue("id"))
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || id < 0 || id >= len(r.jobs) {
		return nil
	}
	return r.jobs[id]
}

// state answers with the status of a run. The page asks again and again: browsers have six connections for a host, of which
// a stream for each run would take one.
func (r *runs) state(w http.ResponseWriter, req *http.Request) {
	j := r.find(req)
	if j == nil {
		http.Error(w, "no such run", http.StatusNotFound)
		return
	}
	reply(w, j.look())
}

// cancel stops a run.
func (r *runs) cancel(w http.ResponseWriter, req *http.Request) {
	j := r.find(req)
	if j == nil {
		http.Error(w, "no such run", http.StatusNotFound)
		return
	}
	j.stop()
	w.WriteHeader(http.StatusNoContent)
}
