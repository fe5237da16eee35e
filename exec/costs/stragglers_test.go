// SPDX-License-Identifier: Apache-2.0

package costs

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

func newLuck(s Stragglers) *Luck {
	l := NewLuck(s, 1)
	return &l
}

// Nobody straggles with a share of 0, everybody with 1, all by the same factor without variation.
func TestStragglersAtTheEnds(t *testing.T) {
	for i := range int32(100) {
		task := model.Task{Job: 3, Index: i}
		if got := newLuck(Stragglers{Slowdown: 5, CV: 1}).Slowdown(task, 0); got != 1 {
			t.Fatalf("share 0: factor %g", got)
		}
		if got := newLuck(Stragglers{Share: 1, Slowdown: 5}).Slowdown(task, 0); got != 5 {
			t.Fatalf("share 1, no variation: factor %g, want 5", got)
		}
	}
}

// Of 40,000 attempts a quarter straggles (standard deviation 87, four allowed), by 1 plus an excess of mean 2 and
// coefficient of variation 0.5: the mean of 10,000 excesses has a standard deviation of 2 * 0.5 / 100.
func TestStragglersMoments(t *testing.T) {
	l := newLuck(Stragglers{Share: 0.25, Slowdown: 3, CV: 0.5})
	n, sum := 0, 0.0
	for i := range int32(40_000) {
		f := l.Slowdown(model.Task{Job: 1, Index: i / 2, Kind: model.Kind(i % 2)}, 0)
		if f < 1 {
			t.Fatalf("factor %g", f)
		}
		if f > 1 {
			n++
			sum += f - 1
		}
	}
	if n < 10_000-348 || n > 10_000+348 {
		t.Errorf("%d of 40000 straggle, want 10000", n)
	}
	if mean := sum / float64(n); mean < 1.96 || mean > 2.04 {
		t.Errorf("mean excess %g, want 2", mean)
	}
}

// A factor depends on the attempt alone: not on what was drawn before, but on job, kind, task and number.
func TestStragglersByKey(t *testing.T) {
	rules := Stragglers{Share: 1, Slowdown: 3, CV: 1}
	used, task := newLuck(rules), model.Task{Job: 1, Kind: model.Map, Index: 5}
	used.Slowdown(model.Task{Job: 8}, 3)
	base := newLuck(rules).Slowdown(task, 0)
	if got := used.Slowdown(task, 0); got != base {
		t.Errorf("%g after another draw, %g before", got, base)
	}
	for _, other := range []struct {
		task   model.Task
		number uint8
	}{{model.Task{Job: 2, Index: 5}, 0}, {model.Task{Job: 1, Kind: model.Reduce, Index: 5}, 0}, {model.Task{Job: 1, Index: 6}, 0}, {task, 1}} {
		if used.Slowdown(other.task, other.number) == base {
			t.Errorf("attempt %d of %v draws the same as attempt 0 of %v", other.number, other.task, task)
		}
	}
}
