// SPDX-License-Identifier: Apache-2.0

package costs

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// The noise of an operation is drawn by task, attempt and step, around 1.
func TestNoise(t *testing.T) {
	m := NewNoise(&Tasks{Rules: MRPERF}, 1)
	if NewNoise(&Tasks{Rules: "hadoop"}, 1) != nil {
		t.Error("Hadoop's tasks have MRPERF's noise")
	}
	sum, squares, n := 0.0, 0.0, 20_000
	for i := range int32(n) {
		task := model.Task{Index: i}
		v := math.Log(m.Of(task, 1))
		if m.Of(task, 1) != m.Of(task, 1) || m.Of(task, 2) == m.Of(task, 1) {
			t.Fatal("two draws of one operation differ, or those of two agree")
		}
		sum, squares = sum+v, squares+v*v
	}
	if mean, sigma := sum/float64(n), math.Sqrt(squares/float64(n)); math.Abs(mean) > 0.003 || math.Abs(sigma-math.Log(1.1)) > 0.003 {
		t.Errorf("mean %.4f, deviation %.4f, want 0 and %.4f", mean, sigma, math.Log(1.1))
	}
}
