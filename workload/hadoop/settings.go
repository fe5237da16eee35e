// SPDX-License-Identifier: Apache-2.0

package hadoop

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

// Configure takes the sizes of containers, the slow start and the size of the application master from the
// configuration of a job (its _conf.xml, or the mapred-site.xml of its cluster). What the record says itself stays. A value that
// is no number is noted and passed over.
func Configure(r *workload.Record, p conf.Properties, log *workload.Log) {
	s := settings{Properties: p, where: r.Where, log: log}
	for k, kind := range [model.Kinds]string{"map", "reduce"} {
		if r.Memory[k] == 0 {
			r.Memory[k] = model.Bytes(s.memory(kind)) * model.MiB
		}
		if r.VCores[k] == 0 {
			r.VCores[k] = s.number("mapreduce."+kind+".resource.vcores", s.number("mapreduce."+kind+".cpu.vcores", 0))
		}
	}
	const am = "yarn.app.mapreduce.am.resource."
	for d, names := range [model.Dims][2]string{{am + "memory-mb", am + "mb"}, {am + "vcores", am + "cpu-vcores"}} {
		if r.Master.Need[d] == 0 {
			r.Master.Need[d] = s.number(names[0], s.number(names[1], 0))
		}
	}
	const slow = "mapreduce.job.reduce.slowstart.completedmaps"
	if text := p.Or(slow, ""); text != "" && r.Master.SlowStart == nil {
		if v, ok := conf.ParseFloat(text, 64); ok && v >= 0 && v <= 1 {
			r.Master.SlowStart = &v
		} else {
			s.bad(slow, text)
		}
	}
}

// settings are the properties of one job.
type settings struct {
	conf.Properties
	where string
	log   *workload.Log
}

func (s *settings) bad(name, text string) {
	s.log.Note(s.where, name, fmt.Sprintf("%s is passed over: it is no number that it may have", Quote(text)))
}

// number returns a number above 0, or the other value if the property is not set, 0 or less, or none.
func (s *settings) number(name string, missing int32) int32 {
	n, ok := s.Int(name, 0)
	if !ok {
		s.bad(name, s.Or(name, ""))
	}
	if !ok || n <= 0 {
		return missing
	}
	return int32(n)
}

var heap = regexp.MustCompile(`-Xmx(\d+)([kKmMgGtT]?)`)

// memory returns the MiB of a task's container, 0 if nothing says them. Where mapreduce.map.memory.mb is not above 0, it
// follows from the heap of the process, as in Hadoop 3.
func (s *settings) memory(kind string) int32 {
	name := "mapreduce." + kind + ".memory.mb"
	if mb := s.number("mapreduce."+kind+".resource.memory-mb", s.number(name, 0)); mb > 0 {
		return mb
	}
	options, _ := s.Text("mapreduce." + kind + ".java.opts")
	all := heap.FindAllStringSubmatch(options, -1)
	if len(all) == 0 {
		return 0
	}
	last := all[len(all)-1]
	n, err := strconv.ParseFloat(last[1], 64)
	ratio, ok := s.Float("mapreduce.job.heap.memory-mb.ratio", 0.8)
	if err != nil || !ok || ratio <= 0 {
		return 0
	}
	bytes := n * map[string]float64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}[strings.ToLower(last[2])]
	return int32(min(math.Ceil(bytes/(1<<20)/float64(ratio)), 1<<30))
}
