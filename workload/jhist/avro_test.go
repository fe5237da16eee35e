// SPDX-License-Identifier: Apache-2.0

package jhist

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/recorded"
	"github.com/yardmaster/yardmaster/internal/tracetest"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// packer turns a history in JSON into one in binary form, with a schema that it makes up from the values.
type packer struct {
	t       testing.TB
	records map[string]map[string]any // by name
	order   []string
}

// pack returns the binary form of a history in JSON.
func pack(t testing.TB, text string) string {
	t.Helper()
	p := &packer{t: t, records: map[string]map[string]any{}}
	var kinds []string
	var events []map[string]any
	for _, line := range strings.Split(text, "\n")[2:] {
		if line == "" {
			continue
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var e map[string]any
		if err := d.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if kind := e["type"].(string); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		for name, body := range e["event"].(map[string]any) {
			if p.records[name] == nil {
				p.records[name] = body.(map[string]any)
				p.order = append(p.order, name)
			}
		}
		events = append(events, e)
	}
	branches := make([]any, len(p.order))
	for i, name := range p.order {
		branches[i] = p.schema(name, p.records[name])
	}
	schema, _ := json.Marshal(map[string]any{"type": "record", "name": "Event", "fields": []any{
		map[string]any{"name": "type", "type": map[string]any{"type": "enum", "name": "EventType", "symbols": kinds}},
		map[string]any{"name": "event", "type": branches}}})
	out := []byte(binaryHeader + "\n" + string(schema) + "\n")
	for _, e := range events {
		out = binary.AppendVarint(out, int64(slices.Index(kinds, e["type"].(string))))
		for name, body := range e["event"].(map[string]any) {
			out = binary.AppendVarint(out, int64(slices.Index(p.order, name)))
			out = p.value(out, p.records[name], body)
		}
	}
	return string(out)
}

// schema returns the type of a value. Objects of one member are branches of a union, objects without any are maps.
func (p *packer) schema(name string, v any) any {
	switch v := v.(type) {
	case string:
		return "string"
	case json.Number:
		return "long"
	case bool:
		return "boolean"
	case nil:
		return []any{"null", "string"}
	case []any:
		items := any("long")
		if len(v) > 0 {
			items = p.schema(name+"_", v[0])
		}
		return map[string]any{"type": "array", "items": items}
	case map[string]any:
		if len(v) == 0 {
			return map[string]any{"type": "map", "values": "string"}
		}
		if only, ok := branchOf(v); ok {
			return []any{"null", p.schema(name+"_", only)}
		}
		var fields []any
		for _, key := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, map[string]any{"name": key, "type": p.schema(name+"_"+key, v[key])})
		}
		return map[string]any{"type": "record", "name": strings.ReplaceAll(name, ".", "_"), "fields": fields}
	}
	p.t.Fatalf("%T", v)
	return nil
}

func branchOf(v map[string]any) (any, bool) {
	for key, only := range v {
		return only, len(v) == 1 && (key == "string" || strings.HasPrefix(key, "org."))
	}
	return nil, false
}

// value appends a value of the type that was made from model.
func (p *packer) value(out []byte, like, v any) []byte {
	switch like := like.(type) {
	case string:
		s := v.(string)
		return append(binary.AppendVarint(out, int64(len(s))), s...)
	case json.Number:
		n, _ := v.(json.Number).Int64()
		return binary.AppendVarint(out, n)
	case bool:
		if v.(bool) {
			return append(out, 1)
		}
		return append(out, 0)
	case nil:
		return p.union(out, "", v)
	case []any:
		if list := v.([]any); len(list) > 0 { // in two blocks, the second with its size
			out = p.value(binary.AppendVarint(out, 1), like[0], list[0])
			if rest := list[1:]; len(rest) > 0 {
				var b []byte
				for _, item := range rest {
					b = p.value(b, like[0], item)
				}
				out = append(binary.AppendVarint(binary.AppendVarint(out, -int64(len(rest))), int64(len(b))), b...)
			}
		}
		return append(out, 0)
	case map[string]any:
		if len(like) == 0 {
			return append(out, 0)
		}
		if only, ok := branchOf(like); ok {
			return p.union(out, only, v)
		}
		if only, ok := branchOf(v.(map[string]any)); ok { // the sample has both shapes of one field
			v = only
		}
		for _, key := range slices.Sorted(maps.Keys(like)) {
			out = p.value(out, like[key], v.(map[string]any)[key])
		}
	}
	return out
}

func (p *packer) union(out []byte, like, v any) []byte {
	if v == nil {
		return binary.AppendVarint(out, 0)
	}
	only, ok := branchOf(v.(map[string]any))
	if !ok {
		only = v
	}
	return p.value(binary.AppendVarint(out, 1), like, only)
}

// Both forms of a history give the same job, alone and one behind the other.
func TestBinaryIsJSON(t *testing.T) {
	packed := pack(t, sample(t))
	want, _ := read(t, sample(t), false)
	for name, c := range map[string]struct {
		text string
		jobs int
	}{"alone": {packed, 1}, "twice": {packed + packed, 2}, "before JSON": {packed + sample(t), 2}, "behind JSON": {sample(t) + packed, 2}} {
		got, log := read(t, c.text, false)
		if log.Err() != nil || len(got) != c.jobs {
			t.Errorf("%s: %d jobs, %v", name, len(got), log.Err())
			continue
		}
		for _, r := range got {
			if r.Where = want[0].Where; !reflect.DeepEqual(r, want[0]) {
				t.Errorf("%s:\ngot  %+v\nwant %+v", name, r, want[0])
			}
		}
	}
}

// real returns a history that a Hadoop 3.4.2 cluster wrote in its default form: WordCount of six maps and a reduce.
func real(t testing.TB) string { return string(recorded.File(t, "testdata/binary.jhist.gz")) }

// The times are those of the name that the history server gave to the file.
func TestRealBinary(t *testing.T) {
	got, log := read(t, real(t), false)
	if log.Err() != nil || len(got) != 1 {
		t.Fatal(len(got), log.Err())
	}
	r := &got[0]
	const submit, launch, finish = 1794730908300, 1794730938656, 1794731000838
	if r.Name != "job_1794729837477_0029" || r.User != "dave" || r.Class != "word count" || r.Queue != "root.batch" || r.Maps != 6 || r.Reduces != 1 {
		t.Errorf("%+v", r)
	}
	if p := r.Past; p == nil || p.Initialised != (launch-submit)*ms || p.Finished != (finish-submit)*ms || p.MasterStart <= 0 || p.MasterStart >= p.Initialised ||
		r.Master.Start != p.Initialised-p.MasterStart || p.MasterHost == "" || len(p.Runs[model.Map]) != 6 {
		t.Errorf("%+v", r.Past)
	}
	for i, run := range r.Past.Runs[model.Map] {
		if run.End-run.Start != r.MapLengths[i] || run.Asked < r.Past.Initialised || run.Start < run.Asked || !strings.HasPrefix(run.Host, "/rack") {
			t.Errorf("map %d: %+v", i, run)
		}
	}
	if r.Input <= 0 || r.Shuffle <= 0 || r.Output <= 0 || len(r.MapHosts) != 6 || !strings.HasPrefix(r.MapHosts[0], "/rack") {
		t.Errorf("%+v", r)
	}
}

// Wherever the file is cut off inside its events, that is the fault, and no job comes of it.
func TestBinaryCutOff(t *testing.T) {
	text := pack(t, sample(t))
	begin := strings.LastIndexByte(text[:strings.Index(text, "appattempt")], '\n') + 1
	whole := 0
	for n := begin; n < len(text); n += 29 {
		got, log := read(t, text[:n], true)
		if len(log.Faults) == 0 { // between two events
			whole++
			continue
		}
		if len(got) > 0 || !strings.Contains(log.Err().Error(), "Avro: found the end of the file inside an event; allowed: whole events") && !strings.Contains(log.Err().Error(), "no JOB_SUBMITTED") {
			t.Fatalf("%d of %d bytes: %d jobs, %v", n, len(text), len(got), log.Err())
		}
	}
	if whole > 10 {
		t.Errorf("%d cuts were no fault", whole)
	}
}

func TestBinaryFaults(t *testing.T) {
	schema := func(fields string) string {
		return binaryHeader + "\n" + `{"type":"record","name":"Event","fields":[{"name":"type","type":{"type":"enum","name":"T","symbols":["JOB_FINISHED"]}},{"name":"event","type":[{"type":"record","name":"R","fields":[` + fields + `]}]}]}` + "\n"
	}
	text := schema(`{"name":"x","type":"string"}`)
	for _, c := range []struct{ name, text, want string }{
		{"schema", binaryHeader + "\nhello\n", `x: line 2: schema: found "hello"; allowed: the Avro schema of the events`},
		{"no events", binaryHeader + "\n" + `{"type":"record","name":"R","fields":[]}`, `x: line 2: schema: found "{\"type\":\"record\",\"name\":\"R\",\"fields\":[]}"; allowed: the Avro schema of the events`},
		{"unknown type", schema(`{"name":"x","type":"strong"}`), `x: line 2: schema: found "{\"type\":\"record\",\"name\":\"Event\",\"fields\":[{\"name\":\"type\",\"ty"...; allowed: the Avro schema of the events`},
		{"kind", text + "\x02", `x: line 1, event 1: Avro: found a number outside of what the schema allows; allowed: events of the schema`},
		{"branch", text + "\x00\x02", `x: line 1, event 1: Avro: found a number outside of what the schema allows; allowed: events of the schema`},
		{"length", text + "\x00\x00\x01", `x: line 1, event 1: Avro: found a number outside of what the schema allows; allowed: events of the schema`},
		{"long text", text + "\x00\x00\xfe\xff\xff\xff\x0f", `x: line 1, event 1: Avro: found an event of more than 67108864 bytes; allowed: events of the schema`},
		{"endless number", text + "\x00\x00" + strings.Repeat("\xff", 20), `x: line 1, event 1: Avro: found a number outside of what the schema allows; allowed: events of the schema`},
		{"recursion", schema(`{"name":"x","type":["null","R"]}`) + "\x00\x00" + strings.Repeat("\x02", 100), `x: line 1, event 1: Avro: found types that are nested more than 50 deep; allowed: events of the schema`},
		{"items without content", schema(`{"name":"x","type":{"type":"array","items":"null"}}`) + "\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", `x: line 1, event 1: Avro: found an event of more than 67108864 bytes; allowed: events of the schema`},
	} {
		got, log := read(t, c.text, true)
		if err := log.Err(); err == nil || err.Error() != c.want || len(got) > 0 {
			t.Errorf("%s: %d jobs, error\n%v\nwant\n%s", c.name, len(got), err, c.want)
		}
	}
}

// FuzzBinary reads the events of a history whose schema is that of Hadoop.
func FuzzBinary(f *testing.F) {
	text := strings.SplitN(real(f), "\n", 3)
	schema, err := parseSchema([]byte(text[1]))
	if err != nil {
		f.Fatal(err)
	}
	kind, body := schema.event()
	for _, n := range []int{0, 150, 400} {
		f.Add([]byte(text[2][:n]), true)
	}
	f.Fuzz(func(t *testing.T, events []byte, mend bool) {
		log := &workload.Log{File: "x", Mend: mend}
		var got []workload.Record
		r := &reader{in: bufio.NewReader(bytes.NewReader(events)), log: log, job: newJob("line 1"), origin: &hadoop.Origin{},
			yield: func(r *workload.Record) error { got = append(got, *r); return nil }}
		if err := r.unpack(&unpacker{in: r.in, kind: kind, body: body}); err != nil && err != errNotHistory {
			t.Error(err)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
		tracetest.Sane(t, got, log)
		if len(got) > 1 {
			t.Errorf("%d jobs of one file", len(got))
		}
	})
}
