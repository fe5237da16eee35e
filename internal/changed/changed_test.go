// SPDX-License-Identifier: Apache-2.0

package changed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/result"
)

const old = `<configuration>
  <!-- ours -->
  <property><name>yarn.scheduler.capacity.root.queues</name><value>prod</value></property>
  <property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>100</value></property>
</configuration>
`

// folder writes the manifest of a what-if that sets a property; it was made from the result day, which was made from site/.
func folder(t *testing.T, property string) (cost, site string) {
	t.Helper()
	dir := t.TempDir()
	site = filepath.Join(dir, "site", FileName)
	day := filepath.Join(dir, "day")
	cost = filepath.Join(dir, "cost")
	base := `"yarn.scheduler.capacity.root.queues": "prod", "yarn.scheduler.capacity.root.prod.capacity": "100"`
	for name, text := range map[string]string{
		site:                                    old,
		filepath.Join(day, result.ManifestName): `{"yardmaster": "1", "kind": "run", "inputs": {"` + site + `": "` + result.Hash([]byte(old)) + `"}}`,
		filepath.Join(cost, result.ManifestName): `{"yardmaster": "1", "kind": "compare", "policies": ["site", "new"], "inputs": {"` + day + `": "x"},
			"changes": {"new": [{"path": "policy", "value": "x"}]},
			"scenario": {"cluster": {"room": "yarn", "classes": [{"nodes": 4, "memory": "4GiB", "vcores": 4}]}, "workload": {"jobs": [{"name": "a", "queue": "prod", "maps": 1, "map-length": "1s"}]},
				"policies": [{"yarn-capacity": {"properties": {` + base + `}}, "as": "site"}, {"yarn-capacity": {"properties": {` + base + `, "` + property + `": "7"}}, "as": "new"}]}}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return cost, site
}

const factor = "yarn.scheduler.capacity.root.prod.user-limit-factor"

// The file that the result was made from is found through the result in between, and keeps its comment.
func TestRewritesTheFile(t *testing.T) {
	cost, site := folder(t, factor)
	f, err := Of(cost, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Changes) != 1 || f.Changes[0].Property != factor || f.Changes[0].New != "7" {
		t.Errorf("changes: %+v", f.Changes)
	}
	if text := string(f.Text); !strings.Contains(text, "<!-- ours -->") || !strings.Contains(text, factor) || strings.Count(text, "<property>") != 3 {
		t.Errorf("the file is\n%s", text)
	}
	if labels := Labels(cost); len(labels) != 1 || labels[0] != "new" {
		t.Errorf("labels: %q", labels)
	}
	if err := (&Command{Result: cost, Out: site}).Run(); err == nil || !strings.Contains(err.Error(), "allowed: another file") {
		t.Errorf("the old file is overwritten: %v", err)
	}
}

// A file that is gone or has changed since is not guessed at: a new one has the properties.
func TestWritesANewFile(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"gone":    os.Remove,
		"changed": func(site string) error { return os.WriteFile(site, []byte(old+"\n"), 0o644) },
	} {
		cost, site := folder(t, factor)
		if err := spoil(site); err != nil {
			t.Fatal(err)
		}
		f, err := Of(cost, "new")
		if err != nil {
			t.Fatal(err)
		}
		if text := string(f.Text); strings.Contains(text, "ours") || strings.Count(text, "<property>") != 3 || !strings.Contains(text, factor) {
			t.Errorf("%s: the file is\n%s", name, text)
		}
	}
}

func TestRefusals(t *testing.T) {
	cost, _ := folder(t, "mapreduce.map.memory.mb")
	for label, want := range map[string]string{"": "which is not in capacity-scheduler.xml", "site": "allowed: new", "x": "allowed: new"} {
		if _, err := Of(cost, label); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", label, err, want)
		}
	}
	if _, err := Of(filepath.Join(filepath.Dir(cost), "day"), ""); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Error(err)
	}
	if labels := Labels(cost); len(labels) != 0 {
		t.Errorf("labels: %q", labels)
	}
}
