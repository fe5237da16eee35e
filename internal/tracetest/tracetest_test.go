// SPDX-License-Identifier: Apache-2.0

package tracetest

import (
	"fmt"
	"io"
	"testing"

	"github.com/yardmaster/yardmaster/workload"
)

// Read hands on copies, because a reader may use its record again.
func TestReadCopies(t *testing.T) {
	reader := func(r io.Reader, log *workload.Log, yield workload.Yield) error {
		text, _ := io.ReadAll(r)
		record := workload.NewRecord("line 1")
		record.Maps, record.Reduces = 0, 0
		for i := range 3 {
			record.Name = fmt.Sprint(string(text), i)
			if err := yield(&record); err != nil {
				return err
			}
		}
		log.Mendable("line 1", "size", "-1", "at least 0", "taken as 0")
		return nil
	}
	records, log := Read(t, reader, "job", true)
	if len(records) != 3 || records[0].Name != "job0" || records[2].Name != "job2" || len(log.Repaired) != 1 {
		t.Errorf("%+v, %+v", records, log)
	}
	Sane(t, records, log)
}
