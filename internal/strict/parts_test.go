// SPDX-License-Identifier: Apache-2.0

package strict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

func TestNearest(t *testing.T) {
	names := []string{"map-slots", "reduce-slots", "nodes", "fifo", "fair", "fbq", "interval", "internal"}
	for _, c := range []struct{ name, want string }{
		{"map-slot", "map-slots"},
		{"mpa-slots", "map-slots"},
		{"Map_Slots", "map-slots"},
		{"mapSlots", "map-slots"},
		{"node", "nodes"},
		{"fiar", "fair"},
		{"fi", "fifo"},
		{"intervals", "interval"},
		{"intertal", "internal"}, // 1 from both with the same beginning: the smaller text
		{"reduce", "reduce-slots"},
		{"x", ""},
		{"", ""},
		{"zebra", ""},
	} {
		if got := strict.Nearest(c.name, names); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
	if got := strict.Nearest("ac", []string{"ab", "aa"}); got != "aa" {
		t.Errorf("tie went to %q", got)
	}
	if got := strict.Nearest("a", nil); got != "" {
		t.Errorf("no candidates gave %q", got)
	}
}

const tree = `workload:
  jobs:
  - maps: 1
  - maps: 2
  - reduces: 3
    maps: 4
queues:
  a.b: 5
`

func TestFind(t *testing.T) {
	n, _ := strict.Parse("f", []byte(tree))
	for _, c := range []struct {
		path      string
		line, col int
		exact     bool
	}{
		{"", 1, 1, true},
		{"workload", 2, 3, true},
		{"workload.jobs", 3, 3, true},
		{"workload.jobs[2]", 5, 5, true},
		{"workload.jobs[2].maps", 6, 11, true},
		{"workload.jobs[3].maps", 3, 3, false},
		{"workload.jobs[2].none.deeper", 5, 5, false},
		{"workload.jobs.maps", 3, 3, false},
		{`queues["a.b"]`, 8, 8, true},
		{"queues.a.b", 8, 3, false},
		{"nothing", 1, 1, false},
		{"a..b", 1, 1, false},
	} {
		pos, exact := n.Find(c.path)
		if want := (strict.Pos{File: "f", Line: c.line, Col: c.col}); pos != want || exact != c.exact {
			t.Errorf("Find(%q) = %v, %v, want %v, %v", c.path, pos, exact, want, c.exact)
		}
	}
}

func TestLocate(t *testing.T) {
	n, _ := strict.Parse("f.yaml", []byte(tree))
	errs := strict.Locate(n, "workload", []model.Problem{
		{Path: "jobs[2].maps", Found: "4", Allowed: "at most 3"},
		{Path: "jobs[0].shuffle", Found: "-1B", Allowed: "0B or more"},
		{Path: "", Found: "3 jobs", Allowed: "at most 2 jobs"},
	})
	want := `f.yaml:2:3: workload: impossible value; found 3 jobs; allowed: at most 2 jobs
f.yaml:3:5: workload.jobs[0].shuffle: impossible value; found -1B; allowed: 0B or more
f.yaml:6:11: workload.jobs[2].maps: impossible value; found 4; allowed: at most 3`
	if got := errs.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strict.Locate(nil, "", []model.Problem{{Path: "a", Allowed: "b"}}).Error(); got != "a: impossible value; allowed: b" {
		t.Errorf("without a tree: %s", got)
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{"workload.jobs[1].maps", "7", `{"workload": {"jobs": [{"maps": 1}, {"maps": 7}, {"reduces": 3, "maps": 4}]}, "queues": {"a.b": 5}}`},
		{"workload.jobs", "[]", `{"workload": {"jobs": []}, "queues": {"a.b": 5}}`},
		{"policy.delay.skips", "3", `{"workload": {"jobs": [{"maps": 1}, {"maps": 2}, {"reduces": 3, "maps": 4}]}, "queues": {"a.b": 5}, "policy": {"delay": {"skips": 3}}}`},
		{`queues["a.b"]`, "{x: 'y', z: 70%}", `{"workload": {"jobs": [{"maps": 1}, {"maps": 2}, {"reduces": 3, "maps": 4}]}, "queues": {"a.b": {"x": "y", "z": "70%"}}}`},
		{"workload", "null", `{"workload": null, "queues": {"a.b": 5}}`},
	} {
		n, _ := strict.Parse("f", []byte(tree))
		if err := strict.Set(n, c.path, c.value, "--set").Err(); err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		if got := string(n.JSON("")); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.path, got, c.want)
		}
		if pos, ok := n.Find(c.path); !ok || pos != (strict.Pos{File: "--set"}) {
			t.Errorf("%s stands at %v, %v", c.path, pos, ok)
		}
	}
}

func TestSetThroughNull(t *testing.T) {
	n, _ := strict.Parse("f", []byte("policy:\n"))
	if err := strict.Set(n, "policy.delay.skips", "x", "--set policy.delay.skips=x").Err(); err != nil {
		t.Fatal(err)
	}
	s := defaults()
	got := strict.Decode(n, &s).Error()
	want := `--set policy.delay.skips=x: policy.delay.skips: wrong type; found "x"; allowed: an integer (at least 0)
f:1:1: name: missing field; allowed: text`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSetRefusals(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{"", "1", `bad path: it is empty; found ""`},
		{"a..b", "1", `bad path: a name is missing; found "a..b"`},
		{"a.", "1", `bad path: a name is missing; found "a."`},
		{"a[x]", "1", `bad path: "x" is not a list position; found "a[x]"`},
		{"a[1", "1", `bad path: a bracket does not close; found "a[1"`},
		{"a[1]b", "1", `bad path: a dot is missing; found "a[1]b"`},
		{"a]", "1", `bad path: a dot is missing; found "a]"`},
		{`a["b]`, "1", `bad path: a quoted key does not end; found "a[\"b]"`},
		{"workload.jobs[3].maps", "1", `workload.jobs[3]: bad path: no such list item; found a list of 3; allowed: the position of an item that exists, counted from 0`},
		{"workload[0]", "1", `workload: bad path: no list here; found a mapping`},
		{"workload.jobs.maps", "1", `workload.jobs: bad path: no mapping here; found a list; allowed: a path that ends here`},
		{"workload.jobs[0].maps.x", "1", `workload.jobs[0].maps: bad path: no mapping here; found 1`},
		{"new[0].x", "1", `new: bad path: no list here; found null`},
		{"new", "", `new: no value; found ""; allowed: a value ("" for an empty text)`},
		{"new", "[1", `new: syntax error: `},
		{"new", "*x", `new: not supported; found an alias (*)`},
		{"new", "{a: 1, a: 2}", `new: duplicate key; found "a"`},
	} {
		n, _ := strict.Parse("f", []byte(tree))
		before := string(n.JSON(""))
		got := strict.Set(n, c.path, c.value, "--set").Error()
		if !strings.HasPrefix(got, "--set: "+c.want) {
			t.Errorf("Set(%q, %q):\ngot  %s\nwant --set: %s", c.path, c.value, got, c.want)
		}
		if after := string(n.JSON("")); after != before {
			t.Errorf("Set(%q, %q) changed the tree to %s", c.path, c.value, after)
		}
	}
}

func TestClone(t *testing.T) {
	n, _ := strict.Parse("f", []byte(tree))
	before := string(n.JSON(""))
	c := n.Clone()
	if errs := strict.Set(c, "workload.jobs[0].maps", "9", "o"); errs != nil {
		t.Fatal(errs)
	}
	if string(n.JSON("")) != before || string(c.JSON("")) == before {
		t.Error("the copy shares nodes with its original")
	}
}

func TestFields(t *testing.T) {
	var b strings.Builder
	for _, f := range strict.Fields(defaults()) {
		fmt.Fprintf(&b, "%s | %s | %s | %s | %s | %v\n", f.Path, f.Type, f.Default, f.Allowed, f.Doc, f.Required)
	}
	size, rate := model.Bytes(0).Allowed(), model.Rate(0).Allowed()
	span, share := model.Time(0).Allowed(), model.Fraction(0).Allowed()
	want := `name | text |  |  | The name in reports. | true
seed | integer | 1 |  | The seed. | false
check | true or false | false |  |  | false
heartbeat | text | on-idle | one of on-idle, periodic |  | false
cluster | mapping |  |  | The machines. | false
cluster.map-slots | integer | 2 | at least 0, at most 1000 | Map slots of a node. | false
cluster.reduce-slots | integer | 1 | at least 0 |  | false
cluster.nodes | integer | 100 | at least 1 |  | false
cluster.block-size | size | 64MiB | ` + size + ` (at least 1MiB) |  | false
cluster.link | rate | 0B/s | ` + rate + ` |  | false
cluster.interval | duration | 3s | ` + span + ` (above 0) |  | false
cluster.rack | mapping |  |  |  | false
cluster.rack.uplink | rate | 0B/s | ` + rate + ` |  | false
cluster.rack.speed | number | 1 |  |  | false
jobs | list of mappings | [] |  |  | false
jobs[].maps | integer |  | at least 1 |  | true
jobs[].share | share |  | ` + share + ` (at least 0, at most 1) |  | false
jobs[].priority | priority | normal | one of very-high, high, normal, low, very-low |  | false
jobs[].lengths | list of durations | [] | ` + span + ` |  | false
queues | mapping of names to mappings | {} |  |  | false
queues.<name>.capacity | share | 0 | ` + share + ` (at most 1) |  | false
queues.<name>.users | list of texts | [] |  |  | false
policy | policy | fifo |  | A name, or a mapping of a name to its parameters. | false
shares | list of shares | [0.5] | ` + share + ` (at least 0, at most 100%) |  | false
limits | mapping of names to numbers | {} | above 0 |  | false
notes | list of texts | [] |  |  | false
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTagFaults checks that a fault in a tag is found at the first use, whatever the file says.
func TestTagFaults(t *testing.T) {
	for name, v := range map[string]any{
		"no name": &struct {
			A int `yaml:",omitempty"`
		}{},
		"bad option": &struct {
			A int `yaml:"a,flow"`
		}{},
		"not exported": &struct {
			a int `yaml:"a"`
		}{},
		"inline scalar": &struct {
			A int `yaml:",inline"`
		}{},
		"oneof on int": &struct {
			A int `yaml:"a" oneof:"x"`
		}{},
		"bound on text": &struct {
			A string `yaml:"a" min:"1"`
		}{},
		"bound has no unit": &struct {
			A model.Time `yaml:"a" min:"1"`
		}{},
		"twice": &struct {
			A int `yaml:"a"`
			B int `yaml:"a"`
		}{},
	} {
		func() {
			defer func() {
				if r := recover(); r == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			strict.Fields(v)
		}()
	}
}

func TestDrop(t *testing.T) {
	n, errs := strict.Parse("f", []byte("a: 1\nb: {c: 2}\nd: 3\n"))
	if errs != nil {
		t.Fatal(errs)
	}
	n.Drop("b", "x", "a")
	if got := string(n.JSON("")); got != "{\"d\":3}" && got != `{"d": 3}` {
		t.Errorf("%s", got)
	}
	n.Get("d").Drop("e") // no mapping
	(*strict.Node)(nil).Drop("e")
}
