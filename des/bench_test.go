// SPDX-License-Identifier: Apache-2.0

package des_test

import (
	"fmt"
	"testing"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// BenchmarkPushPop is the hold model: a queue of constant size, of which the earliest event is
// popped and replaced by a later one. That is what a running simulation does most.
func BenchmarkPushPop(b *testing.B) {
	for _, pending := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("pending=%d", pending), func(b *testing.B) {
			var q des.Queue[[3]int64]
			draw := uint64(1)
			delay := func() model.Time { return model.Time(rng.Next(&draw) >> 34) }
			for range pending {
				q.Push(delay(), [3]int64{})
			}
			b.ReportAllocs()
			for b.Loop() {
				now, p, _ := q.Pop()
				q.Push(now+delay(), p)
			}
		})
	}
}

// BenchmarkPushCancel is an event that is called off again, as a time-out is.
func BenchmarkPushCancel(b *testing.B) {
	var q des.Queue[[3]int64]
	draw := uint64(1)
	for range 10_000 {
		q.Push(model.Time(rng.Next(&draw)>>34), [3]int64{})
	}
	b.ReportAllocs()
	for b.Loop() {
		q.Cancel(q.Push(model.Time(rng.Next(&draw)>>34), [3]int64{}))
	}
}
