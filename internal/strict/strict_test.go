// SPDX-License-Identifier: Apache-2.0

package strict_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/*.bad.err; read the diff before keeping it")

// scenario has a field of every supported kind.
type scenario struct {
	Name    string `yaml:"name" required:"true" doc:"The name in reports."`
	Seed    uint64 `yaml:"seed" doc:"The seed."`
	Check   bool   `yaml:"check"`
	options `yaml:",inline"`
	Cluster cluster            `yaml:"cluster" doc:"The machines."`
	Jobs    []job              `yaml:"jobs"`
	Queues  map[string]queue   `yaml:"queues"`
	Policy  policy             `yaml:"policy" doc:"A name, or a mapping of a name to its parameters."`
	Shares  []model.Fraction   `yaml:"shares" min:"0" max:"100%"`
	Limits  map[string]float64 `yaml:"limits" above:"0"`
	Notes   []string           `yaml:"notes,omitempty"`
	Hidden  int
}

type options struct {
	Heartbeat string `yaml:"heartbeat" oneof:"on-idle,periodic"`
}

type cluster struct {
	MapSlots    int         `yaml:"map-slots" min:"0" max:"1000" doc:"Map slots of a node."`
	ReduceSlots int         `yaml:"reduce-slots" min:"0"`
	Nodes       int16       `yaml:"nodes" min:"1"`
	BlockSize   model.Bytes `yaml:"block-size" min:"1MiB"`
	Link        model.Rate  `yaml:"link"`
	Interval    model.Time  `yaml:"interval" above:"0"`
	Rack        *rack       `yaml:"rack"`
}

type rack struct {
	Uplink model.Rate `yaml:"uplink"`
	Speed  float32    `yaml:"speed"`
}

func (r *rack) SetDefaults() { r.Speed = 1 }

type job struct {
	Maps     int32           `yaml:"maps" required:"true" min:"1"`
	Share    *model.Fraction `yaml:"share" min:"0" max:"1"`
	Priority model.Priority  `yaml:"priority"`
	Lengths  []model.Time    `yaml:"lengths"`
}

func (j *job) SetDefaults() { j.Priority = model.Normal }

type queue struct {
	Capacity model.Fraction `yaml:"capacity" max:"1"`
	Users    []string       `yaml:"users"`
}

// policy is written as a name or as a mapping with one key.
type policy struct {
	Name string
	Args policyArgs
}

type policyArgs struct {
	Skips int `yaml:"skips" min:"0"`
}

func (*policy) TypeName() string { return "policy" }

func (p *policy) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	known := []string{"fifo", "fair", "delay"}
	switch {
	case n.Kind == strict.Scalar:
		p.name(n, d, known)
	case n.Kind == strict.Mapping && len(n.Keys) == 1:
		p.name(n.Keys[0], d, known)
		d.Sub("."+n.Keys[0].Text, n.Items[0], &p.Args)
	default:
		d.Bad(n, "wrong type", "a policy's name, or a mapping of one name to its parameters")
	}
}

func (p *policy) name(n *strict.Node, d *strict.Decoder, known []string) {
	for _, k := range known {
		if k == n.Text {
			p.Name = k
			return
		}
	}
	d.BadName(n, known)
}

func (p *policy) MarshalNode() *strict.Node {
	if p.Args == (policyArgs{}) {
		return strict.Encode(p.Name)
	}
	return strict.Encode(map[string]policyArgs{p.Name: p.Args})
}

func defaults() scenario {
	return scenario{
		Seed: 1, options: options{Heartbeat: "on-idle"}, Policy: policy{Name: "fifo"},
		Cluster: cluster{MapSlots: 2, ReduceSlots: 1, Nodes: 100, BlockSize: 64 * model.MiB, Interval: 3 * model.Second},
		Shares:  []model.Fraction{0.5},
	}
}

// TestBad reads each testdata/*.bad.yaml and compares all messages with the .bad.err beside it.
func TestBad(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bad.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n, errs := strict.Parse(filepath.Base(file), src)
			s := defaults()
			errs = append(errs, strict.Decode(n, &s)...)
			if errs.Err() == nil {
				t.Fatalf("read without error: %+v", s)
			}
			got := errs.Error() + "\n"
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
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestGood(t *testing.T) {
	const src = `
# a comment
name: 10          # a number is a text where a text is wanted
check: true
heartbeat: periodic
cluster:
  map-slots: 4
  block-size: 128MiB
  interval: "300ms"
  rack: {uplink: 1Gbps}
jobs:
- maps: 3
  share: 70%
  lengths: [1s, 1.5min]
- {maps: 4, priority: low}
queues:
  a.b: {capacity: 0.5, users: ['x', "true"]}
policy:
  delay: {skips: 3}
shares: []
`
	n, errs := strict.Parse("good.yaml", []byte(src))
	s := defaults()
	errs = append(errs, strict.Decode(n, &s)...)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	share := model.Fraction(0.7)
	want := defaults()
	want.Name, want.Check, want.Heartbeat, want.Shares = "10", true, "periodic", nil
	want.Cluster.MapSlots, want.Cluster.BlockSize, want.Cluster.Interval = 4, 128*model.MiB, 300*model.Millisecond
	want.Cluster.Rack = &rack{Uplink: 125_000_000, Speed: 1}
	want.Jobs = []job{
		{Maps: 3, Share: &share, Priority: model.Normal, Lengths: []model.Time{model.Second, 90 * model.Second}},
		{Maps: 4, Priority: model.Low},
	}
	want.Queues = map[string]queue{"a.b": {Capacity: 0.5, Users: []string{"x", "true"}}}
	want.Policy = policy{Name: "delay", Args: policyArgs{Skips: 3}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

func TestEmptyAndNil(t *testing.T) {
	for _, src := range []string{"", "\n\n", "# only a comment\n", "---\n", "\ufeff", "--- # x\n...\n"} {
		n, errs := strict.Parse("empty.yaml", []byte(src))
		if errs.Err() != nil || n == nil || n.Kind != strict.Mapping || len(n.Keys) != 0 {
			t.Errorf("%q: %+v, %v", src, n, errs)
		}
	}
	s := defaults()
	if errs := strict.Decode(nil, &s); errs.Err() != nil || !reflect.DeepEqual(s, defaults()) {
		t.Errorf("a nil tree changed something: %v", errs)
	}
	if errs := strict.Set(nil, "a", "1", "x"); errs != nil {
		t.Error(errs)
	}
}

// TestDefaultsNotShared decodes over a default behind a pointer, which must stay as it was.
func TestDefaultsNotShared(t *testing.T) {
	def := defaults()
	def.Cluster.Rack = &rack{Uplink: 7, Speed: 2}
	s := def
	n, _ := strict.Parse("x", []byte("name: x\ncluster: {rack: {speed: 3}}"))
	if err := strict.Decode(n, &s).Err(); err != nil {
		t.Fatal(err)
	}
	if *s.Cluster.Rack != (rack{Uplink: 7, Speed: 3}) || *def.Cluster.Rack != (rack{Uplink: 7, Speed: 2}) {
		t.Errorf("got %+v, default now %+v", *s.Cluster.Rack, *def.Cluster.Rack)
	}
	n, _ = strict.Parse("x", []byte("name: x\ncluster: {rack: null}"))
	if err := strict.Decode(n, &s).Err(); err != nil || s.Cluster.Rack != nil {
		t.Error("null does not clear a pointer", err)
	}
}

// TestRawNode keeps part of a file as a tree and decodes it later at its place.
func TestRawNode(t *testing.T) {
	var s struct {
		Params *strict.Node `yaml:"params"`
	}
	n, _ := strict.Parse("x.yaml", []byte("params:\n  skips: -1\n"))
	if err := strict.Decode(n, &s).Err(); err != nil {
		t.Fatal(err)
	}
	var a policyArgs
	got := strict.DecodeAt(s.Params, "params", &a).Error()
	if want := "x.yaml:2:10: params.skips: out of bounds; found -1; allowed: at least 0"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestLimits(t *testing.T) {
	for name, src := range map[string]string{
		"flow":     strings.Repeat("[", 1_000_000),
		"maps":     strings.Repeat("{a: ", 200) + strings.Repeat("}", 200),
		"dashes":   strings.Repeat("- ", 100_000) + "x",
		"keys":     strings.Repeat("a:\n", 200_000),
		"size":     strings.Repeat(" ", 5<<20),
		"question": strings.Repeat("? ", 100_000),
		"anchors":  strings.Repeat("&a ", 100_000),
		"tags":     strings.Repeat("!a ", 100_000),
	} {
		if n, errs := strict.Parse(name, []byte(src)); errs.Err() == nil {
			t.Errorf("%s: accepted as %v", name, n.Kind)
		}
	}
}

// TestTouches says which paths a fault may change.
func TestTouches(t *testing.T) {
	for _, c := range []struct {
		fault strict.Error
		path  string
		want  bool
	}{
		{strict.Error{Path: "a.b[1]"}, "a.b[1]", true}, {strict.Error{Path: "a.b[1]"}, "a", true}, {strict.Error{Path: "a.b"}, "a.b[1].c", true},
		{strict.Error{Path: "a.b[1]"}, "a.b[11]", false}, {strict.Error{Path: "a.b"}, "a.bc", false}, {strict.Error{Path: "a.b"}, "a.c", false},
		{strict.Error{}, "a", true}, {strict.Error{Path: "a"}, "", true},
		{strict.Error{Path: "a.bx", Problem: "unknown field", Hint: "b"}, "a.b.c", true}, {strict.Error{Path: "x", Problem: "unknown field", Hint: "y"}, "y", true},
		{strict.Error{Path: "a.bx", Problem: "unknown field", Hint: "b"}, "b", false}, {strict.Error{Path: "a", Problem: "bad value", Hint: "b"}, "b", false},
		{strict.Error{Path: `a["x.y"]`}, `a["x.y"].z`, true}, {strict.Error{Path: `a["x.y"]`}, "a.z", false},
	} {
		if got := c.fault.Touches(c.path); got != c.want {
			t.Errorf("%q, hint %q, touches %q: %v, want %v", c.fault.Path, c.fault.Hint, c.path, got, c.want)
		}
	}
}
