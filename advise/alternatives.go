// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/scenario"
)

// Alternative is what would have happened to the job otherwise.
type Alternative struct {
	Change  string  `json:"change"`
	Held    string  `json:"held,omitempty"` // the limit that the change is about
	Waiting float64 `json:"waiting"`        // seconds
	Elapsed float64 `json:"elapsed"`
	Others  float64 `json:"others_elapsed"` // mean elapsed time of all other jobs
	Verdict Verdict `json:"verdict"`        // on the job's whole elapsed time
}

// Verdict says whether a change is good for a job.
type Verdict string

// The verdicts. A change of less than a hundredth is none.
const (
	Sooner Verdict = "sooner"
	Later  Verdict = "later"
	Same   Verdict = "same"
)

// judge compares elapsed times.
func judge(before, after float64) Verdict {
	switch {
	case after < 0.99*before:
		return Sooner
	case after > 1.01*before:
		return Later
	}
	return Same
}

// otherwise is a run to try.
type otherwise struct {
	change string
	limit  model.Limit
	about  bool // a limit
	s      *scenario.Scenario
	choice scenario.PolicyChoice
}

// alternatives simulates what else could have been decided: the settings that held the job back, other policies, more
// nodes. Those under which it ends first come first.
func alternatives(ctx context.Context, s *scenario.Scenario, choice scenario.PolicyChoice, job *metrics.Job, seed uint64, opt experiment.Options) (out []Alternative, err error) {
	jobs, err := experiment.Jobs(ctx, s, seed)
	if err != nil {
		return nil, err
	}
	opt.Held = nil
	for _, o := range append(changed(s, choice, job, jobs), elsewhere(s, choice, jobs)...) {
		t := *o.s
		t.Reference = false
		run, err := experiment.NewRepetition(&t, seed).Simulate(ctx, o.choice, opt, nil)
		if err != nil {
			return nil, err
		}
		a := Alternative{Change: o.change}
		if o.about {
			a.Held = o.limit.String()
		}
		for i := range run.Jobs {
			if j := &run.Jobs[i]; j.ID == job.ID {
				a.Waiting, a.Elapsed = j.Waiting().Seconds(), j.Elapsed().Seconds()
				a.Others, a.Verdict = othersElapsed(run, j.ID), judge(job.Elapsed().Seconds(), a.Elapsed)
				out = append(out, a)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Alternative) int { return cmp.Compare(a.Elapsed, b.Elapsed) })
	return out, nil
}

// othersElapsed is the mean elapsed time of all jobs but one.
func othersElapsed(run *metrics.Run, id model.JobID) float64 {
	sum := 0.0
	for i := range run.Jobs {
		if run.Jobs[i].ID != id {
			sum += run.Jobs[i].Elapsed().Seconds()
		}
	}
	return sum / float64(max(len(run.Jobs)-1, 1))
}

// elsewhere returns other policies and larger clusters. Under YARN's resource manager there are no other policies: their
// jobs would have no masters.
func elsewhere(s *scenario.Scenario, choice scenario.PolicyChoice, jobs []model.Job) (out []otherwise) {
	for _, name := range policies.All.Names() {
		other := scenario.Named(name, nil)
		other.Tuner = choice.Tuner
		if choice.Yarn() == nil && name != choice.Name && len(other.ProblemsOn(s, jobs)) == 0 { // one that suits this cluster
			out = append(out, otherwise{change: "policy " + name, s: s, choice: other})
		}
	}
	if len(s.Cluster.Nodes) > 0 { // written one by one
		return out
	}
	for _, percent := range []int{10, 25, 50} {
		more := *s
		more.Cluster.Classes = slices.Clone(s.Cluster.Classes)
		nodes := 0
		for i := range more.Cluster.Classes {
			more.Cluster.Classes[i].Nodes += (more.Cluster.Classes[i].Nodes*percent + 99) / 100
			nodes += more.Cluster.Classes[i].Nodes
		}
		// The workload stays that of the cluster as it is: a larger one does not make it denser.
		same := scenario.WithJobs(&more, func(uint64) []model.Job { return slices.Clone(jobs) })
		out = append(out, otherwise{change: fmt.Sprintf("%d nodes (+%d %%)", nodes, percent), s: same, choice: choice})
	}
	return out
}
