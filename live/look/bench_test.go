// SPDX-License-Identifier: Apache-2.0

package look

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/internal/measure"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/bench"
	"github.com/yardmaster/yardmaster/live/fakerm"
)

// A run under a share has that share from its beginning, and the old one stands when it has ended. A tuner that stops
// ends the run with its reason.
func TestBenchUnder(t *testing.T) {
	rm := fakerm.New()
	defer rm.Close()
	share := func() (now string) {
		rm.Do(func() { now = rm.Share() })
		return now
	}
	was := share()
	c := &Bench{URL: rm.URL, Queue: "root.prod", State: t.TempDir(), CPU: "none", Disk: "none"}
	sh := &measure.Shell{Ctx: t.Context(), Out: io.Discard, Err: io.Discard}
	o, err := c.under(sh, &setting{name: "0.4", share: 0.4, tuner: "{prj: {share: 0.4}}"}, func(context.Context) (*bench.Outcome, error) {
		if now := share(); now != "0.4" {
			t.Errorf("the share is %q when the run begins", now)
		}
		return &bench.Outcome{Run: 1}, nil
	})
	if err != nil || o == nil || share() != was {
		t.Fatalf("%v, %v; the share is %q, was %q", o, err, share(), was)
	}
	_, err = c.under(sh, &setting{name: "marp-auto", tuner: "marp-auto"}, func(ctx context.Context) (*bench.Outcome, error) {
		rm.Do(func() { rm.Conf["yarn.scheduler.capacity.root.prod.maximum-am-resource-percent"] = "0.33" })
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err == nil || !strings.Contains(err.Error(), "marp-auto steers no more") || !strings.Contains(err.Error(), "0.33") {
		t.Errorf("another hand on the share: %v", err)
	}
}

// newBench is live bench of a batch of one job on a cluster whose applications are those that its hadoop command has
// submitted; each job lasts until the cluster has been looked at, and that of the third run fails.
func newBench(t *testing.T) *Bench {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	script := `#!/bin/sh
rm -f ` + path("looked") + `
until [ -e ` + path("looked") + ` ]; do sleep 0.01; done
case "$*" in *-3\ *) echo no room left >&2; exit 3;; esac
for arg; do case $arg in -Dmapreduce.job.tags=*) echo "${arg#*=}" >> ` + path("tags") + `;; esac; done
`
	if err := errors.Join(os.WriteFile(path("hadoop"), []byte(script), 0o755), os.WriteFile(path("batch.yaml"), []byte("sleep-jar: s.jar\njobs: [{name: a}]\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	rm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/metrics") {
			os.WriteFile(path("looked"), nil, 0o666)
		}
		var apps []map[string]any
		src, _ := os.ReadFile(path("tags")) // absent before the first job
		for i, tag := range strings.Fields(string(src)) {
			apps = append(apps, map[string]any{"id": fmt.Sprint("application_1_", i+1), "applicationTags": tag, "finalStatus": "SUCCEEDED", "startedTime": 1000, "finishedTime": 3000})
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"clusterMetrics": map[string]int{"appsRunning": 1}, "nodes": map[string]any{}, "apps": map[string]any{"app": apps}})
	}))
	t.Cleanup(rm.Close)
	return &Bench{URL: rm.URL, Batch: path("batch.yaml"), Hadoop: path("hadoop"), Out: path("out"), Times: 2, Every: 10 * time.Millisecond, CPU: "none", Disk: "none"}
}

// A job that fails in a later run leaves what was measured of the runs before, and what was seen of its own.
func TestBenchKeepsWhatItMeasured(t *testing.T) {
	for times, fails := range map[int]bool{2: false, 3: true, 1000: true} {
		c := newBench(t)
		c.Times = times
		err := c.Run(&measure.Shell{Ctx: t.Context(), Out: io.Discard, Err: io.Discard})
		if (err != nil) != fails || fails && !strings.Contains(err.Error(), "no room left") {
			t.Errorf("%d times: %v", times, err)
		}
		jobs, _ := os.ReadFile(filepath.Join(c.Out, "jobs.csv"))
		if lines := strings.Split(string(jobs), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[1], "1,as it is,2.000,application_1_1,") || !strings.HasPrefix(lines[2], "2,as it is,2.000,application_1_2,") {
			t.Errorf("%d times: jobs.csv holds\n%s", times, jobs)
		}
		series, _ := os.ReadFile(filepath.Join(c.Out, "series.csv"))
		for run := range min(times, 3) {
			if row := fmt.Sprintf("\n%d,as it is,", run+1); !strings.Contains(string(series), row) {
				t.Errorf("%d times: no row of run %d in series.csv:\n%s", times, run+1, series)
			}
		}
	}
}

// A bench of no runs, or without time between its looks, is refused before its folder is made.
func TestBenchRefused(t *testing.T) {
	for want, change := range map[string]func(*Bench){
		"--times 0: allowed: at least 1":  func(c *Bench) { c.Times = 0 },
		"--times -2: allowed: at least 1": func(c *Bench) { c.Times = -2 },
		"--every 0s: allowed: above 0s":   func(c *Bench) { c.Every = 0 },
		"--every -1s: allowed: above 0s":  func(c *Bench) { c.Every = -time.Second },
	} {
		c := newBench(t)
		change(c)
		var input *strict.InputError
		if err := c.Run(&measure.Shell{Ctx: t.Context(), Out: io.Discard, Err: io.Discard}); !errors.As(err, &input) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := os.Stat(c.Out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the folder was made all the same: %v", want, err)
		}
	}
}
