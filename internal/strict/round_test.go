// SPDX-License-Identifier: Apache-2.0

package strict_test

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
)

func optional[T any](g *rapid.Generator[T]) *rapid.Generator[*T] { return rapid.Ptr(g, true) }

// list draws a slice in which none is nil, as Decode gives it.
func list[T any](t *rapid.T, label string, g *rapid.Generator[T]) []T {
	if s := rapid.SliceOfN(g, 0, 4).Draw(t, label); len(s) > 0 {
		return s
	}
	return nil
}

var (
	text     = rapid.String()
	fraction = rapid.Map(rapid.Float64Range(0, 1), func(f float64) model.Fraction { return model.Fraction(f) })
	rate     = rapid.Map(rapid.Int64Min(0), func(i int64) model.Rate { return model.Rate(i) })
	// Times beyond 2^51 ns (26 days) with a fraction of a second do not survive model's text form.
	span = rapid.Map(rapid.Int64Range(1, 1<<50), func(i int64) model.Time { return model.Time(i) })

	genJob = rapid.Custom(func(t *rapid.T) job {
		return job{
			Maps:     rapid.Int32Min(1).Draw(t, "maps"),
			Share:    optional(fraction).Draw(t, "share"),
			Priority: model.Priority(rapid.IntRange(0, model.Priorities-1).Draw(t, "priority")),
			Lengths:  list(t, "lengths", span),
		}
	})
	genQueue = rapid.Custom(func(t *rapid.T) queue {
		return queue{Capacity: fraction.Draw(t, "capacity"), Users: list(t, "users", text)}
	})
	genRack = rapid.Custom(func(t *rapid.T) rack {
		return rack{Uplink: rate.Draw(t, "uplink"), Speed: rapid.Float32().Draw(t, "speed")}
	})
	genScenario = rapid.Custom(func(t *rapid.T) scenario {
		s := scenario{
			Name: text.Draw(t, "name"), Seed: rapid.Uint64().Draw(t, "seed"), Check: rapid.Bool().Draw(t, "check"),
			options: options{Heartbeat: rapid.SampledFrom([]string{"on-idle", "periodic"}).Draw(t, "heartbeat")},
			Cluster: cluster{
				MapSlots: rapid.IntRange(0, 1000).Draw(t, "map-slots"), ReduceSlots: rapid.IntMin(0).Draw(t, "reduce-slots"),
				Nodes:     rapid.Int16Min(1).Draw(t, "nodes"),
				BlockSize: model.Bytes(rapid.Int64Min(int64(model.MiB)).Draw(t, "block-size")),
				Link:      rate.Draw(t, "link"), Interval: span.Draw(t, "interval"), Rack: optional(genRack).Draw(t, "rack"),
			},
			Jobs:   list(t, "jobs", genJob),
			Queues: rapid.MapOfN(text, genQueue, 1, 3).Draw(t, "queues"),
			Policy: policy{Name: "delay", Args: policyArgs{Skips: rapid.IntRange(0, 3).Draw(t, "skips")}},
			Shares: list(t, "shares", fraction), Notes: list(t, "notes", text),
		}
		if rapid.Bool().Draw(t, "has limits") {
			s.Limits = rapid.MapOfN(text, rapid.Float64Range(math.SmallestNonzeroFloat64, math.MaxFloat64), 1, 3).Draw(t, "limits")
		}
		return s
	})
)

// TestRoundTrip: what Encode and JSON write is valid JSON and decodes to the same value, over
// zero and over other defaults.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genScenario.Draw(t, "scenario")
		indent := rapid.SampledFrom([]string{"", " ", "  "}).Draw(t, "indent")
		src := strict.Encode(s).JSON(indent)
		if !json.Valid(src) {
			t.Fatalf("invalid JSON: %s", src)
		}
		n, errs := strict.Parse("round", src)
		got := defaults()
		errs = append(errs, strict.Decode(n, &got)...)
		if err := errs.Err(); err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if !reflect.DeepEqual(got, s) {
			t.Fatalf("got  %+v\nwant %+v\n%s", got, s, src)
		}
	})
}

// sameTree compares kinds and texts, not positions and quotes.
func sameTree(a, b *strict.Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Keys) != len(b.Keys) || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Keys {
		if a.Keys[i].Text != b.Keys[i].Text {
			return false
		}
	}
	for i := range a.Items {
		if !sameTree(a.Items[i], b.Items[i]) {
			return false
		}
	}
	return true
}

// FuzzParse: no input makes Parse or Decode panic; what Parse accepts is written as valid JSON
// that Parse reads as the same tree.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "a: 1\nb: [x, {y: 'z'}]\n", "a: &x 1\nb: *x\n<<: *x\n", "? a\n: b\n", "- - a\n  - |\n    text\n", "a: !!str 3",
		"%YAML 1.2\n---\na: 1\n...\n---\nb", "\ta: 1", "{\"a\":1,\"b\":[true,null,-1.5e3]}", "a: >-\n  x\n  y\n", "name: x\njobs:\n- maps: 3\n",
		"a: \"\\u00e9\\n\"", "a:\n- b\n-\n  c: ~", "[a, b: c, ]", "{a, b: , c: d}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4096 {
			return
		}
		n, errs := strict.Parse("fuzz.yaml", src)
		s := defaults()
		_ = append(errs, strict.Decode(n, &s)...).Error()
		if len(errs) > 0 {
			return
		}
		out := n.JSON("  ")
		if !json.Valid(out) {
			t.Fatalf("invalid JSON from %q: %s", src, out)
		}
		again, errs := strict.Parse("again.yaml", out)
		if err := errs.Err(); err != nil {
			t.Fatalf("%q became %s: %v", src, out, err)
		}
		if !sameTree(n, again) {
			t.Fatalf("%q became %s became %s", src, out, again.JSON(""))
		}
	})
}

// FuzzSet: no path and no value make Set panic; what it set is found again.
func FuzzSet(f *testing.F) {
	f.Add("workload.jobs[0].maps", "3")
	f.Add(`queues["a.b"]`, "{x: y}")
	f.Add("a.b.c", "[1, 2]")
	f.Add("[0]", "*x")
	f.Fuzz(func(t *testing.T, path, value string) {
		n, _ := strict.Parse("f", []byte(tree))
		if strict.Set(n, path, value, "--set") != nil {
			return
		}
		if pos, ok := n.Find(path); !ok || pos.File != "--set" {
			t.Errorf("Set(%q, %q) is at %v, %v", path, value, pos, ok)
		}
	})
}

// FuzzUnits: a text that a unit type accepts is written in a form that gives the same value. Times
// whose seconds float64 cannot hold are left out.
func FuzzUnits(f *testing.F) {
	for _, s := range []string{"0", "300ms", "1.5h", "128MiB", "1Gbps", "70%", "0.7", "-3s", "1e3B", "9007199254740993ns", "low"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		type unit interface {
			encoding.TextUnmarshaler
			encoding.TextMarshaler
		}
		for _, pair := range [][2]unit{
			{new(model.Time), new(model.Time)}, {new(model.Bytes), new(model.Bytes)}, {new(model.Rate), new(model.Rate)},
			{new(model.Fraction), new(model.Fraction)}, {new(model.Priority), new(model.Priority)},
		} {
			if pair[0].UnmarshalText([]byte(s)) != nil {
				continue
			}
			if d, ok := pair[0].(*model.Time); ok && (*d > 1<<50 || *d < -1<<50) {
				continue
			}
			out, err := pair[0].MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			if err := pair[1].UnmarshalText(out); err != nil || !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("%T %q is written %q: %v", pair[0], s, out, err)
			}
		}
	})
}
