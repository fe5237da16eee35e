// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// classLengths is how long the tasks of a job take on one class of nodes.
type classLengths struct {
	known    bool
	tail     model.Time
	lengths  [model.Kinds]model.Lengths
	samplers [model.Kinds]rng.Sampler
}

// classLengths returns what a job says about the classes of the topology, nil if it says nothing. A task has the same
// luck on every class.
func (g *ground) classLengths(spec *model.Job) (list []classLengths) {
	for _, l := range spec.ByClass {
		for c := range g.Topology.Classes {
			if g.Topology.Classes[c].Name != l.Class {
				continue
			}
			if list == nil {
				list = make([]classLengths, len(g.Topology.Classes))
			}
			own := &list[c]
			own.known, own.tail = true, l.ShuffleTail
			for k, mean := range [model.Kinds]model.Time{l.Map, l.Reduce} {
				noise := spec.Lengths(model.Kind(k))
				own.lengths[k] = model.Lengths{Mean: mean, Noise: noise.Noise, CV: noise.CV}
				own.samplers[k] = rng.NewSampler(g.lengths[k], spec.ID, &own.lengths[k])
			}
		}
	}
	return list
}

// onClass returns what the job says about a class, nil if its speed decides.
func (w *jobWork) onClass(class uint8) *classLengths {
	if w.byClass == nil || !w.byClass[class].known {
		return nil
	}
	return &w.byClass[class]
}
