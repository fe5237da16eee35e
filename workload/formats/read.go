// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// headSize is how much of a file the sniffers see.
const headSize = 64 << 10

// ReadAll reads a whole trace. file is its name, for messages; format is the name of its format, or
// empty to recognise it by content. Files compressed by gzip are unpacked, even several in one.
//
// The records come in order of submission, every one with a name of its own, and every After names
// an earlier one; a job that the trace gives no name gets "job N", its position. Everything else is a
// fault. With mend, faults that can be repaired are: namesakes are renamed NAME#2, and jobs are sorted
// by submit time, a job that waits for another staying behind that one; if the trace then begins
// before time 0, it is shifted to begin there.
//
// The log is never nil. The error is that of the log if faults stand, and then or after any other
// error there are no records.
func ReadAll(file string, r io.Reader, format string, mend bool) ([]workload.Record, *workload.Log, error) {
	log := &workload.Log{File: file, Mend: mend}
	records, err := readAll(r, format, log, maxUnpacked)
	if err == nil {
		err = log.Err()
	} else {
		err = fmt.Errorf("%s: %w", file, err)
	}
	if err != nil {
		return nil, log, err
	}
	return records, log, nil
}

// readAll is ReadAll with the most that a compressed file may hold. Its error is about reading only.
func readAll(r io.Reader, format string, log *workload.Log, most model.Bytes) ([]workload.Record, error) {
	unpacked := unpack(r, most)
	in := bufio.NewReaderSize(unpacked, headSize)
	chosen, err := choose(in, format, log)
	if unpacked.fault == nil && (err != nil || chosen == nil) {
		return nil, err
	}
	var read pieces
	if chosen != nil {
		err = chosen.Read(in, log, func(r *workload.Record) error {
			read.add(r)
			return nil
		})
	}
	if f := unpacked.fault; f != nil {
		log.Refuse(f.Where, f.Field, f.Found, f.Allowed)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return check(slices.Concat(read...), log), nil
}

// pieces holds records that come one by one. They are large: a list of them that grows would be copied many times over.
type pieces [][]workload.Record

func (p *pieces) add(r *workload.Record) {
	last := len(*p) - 1
	if last < 0 || len((*p)[last]) == cap((*p)[last]) {
		*p = append(*p, make([]workload.Record, 0, 256))
		last++
	}
	(*p)[last] = append((*p)[last], *r)
}

// choose returns the format of the name, or of the content if there is none. It returns nil after a
// content that was refused.
func choose(in *bufio.Reader, name string, log *workload.Log) (*Format, error) {
	if name != "" {
		return byName(name)
	}
	head, err := in.Peek(headSize)
	if len(head) == 0 && err == io.EOF {
		log.Refuse("line 1", "file", "an empty file", "at least one job")
		return nil, nil
	}
	if f, err := Detect(head); err == nil {
		return f, nil
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	found, allowed := unrecognised(head)
	log.Refuse("line 1", "format", found, allowed)
	return nil, nil
}
