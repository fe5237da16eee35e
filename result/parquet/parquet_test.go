// SPDX-License-Identifier: Apache-2.0

package parquet

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// What is written reads back with the names, types and values of the CSV; an empty number is null, an empty text is not.
func TestFromCSV(t *testing.T) {
	const src = "id,name,met,waiting,seed\n0,\"a, b\",true,1.5,7\n1,,,,18\n"
	var b bytes.Buffer
	if err := FromCSV(&b, strings.NewReader(src), func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	type row struct {
		ID      *int64   `parquet:"id,optional"`
		Name    *string  `parquet:"name,optional"`
		Met     *bool    `parquet:"met,optional"`
		Waiting *float64 `parquet:"waiting,optional"`
		Seed    *int64   `parquet:"seed,optional"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 {
		t.Fatalf("%d rows, want 2", len(rows))
	}
	if r := rows[0]; *r.ID != 0 || *r.Name != "a, b" || !*r.Met || *r.Waiting != 1.5 || *r.Seed != 7 {
		t.Errorf("the first row is %v %v %v %v %v", *r.ID, *r.Name, *r.Met, *r.Waiting, *r.Seed)
	}
	if r := rows[1]; *r.ID != 1 || *r.Name != "" || r.Met != nil || r.Waiting != nil || *r.Seed != 18 {
		t.Errorf("the second row is %+v", r)
	}
	for name, bad := range map[string]string{"no head": "", "no number": "id\nx\n", "a row that is too long": "id\n1,2\n"} {
		if err := FromCSV(&bytes.Buffer{}, strings.NewReader(bad), func(string) bool { return false }); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
