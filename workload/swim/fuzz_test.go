// SPDX-License-Identifier: Apache-2.0

package swim

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// FuzzRead: whatever the input, Read does not panic, hands on only records that keep the contract,
// and makes no more data than a constant times the input.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "\t", "\ufeff",
		"a\t9\t9\t1762\t0\t14347\nb\t18\t7\t970\t609\t697\n",
		"a\t9\t9\t1\t2\t3\tin\tout\nb\t9\t9\t1\t2\t3\t\t\n",
		"a\t9\t9\t1\t2\t3\tin\t\t\nb\t9\t9\t1\t2\t3\t\t\tx\n",
		"a\t9\t9\t-1\t99999999999999999999\t3\r\nb\t9223372037\t0",
		"a\x00\t\xff\n\n\t\t\t\t\t\n",
		strings.Repeat("x", 5000) + "\n",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, mend bool) {
		log := &workload.Log{Mend: mend}
		jobs, held := 0, 0
		err := Read(bytes.NewReader(data), log, func(r *workload.Record) error {
			jobs++
			held += len(r.Name) + len(r.Where)
			if r.Name == "" || r.Submit < 0 || r.Submit%model.Second != 0 || r.Input < 0 || r.Shuffle < 0 || r.Output < 0 {
				t.Errorf("got a record that breaks the contract: %+v", r)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if 12*jobs > len(data)+1 || held > 4*len(data) { // a line has at least 11 characters and its end
			t.Errorf("got %d jobs with %d bytes from %d bytes", jobs, held, len(data))
		}
		if jobs == 0 && log.Err() == nil {
			t.Error("got neither jobs nor faults")
		}
	})
}
