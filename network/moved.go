// SPDX-License-Identifier: Apache-2.0

package network

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/record"
)

// Moved is what a job sent over links, by purpose.
type Moved [record.Purposes]struct{ Bytes, Cross, Over float64 }

// Add adds bytes, of these those across racks, and of these those over circuits. What was taken back is negative.
func (m *Moved) Add(purpose record.Purpose, bytes, cross, over float64) {
	p := &m[purpose]
	p.Bytes, p.Cross, p.Over = p.Bytes+bytes, p.Cross+cross, p.Over+over
}

// Record tells what an ending job sent.
func (m *Moved) Record(now model.Time, id model.JobID, records *record.Sender) {
	for purpose := range record.Purpose(record.Purposes) {
		if m[purpose].Bytes == 0 {
			continue
		}
		records.Send(record.Event{Time: now, Kind: record.DataMoved, Task: model.Task{Job: id}, Node: model.None,
			Purpose: purpose, Bytes: model.Bytes(m[purpose].Bytes + 0.5), Cross: model.Bytes(m[purpose].Cross + 0.5), Over: model.Bytes(m[purpose].Over + 0.5)})
	}
}
