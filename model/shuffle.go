// SPDX-License-Identifier: Apache-2.0

package model

// ShuffleClass is how heavy a job's shuffle is, by the limits of diverse-2018 §3.3.1. Its MB are MiB: only then are
// the shares of its figure 3.2 those of the trace.
type ShuffleClass uint8

// The classes.
const (
	ShuffleLight   ShuffleClass = iota // below ShuffleLightBelow
	ShuffleMedium                      // up to 100 MiB
	ShuffleHeavy                       // above
	ShuffleClasses = 3
)

// ShuffleLightBelow is the shuffle data from which on a job is not light.
const ShuffleLightBelow = MiB

// ShuffleClassOf returns the class of a job with this many bytes of shuffle data, which may be an estimate.
func ShuffleClassOf(bytes float64) ShuffleClass {
	switch {
	case bytes < float64(ShuffleLightBelow):
		return ShuffleLight
	case bytes <= float64(100*MiB):
		return ShuffleMedium
	}
	return ShuffleHeavy
}

// ShuffleClassNames are the names of the classes in queries.
var ShuffleClassNames = [ShuffleClasses]string{"light", "medium", "heavy"}

// String returns the name of the class.
func (c ShuffleClass) String() string { return ShuffleClassNames[c] }
