// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"math"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
)

// cached returns hosts with a page cache of 100 bytes.
func cached(hosts ...int) *model.Topology {
	t := racks(hosts...)
	t.Classes[0].Hardware.PageCache = 100
	return t
}

// Of f bytes written by running jobs a cache of 100 misses 2(1 - 100/f), between nothing and all.
func TestMissed(t *testing.T) {
	for _, c := range []struct{ fresh, want float64 }{
		{0, 0}, {100, 0}, {125, 0.4} /* 2(1 - 0.8) */, {160, 0.75} /* 2(1 - 0.625) */, {200, 1}, {1000, 1},
	} {
		f := newFiles(cached(2), true)
		f.write(1, 0, c.fresh, false)
		if got := f.missed(0); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%g bytes written: %g missed, want %g", c.fresh, got, c.want)
		}
		if f.missed(1) != 0 || f.rereads(0) != f.missed(0) {
			t.Errorf("%g bytes written on host 0: host 1 misses %g, host 0 reads %g again", c.fresh, f.missed(1), f.rereads(0))
		}
	}
}

// Everything is read from disk where reads are not followed, or nothing is.
func TestRereadsWithoutCache(t *testing.T) {
	var none *files
	none.drop(1) // counts nothing
	if none.rereads(0) != 1 || newFiles(cached(1), false).rereads(0) != 1 {
		t.Error("what was written is not read from disk again")
	}
}

// When a job ends its temporary files are deleted; its output stays on the disks but is the oldest in the cache.
func TestDropFiles(t *testing.T) {
	f := newFiles(cached(2), true)
	f.write(1, 0, 30, false)
	f.write(1, 1, 50, true)
	f.write(2, 0, 100, false)
	if f.stored != 180 || !slices.Equal(f.fresh, []float64{130, 50}) {
		t.Errorf("%g stored, %v fresh; want 180, 130 and 50", f.stored, f.fresh)
	}
	f.drop(1)
	if f.stored != 150 || !slices.Equal(f.fresh, []float64{100, 0}) {
		t.Errorf("%g stored, %v fresh; want 50 of output + 100 of job 2, 100 and 0", f.stored, f.fresh)
	}
	f.drop(1)
	f.drop(3) // wrote nothing
	if f.stored != 150 || len(f.ofJob) != 1 {
		t.Errorf("%g stored, %d jobs known", f.stored, len(f.ofJob))
	}
}

// Output goes to the writing node, a node of another rack, and another node of that rack. How many is what
// the job says, else the scenario, else HDFS; never more than there are nodes.
func TestReplicas(t *testing.T) {
	for _, c := range []struct {
		name           string
		job, tasks, df int
		want           int
	}{
		{"the job's", 2, 3, 3, 2}, {"the scenario's", 0, 2, 3, 2}, {"HDFS's", 0, 0, 3, 3}, {"without locality one", 0, 0, 0, 1}, {"at most one for each node", 9, 0, 3, 6},
	} {
		topology := racks(3, 3)
		config := DefaultConfig()
		config.Tasks.Replication = c.tasks
		o := newOutputs(&Site{Topology: topology, Config: &config, Replication: c.df, Seed: 1})
		for index := range int32(50) {
			w := &work{node: 4, job: &jobWork{spec: &model.Job{Replicas: c.job}}, task: model.Task{Kind: model.Reduce, Index: index}}
			got := slices.Clone(o.replicas(w))
			if !slices.Equal(got, o.replicas(w)) {
				t.Fatalf("%s: the replicas of one attempt lie on %v and %v", c.name, got, o.replicas(w))
			}
			distinct := slices.Compact(slices.Sorted(slices.Values(got)))
			if len(got) != c.want || len(distinct) != c.want || got[0] != 4 {
				t.Fatalf("%s: replicas on %v, want %d nodes, the first 4", c.name, got, c.want)
			}
			if c.want > 1 && topology.Nodes[got[1]].Rack != 0 || c.want > 2 && topology.Nodes[got[2]].Rack != 0 {
				t.Fatalf("%s: replicas on %v; the second and third belong in rack 0", c.name, got)
			}
		}
	}
}
