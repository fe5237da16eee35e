// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// large finds counts that a format may multiply its data by, as far as its own limits allow. They are
// the business of the readers' own tests.
var large = regexp.MustCompile(`[0-9]{3}x|[0-9][0-9.]*[eE]|count"?\s*:\s*"?[0-9]{3}|"(num_jobs|val|\w+_avg)"\s*:\s*[0-9.]{3}`)

// FuzzReadAll: whatever the input, ReadAll does not panic, returns either records or faults, keeps
// what it promises of records, and makes no more data than a constant times the unpacked input.
func FuzzReadAll(f *testing.F) {
	for _, seed := range []string{
		"", "hello", swimText, csvText, slsText, rumenText, histText, zip(f, swimText), zip(f, csvText)[:20], zip(f, csvText) + zip(f, "c,1\n"),
		"name,submit,after\na,9,\nb,1,a\nc,3,\na,0,b\n", "a\t9\t9\t1\t2\t3\na\t1\t9\t-4\t5\t6\n", "\x1f\x8b",
	} {
		f.Add([]byte(seed), "", false)
		f.Add([]byte(seed), "", true)
	}
	f.Add([]byte(csvText), "swim", true)
	f.Add([]byte(swimText), "jobcsv", true)
	f.Add([]byte(swimText), "rumen", true)
	f.Fuzz(func(t *testing.T, data []byte, format string, mend bool) {
		if large.Match(data) {
			t.Skip()
		}
		log := &workload.Log{File: "f", Mend: mend}
		records, err := readAll(bytes.NewReader(data), format, log, model.MiB)
		if err != nil || log.Err() != nil {
			return
		}
		if len(records) == 0 {
			t.Fatal("got neither records nor faults")
		}
		total := 0
		names := map[string]bool{}
		last := model.Time(0)
		for i := range records {
			r := &records[i]
			total += len(r.Name) + len(r.User) + len(r.Queue) + len(r.Class) + len(r.After) + len(r.Where) +
				8*(len(r.MapLengths)+len(r.ReduceLengths)) + 16*len(r.MapHosts)
			if r.Name == "" || names[r.Name] || r.After != "" && !names[r.After] || r.After == "" && r.Submit < last {
				t.Errorf("got a record that breaks the promise: %+v", r)
			}
			names[r.Name] = true
			if r.After == "" {
				last = r.Submit
			}
		}
		size := len(data)
		if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
			size = 1100 * len(data) // gzip packs no better
		}
		if total > 10000*size {
			t.Errorf("got %d bytes from %d", total, size)
		}
	})
}
