// SPDX-License-Identifier: Apache-2.0

package rng

import "math"

// layer is one of those in which the ziggurat method (Marsaglia, Tsang 2000) lays the normal distribution: a draw below inside lies
// under the curve as a whole, and width times the draw is the number.
type layer struct {
	inside uint32
	width  float32
}

// layers are as math/rand/v2 has them, from the one below the others with the tail on.
var layers = func() (list [128]layer) {
	const (
		edge  = 3.442619855899      // where the tail begins
		area  = 9.91256303526217e-3 // of each layer
		scale = 1 << 31             // draws have 31 bits and a sign
	)
	x, bottom := edge, area/math.Exp(-edge*edge/2)
	list[0] = layer{uint32(edge / bottom * scale), float32(bottom / scale)}
	list[127].width = float32(edge / scale)
	for i := 126; i > 0; i-- {
		above := math.Sqrt(-2 * math.Log(area/x+math.Exp(-x*x/2)))
		list[i+1].inside, list[i].width = uint32(above/x*scale), float32(above/scale)
		x = above
	}
	return list
}()

// normal is At(…).NormFloat64() for a key of this stream, without calls: of a hundred draws 99 take a single number.
func (s *Stream) normal(k Key, b, c uint64) float64 {
	start := k.Uint64(b, c)
	u := mix(start + golden)
	l, j := &layers[u>>32&127], int32(u)
	if uint32(max(j, -j)) < l.inside {
		return float64(j) * float64(l.width)
	}
	s.src = splitmix(start)
	return s.rand.NormFloat64()
}
