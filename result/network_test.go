// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/metrics/circuits"
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

func TestWriteCircuits(t *testing.T) {
	var b strings.Builder
	second := model.Second
	r := &circuits.Run{Racks: 3, Connections: []circuits.Connection{{From: 0, To: 2, Made: second, Up: second + second/100, Down: 9 * second,
		Carrying: 5 * second, Waited: second / 2, Bytes: 1e12}, {From: 2, To: 1, Made: 9 * second, Up: 9 * second, Down: 10 * second}}}
	if err := WriteCircuits(&b, r); err != nil {
		t.Fatal(err)
	}
	want := "from,to,made,up,down,carrying,waited,bytes\n0,2,1,1.01,9,5,0.5,1000000000000\n2,1,9,9,10,0,0,0\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
