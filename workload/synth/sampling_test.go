// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"pgregory.net/rapid"
)

func stratifiedMix(jobs int) *Config {
	c := mixed(jobs)
	c.Sampling = "stratified"
	return c
}

// The values of each field of each class are the quantiles at (i+0.5)/n, each once, whatever the
// seed. Of 1,121 jobs with shares 3 : 1 the quotas are 840.75 and 280.25.
func TestStratifiedQuantiles(t *testing.T) {
	want := map[string]int{"small": 841, "large": 280}
	c := stratifiedMix(1121)
	for seed := range uint64(3) {
		jobs := Generate(c, site(model.Slots, seed))
		for k := range c.Classes {
			class := &c.Classes[k]
			n := want[class.Name]
			var maps, lengths, reduces []float64
			users := map[string]int{}
			for i := range jobs {
				if j := &jobs[i]; j.Class == class.Name {
					maps, reduces = append(maps, float64(j.Maps)), append(reduces, float64(j.ReduceLength.Mean))
					lengths = append(lengths, float64(j.MapLength.Mean))
					users[j.User]++
				}
			}
			same := func(field string, got []float64, quantile func(u float64) float64) {
				slices.Sort(got)
				for i := range n {
					if len(got) != n || got[i] != quantile((float64(i)+0.5)/float64(n)) {
						t.Fatalf("seed %d, class %s: %d values of %s; number %d differs from the quantile", seed, class.Name, len(got), field, i)
					}
				}
			}
			same("maps", maps, func(u float64) float64 { return math.Round(float64(class.Maps.Quantile(u))) })
			same("map-length", lengths, func(u float64) float64 { return float64(class.MapLength.Quantile(u)) })
			same("reduce-length", reduces, func(u float64) float64 { return float64(class.ReduceLength.Quantile(u)) })
			for u, got := range users {
				if d := got - n/class.Users; d < 0 || d > 1 {
					t.Errorf("user %s has %d of %d jobs of %d users", u, got, n, class.Users)
				}
			}
		}
	}
}

// Fields are dealt out independently: their rank correlation over n jobs has standard deviation
// 1/sqrt(n-1), and so have those of class and place in the order. Four of them are allowed.
func TestStratifiedFieldsAreIndependent(t *testing.T) {
	c := stratifiedMix(2000)
	c.Classes = c.Classes[1:]
	jobs := Generate(c, site(model.Slots, 5))
	var fields [4][]float64
	for i := range jobs {
		for f, v := range []float64{float64(i), float64(jobs[i].Maps), float64(jobs[i].MapLength.Mean), float64(jobs[i].ReduceLength.Mean)} {
			fields[f] = append(fields[f], v)
		}
	}
	for a := range fields {
		for b := range a {
			if r := rankCorrelation(fields[a], fields[b]); math.Abs(r) > 4/math.Sqrt(1999) {
				t.Errorf("fields %d and %d have rank correlation %.3f", a, b, r)
			}
		}
	}
}

// Changing one field of one class leaves all others alone, as with random sampling.
func TestStratifiedDrawsAreKeyed(t *testing.T) {
	s := site(model.Slots, 7)
	a := Generate(stratifiedMix(500), s)
	if !reflect.DeepEqual(a, Generate(stratifiedMix(500), s)) {
		t.Error("the same seed gave two workloads")
	}
	if reflect.DeepEqual(a, Generate(stratifiedMix(500), site(model.Slots, 8))) {
		t.Error("two seeds gave the same workload")
	}
	c := stratifiedMix(500)
	c.Classes[1].MapLength = Constant(model.Second)
	for i, j := range Generate(c, s) {
		if j.Submit != a[i].Submit || j.Maps != a[i].Maps || j.ReduceLength.Mean != a[i].ReduceLength.Mean || j.Class == "small" && !reflect.DeepEqual(j, a[i]) {
			t.Fatalf("job %d: %+v was %+v", i, j, a[i])
		}
	}
}

// The default is random: a configuration without the field draws at random.
func TestSamplingDefault(t *testing.T) {
	c, d := mixed(100), mixed(100)
	c.Sampling = ""
	if d.Sampling != "random" || !reflect.DeepEqual(Generate(c, site(model.Slots, 1)), Generate(d, site(model.Slots, 1))) {
		t.Errorf("default sampling is %q", d.Sampling)
	}
}

func TestApportion(t *testing.T) {
	for _, c := range []struct {
		n      int
		shares []float64
		want   []int
	}{
		{10, []float64{1, 1, 1}, []int{4, 3, 3}},
		{1121, []float64{3, 1}, []int{841, 280}},
		{7, []float64{0, 2, 0, 5}, []int{0, 2, 0, 5}},
		{1, []float64{1, 2}, []int{0, 1}},
		{3, []float64{0, 1}, []int{0, 3}},
	} {
		if got := apportion(c.n, c.shares); !slices.Equal(got, c.want) {
			t.Errorf("%d by %v: %v, want %v", c.n, c.shares, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		shares := rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 8).Draw(t, "shares")
		shares[0] += 0.1
		total, sum := 0.0, 0
		for _, s := range shares {
			total += s
		}
		for k, got := range apportion(n, shares) {
			sum += got
			if quota := float64(n) * shares[k] / total; math.Abs(float64(got)-quota) > 1+1e-9 || shares[k] == 0 && got > 0 {
				t.Fatalf("class %d has %d of quota %g", k, got, quota)
			}
		}
		if sum != n {
			t.Fatalf("%d things of %d", sum, n)
		}
	})
}
