// SPDX-License-Identifier: Apache-2.0

package papers_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/reproduce"
	"github.com/yardmaster/yardmaster/scenario"
)

// folders returns the names of the folders on disk, which are the papers: of a paper with chapters, those of its
// chapters.
func folders(t *testing.T) (names []string) {
	t.Helper()
	for _, name := range inside(t, ".") {
		if chapters := inside(t, name); len(chapters) > 0 {
			names = append(names, chapters...)
		} else {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatal("no papers: the test looks in the wrong place")
	}
	return names
}

// inside returns the folders in a folder.
func inside(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	return names
}

// Every folder is a paper: it has expected.yaml, a README.md that says something, and no stray YAML.
func TestFoldersArePapers(t *testing.T) {
	found, err := reproduce.Papers(papers.Files)
	if err != nil || !slices.Equal(found, folders(t)) {
		t.Errorf("papers %v, %v; folders %v", found, err, folders(t))
	}
	for _, paper := range slices.Concat(inside(t, "."), folders(t)) {
		if readme, err := os.ReadFile(path.Join(paper, "README.md")); err != nil || len(strings.TrimSpace(string(readme))) < 100 {
			t.Errorf("%s: README.md of %d bytes, %v", paper, len(readme), err)
		}
	}
}

// Every experiment has a name of its own, at least one figure, and a scenario that parses with its settings
// and each of its policies; every scenario file is used, and the embedded files are those on disk.
func TestExperimentsParse(t *testing.T) {
	for _, paper := range folders(t) {
		expected, err := reproduce.LoadExpected(papers.Files, paper)
		if err != nil {
			t.Errorf("%s: %v", paper, err)
			continue
		}
		used, names := map[string]bool{"expected.yaml": true, "deviations.yaml": true, "README.md": true}, map[string]bool{}
		for i := range expected.Experiments {
			x := &expected.Experiments[i]
			if !used[x.Scenario] {
				used[x.Scenario] = true
				s, err := scenario.Parse(path.Join(paper, x.Scenario), mustRead(t, path.Join(paper, x.Scenario)), nil)
				if err != nil {
					t.Errorf("%s without the settings of an experiment: %v", x.Scenario, err)
				} else {
					used[path.Base(s.Workload.Measure)], used[path.Base(s.Workload.Classifier)] = true, true
				}
			}
			drawn := slices.ContainsFunc(expected.Charts, func(c reproduce.ChartConfig) bool { return c.Experiment == x.Name })
			if names[x.Name] || x.Name == "" || len(x.Figures) == 0 && !drawn {
				t.Errorf("%s: experiment %q is there twice, has no name, or neither figures nor charts", paper, x.Name)
			}
			names[x.Name] = true
			t.Run(paper+"/"+x.Name, func(t *testing.T) {
				t.Parallel()
				parses(t, paper, x)
			})
		}
		files, _ := fs.Glob(papers.Files, paper+"/*")
		for _, file := range files {
			if !used[path.Base(file)] {
				t.Errorf("%s is used by no experiment", file)
			}
			inside, _ := fs.ReadFile(papers.Files, file)
			if disk, err := os.ReadFile(file); err != nil || string(disk) != string(inside) {
				t.Errorf("%s: the embedded file is not the one on disk: %v", file, err)
			}
		}
	}
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	src, err := fs.ReadFile(papers.Files, file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func parses(t *testing.T, paper string, x *reproduce.ExperimentConfig) {
	src, err := fs.ReadFile(papers.Files, path.Join(paper, x.Scenario))
	if err != nil {
		t.Fatal(err)
	}
	var settings []strict.Setting
	for _, p := range slices.Sorted(maps.Keys(x.Set)) {
		settings = append(settings, strict.Setting{Path: p, Value: x.Set[p]})
	}
	s, err := scenario.Parse(path.Join(paper, x.Scenario), src, settings)
	if err != nil {
		t.Fatal(err)
	}
	variants, err := x.Variants(s)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for i := range variants {
		labels = append(labels, variants[i].Policy.Label())
	}
	for i := range x.Figures {
		f := &x.Figures[i]
		if f.Policy != "" && !slices.Contains(labels, f.Policy) {
			t.Errorf("figure %q is taken from %s, which is not among %v", f.Name, f.Policy, labels)
		}
		if f.Value != nil && (f.Reason == "" || f.Source == "") {
			t.Errorf("figure %q has a tolerance without a reason or no source", f.Name)
		}
	}
}

// The files of the papers speak of the papers and of our copies of them alone.
func TestFilesSpeakOfThePapers(t *testing.T) {
	for _, paper := range slices.Concat(inside(t, "."), folders(t)) {
		files, err := os.ReadDir(paper)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if file.IsDir() {
				continue
			}
			text, err := os.ReadFile(path.Join(paper, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"withheld", "shared/", "causes: all"} {
				if strings.Contains(string(text), word) {
					t.Errorf("%s/%s says %q", paper, file.Name(), word)
				}
			}
		}
	}
}
