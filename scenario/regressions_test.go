// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/scenario"
)

const plain = `
cluster: {classes: [{nodes: 4, map-slots: 2, reduce-slots: 1}]}
workload: {generate: {jobs: 5, arrivals: {interval: 5s}, classes: [{name: a, maps: 3}]}}
policies: [fifo, fair]
`

// TestPolicyWithoutName reads a choice that has a label and no policy.
func TestPolicyWithoutName(t *testing.T) {
	src := strings.Replace(plain, "policies: [fifo, fair]", "policy: {as: x}", 1)
	if s, err := scenario.Parse("test.yaml", []byte(src), nil); err == nil {
		t.Errorf("{as: x} is accepted as policy %q, which panics when it runs", s.Policy.Name)
	}
}

// TestIgnoredParameters gives parameters that have no effect, which must not pass in silence.
func TestIgnoredParameters(t *testing.T) {
	for name, class := range map[string]string{
		"mean of uniform":  "{name: a, maps: {kind: uniform, mean: 5}}",
		"cv of constant":   "{name: a, maps: {mean: 5, cv: 2}}",
		"low of lognormal": "{name: a, maps: {kind: lognormal, mean: 5, low: 2}}",
		"cv without kind":  "{name: a, noise: {cv: 0.5}}",
		"uniform cv of 5":  "{name: a, noise: {kind: uniform, cv: 5}}",
		"exponential cv 5": "{name: a, noise: {kind: exponential, cv: 5}}",
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.Replace(plain, "{name: a, maps: 3}", class, 1)
			if _, err := scenario.Parse("test.yaml", []byte(src), nil); err == nil {
				t.Errorf("%s is accepted", class)
			}
		})
	}
}

// TestMissingFiles names files that are not there: each is told at the field that names it, beside other faults.
func TestMissingFiles(t *testing.T) {
	src := "hdfs: {replication: 9}\ncluster: {classes: [{nodes: 4, map-slots: 2}]}\nworkload:\n  trace: {file: no.tsv}\n  classifier: no.svm\n  measure: no.yaml\n"
	_, err := scenario.Parse(filepath.Join(t.TempDir(), "s.yaml"), []byte(src), nil)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"s.yaml:1:21: hdfs.replication: ", "s.yaml:4:17: workload.trace.file: cannot be read", "s.yaml:5:15: workload.classifier: cannot be read", "s.yaml:6:12: workload.measure: cannot be read"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s is missing in\n%v", want, err)
		}
	}
}

// TestMeasuredOnItself measures jobs on the machines of the scenario itself, which has no end.
func TestMeasuredOnItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "self.yaml")
	src := []byte("cluster: {classes: [{name: a, nodes: 3, map-slots: 2}, {name: b, nodes: 3, map-slots: 3}]}\nworkload: {measure: self.yaml, jobs: [{name: j, maps: 2}]}\n")
	if err := os.WriteFile(file, src, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scenario.Parse(file, src, nil); err == nil || !strings.Contains(err.Error(), "self.yaml:2:21: workload.measure: ") {
		t.Errorf("%v; want the field of the other scenario", err)
	}
}

// TestAllNamesAtOnce names policies of which several are wrong.
func TestAllNamesAtOnce(t *testing.T) {
	s, err := scenario.Parse("test.yaml", []byte(plain), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Pick([]string{"fofo", "fair", "dealy", "fair"})
	for _, want := range []string{`unknown policy "fofo"`, `unknown policy "dealy"`, `"fair" is named twice`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}
