// SPDX-License-Identifier: Apache-2.0

package costs

import (
	"github.com/yardmaster/yardmaster/model"
)

// Files counts what tasks leave on the disks of hosts: map output, what reduces fetched and merged, the
// replicas of what jobs write. It decides how much of it a page cache still holds when it is read again:
// the files of the jobs that run compete for the cache, those of ended jobs are the oldest in it.
//
// Nil files count nothing, and everything is read from disk again.
type Files struct {
	stored float64   // on all disks
	fresh  []float64 // by host, of jobs that run
	ofJob  map[model.JobID]*written
	output []float64 // by host, of fresh, what stays when its job has ended
	cache  []float64 // by host: its page cache, nil if reads are not followed
}

// written is what a running job has on disks, and on RAM disks.
type written struct {
	byHost []float64
	output []float64 // of this, what stays
	stays  float64   // output of all hosts
}

// NewFiles follows the files of a topology's hosts, and what their page caches hold if cached is set.
func NewFiles(t *model.Topology, cached bool) *Files {
	f := &Files{fresh: make([]float64, t.Hosts), output: make([]float64, t.Hosts), ofJob: map[model.JobID]*written{}}
	if cached {
		f.cache = make([]float64, t.Hosts)
		for _, n := range t.Nodes {
			f.cache[n.Host] = float64(t.Classes[n.Class].Hardware.PageCache)
		}
	}
	return f
}

// Write adds what a task of a job leaves on a host; output stays when the job has ended.
func (f *Files) Write(job model.JobID, host int, bytes float64, output bool) {
	w := f.ofJob[job]
	if w == nil {
		w = &written{byHost: make([]float64, len(f.fresh)), output: make([]float64, len(f.fresh))}
		f.ofJob[job] = w
	}
	f.stored += bytes
	f.fresh[host] += bytes
	w.byHost[host] += bytes
	if output {
		f.output[host] += bytes
		w.output[host] += bytes
		w.stays += bytes
	}
}

// Drop deletes the temporary files of a job that has ended.
func (f *Files) Drop(job model.JobID) {
	if f == nil || f.ofJob[job] == nil {
		return
	}
	w := f.ofJob[job]
	for host, bytes := range w.byHost {
		f.fresh[host] -= bytes
		f.output[host] -= w.output[host]
		f.stored -= bytes
	}
	f.stored += w.stays
	delete(f.ofJob, job)
}

// Stored returns what is on the disks of all hosts.
func (f *Files) Stored() float64 { return f.stored }

// Temporary returns what tasks of running jobs have put aside on a host.
func (f *Files) Temporary(host int) float64 { return f.fresh[host] - f.output[host] }

// missed returns the share of what is read again on a host that its cache no longer holds. The cache keeps
// what was written last. Files are read oldest first, and about as much is written meanwhile: of the last
// f bytes written, one that is x bytes old when reading begins is f/2 + x/2 bytes old when its turn comes,
// so that of a cache of c bytes 2(1 - c/f) misses.
func (f *Files) missed(host int) float64 {
	if fresh := f.fresh[host]; fresh > f.cache[host] {
		return min(1, 2*(1-f.cache[host]/fresh))
	}
	return 0
}

// Rereads returns what reading a byte costs the disk of a host that tasks wrote there before.
func (f *Files) Rereads(host int) float64 {
	if f != nil && f.cache != nil {
		return f.missed(host)
	}
	return 1
}
