// SPDX-License-Identifier: Apache-2.0

package packed

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {1.0 / 3, "0.33333"}, {123456.7, "123460"}, {1e12, "1e+12"}, {-0.00001234567, "-1.2346e-05"},
		{math.NaN(), "null"}, {math.Inf(1), "null"}, {math.MaxFloat64, "1.7976931348623157e+308"},
	} {
		if got := string(appendNumber(nil, c.v, 5)); got != c.want {
			t.Errorf("%v is written %s, want %s", c.v, got, c.want)
		}
	}
}
