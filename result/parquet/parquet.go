// SPDX-License-Identifier: Apache-2.0

// Package parquet writes the tables of a result folder as Parquet files, from their CSV: the same rows, with types.
package parquet

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// texts and whole are the columns that hold neither a number with a fraction nor, met alone, a truth value.
var (
	texts = []string{"name", "user", "queue", "class", "policy", "series", "key", "kind", "outcome", "locality", "purpose"}
	whole = []string{"id", "seed", "maps", "reduces", "node_local", "rack_local", "remote", "job", "task", "attempt", "node", "rack", "from", "to"}
)

// batch is how many rows are written at a time.
const batch = 4096

// FromCSV writes the rows of a CSV file with a head. Columns stand in the order of their names, as Parquet's groups do; an
// empty field is null. A column of texts, whole numbers or truth values is known by its name, all others are numbers;
// one that has something else is text.
func FromCSV(out io.Writer, in io.Reader, isText func(column string) bool) error {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	names := slices.Clone(head)
	group := parquet.Group{}
	for _, name := range names {
		group[name] = parquet.Compressed(parquet.Optional(nodeOf(name, isText)), &parquet.Snappy)
	}
	w := parquet.NewGenericWriter[any](out, parquet.NewSchema("row", group))
	sorted := slices.Sorted(slices.Values(names))
	place := make([]int, len(names)) // of each field among the columns
	for i, name := range names {
		place[i], _ = slices.BinarySearch(sorted, name)
	}
	var rows []parquet.Row
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("parquet: %w", err)
		}
		row := make(parquet.Row, len(record))
		for i, text := range record {
			v, err := valueOf(names[i], text, isText)
			if err != nil {
				return err
			}
			level := 1
			if v.IsNull() {
				level = 0
			}
			row[place[i]] = v.Level(0, level, place[i])
		}
		if rows = append(rows, row); len(rows) == batch {
			if _, err := w.WriteRows(rows); err != nil {
				return fmt.Errorf("parquet: %w", err)
			}
			rows = rows[:0]
		}
	}
	if _, err := w.WriteRows(rows); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

func nodeOf(name string, isText func(string) bool) parquet.Node {
	switch {
	case name == "met":
		return parquet.Leaf(parquet.BooleanType)
	case slices.Contains(texts, name) || isText(name):
		return parquet.String()
	case slices.Contains(whole, name):
		return parquet.Int(64)
	}
	return parquet.Leaf(parquet.DoubleType)
}

func valueOf(name, text string, isText func(string) bool) (v parquet.Value, err error) {
	switch {
	case slices.Contains(texts, name) || isText(name):
		return parquet.ByteArrayValue([]byte(text)), nil
	case text == "":
		return parquet.NullValue(), nil
	case name == "met":
		b, err := strconv.ParseBool(text)
		return parquet.BooleanValue(b), bad(name, err)
	case slices.Contains(whole, name):
		n, err := strconv.ParseInt(text, 10, 64)
		return parquet.Int64Value(n), bad(name, err)
	}
	f, err := strconv.ParseFloat(text, 64)
	return parquet.DoubleValue(f), bad(name, err)
}

func bad(name string, err error) error {
	if err != nil {
		return fmt.Errorf("parquet: column %s: %w", name, err)
	}
	return nil
}
