// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
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

// Pairs of racks that nothing went between have no row.
func TestWriteTraffic(t *testing.T) {
	var b strings.Builder
	if err := WriteTraffic(&b, &record.Traffic{Racks: 2, Bytes: []model.Bytes{5, 1e12, 0, 7}}); err != nil {
		t.Fatal(err)
	}
	if want := "from,to,bytes\n0,0,5\n0,1,1000000000000\n1,1,7\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
