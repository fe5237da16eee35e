// SPDX-License-Identifier: Apache-2.0

package hybrid

import (
	"fmt"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Params configures Order.
type Params struct {
	ScaleUp   string `yaml:"scale-up,omitempty" doc:"Class of the machines that scale up; if left out, the class of that name, if there is one. All others scale out."`
	Placement bool   `yaml:"placement" doc:"Small jobs run on scale-up machines, large ones on the others; otherwise all jobs share all machines."`
	Stealing  bool   `yaml:"stealing" doc:"Scale-out machines that have nothing to do take over small jobs that have not started."`
	StealBack bool   `yaml:"steal-back" doc:"Scale-up machines that have nothing to do take over large jobs that have not started, the one nearest to being small first."`
	WhenBusy  bool   `yaml:"steal-when-busy" doc:"Jobs are taken over only while the machines of their own kind have no room for a task of theirs; otherwise the first machine that asks gets them."`
	Data      bool   `yaml:"data" doc:"The third replica of each block lies on a scale-up machine, the first two on others; otherwise as HDFS puts them."`

	Classify     string      `yaml:"classify" oneof:"input,svm,oracle" doc:"How small jobs are told from large ones: by their input alone, by the classifier that workload.classifier names, or by the class of a job that was measured."`
	Limit        model.Bytes `yaml:"limit" above:"0" doc:"With classify: input, the input from which on a job is large."`
	Monotone     bool        `yaml:"monotone" doc:"With classify: svm, a job is small only if it is so without shuffle data as well as with what is known of it, or with what its reduces suggest."`
	ShuffleError float64     `yaml:"shuffle-error" min:"-1" doc:"With classify: svm, how far the shuffle sizes of recurring jobs are off: 0.3 is 30 % too much."`
}

// DefaultParams returns all strategies, with the input as what tells jobs apart: 32 GiB is where scale-out machines
// begin to be faster for a sort (diverse-2018 §5.1.1).
func DefaultParams() Params {
	return Params{Placement: true, Stealing: true, Data: true, Classify: "input", Limit: 32 * model.GiB}
}

// Needs returns what a policy with the parameters must be told.
func (p *Params) Needs() policy.Need {
	switch {
	case !p.Placement:
		return 0
	case p.Classify == "svm":
		return policy.KnownShuffle | policy.Trained
	case p.Classify == "oracle":
		return policy.KnownLabels
	}
	return 0
}

// DefaultClass is the class of scale-up machines where the parameters do not name one.
const DefaultClass = "scale-up"

// ClassName returns the name of the class of scale-up machines.
func (p *Params) ClassName() string {
	if p.ScaleUp == "" {
		return DefaultClass
	}
	return p.ScaleUp
}

// Hybrid returns the parameters of those that have more.
func (p *Params) Hybrid() *Params { return p }

// Class returns the class of scale-up machines, false if the cluster has none or nothing else.
func (p *Params) Class(t *model.Topology) (class uint8, both bool) {
	name := p.ClassName()
	for c := range t.Classes {
		if t.Classes[c].Name == name {
			return uint8(c), len(t.Classes) > 1
		}
	}
	return 0, false
}

// ProblemsOn returns why the parameters do not suit the cluster or a job.
func (p *Params) ProblemsOn(t *model.Topology, jobs []model.Job) []model.Problem {
	class, both := p.Class(t)
	if !both {
		if p.ScaleUp == "" {
			return nil
		}
		var names []string
		for c := range t.Classes {
			names = append(names, t.Classes[c].Name)
		}
		return []model.Problem{{Path: "scale-up", Found: fmt.Sprintf("%q of the classes %s", p.ScaleUp, strings.Join(names, ", ")), Allowed: "one of two or more classes of cluster.classes"}}
	}
	kinds := make(map[model.RackID]bool)
	for _, n := range t.Nodes {
		if up, seen := kinds[n.Rack]; seen && up != (n.Class == class) {
			return []model.Problem{{Path: "scale-up", Found: fmt.Sprintf("machines of %q and others in one rack", t.Classes[class].Name),
				Allowed: "racks of its own for each kind of machine: racks in cluster.classes"}}
		}
		kinds[n.Rack] = n.Class == class
	}
	if !p.Placement {
		return nil
	}
	return misfits(t, class, jobs)
}

// misfits returns the first task that fits no machine of one kind: a job may come to either.
func misfits(t *model.Topology, class uint8, jobs []model.Job) []model.Problem {
	for i := range jobs {
		for k := range model.Kind(model.Kinds) {
			if jobs[i].Tasks(k) == 0 {
				continue
			}
			var fits [2]bool
			for c := range t.Classes {
				if t.Classes[c].Room.Fits(jobs[i].Need[k]) {
					fits[sideOf(c == int(class))] = true
				}
			}
			for s, fit := range fits {
				if !fit {
					return []model.Problem{{Path: "scale-up", Found: fmt.Sprintf("a %s task of job %q that needs %s and fits no %s machine", k, jobs[i].Name, t.Model.Describe(jobs[i].Need[k]), side(s)),
						Allowed: "tasks that fit machines of both kinds"}}
				}
			}
		}
	}
	return nil
}

// ReplicaProblems returns why data cannot be placed with this many replicas.
func (p *Params) ReplicaProblems(t *model.Topology, replicas int) []model.Problem {
	if _, both := p.Class(t); !both || !p.Data || replicas >= 3 || replicas == 0 {
		return nil
	}
	missing := "the third, which lies on a scale-up machine"
	if replicas < 2 {
		missing = "the second, which lies on a scale-out machine, and the third, which lies on a scale-up machine"
	}
	return []model.Problem{{Path: "data", Found: fmt.Sprintf("hdfs.replication: %d, without %s", replicas, missing), Allowed: "hdfs.replication of at least 3, or data: false"}}
}
