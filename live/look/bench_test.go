// SPDX-License-Identifier: Apache-2.0

package look

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/measure"
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
