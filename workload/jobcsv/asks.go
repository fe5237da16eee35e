// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

const allowedAsks = "MiB/vcores/priority/delay split by spaces, such as 2048/1/0/0, or 3x2048/1/0/0 for three of a kind"

// readAsks reads a list of asks, in which NxA stands for N times A.
func (t *table) readAsks(cell []byte, to *[]model.Ask) bool {
	return readRuns(t, cell, to, parseAsk, allowedAsks, "NxA")
}

// parseAsk reads MiB/vcores/priority/delay.
func parseAsk(s []byte) (a model.Ask, ok bool) {
	parts := bytes.Split(s, []byte{'/'})
	if len(parts) != 4 {
		return a, false
	}
	for i, to := range []*int32{&a.Need[0], &a.Need[1], &a.Priority} {
		v, ok := parseDigits(parts[i])
		if !ok || len(parts[i]) == 0 || v > math.MaxInt32 {
			return a, false
		}
		*to = int32(v)
	}
	a.Delay, ok = parseTime(parts[3])
	return a, ok
}

// appendAsks writes what readAsks reads, with runs while the reader allows them.
func appendAsks(b []byte, list []model.Ask, runs *int64) []byte {
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n] == list[i] && int64(n) <= *runs {
			n++
		}
		if i > 0 {
			b = append(b, ' ')
		}
		if n > 1 {
			b = append(strconv.AppendInt(b, int64(n), 10), 'x')
			*runs -= int64(n - 1)
		}
		a := &list[i]
		b = fmt.Appendf(b, "%d/%d/%d/", a.Need[0], a.Need[1], a.Priority)
		b = a.Delay.AppendDecimal(b)
		i += n
	}
	return b
}

// readShare reads a share from 0 to 1.
func (t *table) readShare(cell []byte, to **float64) bool {
	v, err := strconv.ParseFloat(string(trim(cell)), 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return t.refuse(cell, "a share from 0 to 1")
	}
	*to = &v
	return true
}

func hostsColumn(name string, at func(*workload.Record) *[]string) column {
	return column{name,
		func(t *table, cell []byte) bool { return t.readHosts(cell, at(&t.rec)) },
		func(r *workload.Record) bool { return len(*at(r)) > 0 },
		func(b []byte, r *workload.Record, _ *int64) []byte { return appendHosts(b, *at(r)) }}
}

func asksColumn(name string, kind model.Kind) column {
	return column{name,
		func(t *table, cell []byte) bool { return t.readAsks(cell, &t.rec.Asks[kind]) },
		func(r *workload.Record) bool { return len(r.Asks[kind]) > 0 },
		func(b []byte, r *workload.Record, runs *int64) []byte { return appendAsks(b, r.Asks[kind], runs) }}
}

func shareColumn(name string, at func(*workload.Record) **float64) column {
	return column{name,
		func(t *table, cell []byte) bool { return t.readShare(cell, at(&t.rec)) },
		func(r *workload.Record) bool { return *at(r) != nil },
		func(b []byte, r *workload.Record, _ *int64) []byte {
			return strconv.AppendFloat(b, **at(r), 'g', -1, 64)
		}}
}
