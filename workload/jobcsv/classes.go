// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bytes"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

const allowedClasses = "entries NAME=MAP/REDUCE/TAIL split by spaces, one per class, such as scale-up=12.5/40/3"

// readClasses reads how long tasks take on classes of machines. Names are coded as hosts are.
func readClasses(t *table, cell []byte) bool {
	var list []model.ClassLengths
	for item := range bytes.SplitSeq(trim(cell), []byte{' '}) {
		if len(item) == 0 {
			continue
		}
		name, rest, ok := bytes.Cut(item, []byte{'='})
		class, text := decodeHost(string(name))
		times := bytes.Split(rest, []byte{'/'})
		if !ok || !text || class == "" || len(times) != 3 {
			return t.refuse(item, allowedClasses)
		}
		l := model.ClassLengths{Class: class}
		for i, to := range []*model.Time{&l.Map, &l.Reduce, &l.ShuffleTail} {
			if *to, ok = parseTime(times[i]); !ok {
				return t.refuse(item, allowedClasses)
			}
		}
		for i := range list {
			if list[i].Class == class {
				return t.refuse(item, allowedClasses)
			}
		}
		list = append(list, l)
	}
	t.rec.ByClass = list
	return true
}

// writeClasses writes what readClasses reads.
func writeClasses(b []byte, r *workload.Record, _ *int64) []byte {
	for i, l := range r.ByClass {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(appendHost(b, l.Class, "="), '=')
		b = append(l.Map.AppendDecimal(b), '/')
		b = append(l.Reduce.AppendDecimal(b), '/')
		b = l.ShuffleTail.AppendDecimal(b)
	}
	return b
}
