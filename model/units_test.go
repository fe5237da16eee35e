// SPDX-License-Identifier: Apache-2.0

package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestUnitsAsPeopleWriteThem(t *testing.T) {
	times := map[string]Time{"300ms": 300 * Millisecond, "12000s": 12000 * Second, "1.5h": 90 * Minute, "0": 0,
		"2min": 2 * Minute, "4320770.669406775s": 4320770669406775, "-3s": -3 * Second, "1e3s": 1000 * Second}
	for text, want := range times {
		var got Time
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", text, got, err, want)
		}
	}
	sizes := map[string]Bytes{"128MiB": 128 << 20, "1.5GB": 1500000000, "30TB": 30e12, "17B": 17}
	for text, want := range sizes {
		var got Bytes
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", text, got, err, want)
		}
	}
	rates := map[string]Rate{"1Gbps": 125e6, "80MB/s": 80e6, "8bps": 1}
	for text, want := range rates {
		var got Rate
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", text, got, err, want)
		}
	}
	var f Fraction
	if err := f.UnmarshalText([]byte("70%")); err != nil || f != 0.7 {
		t.Errorf("70%%: got %v, %v", f, err)
	}
}

func TestBadUnitsAreRefused(t *testing.T) {
	for _, text := range []string{"", "s", "5", "5 parsecs", "1e400s", "NaNs", "0x10s", "99999999999h", "1e-999999999x"} {
		var got Time
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
	var b Bytes
	if err := b.UnmarshalText([]byte("128MX")); err == nil {
		t.Error("128MX was read")
	}
}

// What is written can be read back, for every time below a century.
func TestTimeTextRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Time(rapid.Int64Range(-int64(100*365*Day), int64(100*365*Day)).Draw(t, "time"))
		text, _ := want.MarshalText()
		var got Time
		if err := got.UnmarshalText(text); err != nil || got != want {
			t.Fatalf("%d written as %s, read as %d, %v", want, text, got, err)
		}
	})
}

func TestRoomTimes(t *testing.T) {
	for _, c := range []struct {
		room, need Room
		want       int
	}{{Room{6, 2}, Room{1, 0}, 6}, {Room{6, 2}, Room{0, 1}, 2}, {Room{8192, 4}, Room{1024, 1}, 4}, {Room{1, 0}, Room{2, 0}, 0}, {Room{1, 1}, Room{}, 0}} {
		if got := c.room.Times(c.need); got != c.want {
			t.Errorf("%v holds %d times %v, want %d", c.room, got, c.need, c.want)
		}
	}
}

// A time of the solver becomes the first whole nanosecond that is not before it; where the product with 1e9 is
// rounded up it may be the second.
func TestAtOrAfter(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		want    Time
	}{
		{0, 0}, {1e-9, 1}, {1.4e-9, 2}, {1, Second}, {1.0 / 3, 333_333_334}, {2.0 / 3, 666_666_667},
		{math.Inf(1), Horizon + 1}, {Horizon.Seconds(), Horizon + 1},
	} {
		if got := AtOrAfter(c.seconds); got != c.want {
			t.Errorf("%g s: %d ns, want %d", c.seconds, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1e9).Draw(t, "seconds")
		n := AtOrAfter(x)
		if n.Seconds() < x {
			t.Fatalf("%v s: %d ns are only %v s", x, n, n.Seconds())
		}
		grain := Time(2e9*(math.Nextafter(x, math.Inf(1))-x)) + 2 // how well a float knows the time, and its product
		if n > grain && (n-grain).Seconds() >= x {
			t.Fatalf("%v s: %d ns, %d less would do", x, n, grain)
		}
	})
}
