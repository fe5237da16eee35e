// SPDX-License-Identifier: Apache-2.0

package circuits

import (
	"github.com/yardmaster/yardmaster/internal/matching"
	"github.com/yardmaster/yardmaster/model"
)

// Properties are what makes a matrix of demand suit circuits (diverse-2018 §4.1.3), each from 0 to 1, more being
// better. What racks send to themselves does not count. All are 0 where there is no demand.
type Properties struct {
	Skewness float64 // share of all bytes that the best circuits, one from and one to each rack, would serve
	Sparsity float64 // share of the pairs of racks that have no demand
	Balance  float64 // bytes of the mean port over those of the busiest, of the racks' ports in and out
}

// PropertiesOf returns the properties of a matrix: number from*racks+to is what one rack has for another.
func PropertiesOf(racks int, demand []model.Bytes) (p Properties) {
	if racks < 2 || len(demand) == 0 {
		return p
	}
	weights, ports := make([]int64, len(demand)), make([]float64, 2*racks)
	total, pairs, busiest, scale := 0.0, 0, 0.0, int64(1)
	for i, bytes := range demand {
		for int64(bytes)/scale > matching.Heaviest {
			scale *= 2
		}
		if from, to := i/racks, i%racks; from != to && bytes > 0 {
			total += float64(bytes)
			pairs++
			ports[from] += float64(bytes)
			ports[racks+to] += float64(bytes)
		}
	}
	if total == 0 {
		return p
	}
	for _, load := range ports {
		busiest = max(busiest, load)
	}
	for i, bytes := range demand {
		if i/racks != i%racks {
			weights[i] = int64(bytes) / scale
		}
	}
	served := 0.0
	for from, to := range matching.New(racks).Best(weights) {
		if to >= 0 {
			served += float64(demand[from*racks+int(to)])
		}
	}
	return Properties{Skewness: served / total, Sparsity: 1 - float64(pairs)/float64(racks*(racks-1)), Balance: total / float64(racks) / busiest}
}
