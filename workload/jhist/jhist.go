// SPDX-License-Identifier: Apache-2.0

// Package jhist reads Hadoop's job history files (.jhist) in both their forms: the binary one that Hadoop 3
// writes unless it is told otherwise, a line "Avro-Binary", a line with the schema, then the events in Avro's
// binary form; and the JSON one (mapreduce.jobhistory.jhist.format=json), a line "Avro-Json", a line with the
// schema, then one event per line, with empty lines between. A file is one job; several files may follow one
// another, of either form.
//
// What a job's record takes from the events:
//
//   - The name is the jobid, the class is the jobName, which runs of the same program share.
//   - Submit counts from the submitTime of the first job that can be read, and keeps the distances.
//     It is negative for a job that stands behind a later one.
//   - A task counts if an attempt of it finished and was not lost later: the one that TASK_FINISHED
//     names as successful, else the last. Tasks that failed or were killed, and setup and cleanup
//     tasks, are left out, so Maps and Reduces count the tasks that succeeded. Tasks stand in the
//     order in which they first appear.
//   - Waited counts from submitTime to the start of the first successful attempt, Elapsed to the end of
//     the last one.
//   - A map's length is finishTime - startTime. A reduce's own length is finishTime -
//     sortFinishTime; ShuffleTail is the mean of sortFinishTime - max(startTime, end of the last
//     map), at least 0.
//   - Input adds up HDFS_BYTES_READ of the maps, Shuffle REDUCE_SHUFFLE_BYTES of the reduces, Output
//     HDFS_BYTES_WRITTEN of the reduces, or of the maps in a job without reduces.
//   - A map's block lies at the first host of splitLocations, and at the others too. Their racks are those
//     that an attempt of this job on the same host names, else Hadoop's /default-rack.
//   - Past keeps when the last application master began, where, when it had initialised the job, when it
//     declared its end, and when and where each task was asked for and ran. Master.Start is the time from
//     the first to the second.
//   - Queue and priority are the last that the events name. Memory is that of NORMALIZED_RESOURCE,
//     which Hadoop itself never writes to the file, but other writers may.
//
// Jobs that failed or were killed are kept with the tasks that succeeded. Faults whose repair is said
// with them: a job without any successful task (dropped), a successful job that lists fewer tasks
// than JOB_INITED says (the listed ones are taken), a history without an event that ends the job (the
// tasks that have succeeded are taken).
//
// Memory is bounded by the tasks of one job. Lines of more than 64 MiB are refused.
package jhist

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

var _ workload.Reader = Read

const (
	header       = "Avro-Json"
	binaryHeader = "Avro-Binary"
	maxLine      = 64 << 20
)

// Read reads one history or several in a row. It is a workload.Reader.
func Read(r io.Reader, log *workload.Log, yield workload.Yield) error {
	return new(Histories).Read(r, log, yield)
}

// Histories reads any number of files whose jobs count their times from the same origin, the submission of the first
// job of the first file.
type Histories struct{ origin hadoop.Origin }

// Read reads one file, which may hold several histories.
func (h *Histories) Read(r io.Reader, log *workload.Log, yield workload.Yield) error {
	in := &reader{in: bufio.NewReaderSize(r, 64<<10), log: log, yield: yield, origin: &h.origin}
	for {
		line, err := in.line()
		if err == io.EOF {
			return in.finish()
		}
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		if err := in.take(line); err != nil {
			if err == errNotHistory {
				return nil
			}
			return err
		}
	}
}

// errNotHistory ends the reading of a file that does not begin as a history; it is in the log.
var errNotHistory = errors.New("not a job history")

type reader struct {
	in     *bufio.Reader
	log    *workload.Log
	yield  workload.Yield
	at     int // number of the line
	job    *job
	schema bool // the next line is the schema
	packed bool // the events are in binary form
	event  int  // number of the event in binary form, 0 outside of them
	origin *hadoop.Origin
	long   []byte
}

// line returns the next line without white space around it, valid until the next call. A line that
// is too long is reported, spoils its job and comes back empty.
func (r *reader) line() ([]byte, error) {
	r.at++
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if err == nil && len(r.long) == 0 {
			return bytes.TrimSpace(part), nil
		}
		if len(r.long) <= maxLine {
			r.long = append(r.long, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && err != io.EOF:
			return nil, err
		case err == io.EOF && len(r.long) == 0:
			return nil, io.EOF
		case len(r.long) > maxLine:
			r.check().Refuse("JSON", fmt.Sprintf("a line of more than %d bytes", maxLine), "shorter lines")
			r.spoil()
			return nil, nil
		}
		return bytes.TrimSpace(r.long), nil
	}
}

// check reports faults at the present line.
func (r *reader) check() *hadoop.Check {
	where := fmt.Sprintf("line %d", r.at)
	if r.event > 0 {
		where = fmt.Sprintf("%s, event %d", r.job.where, r.event)
	}
	return &hadoop.Check{Log: r.log, At: func() string { return where }}
}

// spoil marks the present job as one with a fault that stands.
func (r *reader) spoil() {
	if r.job != nil {
		r.job.bad = true
	}
}

// take takes one line that is not empty.
func (r *reader) take(line []byte) error {
	switch {
	case string(line) == header, string(line) == binaryHeader:
		if err := r.finish(); err != nil {
			return err
		}
		r.packed = string(line) == binaryHeader
		r.job, r.schema = newJob(fmt.Sprintf("line %d", r.at)), true
		return nil
	case r.job == nil:
		r.check().Refuse("header", beginning(line), header+" or "+binaryHeader)
		return errNotHistory
	}
	c := r.check()
	switch {
	case r.schema && r.packed:
		r.schema = false
		return r.events(c, line)
	case r.schema:
		r.schema = false
		checkSchema(c, line)
	default:
		var e event
		if decode(c, line, &e) {
			r.job.take(c, &e)
		}
	}
	if c.Bad {
		r.spoil()
	}
	return nil
}

// finish yields the present job.
func (r *reader) finish() error {
	j := r.job
	if r.job = nil; j == nil || j.bad {
		return nil
	}
	c := &hadoop.Check{Log: r.log, At: func() string { return j.where }}
	if r.schema {
		r.schema = false
		c.Refuse("schema", "nothing", "the Avro schema of the events, and the events")
		return nil
	}
	h := j.history(c)
	if c.Bad {
		return nil
	}
	if rec := h.Record(c, r.origin, j.where); rec != nil {
		return r.yield(rec)
	}
	return nil
}

// events reads the events of a history in binary form. Behind one that cannot be read nothing can be told.
func (r *reader) events(c *hadoop.Check, text []byte) error {
	defer func() { r.event, r.packed = 0, false }()
	s, err := parseSchema(text)
	b := &unpacker{in: r.in}
	if err == nil {
		b.kind, b.body = s.event()
	}
	if b.kind == nil {
		c.Refuse("schema", beginning(text), "the Avro schema of the events")
		r.job = nil
		return errNotHistory
	}
	return r.unpack(b)
}

// unpack takes the events that are left.
func (r *reader) unpack(b *unpacker) error {
	for {
		r.event++
		c := r.check()
		e, err := b.next()
		switch {
		case err == io.EOF:
			return nil
		case err == io.ErrUnexpectedEOF:
			c.Refuse("Avro", "the end of the file inside an event", "whole events")
		case err == errRange || err == errLong || err == errDeep:
			c.Refuse("Avro", err.Error(), "events of the schema")
		case err != nil:
			return err
		default:
			r.job.take(c, e)
			if c.Bad {
				r.spoil()
			}
			continue
		}
		r.job = nil
		return errNotHistory
	}
}

// checkSchema looks at the second line only to make sure that it is not an event.
func checkSchema(c *hadoop.Check, line []byte) {
	var schema struct {
		Type hadoop.Text `json:"type"`
	}
	if decode(c, line, &schema) && schema.Type.S != "record" {
		c.Refuse("schema", beginning(line), "the Avro schema of the events")
	}
}

// decode decodes one line and reports what is no JSON or has the wrong shape.
func decode(c *hadoop.Check, line []byte, v any) bool {
	err := json.Unmarshal(line, v)
	var shape *json.UnmarshalTypeError
	switch {
	case err == nil:
		return true
	case errors.As(err, &shape):
		c.Bad = true
		hadoop.Shape(c.Log, c.At(), shape)
	default:
		c.Refuse("JSON", err.Error(), "one JSON object per line")
	}
	return false
}

// beginning returns the first bytes of a line in quotes.
func beginning(line []byte) string { return hadoop.Quote(string(line[:min(len(line), 80)])) }
