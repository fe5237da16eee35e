// SPDX-License-Identifier: Apache-2.0

package papers_test

import (
	"math"
	"os"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/papers"
	"github.com/yardmaster/yardmaster/scenario"
)

// TestFigure51 runs TeraSort and WordCount alone on one scale-up and on five scale-out machines (diverse-2018 figure
// 5.1). The four constants of machines.yaml meet its four numbers to a quarter of each: TeraSort crosses at 32 GB,
// WordCount at 64 GB, scale-up machines are up to 70 % faster below, scale-out machines up to 35 % above.
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
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"TeraSort crosses at GiB", crossings["TeraSort"], 32}, {"WordCount crosses at GiB", crossings["WordCount"], 64},
		{"scale-up machines are faster by", faster, 0.70}, {"scale-out machines are faster by", slower, 0.35},
	} {
		if math.Abs(c.got/c.want-1) > 0.25 {
			t.Errorf("%s %.3g, %g in the figure", c.what, c.got, c.want)
		}
	}
}

// hybridTrace skips a test where the trace is not there.
func hybridTrace(t *testing.T) {
	t.Helper()
	if os.Getenv("YARDMASTER_TRACES") == "" {
		t.Skip("the trace FB-2010 is not in the folder $YARDMASTER_TRACES")
	}
}

// TestHybridArithmetic adds up the lengths of the tasks of the real cluster's set-up: what large jobs are of the work,
// how long the containers of either cluster need for it, and what small jobs gain on scale-up machines.
func TestHybridArithmetic(t *testing.T) {
	hybridTrace(t)
	s := load(t, "diverse-2018/hybrid/real.yaml")
	jobs, err := experiment.Jobs(t.Context(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	work := map[[2]string]float64{} // by class of job and of machine: container seconds
	large := 0
	for i := range jobs {
		j := &jobs[i]
		for _, l := range j.ByClass {
			work[[2]string{j.Class, l.Class}] += float64(j.Maps)*l.Map.Seconds() + float64(j.Reduces)*(l.Reduce+l.ShuffleTail).Seconds()
		}
		if j.Class == "scale-out" {
			large++
		}
	}
	ofLarge, ofSmall := work[[2]string{"scale-out", "scale-out"}], work[[2]string{"scale-up", "scale-out"}]
	gain := 1 - work[[2]string{"scale-up", "scale-up"}]/ofSmall
	slow := work[[2]string{"scale-out", "scale-up"}] / ofLarge
	t.Logf("%d of %d jobs are large and have %.1f %% of the work; 400 containers need %.0f s for all jobs, 320 need %.0f s for the large ones; tasks of small jobs take %.1f %% less on scale-up machines, those of large ones %.2f times as long",
		large, len(jobs), 100*ofLarge/(ofLarge+ofSmall), (ofLarge+ofSmall)/400, ofLarge/320, 100*gain, slow)
	if share := ofLarge / (ofLarge + ofSmall); share < 0.985 || ofLarge/320 < 1.2*(ofLarge+ofSmall)/400 || gain < 0 || gain > 0.1 || slow < 1.5 {
		t.Errorf("large jobs have %.3f of the work, small ones gain %.3f, large ones take %.2f times as long on scale-up machines: the causes of expected.yaml say 0.99, 0.07 and 1.7", share, gain, slow)
	}
}

// TestHybridLocality shows what the placement of data does: small jobs read from other racks without it, large ones
// find their blocks either way.
func TestHybridLocality(t *testing.T) {
	hybridTrace(t)
	if testing.Short() {
		t.Skip("two runs of an hour's jobs")
	}
	remote, elapsed := map[string]float64{}, map[string]float64{}
	for _, data := range []string{"true", "false"} {
		s := load(t, "diverse-2018/hybrid/real.yaml", strict.Setting{Path: "workload.stretch", Value: "1"}, strict.Setting{Path: "workload.trace.spread", Value: "60min"},
			strict.Setting{Path: "policy.hybrid.classify", Value: "svm"}, strict.Setting{Path: "policy.hybrid.data", Value: data})
		run, err := experiment.NewRepetition(s, 1).Simulate(t.Context(), s.Policy, experiment.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, class := range []string{"scale-up", "scale-out"} {
			for metric, to := range map[string]map[string]float64{"remote": remote, "mean_elapsed": elapsed} {
				q, err := metrics.ParseQuery("class:" + class + "." + metric)
				if err != nil {
					t.Fatal(err)
				}
				to[class+data], _ = q.Of(metrics.All(run, 0))
			}
		}
		t.Logf("data %s: small jobs read %.1f %% from another rack and take %.0f s, large ones %.1f %% and %.0f s", data, 100*remote["scale-up"+data], elapsed["scale-up"+data], 100*remote["scale-out"+data], elapsed["scale-out"+data])
	}
	if remote["scale-uptrue"] > 0.1 || remote["scale-upfalse"] < 0.5 || remote["scale-outtrue"] > 0.02 || remote["scale-outfalse"] > 0.02 || elapsed["scale-upfalse"] < 3*elapsed["scale-uptrue"] {
		t.Errorf("remote %v, elapsed %v: the causes of expected.yaml say otherwise", remote, elapsed)
	}
}
