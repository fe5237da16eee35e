// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Time is an instant or a span in nanoseconds since the start of the run. It is an integer so
// that sums are exact and two runs agree to the bit.
type Time int64

// Common spans. Forever is later than any event.
const (
	Nanosecond  Time = 1
	Microsecond Time = 1000 * Nanosecond
	Millisecond Time = 1000 * Microsecond
	Second      Time = 1000 * Millisecond
	Minute      Time = 60 * Second
	Hour        Time = 60 * Minute
	Day         Time = 24 * Hour
	Forever     Time = math.MaxInt64
	Horizon          = 200 * 365 * Day // of a run, so that times never overflow
)

// Seconds converts to floating-point seconds, for statistics, display and the rates of flows.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// Seconds converts seconds to a Time, rounding to the nearest nanosecond.
func Seconds(s float64) Time { return Time(math.Round(s * float64(Second))) }

// AtOrAfter returns the first whole nanosecond that is not before a time in seconds, and one behind the horizon for all beyond.
func AtOrAfter(s float64) Time {
	if s >= Horizon.Seconds() {
		return Horizon + 1
	}
	n := Time(math.Ceil(s * float64(Second)))
	for n.Seconds() < s {
		n++
	}
	return n
}

// Decimal formats t as seconds without loss and without trailing zeros: 12.5, 0.3, 7.
func (t Time) Decimal() string { return string(t.AppendDecimal(nil)) }

// AppendDecimal appends the form of Decimal to b.
func (t Time) AppendDecimal(b []byte) []byte {
	u := uint64(t)
	if t < 0 {
		b = append(b, '-')
		u = -u
	}
	b = strconv.AppendUint(b, u/uint64(Second), 10)
	frac := u % uint64(Second)
	if frac == 0 {
		return b
	}
	b = append(b, '.')
	for digit := uint64(Second) / 10; frac > 0; digit /= 10 {
		b = append(b, byte('0'+frac/digit))
		frac %= digit
	}
	return b
}

// String formats t as people write it: 300ms, 12.5s.
func (t Time) String() string {
	switch {
	case t == Forever:
		return "forever"
	case t != 0 && t > -Second && t < Second && t%Millisecond == 0:
		return strconv.FormatInt(int64(t/Millisecond), 10) + "ms"
	}
	return t.Decimal() + "s"
}

// Allowed describes the accepted text of a Time.
func (Time) Allowed() string {
	return `a duration with its unit: ns, us, ms, s, min, h or d, such as 300ms, 12000s, 1.5h`
}

var timeUnits = []unit{
	{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9},
}

// UnmarshalText reads a duration such as 300ms; 0 needs no unit.
func (t *Time) UnmarshalText(text []byte) error {
	v, err := parseQuantity(string(text), timeUnits)
	if err != nil {
		return err
	}
	*t = Time(v)
	return nil
}

// MarshalText writes the form that UnmarshalText reads.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Bytes is an amount of data.
type Bytes int64

// Binary sizes.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	TiB Bytes = 1 << 40
)

var byteUnits = []unit{
	{"B", 1}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15},
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"PiB", 1 << 50},
}

// Allowed describes the accepted text of Bytes.
func (Bytes) Allowed() string {
	return `a size with its unit: B, kB, MB, GB, TB, PB (powers of 1000) or KiB, MiB, GiB, TiB, PiB (powers of 1024), such as 128MiB`
}

// UnmarshalText reads a size such as 128MiB; 0 needs no unit.
func (b *Bytes) UnmarshalText(text []byte) error {
	v, err := parseQuantity(string(text), byteUnits)
	if err != nil {
		return err
	}
	*b = Bytes(v)
	return nil
}

// String formats b with the largest binary unit that divides it.
func (b Bytes) String() string {
	if b == 0 {
		return "0B"
	}
	for _, u := range [...]struct {
		name string
		size Bytes
	}{{"TiB", TiB}, {"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}} {
		if b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

// MarshalText writes the form that UnmarshalText reads.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Rate is a speed of data in bytes per second.
type Rate int64

var rateUnits = []unit{
	{"bps", 1. / 8}, {"kbps", 1e3 / 8}, {"Kbps", 1e3 / 8}, {"Mbps", 1e6 / 8}, {"Gbps", 1e9 / 8}, {"Tbps", 1e12 / 8},
	{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9},
	{"KiB/s", 1 << 10}, {"MiB/s", 1 << 20}, {"GiB/s", 1 << 30},
}

// Allowed describes the accepted text of a Rate.
func (Rate) Allowed() string {
	return `a rate with its unit: bps, kbps, Mbps, Gbps, Tbps (bits) or B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s, such as 1Gbps`
}

// UnmarshalText reads a rate such as 1Gbps; 0 needs no unit.
func (r *Rate) UnmarshalText(text []byte) error {
	v, err := parseQuantity(string(text), rateUnits)
	if err != nil {
		return err
	}
	*r = Rate(v)
	return nil
}

// String formats r in bytes per second.
func (r Rate) String() string { return strconv.FormatInt(int64(r), 10) + "B/s" }

// MarshalText writes the form that UnmarshalText reads.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Frequency is a clock in cycles per second.
type Frequency int64

var frequencyUnits = []unit{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}

// Allowed describes the accepted text of a Frequency.
func (Frequency) Allowed() string {
	return `a frequency with its unit: Hz, kHz, MHz, GHz, such as 2.5GHz`
}

// UnmarshalText reads a frequency such as 2.5GHz.
func (f *Frequency) UnmarshalText(text []byte) error {
	v, err := parseQuantity(string(text), frequencyUnits)
	if err != nil {
		return err
	}
	*f = Frequency(v)
	return nil
}

// String formats f in MHz where that is exact.
func (f Frequency) String() string {
	if f%1e6 == 0 {
		return strconv.FormatInt(int64(f/1e6), 10) + "MHz"
	}
	return strconv.FormatInt(int64(f), 10) + "Hz"
}

// MarshalText writes the form that UnmarshalText reads.
func (f Frequency) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Fraction is a share of a whole, written as 70% or 0.7.
type Fraction float64

// CeilOf returns the least whole number that is at least this share of n, without rounding noise.
func (f Fraction) CeilOf(n int32) int32 {
	exact := float64(f) * float64(n)
	whole := int32(exact)
	if float64(whole) < exact-1e-9 {
		whole++
	}
	return min(whole, n)
}

// Allowed describes the accepted text of a Fraction.
func (Fraction) Allowed() string { return `a share such as 70% or 0.7` }

// UnmarshalText reads 70% or 0.7.
func (f *Fraction) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	scale := 1.0
	if p, ok := strings.CutSuffix(s, "%"); ok {
		s, scale = strings.TrimSpace(p), 100
	}
	v, err := parseNumber(s)
	if err != nil {
		return err
	}
	*f = Fraction(v / scale)
	return nil
}

// String formats f as a plain number.
func (f Fraction) String() string { return strconv.FormatFloat(float64(f), 'g', -1, 64) }

// MarshalText writes the form that UnmarshalText reads.
func (f Fraction) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

type unit struct {
	name string
	size float64
}

// parseQuantity reads a number followed by one of units. It is exact for decimals of ordinary length,
// so that 4320770.669406775s survives.
func parseQuantity(s string, units []unit) (int64, error) {
	s = strings.TrimSpace(s)
	i := len(s)
	for i > 0 && !(s[i-1] >= '0' && s[i-1] <= '9' || s[i-1] == '.') {
		i--
	}
	number, name := s[:i], strings.TrimSpace(s[i:])
	if number == "" {
		return 0, errors.New("not a number with a unit")
	}
	v, err := parseNumber(number)
	if err != nil {
		return 0, err
	}
	if name == "" {
		if v == 0 {
			return 0, nil
		}
		return 0, errors.New("the unit is missing")
	}
	for _, u := range units {
		if u.name == name {
			return scaled(number, v, u.size)
		}
	}
	return 0, fmt.Errorf("unknown unit %q", name)
}

// scaled returns number * size rounded to the nearest integer, halves away from zero.
func scaled(number string, value, size float64) (int64, error) {
	if len(number) > 40 || strings.ContainsAny(number, "eE") { // an exponent could ask for gigabytes
		if math.Abs(value*size) >= math.MaxInt64 {
			return 0, errors.New("too large")
		}
		return int64(math.Round(value * size)), nil
	}
	exact, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, errors.New("not a number")
	}
	exact.Mul(exact, new(big.Rat).SetFloat64(size))
	sign := int64(exact.Sign())
	twice := exact.Abs(exact).Mul(exact, big.NewRat(2, 1))
	twice.Add(twice, big.NewRat(1, 1)) // floor((2x+1)/2) rounds x
	q := new(big.Int).Quo(twice.Num(), new(big.Int).Lsh(twice.Denom(), 1))
	if !q.IsInt64() {
		return 0, errors.New("too large")
	}
	return sign * q.Int64(), nil
}

func parseNumber(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(s, "xXpP_") {
		return 0, errors.New("not a number")
	}
	return v, nil
}
