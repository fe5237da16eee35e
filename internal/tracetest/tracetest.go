// SPDX-License-Identifier: Apache-2.0

// Package tracetest is what the tests of all trace readers have in common. Only tests import it.
package tracetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// Read reads a text with the reader and returns its records and the log of its faults.
func Read(t testing.TB, read workload.Reader, text string, mend bool) ([]workload.Record, *workload.Log) {
	t.Helper()
	log := &workload.Log{File: "x", Mend: mend}
	var got []workload.Record
	err := read(strings.NewReader(text), log, func(r *workload.Record) error {
		got = append(got, *r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, log
}

// Sample returns one of Hadoop's own sample files, which lie beside the traces.
func Sample(t testing.TB, name string) string {
	traces := os.Getenv("YARDMASTER_TRACES")
	if traces == "" {
		t.Skip("skipped: YARDMASTER_TRACES is not set; beside it lie the samples of Hadoop, of which this test reads " + name)
	}
	text, err := os.ReadFile(filepath.Join(traces, "..", "samples", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Sane fails the test if records or the log break the contract of a reader, whatever was read.
func Sane(t testing.TB, records []workload.Record, log *workload.Log) {
	t.Helper()
	for _, r := range records {
		if len(r.MapLengths) != int(r.Maps) || len(r.ReduceLengths) != int(r.Reduces) || r.MapHosts != nil && len(r.MapHosts) != int(r.Maps) {
			t.Errorf("lists do not fit: %+v", r)
		}
		for _, l := range append(append([]model.Time{r.ShuffleTail}, r.MapLengths...), r.ReduceLengths...) {
			if l < 0 {
				t.Errorf("negative length: %+v", r)
			}
		}
		if r.Input < workload.Unknown || r.Shuffle < workload.Unknown || r.Output < workload.Unknown {
			t.Errorf("negative amount: %+v", r)
		}
	}
	if !log.Mend && len(log.Repaired) > 0 {
		t.Error("repaired without leave")
	}
}
