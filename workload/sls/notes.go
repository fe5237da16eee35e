// SPDX-License-Identifier: Apache-2.0

package sls

import (
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
)

// mapReduce is the usual type of a master.
const mapReduce = "mapreduce"

// application reads what the job says about its master and its nodes.
func (j *job) application(c *hadoop.Check, r *workload.Record) {
	r.Master.Kind = c.Str(j.OldType, "am.type")
	if kind := c.Str(j.Type, "yarn.sls.am.type"); kind != "" {
		r.Master.Kind = kind
	}
	memory, _ := c.Int(j.AMMemory, "am.memory-mb", 1, hadoop.MaxMiB)
	vcores, _ := c.Int(j.AMVCores, "am.vcores", 0, 1<<31-1)
	r.Master.Need = room(memory, vcores)
	if r.Master.Kind == mapReduce {
		r.Master.Kind = ""
	}
	if r.Master.Kind != "" {
		c.Log.Note(c.At(), "am.type", hadoop.Quote(r.Master.Kind)+" runs under the master for MapReduce: maps first, then reduces")
	}
	if r.Label = c.Str(j.Label, "job.label.expression"); r.Label != "" {
		c.Log.Note(c.At(), "job.label.expression", "kept, but node labels have no effect on scheduling")
	}
	unknownFields(c, j.unknown, jobKeys)
}

// note notes what a task says without any effect.
func (t *task) note(c *hadoop.Check, kind model.Kind) {
	switch execution := c.Str(t.Execution, "container.execution.type"); execution {
	case "", "GUARANTEED":
	default:
		c.Log.Note(c.At(), "container.execution.type", hadoop.Quote(execution)+" runs as GUARANTEED: there are no containers without a guarantee")
	}
	if id, given := c.Int(t.Allocation, "container.allocation.id", -1, 1<<63-1); given && id >= 0 {
		c.Log.Note(c.At(), "container.allocation.id", "not modelled: a container serves any task of its kind")
	}
	if kind == model.Reduce && t.Host.S != "" {
		c.Log.Note(c.At(), "container.host", "has no effect for a reduce, which runs anywhere")
	}
	if t.Delay.Given || t.OldDelay.Given {
		c.Log.Note(c.At(), "container.request.delay", "kept, but masters ask for containers as soon as they may, as SLS's own for MapReduce does")
	}
	unknownFields(c, t.unknown, taskKeys)
}

func unknownFields(c *hadoop.Check, unknown, known []string) {
	for _, key := range unknown {
		text := "unknown field, which has no effect"
		if near := strict.Nearest(key, known); near != "" {
			text += "; did you mean " + near + "?"
		}
		c.Log.Note(c.At(), hadoop.Quote(key), text)
	}
}
