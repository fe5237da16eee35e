// SPDX-License-Identifier: Apache-2.0

package costs

import (
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// cached returns hosts with a page cache of 100 bytes.
func cached(hosts int) *model.Topology {
	t := &model.Topology{Racks: 1, Hosts: hosts, Classes: []model.NodeClass{{Hardware: model.Hardware{PageCache: 100}}}}
	for i := range hosts {
		t.Nodes = append(t.Nodes, model.Node{Host: model.HostID(i)})
	}
	return t
}

// Of f bytes written by running jobs a cache of 100 misses 2(1 - 100/f), between nothing and all.
func TestMissed(t *testing.T) {
	for _, c := range []struct{ fresh, want float64 }{
		{0, 0}, {100, 0}, {125, 0.4} /* 2(1 - 0.8) */, {160, 0.75} /* 2(1 - 0.625) */, {200, 1}, {1000, 1},
	} {
		f := NewFiles(cached(2), true)
		f.Write(1, 0, c.fresh, false)
		if got := f.missed(0); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%g bytes written: %g missed, want %g", c.fresh, got, c.want)
		}
		if f.missed(1) != 0 || f.Rereads(0) != f.missed(0) {
			t.Errorf("%g bytes written on host 0: host 1 misses %g, host 0 reads %g again", c.fresh, f.missed(1), f.Rereads(0))
		}
	}
}

// Everything is read from disk where reads are not followed, or nothing is.
func TestRereadsWithoutCache(t *testing.T) {
	var none *Files
	none.Drop(1) // counts nothing
	if none.Rereads(0) != 1 || NewFiles(cached(1), false).Rereads(0) != 1 {
		t.Error("what was written is not read from disk again")
	}
}

// When a job ends its temporary files are deleted; its output stays on the disks but is the oldest in the cache.
func TestDropFiles(t *testing.T) {
	f := NewFiles(cached(2), true)
	f.Write(1, 0, 30, false)
	f.Write(1, 1, 50, true)
	f.Write(2, 0, 100, false)
	if f.stored != 180 || !slices.Equal(f.fresh, []float64{130, 50}) {
		t.Errorf("%g stored, %v fresh; want 180, 130 and 50", f.stored, f.fresh)
	}
	f.Drop(1)
	if f.stored != 150 || !slices.Equal(f.fresh, []float64{100, 0}) {
		t.Errorf("%g stored, %v fresh; want 50 of output + 100 of job 2, 100 and 0", f.stored, f.fresh)
	}
	f.Drop(1)
	f.Drop(3) // wrote nothing
	if f.stored != 150 || len(f.ofJob) != 1 {
		t.Errorf("%g stored, %d jobs known", f.stored, len(f.ofJob))
	}
}
