// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rm"
	"github.com/yardmaster/yardmaster/tune"
)

// writtenShare is the AM share of the section yarn: it is written into the scheduler's configuration file, which acts when
// the scheduler has read it.
type writtenShare struct {
	shareFile
	rules *rm.Rules
}

// shareFile is an AM share in a file that a scheduler reads now and then.
type shareFile struct {
	*world
	file   *rm.Share
	reload des.Handle
}

// write changes the file; the scheduler will read it.
func (f *shareFile) write(share float64) {
	acts := f.file.Write(f.queue.Now(), share)
	f.queue.Cancel(f.reload)
	f.reload = f.queue.Push(acts, event{kind: reloadShare})
}

// act makes what is written act at once.
func (f *shareFile) act() {
	f.queue.Cancel(f.reload)
	f.file.Act()
}

// ReadBack implements tune.Actuator.
func (f *shareFile) ReadBack() tune.Reading[float64] { return tune.Got(f.file.Written) }

var _ shares = (*writtenShare)(nil)

func (w *writtenShare) inEffect() float64 { return w.file.InEffect }

// Apply implements tune.Actuator. The Capacity Scheduler refuses what is not a share; the Fair Scheduler reads any number.
func (w *writtenShare) Apply(share float64) error {
	if w.rules.Formula == rm.Capacity && !(share >= 0 && share <= 1) {
		return noShare(share)
	}
	w.write(share)
	return nil
}

func noShare(share float64) error {
	return &tune.Refused{Share: share, Reason: "the Capacity Scheduler takes shares from 0 to 1"}
}

// Latency implements tune.Actuator.
func (w *writtenShare) Latency() tune.Reading[model.Time] {
	return tune.Got(w.rules.Latency())
}

// refreshedShare is maximum-am-resource-percent of all queues under YARN's resource manager. A change is written and
// refreshed in one go, so that it acts at once.
type refreshedShare struct {
	*yard
	share float64
}

var _ shares = (*refreshedShare)(nil)

// newRefreshedShare begins with the largest share of a queue.
func newRefreshedShare(y *yard) *refreshedShare {
	r := &refreshedShare{yard: y}
	for i := range y.Settings.Queues {
		if q := &y.Settings.Queues[i]; q.Leaf {
			r.share = max(r.share, float64(q.MasterShare))
		}
	}
	return r
}

func (r *refreshedShare) inEffect() float64 { return r.share }

// Apply implements tune.Actuator.
func (r *refreshedShare) Apply(share float64) error {
	if !(share >= 0 && share <= 1) {
		return noShare(share)
	}
	return r.set(share)
}

func (r *refreshedShare) set(share float64) error {
	if err := r.floor.SetMasterShare(r.queue.Now(), float32(share)); err != nil {
		return &tune.Refused{Share: share, Reason: err.Error()}
	}
	r.share = share
	return nil
}

// ReadBack implements tune.Actuator.
func (r *refreshedShare) ReadBack() tune.Reading[float64] { return tune.Got(r.share) }

// Latency implements tune.Actuator.
func (r *refreshedShare) Latency() tune.Reading[model.Time] { return tune.Got(model.Time(0)) }

// fileShare is maxAMShare in the allocation file of a Fair Scheduler, which takes any number.
type fileShare struct {
	shareFile
	refreshed *refreshedShare
}

var _ shares = (*fileShare)(nil)

func (f *fileShare) inEffect() float64 { return f.refreshed.share }

// act makes what is written act.
func (f *fileShare) act() error {
	f.shareFile.act()
	return f.refreshed.set(f.file.InEffect)
}

// Apply implements tune.Actuator.
func (f *fileShare) Apply(share float64) error {
	f.write(share)
	return nil
}

// Latency implements tune.Actuator.
func (f *fileShare) Latency() tune.Reading[model.Time] {
	return tune.Got(f.refreshed.Reload.Latency())
}
