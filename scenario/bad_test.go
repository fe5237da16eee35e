// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// rewrite makes the golden files from what the code says now. Read the difference before you keep it.
var rewrite = flag.Bool("rewrite", false, "rewrite testdata/bad/*.err")

// parts are what a user needs of a message: where, which field, what was found, what is allowed.
var parts = regexp.MustCompile(`^([a-z0-9-]+\.yaml):(\d+):(\d+): ([^ ]+: )?[^;]+(; found [^;]+)?(; allowed: .+)?$`)

// lacking lists the files whose messages lack a part, with the reason. Everything else has all four.
var lacking = map[string]string{
	"file-empty":        "found: there is nothing",
	"file-comment-only": "found: there is nothing",
	"typo-top":          "found: the missing workload is not there",
	"jobs-no-name":      "found: the missing name is not there",
	"file-scalar":       "path: the whole file",
	"file-list":         "path: the whole file",
	"file-binary":       "path: the text is not YAML",
	"file-latin1":       "path: the text is not YAML",
	"syntax-bracket":    "path, found, allowed: the YAML library words it",
	"syntax-tab":        "path, found, allowed: the YAML library words it",
	"syntax-indent":     "path, found, allowed: the YAML library words it",

	"syntax-two-documents": "path: it is between the fields",
}

func badFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 90 {
		t.Fatalf("%d bad scenario files, %v", len(files), err)
	}
	return files
}

// refusal returns the message about a bad file under its base name.
func refusal(t *testing.T, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(filepath.Base(file), src, nil)
	var input *strict.InputError
	if err == nil || !errors.As(err, &input) || s != nil {
		t.Fatalf("Parse returns %v, %v; want an InputError", s, err)
	}
	return err.Error() + "\n"
}

func TestBadScenarios(t *testing.T) {
	for _, file := range badFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			got := refusal(t, file)
			golden := strings.TrimSuffix(file, ".yaml") + ".err"
			if *rewrite {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("message changed (-rewrite accepts it)\n got: %swant: %s", got, want)
			}
			checkParts(t, name, got)
		})
	}
}

// checkParts holds every line of a message to its form, and the lines to their order.
func checkParts(t *testing.T, name, message string) {
	t.Helper()
	last, complete := [2]int{}, true
	for line := range strings.Lines(message) {
		m := parts.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || m[1] != name+".yaml" {
			t.Errorf("not of the form file:line:col: path: problem; found X; allowed: Y\n%s", line)
			continue
		}
		complete = complete && m[4] != "" && m[5] != "" && m[6] != ""
		row, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		if at := [2]int{row, col}; slices.Compare(at[:], last[:]) < 0 {
			t.Errorf("out of order: %s", line)
		} else {
			last = at
		}
	}
	if why, ok := lacking[name]; ok == complete {
		t.Errorf("all parts present: %v, listed as lacking: %q\n%s", complete, why, message)
	}
}

// TestBadScenariosTwice guards the order of the messages: some checks go through maps.
func TestBadScenariosTwice(t *testing.T) {
	for _, file := range badFiles(t) {
		first := refusal(t, file)
		for range 5 {
			if again := refusal(t, file); again != first {
				t.Fatalf("%s: two messages\n%s%s", file, first, again)
			}
		}
	}
}

// TestAllErrorsAtOnce counts the faults of the files with ten.
func TestAllErrorsAtOnce(t *testing.T) {
	for file, want := range map[string]int{"ten-errors": 10, "ten-impossible": 10} {
		if n := strings.Count(refusal(t, "testdata/bad/"+file+".yaml"), "\n"); n != want {
			t.Errorf("%s: %d faults reported, want %d", file, n, want)
		}
	}
}

// Settings of the section jobs are for policies that go by them: one of ours beside those of YARN, compared or run, is enough,
// and Hadoop's defaults may be written anywhere.
func TestJobsOfOtherPolicies(t *testing.T) {
	src, err := os.ReadFile("testdata/bad/yarn-jobs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	for name, good := range map[string]string{
		"compared": strings.Replace(text, "[yarn-fair,", "[fair, yarn-fair,", 1),
		"run":      text + "policy: fifo\n",
		"no YARN":  text[:strings.Index(text, "policies:")],
		"as it is": strings.NewReplacer("80%", "5%", "ramp-up: 1", "ramp-up: 0.5", "false", "true", "5s", "1s").Replace(text),
		"none":     text[:strings.Index(text, "jobs:")] + text[strings.Index(text, "workload:"):] + "policy: yarn-fair\n",
	} {
		if _, err := scenario.Parse("yarn-jobs.yaml", []byte(good), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHints makes sure that a slip of the finger is named at every depth.
func TestHints(t *testing.T) {
	for file, hint := range map[string]string{
		"typo-top": "workload", "typo-cluster-class": "map-slots", "typo-job": "reduces", "typo-generate-class": "map-length",
		"typo-distribution": "uniform", "typo-policy-name": "fair", "typo-policy-key": "delay",
		"typo-policy-parameter": "node-skips", "typo-policies-item": "delay", "typo-room": "slots",
	} {
		if got := refusal(t, "testdata/bad/"+file+".yaml"); !strings.Contains(got, "; did you mean \""+hint+"\"?") {
			t.Errorf("%s: no hint at %s: %s", file, hint, got)
		}
	}
}

// TestFaultAnywhere puts a fault into every field of a scenario, and into two at a time: all are told, whatever they are in,
// and nothing stumbles over what could not be read.
func TestFaultAnywhere(t *testing.T) {
	src, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse("everything.yaml", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	node, _ := strict.Parse("everything.json", s.JSON())
	leaves := strict.Leaves(node, func(string) bool { return true })
	fault := func(i int) strict.Setting { return strict.Setting{Path: leaves[i].Path, Value: "{no: [no]}"} }
	for i := range leaves {
		k := (i + len(leaves)/2) % len(leaves)
		_, err := scenario.Parse("everything.yaml", s.JSON(), []strict.Setting{fault(i), fault(k)})
		for _, at := range []int{i, k} {
			if err == nil || !strings.Contains(err.Error(), leaves[at].Path) {
				t.Errorf("faults at %s and %s: %v", leaves[i].Path, leaves[k].Path, err)
			}
		}
	}
}
