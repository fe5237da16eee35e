// SPDX-License-Identifier: Apache-2.0

package jobcsv

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/yardmaster/yardmaster/workload"
)

// held returns the bytes that a record keeps beside its fixed part.
func held(r *workload.Record) int {
	n := len(r.Name) + len(r.User) + len(r.Queue) + len(r.Class) + len(r.After) + len(r.Where) +
		8*(len(r.MapLengths)+len(r.ReduceLengths)) + 24*(len(r.Asks[0])+len(r.Asks[1]))
	for _, h := range append(r.MapHosts[:len(r.MapHosts):len(r.MapHosts)], r.OtherHosts...) {
		n += 16 + len(h)
	}
	return n
}

// FuzzRead: whatever the input, Read does not panic and makes no more data than a constant times the
// input, beside the runs that the limit allows; and what it read without fault survives Write.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "\ufeffname,submit\r\na,1\r\n", "name,submit\n\"a", "name,submit\na\"b,\"1\"2\n", "user\n,\n",
		"name,submit,after,priority,weight\na,1.5,,high,2.5\n\"a,\"\"\nb\",300ms,a,,\na,1,z,urgent,0\n",
		"name,submit,maps,map_lengths,map_hosts\na,0,3,2x12.5 1,/r/h - h%20\nb,0,,9x1 5ms,\nc,1,,1000x1,\n",
		"submit,name,input,shuffle,output,reduces,reduce_lengths,shuffle_tail\n1,a,-1,5MiB,0,2,3 4,1h\n",
		"name,submit,goal,period,map_memory,map_vcores,reduce_memory,reduce_vcores\na,0,1,2,3,4,5,6\n",
		"name,submit,maps,other_hosts,map_asks,slow_start,am_memory_mb\na,0,2,/r/a,/r/b -,2x1024/1/0/2.5,0.05,512\n",
		"name,sbumit,name\n\x00,\xff,\n",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	limit := limits{row: 1 << 16, runs: 1 << 10}
	f.Fuzz(func(t *testing.T, data []byte, mend bool) {
		log := &workload.Log{Mend: mend}
		var records []workload.Record
		total := 0
		keep := func(r *workload.Record) error {
			records = append(records, *r)
			total += held(r)
			return nil
		}
		if err := read(bytes.NewReader(data), log, keep, limit); err != nil {
			t.Fatal(err)
		}
		if 3*len(records) > len(data) || total > 40*len(data)+24<<10 {
			t.Errorf("got %d jobs with %d bytes from %d bytes", len(records), total, len(data))
		}
		if log.Err() != nil {
			return
		}
		var b bytes.Buffer
		if err := write(&b, records, limit); err != nil {
			t.Fatal(err)
		}
		first := records
		records = nil
		if err := read(&b, log, keep, limit); err != nil || log.Err() != nil || len(records) != len(first) {
			t.Fatalf("got %d of %d jobs back: %v, %v", len(records), len(first), err, log.Err())
		}
		for i := range first {
			records[i].Where = first[i].Where
			if !reflect.DeepEqual(records[i], first[i]) {
				t.Errorf("\n got %+v\nwant %+v", records[i], first[i])
			}
		}
	})
}
