// SPDX-License-Identifier: Apache-2.0

package parquet

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// What is written reads back with the names, types and values of the CSV; an empty number is null, an empty text is not.
func TestFromCSV(t *testing.T) {
	const src = "id,name,met,waiting,seed\n0,\"a, b\",true,1.5,7\n1,,,,18\n"
	var b bytes.Buffer
	if err := FromCSV(&b, []byte(src)); err != nil {
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
	for name, bad := range map[string]string{"no head": "", "a row that is too long": "id\n1,2\n"} {
		if err := FromCSV(&bytes.Buffer{}, []byte(bad)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A column that does not hold what its name says is kept as text, every field as it stood; what is missing is null.
func TestContentThatDoesNotFit(t *testing.T) {
	const src = "seed,waiting\n7,1\n,2.5\n18446744073709551615,soon\n"
	var b bytes.Buffer
	if err := FromCSV(&b, []byte(src)); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Seed    *string `parquet:"seed,optional"`
		Waiting *string `parquet:"waiting,optional"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	if *rows[0].Seed != "7" || rows[1].Seed != nil || *rows[2].Seed != "18446744073709551615" || *rows[0].Waiting != "1" || *rows[2].Waiting != "soon" {
		t.Errorf("the rows are %v", rows)
	}
}
