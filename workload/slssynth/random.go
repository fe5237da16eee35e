// SPDX-License-Identifier: Apache-2.0

package slssynth

import "math"

// jdk is the generator of java.util.Random: a linear congruential one of 48 bits, as the documentation of Java
// specifies it.
type jdk struct{ state int64 }

const (
	jdkFactor = 0x5DEECE66D
	jdkMask   = 1<<48 - 1
)

func (r *jdk) seed(seed int64) { r.state = (seed ^ jdkFactor) & jdkMask }

// bits returns the highest bits of the next state, with their sign.
func (r *jdk) bits(n uint) int32 {
	r.state = (r.state*jdkFactor + 0xB) & jdkMask
	return int32(r.state >> (48 - n))
}

func (r *jdk) long() int64 {
	high := int64(r.bits(32)) << 32
	return high + int64(r.bits(32))
}

// double returns a number from 0 up to 1.
func (r *jdk) double() float64 {
	high := int64(r.bits(26)) << 27
	return float64(high+int64(r.bits(27))) * 0x1p-53
}

// below returns a whole number from 0 up to n, which is above 0.
func (r *jdk) below(n int32) int32 {
	if n&-n == n {
		return int32(int64(n) * int64(r.bits(31)) >> 31)
	}
	for {
		bits := r.bits(31)
		if v := bits % n; bits-v+(n-1) >= 0 {
			return v
		}
	}
}

// well is WELL19937c of Panneton, L'Ecuyer and Matsumoto, "Improved long-period generators based on linear recurrences
// modulo 2", 2006, with the seeding of Apache Commons Math, from which SLS draws.
type well struct {
	state  [624]uint32
	at     int
	second float64 // of a pair of normal numbers
	has    bool
}

func newWell(seed int64) *well {
	w := &well{}
	w.state[0], w.state[1] = uint32(uint64(seed)>>32), uint32(seed)
	for i := 2; i < len(w.state); i++ {
		l := int64(int32(w.state[i-2]))
		w.state[i] = uint32(1812433253*(l^l>>30) + int64(i))
	}
	return w
}

// next returns 32 bits.
func (w *well) next() uint32 {
	const n = len(w.state)
	v := &w.state
	last, before := (w.at+n-1)%n, (w.at+n-2)%n
	v0, m1, m2, m3 := v[w.at], v[(w.at+70)%n], v[(w.at+179)%n], v[(w.at+449)%n]
	z0 := v[last]&0x80000000 ^ v[before]&0x7FFFFFFF
	z1 := v0 ^ v0<<25 ^ m1 ^ m1>>27
	z2 := m2>>9 ^ m3 ^ m3>>1
	z3 := z1 ^ z2
	z4 := z0 ^ z1 ^ z1<<9 ^ z2 ^ z2<<21 ^ z3 ^ z3>>21
	v[w.at], v[last] = z3, z4
	v[before] &= 0x80000000
	w.at = last
	z4 ^= z4 << 7 & 0xe46e1700
	return z4 ^ z4<<15&0x9b868000
}

// double returns a number from 0 up to 1.
func (w *well) double() float64 {
	high := uint64(w.next()>>6) << 26
	return float64(high|uint64(w.next()>>6)) * 0x1p-52
}

// normal returns a standard normal number; they are drawn in pairs.
func (w *well) normal() float64 {
	if w.has {
		w.has = false
		return w.second
	}
	x, y := w.double(), w.double()
	sin, cos := math.Sincos(2 * math.Pi * x)
	r := math.Sqrt(-2 * math.Log(y))
	w.second, w.has = r*sin, true
	return r * cos
}
