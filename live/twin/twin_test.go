// SPDX-License-Identifier: Apache-2.0

package twin_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/advise"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/recorded"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/twin"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/scenario"
)

// sources plays a recorded cluster of Hadoop 3.4.2: 4 nodes, 6 jobs of 4 users on a machine with far more work than
// cores, looked at while all of them waited, and its history when all had ended.
func sources(t *testing.T) twin.Sources {
	t.Helper()
	c := rest.Config{URLs: []string{recorded.Play(t, recorded.Pairs(t, "testdata/cluster.tar.gz")).URL}, Retries: -1}
	cluster, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	history, err := rest.NewHistory(c)
	if err != nil {
		t.Fatal(err)
	}
	return twin.Sources{Cluster: cluster, History: history, Most: 100}
}

func take(t *testing.T, from twin.Sources) *twin.Twin {
	t.Helper()
	made, err := twin.Take(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// The twin has the cluster's nodes, queues and jobs, and predicts what these took.
func TestTwin(t *testing.T) {
	made := take(t, sources(t))
	n := made.Cluster.Nodes
	if len(n) != 4 || n[0].Name != "node1" || n[0].Rack != "rack1" || n[3].Name != "node4" || n[3].Rack != "rack2" || made.Cluster.Classes[0].Memory != 2*model.GiB {
		t.Errorf("nodes %+v", made.Cluster)
	}
	for name, want := range map[string]string{"yarn.scheduler.capacity.root.prod.capacity": "60", "yarn.scheduler.minimum-allocation-mb": "256"} {
		if made.Properties[name] != want {
			t.Errorf("%s is %q, want %q", name, made.Properties[name], want)
		}
	}
	if len(made.Past) != 6 || made.Past[0].Submit != 0 || made.Past[0].User != "bob" || made.Past[0].Maps != 4 || made.Past[0].Memory[model.Map] != 512*model.MiB ||
		made.Past[0].Master.Need[0] != 512 {
		t.Errorf("the first job is %+v", made.Past[0])
	}
	if len(made.Present) != 6 {
		t.Errorf("%d applications wait or run", len(made.Present))
	}
	s, err := made.Write(filepath.Join(t.TempDir(), "twin"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := advise.NewBacktest(s, s.Seeds)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Compare(context.Background(), s, []scenario.PolicyChoice{s.Policy}, s.Seeds, nil, experiment.Options{Observe: b.Observe}); err != nil {
		t.Fatal(err)
	}
	e := b.Rows(s.Seeds)[0].Elapsed
	t.Logf("elapsed %.1f s, predicted %.1f s, mean absolute error %.1f %%", e.Actual, e.Predicted, 100*e.Absolute/e.Actual)
	if e.Absolute/e.Actual > 0.2 {
		t.Errorf("the mean absolute error of elapsed is %.0f %%, want at most 20 %%", 100*e.Absolute/e.Actual)
	}
}

// Both scenarios of a folder can be read, and Hadoop's files; a folder with something in it is left alone.
func TestWriteAndLoad(t *testing.T) {
	made := take(t, sources(t))
	dir := filepath.Join(t.TempDir(), "twin")
	if _, err := made.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{dir, filepath.Join(dir, twin.PresentName)} {
		s, _, err := scenario.LoadOrBuiltin(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if jobs := s.Jobs(1); len(jobs) != 6 {
			t.Errorf("%s has %d jobs", file, len(jobs))
		}
	}
	if _, err := made.Write(dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a folder that is not empty: %v", err)
	}
	sites, err := advise.LoadYarn(filepath.Join(dir, twin.ConfFolder))
	if err != nil || sites[0].Or("yarn.scheduler.capacity.root.queues", "") != "prod,batch" {
		t.Errorf("%v, %v", sites, err)
	}
}

// Other names are the same in each import with the same key, and nowhere is an old one left.
func TestAnonymous(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	var before []byte
	for range 2 {
		from := sources(t)
		var err error
		if from.Alias, err = twin.NewAlias(key); err != nil {
			t.Fatal(err)
		}
		made := take(t, from)
		dir := filepath.Join(t.TempDir(), "twin")
		if _, err := made.Write(dir); err != nil {
			t.Fatal(err)
		}
		var all []byte
		for _, name := range []string{twin.PastFile, twin.PresentFile, scenario.FolderFile, "notes.txt"} {
			src, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, src...)
		}
		for _, name := range []string{"alice", "bob", "carol", "dave", "Sleep"} {
			if strings.Contains(string(all), name) {
				t.Errorf("%s is still there", name)
			}
		}
		if before != nil && !slices.Equal(before, all) {
			t.Error("the same key gave other names")
		}
		before = all
	}
	if err := os.WriteFile(key, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := twin.NewAlias(key); err == nil {
		t.Error("a key of 5 bytes was taken")
	}
}

// A ResourceManager that shows neither its properties nor its scheduler's file is imported by its queues.
func TestHiddenConfiguration(t *testing.T) {
	pairs := recorded.Pairs(t, "testdata/cluster.tar.gz")
	for i := range pairs {
		if p := &pairs[i]; p.Request.Path == "/scheduler-conf" || p.Request.Path == "/conf?format=json" {
			p.Response.Status, p.Response.Body = 403, ""
		}
	}
	c, err := rest.New(rest.Config{URLs: []string{recorded.Play(t, pairs).URL}, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	from := sources(t)
	from.Cluster = c
	made := take(t, from)
	for name, want := range map[string]string{"root.queues": "batch,prod", "root.prod.capacity": "60", "root.batch.maximum-capacity": "70",
		"root.batch.minimum-user-limit-percent": "50", "root.prod.maximum-am-resource-percent": "0.2"} {
		if got := made.Properties["yarn.scheduler.capacity."+name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(made.Notes) < 2 {
		t.Errorf("notes %q", made.Notes)
	}
	if _, err := made.Write(filepath.Join(t.TempDir(), "twin")); err != nil {
		t.Error(err)
	}
}

// A twin of some applications has no job of others.
func TestOnlySome(t *testing.T) {
	all := take(t, sources(t))
	from := sources(t)
	from.Only = []string{"application_1794771129492_0003", "application_1794771129492_0005"}
	some := take(t, from)
	if len(all.Past) != 6 || len(some.Past) != 2 || some.Past[0].Submit != 0 {
		t.Errorf("%d jobs of all, %d of two", len(all.Past), len(some.Past))
	}
}
