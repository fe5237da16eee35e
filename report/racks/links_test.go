// SPDX-License-Identifier: Apache-2.0

package racks

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// 81 racks are drawn in 27 rows of three. Link l is in use by l/1000 and congested in the second half of its four
// buckets, which become two: row 1 has racks 3, 4, 5, whose links up are 6, 8 and 10. Every rack sends each a byte.
func TestManyRacks(t *testing.T) {
	r := &metrics.Run{Links: metrics.RackLinks{Width: model.Second}, Traffic: &record.Traffic{Racks: 81}}
	for link := range 2 * 81 {
		u := float64(link) / 1000
		r.Links.Links = append(r.Links.Links, metrics.RackLink{Use: []float64{u, u, u, u}, Congested: []float64{0, 0, 1, 1}})
	}
	for range 81 * 81 {
		r.Traffic.Bytes = append(r.Traffic.Bytes, 1)
	}
	n := NewLinks(r, 40, 2)
	if n.Racks != 81 || n.PerRow != 3 || len(n.Links) != 2*27 || n.Width != 2 {
		t.Fatalf("%d racks, %d in a row, %d links in buckets of %v s; want 81, 3, 54 and 2 s", n.Racks, n.PerRow, len(n.Links), n.Width)
	}
	up := n.Links[2]
	for k, congested := range []float64{0, 1} {
		if math.Abs(up.Use[k]-0.008) > 1e-12 || math.Abs(up.Congested[k]-congested) > 1e-12 {
			t.Errorf("bucket %d of the links up of row 1: %v in use, %v congested; want 0.008 and %v", k, up.Use[k], up.Congested[k], congested)
		}
	}
	if len(n.Sent) != 27*27 {
		t.Fatalf("%d pairs of rows, want 27*27", len(n.Sent))
	}
	for i, bytes := range n.Sent {
		if bytes != 9 {
			t.Errorf("%v bytes from row %d to row %d, want 3*3", bytes, i/27, i%27)
		}
	}
	if b, err := json.Marshal(n.Links[2*26+1]); err != nil || string(b) != `{"use":[16,16],"congested":[0,100]}` {
		t.Errorf("the last link is embedded as %s, %v; want 15.9 %% in whole percent", b, err)
	}
}
