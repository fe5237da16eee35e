// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/hdfs"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/internal/svm"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/workload"
)

// Scenario is one scenario file, as resolved: defaults filled in, valid.
type Scenario struct {
	Name          string         `yaml:"name" doc:"Name of the scenario; the result folder is named after it."`
	Seed          uint64         `yaml:"seed" doc:"Seed of all random numbers; repetitions use the seeds that follow."`
	Seeds         int            `yaml:"seeds" min:"1" max:"10000" doc:"Repetitions of compare and sweep."`
	Warmup        int            `yaml:"warmup,omitempty" min:"0" doc:"Number of jobs, the first ones, that are simulated but left out of summaries."`
	Reference     bool           `yaml:"reference" doc:"Compute each job's run time alone in the empty cluster, which slowdown needs."`
	Cluster       cluster.Config `yaml:"cluster" required:"true" doc:"The machines."`
	HDFS          hdfs.Config    `yaml:"hdfs" doc:"Where the data lies."`
	engine.Config `yaml:",inline"`
	Workload      Workload       `yaml:"workload" required:"true" doc:"The jobs."`
	Policy        PolicyChoice   `yaml:"policy" doc:"The policy that run uses."`
	Policies      []PolicyChoice `yaml:"policies,omitempty" doc:"The policies that compare uses; the first is the baseline."`

	node     *strict.Node
	file     string
	settings []strict.Setting // beyond the file; node has them
	trace    *trace           // the file behind workload.trace

	classifier     *svm.Classifier // behind workload.classifier
	classifierHash string
	machines       *Scenario                     // behind workload.measure
	jobs           func(seed uint64) []model.Job // in place of the workload's, see WithJobs
	outline        Outline                       // of the workload's jobs

	missing string // why workload.else takes the place of the trace; empty if it does not
}

// Defaults returns the scenario that a file of this name changes.
func Defaults(name string) *Scenario {
	return &Scenario{Name: name, Seed: 1, Seeds: 10, Reference: true,
		Cluster: cluster.DefaultConfig(), HDFS: hdfs.DefaultConfig(), Config: engine.DefaultConfig(),
		Workload: Workload{Cost: workload.DefaultCost(), Needs: workload.DefaultNeeds(), Weights: "own", Stretch: 1}, Policy: Named("fifo", nil)}
}

// ReadInput reads a file that the user named; if it cannot, that is the input's fault.
func ReadInput(file string) ([]byte, error) { return readInput(file, maxInput) }

func readInput(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &strict.InputError{Err: err}
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, &strict.InputError{Err: err}
	case int64(len(src)) > most:
		return nil, &strict.InputError{Err: fmt.Errorf("%s: more than %d MiB; allowed: a file of at most that", file, most>>20)}
	}
	return src, nil
}

// What is read of a file that describes something, and of a trace, at most: a device has no end.
const (
	maxInput = 64 << 20
	maxTrace = 4 << 30
)

// Parse reads and validates a scenario. The error, if the input is at fault, is an InputError with
// everything that is wrong with it.
func Parse(file string, src []byte, settings []strict.Setting) (*Scenario, error) {
	node, errs := strict.Parse(file, src)
	if node == nil {
		return nil, &strict.InputError{Err: errs}
	}
	return decode(file, node, errs, settings)
}

// With returns the scenario with further settings.
func (s *Scenario) With(settings []strict.Setting) (*Scenario, error) {
	with, err := decode(s.file, s.node.Clone(), nil, settings)
	if err == nil {
		with.settings = append(slices.Clone(s.settings), settings...)
	}
	return with, err
}

func decode(file string, node *strict.Node, errs strict.Errors, settings []strict.Setting) (*Scenario, error) {
	for _, set := range settings {
		errs = append(errs, apply(node, set)...)
	}
	base := filepath.Base(file)
	s := Defaults(base[:len(base)-len(filepath.Ext(base))])
	s.node, s.file, s.settings = node, file, settings
	errs = append(errs, strict.Decode(node, s)...)
	c := &checks{s: s, faults: errs}
	c.sections()
	c.files(filepath.Dir(file))
	c.jobs()
	if err := c.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// apply changes the tree by one setting. policy.NAME.PARAM=VALUE chooses the policy NAME if the
// scenario runs another one, and also sets the parameter of NAME where the scenario compares it.
func apply(node *strict.Node, set strict.Setting) (errs strict.Errors) {
	origin := "--set " + set.Path + "=" + set.Value
	name, isParam := PolicyPath(set.Path)
	if isParam && policies.IsRole(name) {
		openRole(node, name, set.Path)
		isParam = false
	}
	if !isParam || node == nil {
		return strict.Set(node, set.Path, set.Value, origin)
	}
	old := node.Get("policy").Clone()
	if p := node.Get("policy"); p != nil {
		openChoice(p, name, true)
	}
	errs = strict.Set(node, set.Path, set.Value, origin)
	var compared strict.Errors
	found := false
	if list := node.Get("policies"); list != nil {
		for i, item := range list.Items {
			if openChoice(item, name, false) {
				path := fmt.Sprintf("policies[%d].%s", i, strings.TrimPrefix(set.Path, "policy."))
				compared, found = append(compared, strict.Set(node, path, set.Value, origin)...), true
			}
		}
	}
	if len(errs) > 0 && found && len(compared) == 0 && old.Get(name) == nil {
		// Only what is compared has the parameters that the path leads through.
		if old != nil {
			*node.Get("policy") = *old
		}
		return nil
	}
	if len(errs) > 0 {
		return errs
	}
	return compared
}

// openChoice makes a choice of the policy a mapping that takes parameters, and reports whether it
// is one of that policy now. A choice of another policy is replaced only if replace is set.
func openChoice(n *strict.Node, name string, replace bool) bool {
	isMapping := n.Kind == strict.Mapping && n.Get(name) != nil
	if isMapping {
		return true
	}
	if n.Kind == strict.Scalar && n.Text != name && !replace || n.Kind == strict.Mapping && !replace {
		return false
	}
	*n = strict.Node{Kind: strict.Mapping, Pos: n.Pos,
		Keys:  []*strict.Node{{Kind: strict.Scalar, Text: name, Pos: n.Pos}},
		Items: []*strict.Node{{Kind: strict.Mapping, Pos: n.Pos}}}
	return true
}

// openRole makes what plays a role of the scenario's policy take parameters, for a path
// policy.ROLE.NAME.PARAM.
func openRole(node *strict.Node, role, path string) {
	name, _, isParam := strings.Cut(strings.TrimPrefix(path, "policy."+role+"."), ".")
	if p := node.Get("policy"); isParam && p != nil && p.Get(role) != nil {
		openChoice(p.Get(role), name, true)
	}
}

// Bare returns the scenario without what a single run under some policy with some seed does not depend on.
func (s *Scenario) Bare() *Scenario {
	bare := *s
	bare.Name, bare.Seed, bare.Seeds, bare.Warmup, bare.Policy, bare.Policies = "", 0, 1, 0, Named("fifo", nil), nil
	return &bare
}

// JSON returns the scenario as resolved, in a form that Parse reads.
func (s *Scenario) JSON() []byte { return strict.Encode(s).JSON("") }
