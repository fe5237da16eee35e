// SPDX-License-Identifier: Apache-2.0

package formats

import "bytes"

// The sniffers are generous: a file with a fault near its beginning still goes to the reader that can
// name the fault.

// sniffJHist: the first line names Avro. The binary form fits too; its reader says what to do.
func sniffJHist(head []byte) bool { return bytes.HasPrefix(start(head), []byte("Avro-")) }

func sniffSLS(head []byte) bool {
	return isJSON(head) && (has(head, "job.start.ms") || has(head, "am.type") || has(head, "job.tasks"))
}

func sniffSynth(head []byte) bool {
	return isJSON(head) && has(head, "workloads") && (has(head, "num_jobs") || has(head, "job_classes"))
}

func sniffRumen(head []byte) bool {
	return isJSON(head) && has(head, "jobID") && (has(head, "mapTasks") || has(head, "totalMaps"))
}

// sniffJobCSV: the first line has one of the columns that must be there.
func sniffJobCSV(head []byte) bool {
	for cell := range bytes.SplitSeq(firstLine(head), []byte{','}) {
		switch string(bytes.Trim(cell, " \t\"")) {
		case "name", "submit":
			return true
		}
	}
	return false
}

// sniffSWIM: the first line has tabs and is text.
func sniffSWIM(head []byte) bool {
	line := firstLine(head)
	return bytes.IndexByte(line, '\t') >= 0 && bytes.IndexByte(line, 0) < 0 && !isJSON(head)
}

// start returns head without a byte-order mark and white space before it.
func start(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
}

func isJSON(head []byte) bool {
	s := start(head)
	return len(s) > 0 && (s[0] == '{' || s[0] == '[')
}

// has reports whether the JSON text has the field.
func has(head []byte, field string) bool { return bytes.Contains(head, []byte(`"`+field+`"`)) }

// firstLine returns the first line that is not empty.
func firstLine(head []byte) []byte {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), "\r\n")
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}
