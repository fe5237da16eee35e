// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/scenario"
)

// market100 has 100 to spend on machines of 20 and 5: tasks take a quarter of the time on the strong ones.
const market100 = `
name: market
cluster:
  room: containers
  classes:
    - {name: scale-up, nodes: 1, racks: 1, containers: 8, speed: 4, price: 20}
    - {name: scale-out, nodes: 16, racks: 4, containers: 2, price: 5}
hdfs: {replication: 3}
workload:
  jobs:
    - {name: large, maps: 40, map-length: 40s, input: 64GiB}
    - {name: small-1, submit: 1s, maps: 8, map-length: 40s, input: 1GiB}
    - {name: small-2, submit: 2s, maps: 8, map-length: 40s, input: 1GiB}
policy: hybrid
`

func parsePlan(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("market.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Clusters of the same price: 100 buy 20 scale-out machines, or one scale-up machine and 16, or two and 12.
func TestPlan(t *testing.T) {
	p, err := Plan(t.Context(), parsePlan(t, market100), 0, []int{0, 1, 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Replacement{{ScaleUp: 0, ScaleOut: 20}, {ScaleUp: 1, ScaleOut: 16}, {ScaleUp: 2, ScaleOut: 12}} {
		got := p.Clusters[i]
		if got.ScaleUp != want.ScaleUp || got.ScaleOut != want.ScaleOut || got.Price != 100 || (got.Change == nil) != (i == 0) {
			t.Errorf("cluster %d is %+v, want %+v", i, got, want)
		}
		if better := i > 0 && got.All < p.Clusters[i-1].All; i > 0 && i <= p.Advised && !better {
			t.Errorf("cluster %d is advised and no better than the one before: %+v", i, p.Clusters)
		}
	}
	// 20 weak machines are full of the large job for 40 s, and run the small ones after it: 40, 79 and 78 s. One strong
	// machine runs these in 10 and 19 s, and 16 weak ones the large job in 80 s.
	if all := [2]float64{p.Clusters[0].All, p.Clusters[1].All}; math.Abs(all[0]-197.0/3) > 0.1 || math.Abs(all[1]-109.0/3) > 0.1 {
		t.Errorf("means %v, want %g and %g", all, 197.0/3, 109.0/3)
	}
	if p.Advised == 0 || p.Replaced != 20-p.Clusters[p.Advised].ScaleOut || !strings.HasPrefix(p.advice(), "Replace ") {
		t.Errorf("advised %d, %d replaced: %s\n%v", p.Advised, p.Replaced, p.advice(), p.rows())
	}
}

// What is tried unless the user says it costs at most half of the budget.
func TestTries(t *testing.T) {
	s := parsePlan(t, market100)
	m := &market{s: s, up: 0, out: 1, budget: 100}
	if got := m.tries(); len(got) != 3 || got[2] != 2 {
		t.Errorf("tries %v, want 0, 1 and 2: four cost 80 of 100", got)
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		up             []int
		want           string
	}{
		{"no price", ", price: 20", "", nil, "no price of scale-up; allowed: a price of each class, such as by --set cluster.classes[0].price=1000"},
		{"no scale-up machines", "name: scale-up", "name: strong", nil, "several classes beside scale-up"},
		{"too dear", "", "", []int{0, 6}, "6 scale-up machines for 100; allowed: rising numbers that the budget pays for"},
		{"falling", "", "", []int{2, 1}, "1 scale-up machines for 100"},
	} {
		_, err := Plan(context.Background(), parsePlan(t, strings.Replace(market100, c.from, c.to, 1)), 0, c.up, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// The command prints a table or JSON and writes a page.
func TestPlanCommand(t *testing.T) {
	folder := t.TempDir()
	file, page := filepath.Join(folder, "market.yaml"), filepath.Join(folder, "plan.html")
	if err := os.WriteFile(file, []byte(market100), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := PlanHybrid{Scenario: file, Up: []int{0, 1}, Seeds: 1, Format: "table", Page: page}
	if err := c.Run(&Shell{Ctx: t.Context(), Out: &out, Err: &out}); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "scale-up machines") || !strings.Contains(out.String(), "makespan") {
		t.Errorf("page of %d bytes, %v; printed %s", len(html), err, out.String())
	}
	out.Reset()
	c.Format, c.Page = "json", ""
	var p HybridPlan
	if err := c.Run(&Shell{Ctx: t.Context(), Out: &out, Err: &out}); err != nil || json.Unmarshal(out.Bytes(), &p) != nil || len(p.Clusters) != 2 {
		t.Errorf("%v, printed %s", err, out.String())
	}
	c.Set = []string{"nothing"}
	if err := c.Run(&Shell{Ctx: t.Context(), Out: &out, Err: &out}); err == nil || !strings.Contains(err.Error(), "allowed: PATH=VALUE") {
		t.Errorf("a setting without a value: %v", err)
	}
}
