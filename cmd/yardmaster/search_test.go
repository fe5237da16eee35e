// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/result"
)

func TestSearchCommand(t *testing.T) {
	inFolder(t, small)
	args := []string{"search", "s.yaml", "--over", "policy.fbq.limits=[5s..500s/3]", "--objective", "mean_slowdown", "--subject-to", "median_slowdown<=1000", "--seeds", "2"}
	o := must(t, args...)
	for _, text := range []string{"lowest mean_slowdown subject to median_slowdown<=1000", "step 1: 3 candidates with 2 repetitions", "best: limits=[", "against the best", "kept"} {
		if !strings.Contains(o.out, text) {
			t.Errorf("output lacks %q:\n%s", text, o.out)
		}
	}
	folders, _ := filepath.Glob("results/*-search/summary.json")
	if len(folders) != 1 {
		t.Fatalf("result folders %v", folders)
	}
	file, err := os.ReadFile(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	if printed := must(t, append(args, "--format", "json", "-j", "1")...).out; printed != string(file) {
		t.Errorf("another number of workers prints\n%s\nnot\n%s", printed, file)
	}
	summary := parseJSON[result.SearchSummary](t, string(file))
	if len(summary.Rungs) != 1 || len(summary.Seeds) != 2 || summary.Metric != "mean_slowdown" || len(summary.Best.Metrics) != 2 || len(summary.Neighbours) == 0 || summary.Neighbours[0].Difference == nil {
		t.Errorf("summary %+v", summary)
	}
}

func TestSearchFails(t *testing.T) {
	inFolder(t, small)
	for want, args := range map[string][]string{
		"unknown metric":         {"--over", "policy.fbq.limits=[5s]", "--objective", "mean_slow"},
		"LOW..HIGH/N":            {"--over", "policy.fbq.limits=[9s..5s/3]", "--objective", "mean_slowdown"},
		"parameters of a policy": {"--over", "seed=1,2", "--objective", "mean_slowdown"},
		"limits above 0s":        {"--over", "policy.fbq.limits=[5s],[9s, 2s]", "--objective", "mean_slowdown"},
		"median_slowdown<=-5%":   {"--over", "policy.fbq.limits=[5s]", "--objective", "mean_slowdown", "--subject-to", "median_slowdown<=-5%"},
		`did you mean "limits"?`: {"--over", "policy.fbq.limit=[5s]", "--objective", "mean_slowdown"},
	} {
		yardmaster(append([]string{"search", "s.yaml"}, args...)...).want(t, exitRefused, want)
	}
	if o := yardmaster("search", "s.yaml", "--over", "policy.fbq.limits=[5s],[50s]", "--objective", "mean_slowdown", "--subject-to", "mean_slowdown<0.5", "--seeds", "1"); o.code != exitFailed || !strings.Contains(o.err, "no candidate keeps the rules") {
		t.Errorf("rules that nothing keeps: exit code %d, %s", o.code, o.err)
	}
}

// The page of a paper is written where --out says, and replaces only such results.
func TestReproducePage(t *testing.T) {
	t.Chdir(t.TempDir())
	for range 2 {
		o := must(t, "reproduce", "slowdown-2015/table-2", "--out", "pages")
		if !strings.Contains(o.out, filepath.Join("pages", "slowdown-2015", "report.html")) {
			t.Errorf("output:\n%s", o.out)
		}
	}
	page, err := os.ReadFile(filepath.Join("pages", "slowdown-2015", "report.html"))
	if err != nil || !strings.Contains(string(page), "run time of GREP 2/1, simulated") {
		t.Errorf("page of %d bytes, %v", len(page), err)
	}
	findings, err := os.ReadFile(filepath.Join("pages", "slowdown-2015", "findings.json"))
	if err != nil || len(parseJSON[[]map[string]any](t, string(findings))) != 16 {
		t.Errorf("findings.json: %v", err)
	}
	if err := os.MkdirAll("mine/slowdown-2015", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("mine/slowdown-2015/thesis.txt", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := yardmaster("reproduce", "slowdown-2015/table-2", "--out", "mine"); o.code != exitFailed || o.out != "" {
		t.Errorf("a folder of something else: exit code %d\n%s", o.code, o.out)
	}
}
