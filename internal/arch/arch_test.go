// SPDX-License-Identifier: Apache-2.0

// Package arch holds the rules about who may import whom, as a test.
package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/yardmaster/yardmaster/"

// layers is the table of packages: a package imports packages of this module from lower layers
// only. helpers may be imported by everyone above layer 0 and import layer 0 only.
var layers = map[string]int{
	"model": 0, // words of the domain: everybody speaks them
	"rng":   0, // draws by key; may use model
	"des":   0, // clock and events; may use model

	"internal/strict":   1, // reads YAML; used by whoever owns a configuration type
	"internal/nodeset":  1, // a set of small integers
	"internal/digits":   1, // numbers for people
	"internal/stats":    1, // statistics that several packages need
	"internal/hashed":   1, // numbers by hash
	"internal/keyed":    1, // numbers by keys that change
	"internal/ladder":   1, // numbers by level
	"internal/moments":  1, // what happens in a while, in order
	"internal/memory":   1, // large pages, and garbage
	"internal/ahead":    1, // memory that comes before it is needed
	"internal/slab":     1, // values by small numbers, which stay where they are
	"internal/matching": 1, // inputs to outputs of a switch, by weight
	"internal/csvtext":  1, // texts in cells of CSV files
	"internal/printed":  1, // texts of others on a terminal
	"internal/version":  1, // release and revision
	"internal/shell":    1, // completion and manual page from the command line's model
	"internal/svm":      1, // support vector machine: numbers in, numbers out

	"internal/table":       2, // things chosen by name: one registry, one codec of choices
	"internal/capacityxml": 2, // reads and writes capacity-scheduler.xml

	"internal/topotest": 3, // small topologies for tests

	"cluster":      2,  // concrete state
	"hdfs":         2,  // blocks and locality
	"fluid":        2,  // shared rates: knows neither des nor cluster
	"record":       2,  // typed events
	"goal":         2,  // when jobs will end and what they need: knows no cluster
	"queue":        2,  // the tree of queues and its limits: arithmetic, knows no application
	"yarn/conf":    2,  // Hadoop's properties
	"network":      3,  // links and circuits of racks as resources of fluid
	"workload":     3,  // jobs from descriptions: needs hdfs's block size
	"live/rest":    3,  // asks a real ResourceManager and JobHistoryServer
	"live/steer":   4,  // changes settings of a real cluster so that they can be put back
	"live/amshare": 6,  // tuners of the AM share on a real cluster
	"live/order":   8,  // policies order the applications of a real queue
	"live/control": 11, // the commands live tune, order and restore
	"live/fakerm":  12, // a ResourceManager for tests

	"live/kerberos": 3,  // proves to a secure cluster who asks
	"live/tape":     3,  // records what passes between a client and a cluster, and plays it
	"live/connect":  4,  // flags: which cluster, and who asks
	"live/twin":     11, // a scenario of a real cluster
	"live/bench":    9,  // batches of jobs on a real cluster
	"live/look":     12, // the commands live import, watch and bench

	"yarn/settings":   3, // what the Capacity Scheduler is told, of Hadoop's properties
	"yarn/capacity":   4, // YARN's Capacity Scheduler: knows neither a simulator nor a clock
	"yarn/preempt":    5, // which containers make way for others: a state machine beside the scheduler
	"yarn":            5, // the resource manager around it: applications and their attempts
	"internal/decide": 6, // the command decide: steps in, decisions out

	"workload/synth":    4, // jobs from distributions
	"workload/swim":     4, // readers of traces, one for each format
	"workload/sls":      4,
	"workload/slssynth": 4,
	"workload/rumen":    4,
	"workload/jhist":    4,
	"workload/hadoop":   4, // what the JSON formats of Hadoop have in common
	"workload/jobcsv":   4,
	"workload/formats":  5, // all of them: detection, gzip, checks across jobs

	"policy":           4, // the contract: a driver needs it alone
	"policy/kit":       5, // what policies are made of: nobody who drives one needs it
	"policy/rackplan":  5, // plans of recurring jobs: arithmetic on forecasts
	"forecast":         5, // what is known of recurring jobs before they come
	"metrics/circuits": 4, // folds what circuits did
	"metrics/attempts": 4, // folds attempts of tasks
	"metrics/fold":     4, // folds that stand on their own
	"metrics/expected": 4, // when jobs were expected to end
	"metrics":          5, // folds events into numbers
	"tune":             5, // tuners of the AM share: observation in, advice out

	"mapreduce":     5, // what a job's own master decides: arithmetic on one job
	"exec/running":  4, // attempts that run: a flat array and lists; what begins later
	"exec/costs":    3, // what tasks cost beside links: arithmetic
	"exec/machines": 4, // links, disks and cores as resources of fluid, and what work takes of them
	"exec":          5, // what an attempt does and how long it takes: knows no policy

	"policy/deadline": 6, // the order by completion-time goals
	"policy/planned":  6, // roles that follow plans of recurring jobs
	"policy/hadoop1":  6, // the Capacity Scheduler of Hadoop 1: order, limits, initialisation
	"policy/hybrid":   6, // the order of jobs on two kinds of machines
	"policy/netaware": 6, // roles that see the racks' links

	"yarn/handover": 6, // nodes, masters and the hand-over of containers around the resource manager

	"policies":         7, // one file for each policy
	"rm":               6, // application masters and the AM share: knows no policy
	"report/plot":      5, // charts laid out as SVG
	"report/packed":    4, // numbers of pages in few bytes
	"report/racks":     6, // links and circuits between racks, for pages
	"report":           6, // results to pages
	"engine/known":     5, // shown to policies: exact sizes and the like
	"engine/mishap":    5, // what goes wrong
	"engine/ring":      5, // in which order nodes ask
	"engine/foresight": 6, // has the memory of jobs come before they are served
	"engine":           7, // the simulator: drives policies, executor and resource manager

	"internal/flows":  7, // the command flows: reads, solves, measures
	"internal/course": 7, // a plan of racks beside what happened in them
	"internal/jobmap": 7, // draws jobs by maps and shuffle data: small, large, stolen
	"papers":          7, // data of published experiments
	"result":          7, // folders, files and JSON shapes: knows the numbers of a run, not how it came about

	"internal/slsrun": 8, // the command sls: Hadoop's load simulator in simulated time

	"scenario":   8, // a file in, a resolved value out: runs nothing
	"experiment": 9, // many engines, results in grid order: goroutines begin here

	"result/parquet":  8,  // tables as Parquet
	"internal/tables": 10, // the result folders of run and compare

	"internal/measure":   10, // the commands workload measure, train and classify
	"internal/changed":   10, // the configuration file of a what-if
	"internal/reference": 10, // generated pages of the documentation

	"advise":    10, // questions about capacity files, histories, goals and single jobs
	"reproduce": 10, // papers: what was published, held against what experiment measures

	"advise/yarnqueues":  11, // queues of YARN: what they mean and cost
	"internal/nodelist":  11, // the command workload nodes
	"internal/console":   11, // answers as text
	"internal/answers":   11, // answers as pages
	"internal/streaming": 11, // runs of a sweep, a search or a reproduction by Hadoop Streaming
	"serve":              11, // the workbench: HTTP on the loopback address
	"internal/figures":   12, // the command reproduce
	"cmd/yardmaster":     12, // flags and wiring

	"internal/browser":   12, // drives a browser in tests of pages
	"internal/heapunit":  12, // the unit of cost of benchmarks
	"internal/recorded":  12, // opens and plays recorded data; tests import it
	"internal/tracetest": 12, // what the tests of readers have in common
	"internal/simtest":   12, // tests of everything
	"internal/arch":      12,
}

// sameLayer lists the imports inside one layer that are allowed, with the reason.
var sameLayer = map[string]string{
	"workload/sls -> workload/hadoop":      "shared fields of Hadoop's JSON",
	"workload/rumen -> workload/hadoop":    "shared fields of Hadoop's JSON",
	"workload/slssynth -> workload/hadoop": "shared fields of Hadoop's JSON",
	"workload/jhist -> workload/hadoop":    "shared fields of Hadoop's JSON",
	"report -> report/racks":               "the part of its data that is about racks",
	"rng -> model":                         "a task's length is drawn from model.Lengths",
	"des -> model":                         "event times are model.Time",
	"cmd/yardmaster -> live/look":          "flags and wiring of commands",
	"cmd/yardmaster -> internal/figures":   "flags and wiring of commands",
}

// banned lists what packages below a layer must not import, with the reason.
var banned = []struct {
	pkg    string
	below  int
	except []string
	reason string
}{
	{"time", 11, []string{"internal/flows", "live/..."}, "time is handed in; nobody below the commands and live reads a clock"},
	{"os", 11, []string{"scenario", "result", "experiment", "advise", "live/..."}, "the core does no I/O: scenario reads input, result has folders, experiment its journal, advise compares with stored results"},
	{"net", 99, []string{"live/...", "serve"}, "only live reaches the network; the workbench answers its own page"},
	{"net/http", 99, []string{"live/...", "serve", "internal/recorded"}, "only live reaches the network; the workbench answers its own page, tests play what was recorded of it"},
	{"math/rand", 99, nil, "randomness comes from rng, by name"},
	{"math/rand/v2", 99, []string{"rng"}, "randomness comes from rng, by name"},
	{"sync", 11, []string{"experiment", "internal/tables", "live/..."}, "the core starts no goroutine: experiment has the workers"},
	{"sync/atomic", 11, []string{"experiment"}, "the core starts no goroutine: experiment has the workers"},
	{"html/template", 99, []string{"report"}, "nobody but report knows HTML"},
	{"unsafe", 99, []string{"internal/ahead"}, "not needed"},
}

// external lists who may import what from outside, with the reason.
var external = map[string]struct {
	users  []string
	reason string
}{
	"github.com/alecthomas/kong":       {[]string{"cmd/yardmaster", "internal/shell"}, "command line"},
	"github.com/goccy/go-yaml":         {[]string{"internal/strict"}, "YAML syntax with positions"},
	"github.com/jcmturner/gokrb5":      {[]string{"live/kerberos"}, "Kerberos"},
	"gonum.org/v1/gonum":               {[]string{"internal/stats"}, "quantiles of Student's t"},
	"github.com/chromedp/chromedp":     {[]string{"internal/browser"}, "browser tests only"},
	"github.com/chromedp/cdproto":      {[]string{"internal/browser"}, "browser tests only"},
	"github.com/parquet-go/parquet-go": {[]string{"result/parquet"}, "Parquet files"},
	"golang.org/x/sys":                 {[]string{"internal/heapunit"}, "the processor time of a thread"},
	"pgregory.net/rapid":               {nil, "property tests only"},
}

func TestImports(t *testing.T) {
	root := "../.."
	seen := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata" || d.Name() == "results") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		seen++
		checkFile(t, file, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Errorf("only %d files found: the test looks in the wrong place", seen)
	}
}

// runners are the packages that may start an engine or a goroutine, with the reason. Others describe,
// decide or judge runs.
var runners = map[string]string{
	"experiment":     "it has the workers and all runs",
	"cmd/yardmaster": "signals and progress",
	"live/steer":     "it answers on its status page while it steers",
	"live/bench":     "it waits for the jobs that it submitted",
	"live/look":      "a tuner steers while a batch runs",
	"serve":          "requests, and commands that run while the page watches",
}

// TestRunners looks for go statements and calls of engine.Run.
func TestRunners(t *testing.T) {
	for pkg := range layers {
		if runners[pkg] != "" || strings.HasPrefix(pkg, "internal/") {
			continue
		}
		files, err := filepath.Glob(filepath.Join("../..", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s: a goroutine in %s", set.Position(n.Pos()), pkg)
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "engine" && n.Sel.Name == "Run" {
						t.Errorf("%s: %s runs an engine", set.Position(n.Pos()), pkg)
					}
				}
				return true
			})
		}
	}
}

// TestArchitecturePage: docs/architecture.md lists the packages with their layers as they are here.
func TestArchitecturePage(t *testing.T) {
	src, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{}
	for line := range strings.Lines(string(src)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		if layer, err := strconv.Atoi(strings.TrimSpace(cells[1])); err == nil {
			listed[strings.Trim(cells[2], " `")] = layer
		}
	}
	for pkg, layer := range layers {
		if got, ok := listed[pkg]; !ok || got != layer {
			t.Errorf("%s is in layer %d; the page says %d (listed: %t)", pkg, layer, got, ok)
		}
	}
	for pkg := range listed {
		if _, known := layers[pkg]; !known {
			t.Errorf("the page lists %s, which there is not", pkg)
		}
	}
}

func checkFile(t *testing.T, file, rel string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	pkg := path.Dir(rel)
	isTest := strings.HasSuffix(rel, "_test.go")
	layer, known := layers[pkg]
	if !known {
		t.Errorf("%s: package %s is not in the table of layers", rel, pkg)
		return
	}
	if !strings.Contains(string(src), "SPDX-License-Identifier: Apache-2.0") {
		t.Errorf("%s has no SPDX line", rel)
	}
	for _, spec := range f.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if inner, ok := strings.CutPrefix(name, module); ok {
			if !isTest {
				checkInner(t, rel, pkg, inner, layer)
			}
			continue
		}
		if isTest {
			continue
		}
		checkBanned(t, rel, pkg, name, layer)
		if strings.Contains(strings.Split(name, "/")[0], ".") {
			checkExternal(t, rel, pkg, name)
		}
	}
}

func checkInner(t *testing.T, rel, pkg, inner string, layer int) {
	other, known := layers[inner]
	if !known {
		t.Errorf("%s imports %s, which is not in the table of layers", rel, inner)
		return
	}
	if other > layer || other == layer && sameLayer[pkg+" -> "+inner] == "" {
		t.Errorf("%s: %s (layer %d) must not import %s (layer %d)", rel, pkg, layer, inner, other)
	}
}

func checkBanned(t *testing.T, rel, pkg, name string, layer int) {
	for _, b := range banned {
		if b.pkg == name && layer < b.below && !slices.ContainsFunc(b.except, func(e string) bool { return covers(e, pkg) }) {
			t.Errorf("%s must not import %s: %s", rel, name, b.reason)
		}
	}
}

// covers reports whether an exception is for a package: its name, or a folder with /... behind it.
func covers(exception, pkg string) bool {
	folder, all := strings.CutSuffix(exception, "...")
	return exception == pkg || all && strings.HasPrefix(pkg, folder)
}

func checkExternal(t *testing.T, rel, pkg, name string) {
	for prefix, rule := range external {
		if name == prefix || strings.HasPrefix(name, prefix+"/") {
			if !slices.Contains(rule.users, pkg) {
				t.Errorf("%s must not import %s: it is for %s", rel, name, rule.reason)
			}
			return
		}
	}
	t.Errorf("%s imports %s, which is not in the table of dependencies", rel, name)
}
