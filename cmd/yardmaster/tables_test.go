// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/yardmaster/yardmaster/report"
)

// table reads a CSV file as rows by column name.
func table(t *testing.T, path ...string) (rows []map[string]string) {
	t.Helper()
	list, err := csv.NewReader(strings.NewReader(read(t, path...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list[1:] {
		row := map[string]string{}
		for i, name := range list[0] {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// The tables on request agree with the others: every task of every job is there once it is done, and all seeds hold
// the first one as its own table has it.
func TestTables(t *testing.T) {
	inFolder(t, small)
	must(t, "compare", "s.yaml", "--policies", "fifo,fair", "--seeds", "2", "--all-seeds", "--tasks", "--parquet", "--out", "out")
	for _, policy := range []string{"fifo", "fair"} {
		done, tasks := map[string]int{}, 0
		for _, r := range table(t, "out", policy, "tasks.csv") {
			if r["outcome"] == "done" {
				done[r["job"]]++
			}
		}
		own := table(t, "out", policy, "jobs.csv")
		for _, r := range own {
			var maps, reduces int
			fmt.Sscan(r["maps"], &maps)
			fmt.Sscan(r["reduces"], &reduces)
			if tasks += maps + reduces; done[r["id"]] != maps+reduces {
				t.Errorf("%s: %d tasks of job %s are done, want %d", policy, done[r["id"]], r["id"], maps+reduces)
			}
		}
		if tasks == 0 {
			t.Error("no task to look at")
		}
		all := map[string]map[string]string{}
		seeds := map[string]bool{}
		for _, r := range table(t, "out", "jobs.csv") {
			if r["policy"] == policy {
				seeds[r["seed"]] = true
				all[r["seed"]+" "+r["id"]] = r
			}
		}
		if len(seeds) != 2 {
			t.Errorf("%s: the seeds are %v, want 2", policy, seeds)
		}
		for _, r := range own {
			for name, v := range r {
				if got := all["1 "+r["id"]][name]; got != v {
					t.Fatalf("%s: job %s has %s %q among all seeds, %q in its own table", policy, r["id"], name, got, v)
				}
			}
		}
		for _, name := range []string{"jobs.parquet", "series.parquet", "tasks.parquet", "nodes.html"} {
			if info, err := os.Stat(filepath.Join("out", policy, name)); err != nil || info.Size() == 0 || info.Size() > report.PageBudget {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Every table of a run over links with a plan has its twin. The plan's column of jobs holds names, numbers as they may look.
func TestParquetBesideEveryTable(t *testing.T) {
	inFolder(t, strings.NewReplacer("sort", "1", "scan", "2", "adhoc", "3").Replace(recurring))
	must(t, "run", "s.yaml", "--tasks", "--parquet", "--out", "out")
	files, err := filepath.Glob("out/*.csv")
	if err != nil || len(files) != 6 {
		t.Errorf("%d tables, want 6: %q %v", len(files), files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(strings.TrimSuffix(file, ".csv") + ".parquet"); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	type row struct {
		Job string `parquet:"job,optional"`
	}
	if rows, err := parquet.ReadFile[row]("out/plan.parquet"); err != nil || len(rows) == 0 || rows[0].Job != "1" {
		t.Errorf("the plan begins with %v: %v", rows, err)
	}
}
