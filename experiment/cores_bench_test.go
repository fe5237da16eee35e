// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// BenchmarkSweepCores holds a sweep with a worker on each of two cores against the same sweep on one: share-of-one is the time
// that it takes, at best a half. On a machine that does something else as well it says little.
func BenchmarkSweepCores(b *testing.B) {
	if runtime.NumCPU() < 2 {
		b.Skip("skipped: one core")
	}
	s := facebookScenario(b, ", from: 2h, to: 3h")
	g, err := NewGrid(s, nil, 12)
	if err != nil {
		b.Fatal(err)
	}
	on := func(cores int) time.Duration {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		j, err := OpenJournal(b.TempDir(), g, "bench")
		if err != nil {
			b.Fatal(err)
		}
		defer j.Close()
		start := time.Now()
		if _, err := Sweep(context.Background(), g, j, Options{Workers: cores}); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	one, two := time.Hour, time.Hour
	for range b.N { // the least counts: noise only adds
		one, two = min(one, on(1)), min(two, on(2))
	}
	b.ReportMetric(float64(two)/float64(one), "share-of-one")
}
