// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/tune"
)

const tunedYarn = `
reference: false
seeds: 1
durations: resources
hdfs: {replication: 1}
cluster: {room: yarn, classes: [{nodes: 2, memory: 20GiB, vcores: 20, cores: 4, disk: 200MB/s}]}
workload:
  needs: {map-memory: 1GiB, reduce-memory: 1GiB}
  generate: {jobs: 6, arrivals: {interval: 1s}, classes: [{name: a, maps: 6, reduces: 1, input: 768MiB, shuffle-ratio: 1}]}
policies:
  - {yarn-capacity: {properties: {yarn.scheduler.capacity.root.queues: default, yarn.scheduler.capacity.root.default.capacity: 100,
      yarn.scheduler.capacity.root.default.user-limit-factor: 10}}, as: one, tuner: {prj: {share: 0.05}}}
  - {yarn-capacity: {properties: {yarn.scheduler.capacity.root.queues: default, yarn.scheduler.capacity.root.default.capacity: 100,
      yarn.scheduler.capacity.root.default.user-limit-factor: 10}}, as: all, tuner: {prj: {share: 0.9}}}
  - {yarn-capacity: {properties: {yarn.scheduler.capacity.root.queues: default, yarn.scheduler.capacity.root.default.capacity: 100,
      yarn.scheduler.capacity.root.default.user-limit-factor: 10}}, as: cbt, tuner: cbt}
  - {yarn-fair: , as: fair-one, tuner: {prj: {share: 0.05}}}
  - {yarn-fair: , as: fair-all, tuner: {prj: {share: 0.9}}}
  - {yarn-fair: , as: fair-cbt, tuner: cbt}
`

// Tuners set maximum-am-resource-percent and maxAMShare of YARN's resource manager while jobs run. A share of 0.05 of 40 GiB holds one master
// of 2 GiB, 0.9 all six; cbt begins with one and lets in more.
func TestTunersUnderYarn(t *testing.T) {
	s := parsed(t, tunedYarn)
	most := map[string]int{}
	for _, choice := range s.Policies {
		seen := &tunerWatch{}
		run, err := NewRepetition(s, 1).Simulate(context.Background(), choice, Options{Check: true, Tuning: seen}, nil)
		if err != nil {
			t.Fatal(choice.Label(), err)
		}
		if len(run.Jobs) != 6 {
			t.Errorf("%s: %d jobs ended", choice.Label(), len(run.Jobs))
		}
		overlap := 0
		for _, a := range run.Jobs {
			n := 0
			for _, b := range run.Jobs {
				if b.FirstStart <= a.FirstStart && a.FirstStart < b.Finish {
					n++
				}
			}
			overlap = max(overlap, n)
		}
		most[choice.Label()] = overlap
		if strings.HasSuffix(choice.Label(), "cbt") && (seen.raised == 0 || seen.last.Running.Value == 0 && seen.last.Pending.Value > 0) {
			t.Errorf("%s raised the share %d times; last seen %+v", choice.Label(), seen.raised, seen.last)
		}
	}
	for _, of := range []string{"", "fair-"} {
		if most[of+"one"] != 1 || most[of+"all"] != 6 || most[of+"cbt"] < 2 {
			t.Errorf("jobs at a time: %v, want 1, 6 and some", most)
		}
	}
}

// tunerWatch counts how often a tuner raises the share.
type tunerWatch struct {
	last   tune.Observation
	raised int
}

func (w *tunerWatch) Observed(o *tune.Observation) { w.last = *o }

func (w *tunerWatch) Advised(a tune.Advice) {
	if w.last.Share.Known && a.Share > w.last.Share.Value {
		w.raised++
	}
}

func (w *tunerWatch) Refused(float64, error) {}
