// SPDX-License-Identifier: Apache-2.0

// Package rng gives random draws by name and key. A draw depends on (seed, purpose, key) alone,
// never on what was drawn before, so two policies that start tasks in different orders meet the
// same task lengths, and adding a purpose does not shift the others.
package rng

import "math/rand/v2"

// Stream is the family of draws for one purpose of one run. The zero value is a valid stream.
// A Stream is used by one goroutine at a time.
type Stream struct {
	key  uint64
	src  splitmix
	rand *rand.Rand
}

// New returns the stream of the given purpose in the run with this seed.
func New(seed uint64, purpose Purpose) *Stream {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(purpose) {
		h = (h ^ uint64(purpose[i])) * 1099511628211
	}
	s := &Stream{key: mix(mix(seed+golden) ^ h)}
	s.rand = rand.New(&s.src)
	return s
}

// Uint64 returns the one draw at key (a, b, c).
func (s *Stream) Uint64(a, b, c uint64) uint64 { return s.Key(a).Uint64(b, c) }

// Key is the family of draws of a stream for one value of the first part of the key, such as one
// job: what does not change from task to task is worked out.
type Key uint64

// Key returns the draws for a.
func (s *Stream) Key(a uint64) Key { return Key(mix(s.key ^ a*golden)) }

// Uint64 returns the one draw at key (b, c).
func (k Key) Uint64(b, c uint64) uint64 { return mix(uint64(k) ^ b*golden2 ^ c*golden3) }

// At returns a generator that starts at key (a, b, c), such as (job, task, attempt), for draws
// that need more than one number. It is valid until the next call of At.
func (s *Stream) At(a, b, c uint64) *rand.Rand { return s.From(s.Key(a), b, c) }

// From is At for a key of this stream.
func (s *Stream) From(k Key, b, c uint64) *rand.Rand {
	s.src = splitmix(k.Uint64(b, c))
	return s.rand
}

// Sub returns an independent stream for one more level of naming, such as one job of many.
func (s *Stream) Sub(a uint64) *Stream {
	t := &Stream{key: mix(s.key ^ mix(a*golden+golden2))}
	t.rand = rand.New(&t.src)
	return t
}

// Below maps a draw to 0..n-1 without division; the bias is below n/2^32.
func Below(u uint64, n int) int { return int((u >> 32) * uint64(n) >> 32) }

// Next steps a draw: a cheap sequence of further draws from one key.
func Next(u *uint64) uint64 {
	*u += golden
	return mix(*u)
}

// Step is Next by value, for loops that keep the draw in a register: it returns the draw and what the next call
// is given.
func Step(u uint64) (draw, next uint64) {
	u += golden
	return mix(u), u
}

// splitmix is the SplitMix64 generator (Steele, Lea, Flood 2014), made a rand.Source.
type splitmix uint64

func (s *splitmix) Uint64() uint64 {
	*s += golden
	return mix(uint64(*s))
}

const (
	golden  = 0x9e3779b97f4a7c15
	golden2 = 0xc2b2ae3d27d4eb4f
	golden3 = 0x165667b19e3779f9
)

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
