// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/yardmaster/yardmaster/experiment"
)

// progress draws one line on a terminal, several times a second at most: runs done, jobs done,
// simulated time, events per second, time left. It draws nothing elsewhere.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	watch func(experiment.Progress)
	start time.Time
	last  time.Time
	drawn bool
}

// newProgress is called when a command has read its input and begins to run.
func newProgress(w *world, quiet bool) *progress {
	w.begun.Store(true)
	p := &progress{start: time.Now(), watch: w.watch}
	if w.isTerm && !quiet {
		p.out = w.err
	}
	return p
}

const drawEvery = 150 * time.Millisecond

func (p *progress) update(now experiment.Progress) {
	if p.watch != nil {
		p.watch(now)
	}
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) < drawEvery {
		return
	}
	p.last = time.Now()
	p.drawn = true
	spent := time.Since(p.start)
	share := 0.0
	if now.Run.Jobs > 0 {
		share = float64(now.Run.Ended) / float64(now.Run.Jobs)
	}
	line := now.Label
	if now.Total > 1 {
		share = (float64(now.Done) + min(share, 0.99)) / float64(now.Total)
		line = fmt.Sprintf("%d/%d runs  %s", now.Done, now.Total, now.Label)
	}
	if now.Run.Jobs > 0 {
		line += fmt.Sprintf("  %d/%d jobs  simulated %s", now.Run.Ended, now.Run.Jobs, time.Duration(now.Run.Now).Round(time.Second))
		if now.Total <= 1 {
			line += fmt.Sprintf("  %.1f M events/s", float64(now.Run.Events)/spent.Seconds()/1e6)
		}
	}
	if share > 0.01 {
		left := time.Duration(float64(spent) * (1 - share) / share)
		line += fmt.Sprintf("  about %s left", left.Round(time.Second))
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s", line)
}

// done clears the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
	p.out = nil
}
