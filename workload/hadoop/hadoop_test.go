// SPDX-License-Identifier: Apache-2.0

package hadoop

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"pgregory.net/rapid"
)

func TestFields(t *testing.T) {
	for _, c := range []struct {
		json, num, text string
	}{
		{`5`, "5", "! 5"},
		{`"5"`, "5", "5"},
		{`{"long": -3}`, "-3", "! -3"},
		{`{"string": "a b"}`, `! "a b"`, "a b"},
		{`null`, "absent", "absent"},
		{`{"string":null}`, "absent", "absent"},
		{`""`, `! ""`, ""},
		{`{}`, "! an object", "! an object"},
		{`{"a":1,"b":2}`, "! an object", "! an object"},
		{`[1]`, "! a list", "! a list"},
		{`1.0`, "! 1.0", "! 1.0"},
		{`9223372036854775807`, "9223372036854775807", "! 9223372036854775807"},
		{`9223372036854775808`, "! 9223372036854775808", "! 9223372036854775808"},
		{`false`, "! false", "! false"},
	} {
		var v struct {
			N Num
			T Text
		}
		if err := json.Unmarshal([]byte(`{"N":`+c.json+`,"T":`+c.json+`}`), &v); err != nil {
			t.Errorf("%s: %v", c.json, err)
		}
		show := func(given bool, bad []byte, value any) string {
			switch {
			case bad != nil:
				return "! " + Describe(bad)
			case !given:
				return "absent"
			}
			return fmt.Sprint(value)
		}
		if n, s := show(v.N.Given, v.N.bad, v.N.V), show(v.T.Given, v.T.bad, v.T.S); n != c.num || s != c.text {
			t.Errorf("%s: number %s, want %s; text %s, want %s", c.json, n, c.num, s, c.text)
		}
	}
}

// An object that is longer than allowed ends the reading, after all shorter ones.
func TestRowsBoundMemory(t *testing.T) {
	log := &workload.Log{File: "x"}
	text := strings.Repeat(`{"a":1}`+"\n", 50) + `{"b":"` + strings.Repeat("x", 5000)
	rows := newRows[struct{}](strings.NewReader(text), log, "job", 1000)
	n := 0
	for {
		if _, ok := rows.Next(); !ok {
			break
		}
		n++
	}
	want := "x: job 51, line 51: JSON: found a job of more than 1000 bytes; allowed: shorter ones"
	if n != 50 || rows.Err() != nil || log.Err() == nil || log.Err().Error() != want {
		t.Errorf("%d objects, %v, %v", n, rows.Err(), log.Err())
	}
}

func TestPath(t *testing.T) {
	for _, c := range [][3]string{
		{"", "", ""}, {"r", "", ""}, {"", "h", "/default-rack/h"}, {"r", "h", "/r/h"}, {"/r", "/h", "/r/h"}, {"", "/r/h", "/r/h"}, {"/d/r", "h", "/d/r/h"},
	} {
		if got := Path(c[0], c[1]); got != c[2] {
			t.Errorf("Path(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// The mean agrees with that of exact arithmetic, rounded down to a nanosecond.
func TestMeanAgainstExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int64Range(0, MaxMillis), 1, 30).Draw(t, "ms")
		m, sum := mean{n: int64(len(list))}, new(big.Int)
		for _, ms := range list {
			m.add(ms)
			sum.Add(sum, big.NewInt(ms))
		}
		sum.Mul(sum, big.NewInt(int64(model.Millisecond)))
		if want := sum.Quo(sum, big.NewInt(m.n)); m.time() != model.Time(want.Int64()) {
			t.Fatalf("mean of %v is %d, want %v", list, m.time(), want)
		}
	})
}

// Long values are cut at a whole character.
func TestDescribeCuts(t *testing.T) {
	if got, want := Quote(strings.Repeat("é", 40)), `"`+strings.Repeat("é", 30)+`"...`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := Describe([]byte(strings.Repeat("1", 100))), strings.Repeat("1", 60)+"..."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
