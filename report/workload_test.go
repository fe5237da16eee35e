// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{0, "B", "0 B"}, {999, "B", "999 B"}, {1500, "B", "1.50 kB"}, {1082.6e12, "B", "1.08 PB"},
		{12, "s", "12 s"}, {90, "s", "1.50 min"}, {7200, "s", "2.00 h"}, {8084865, "tasks", "8.08 M"}, {7, "tasks", "7"},
	} {
		if got := Amount(c.v, c.unit); got != c.want {
			t.Errorf("Amount(%v, %s) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

// The page is self-contained, has a chart for each quantity that is not all zero, and escapes names.
func TestWriteWorkload(t *testing.T) {
	jobs := make([]model.Job, 100)
	for i := range jobs {
		jobs[i] = model.Job{ID: model.JobID(i), After: model.None, Submit: model.Time(i) * 10 * model.Minute, Maps: int32(i + 1),
			Input: model.Bytes(i) * model.MiB, Need: [model.Kinds]model.Room{{1, 0}, {0, 1}}, MapLength: model.Lengths{Mean: 10 * model.Second}}
	}
	d := workload.Describe(jobs, workload.Site{Total: [model.Dims]int64{10, 10}})
	var b, again bytes.Buffer
	page := &WorkloadPage{Title: "<b>x</b>", Description: d}
	if err := WriteWorkload(&b, page); err != nil {
		t.Fatal(err)
	}
	if err := WriteWorkload(&again, page); err != nil || again.String() != b.String() {
		t.Error("two pages of one workload differ")
	}
	html := b.String()
	if strings.Contains(html, "<b>x</b>") || strings.Contains(html, "http://") || strings.Contains(html, "https://") {
		t.Error("the page is not self-contained or does not escape")
	}
	if got := strings.Count(html, "<svg"); got != 4 { // input, maps, size, arrivals
		t.Errorf("%d charts, want 4", got)
	}
}
