// SPDX-License-Identifier: Apache-2.0

// Package parquet writes the tables of a result folder as Parquet files, from their CSV: the same rows, with types.
package parquet

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// texts, whole and truths are the columns that do not hold numbers with a fraction.
var (
	texts  = []string{"name", "user", "queue", "class", "policy", "series", "key", "kind", "outcome", "locality", "purpose", "link"}
	whole  = []string{"id", "seed", "maps", "reduces", "node_local", "rack_local", "remote", "job", "task", "attempt", "node", "rack", "from", "to"}
	truths = []string{"met", "stolen"}
)

// kind is what the fields of a column hold.
type kind int

const (
	fraction kind = iota
	integer
	truth
	text
	other // what does not fit the kind that the column's name says, kept as text
)

// batch is how many rows are written at a time.
const batch = 4096

// FromCSV writes the rows of a CSV file with a head. Columns stand in the order of their names, as Parquet's groups do.
// A column of texts, whole numbers or truth values is known by its name, or as a text by being one of named; all others
// are numbers with a fraction, even if all of them happen to be whole. A column of which a field does not fit, such as a
// seed above the largest signed number, is text. An empty field is null, but an empty text in a column of texts.
func FromCSV(out io.Writer, src []byte, named ...string) error {
	head, err := csv.NewReader(bytes.NewReader(src)).Read()
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	kinds := make([]kind, len(head))
	for i, name := range head {
		kinds[i] = kindOf(name, named)
	}
	err = each(src, func(record []string) error {
		for i, field := range record {
			if _, err := kinds[i].value(field); err != nil {
				kinds[i] = other
			}
		}
		return nil
	})
	if err == nil {
		err = write(out, src, head, kinds)
	}
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// write writes the rows with columns of these kinds, all of whose fields fit.
func write(out io.Writer, src []byte, head []string, kinds []kind) error {
	group := parquet.Group{}
	for i, name := range head {
		group[name] = parquet.Compressed(parquet.Optional(kinds[i].node()), &parquet.Snappy)
	}
	w := parquet.NewGenericWriter[any](out, parquet.NewSchema("row", group))
	sorted := slices.Sorted(slices.Values(head))
	place := make([]int, len(head)) // of each field among the columns
	for i, name := range head {
		place[i], _ = slices.BinarySearch(sorted, name)
	}
	var rows []parquet.Row
	err := each(src, func(record []string) error {
		row := make(parquet.Row, len(record))
		for i, field := range record {
			v, err := kinds[i].value(field)
			if err != nil {
				return err
			}
			level := 1
			if v.IsNull() {
				level = 0
			}
			row[place[i]] = v.Level(0, level, place[i])
		}
		if rows = append(rows, row); len(rows) < batch {
			return nil
		}
		_, err := w.WriteRows(rows)
		rows = rows[:0]
		return err
	})
	if err != nil {
		return err
	}
	if _, err := w.WriteRows(rows); err != nil {
		return err
	}
	return w.Close()
}

// each calls f with every row of a CSV file. The record is f's until it returns.
func each(src []byte, f func(record []string) error) error {
	r := csv.NewReader(bytes.NewReader(src))
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil { // the head
		return err
	}
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(record); err != nil {
			return err
		}
	}
}

func kindOf(name string, named []string) kind {
	switch {
	case slices.Contains(texts, name) || slices.Contains(named, name):
		return text
	case slices.Contains(whole, name):
		return integer
	case slices.Contains(truths, name):
		return truth
	}
	return fraction
}

func (k kind) node() parquet.Node {
	switch k {
	case integer:
		return parquet.Int(64)
	case truth:
		return parquet.Leaf(parquet.BooleanType)
	case fraction:
		return parquet.Leaf(parquet.DoubleType)
	}
	return parquet.String()
}

// value reads a field; it fails if the field is not of the kind.
func (k kind) value(field string) (parquet.Value, error) {
	switch {
	case field == "" && k != text:
		return parquet.NullValue(), nil
	case k == integer:
		n, err := strconv.ParseInt(field, 10, 64)
		return parquet.Int64Value(n), err
	case k == truth:
		b, err := strconv.ParseBool(field)
		return parquet.BooleanValue(b), err
	case k == fraction:
		f, err := strconv.ParseFloat(field, 64)
		return parquet.DoubleValue(f), err
	}
	return parquet.ByteArrayValue([]byte(field)), nil
}
