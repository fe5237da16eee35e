// SPDX-License-Identifier: Apache-2.0

package rng

import "github.com/yardmaster/yardmaster/model"

// ClassSampler is how long the tasks of a job take on one class of machines.
type ClassSampler struct {
	Known    bool // otherwise the speed of the class decides
	Tail     model.Time
	lengths  [model.Kinds]model.Lengths
	Samplers [model.Kinds]Sampler
}

// ByClass returns what a job says about classes of machines, nil if it says nothing. A task has the same luck on every
// class.
func (l *Lengths) ByClass(j *model.Job, classes []model.NodeClass) (list []ClassSampler) {
	for _, said := range j.ByClass {
		for c := range classes {
			if classes[c].Name != said.Class {
				continue
			}
			if list == nil {
				list = make([]ClassSampler, len(classes))
			}
			own := &list[c]
			own.Known, own.Tail = true, said.ShuffleTail
			for k, mean := range [model.Kinds]model.Time{said.Map, said.Reduce} {
				noise := j.Lengths(model.Kind(k))
				own.lengths[k] = model.Lengths{Mean: mean, Noise: noise.Noise, CV: noise.CV}
				own.Samplers[k] = NewSampler(l[k], j.ID, &own.lengths[k])
			}
		}
	}
	return list
}
