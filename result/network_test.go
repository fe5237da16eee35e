// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// One row for each bucket of each link; what rounding leaves of nothing is nothing.
func TestWriteLinks(t *testing.T) {
	var b strings.Builder
	l := &metrics.RackLinks{Width: model.Second / 2, Links: []metrics.RackLink{
		{Use: []float64{0.25, -1e-17}, Congested: []float64{0, 0}}, {Use: []float64{1.0 / 3, 1}, Congested: []float64{0, 0.5}},
	}}
	if err := WriteLinks(&b, l); err != nil {
		t.Fatal(err)
	}
	want := "time,rack,link,use,congested\n0,0,up,0.25,0\n0.5,0,up,0,0\n0,0,down,0.333333,0\n0.5,0,down,1,0.5\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
