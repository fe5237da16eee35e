// SPDX-License-Identifier: Apache-2.0

package hybrid

import (
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// known is what is known of shuffle data.
type known map[model.JobID]model.Bytes

func (k known) Shuffle(id model.JobID) model.Bytes { return k[id] }

// nearShuffle is a classifier of one support vector: a job is small if its shuffle data, scaled, is near 1, which is
// 1 GiB, and its other features are 0.
func nearShuffle() *svm.Classifier {
	return &svm.Classifier{Scaling: svm.Scaling{Kind: svm.LogUnit, Low: []float64{0, 0, 0}, High: []float64{1e9, 1e9, 20.79441541679835}},
		Machine: &svm.Machine{Gamma: 10, Bias: -0.5, Support: [][]float64{{0, 0, 1}}, Coefficients: []float64{1}}}
}

// A job that recurs is judged with its shuffle data, with its error; another without. A monotone judge wants both
// answers to agree.
func TestJudgeBySVM(t *testing.T) {
	env := &policy.Env{Shuffles: known{1: model.GiB}, Classifier: nearShuffle()}
	for _, c := range []struct {
		name      string
		recurring bool
		error     float64
		monotone  bool
		reduces   int32
		want      bool
	}{
		{name: "known", recurring: true, want: true},
		{name: "unknown counts as none", want: false},
		{name: "all of it is missed", recurring: true, error: -1, want: false},
		{name: "twice as much is still near", recurring: true, error: 1, want: true},
		{name: "not so without shuffle data", recurring: true, monotone: true, want: false},
		{name: "nor without what is unknown", monotone: true, reduces: 1, want: false},
	} {
		j := &cluster.Job{ID: 1, Recurring: c.recurring, Total: [model.Kinds]int32{1, c.reduces}}
		p := Params{Placement: true, Classify: "svm", ShuffleError: c.error, Monotone: c.monotone}
		judge, err := newJudge(env, &p, "scale-up")
		if err != nil {
			t.Fatal(err)
		}
		if got := judge(j) > 0; got != c.want {
			t.Errorf("%s: small %t", c.name, got)
		}
	}
	if _, err := newJudge(&policy.Env{}, &Params{Placement: true, Classify: "svm"}, ""); err == nil {
		t.Error("svm without a classifier was taken")
	}
}

func TestJudgeByInput(t *testing.T) {
	p := DefaultParams()
	judge, _ := newJudge(&policy.Env{}, &p, "")
	near, far, large := judge(&cluster.Job{Input: 31 * model.GiB}), judge(&cluster.Job{Input: model.MiB}), judge(&cluster.Job{Input: 33 * model.GiB})
	if !(0 < near && near < far && large < 0) {
		t.Errorf("31 GiB %g, 1 MiB %g, 33 GiB %g", near, far, large)
	}
}

func twoClasses() *model.Topology {
	return &model.Topology{Model: model.Containers, Racks: 2,
		Classes: []model.NodeClass{{Name: "scale-up", Room: model.Room{24, 0}}, {Name: "scale-out", Room: model.Room{8, 0}}},
		Nodes:   []model.Node{{Class: 0, Rack: 0}, {Class: 1, Rack: 1}}}
}

func TestBadInput(t *testing.T) {
	jobs := []model.Job{{Name: "wide", Maps: 1, Need: [model.Kinds]model.Room{{9, 0}, {1, 0}}}}
	for _, c := range []struct {
		name   string
		change func(*model.Topology, *Params)
		jobs   []model.Job
		want   string
	}{
		{"no such class", func(_ *model.Topology, p *Params) { p.ScaleUp = "strong" }, nil, `"strong" of the classes scale-up, scale-out`},
		{"one rack for both", func(t *model.Topology, _ *Params) { t.Nodes[1].Rack = 0 }, nil, `machines of "scale-up" and others in one rack`},
		{"a task that fits one kind", func(*model.Topology, *Params) {}, jobs, `a map task of job "wide" that needs 9 containers and fits no scale-out machine`},
	} {
		top, p := twoClasses(), DefaultParams()
		c.change(top, &p)
		if got := p.ProblemsOn(top, c.jobs); len(got) != 1 || !strings.Contains(got[0].Found, c.want) || got[0].Allowed == "" {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
	p := DefaultParams()
	if got := p.ReplicaProblems(twoClasses(), 2); len(got) != 1 || !strings.Contains(got[0].Found, "without the third, which lies on a scale-up machine") {
		t.Errorf("two replicas: %v", got)
	}
	if got := p.ReplicaProblems(twoClasses(), 3); got != nil {
		t.Errorf("three replicas: %v", got)
	}
}
