// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"testing"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

func TestVary(t *testing.T) {
	class := func(name string) ClassConfig {
		var c ClassConfig
		c.SetDefaults()
		c.Name = name
		return c
	}
	c := DefaultConfig()
	c.Jobs, c.Arrivals.Interval, c.Classes = 12, 60*model.Second, []ClassConfig{class("a"), class("b"), class("c")}
	c.Vary = &Vary{Jobs: 3, Interval: true, Mix: true}
	if p := c.Validate(); len(p) != 0 {
		t.Fatal(p)
	}
	counts := map[int]bool{}
	mostlyOne, gaps := 0, 0.0
	for seed := range uint64(200) {
		jobs := Generate(&c, workload.Site{Seed: seed})
		counts[len(jobs)] = true
		byClass := map[string]int{}
		for i := range jobs {
			byClass[jobs[i].Class]++
		}
		for _, n := range byClass {
			if n*10 >= len(jobs)*8 {
				mostlyOne++
			}
		}
		gaps += jobs[len(jobs)-1].Submit.Seconds() / float64(len(jobs))
	}
	for n := 3; n <= 12; n++ {
		if !counts[n] {
			t.Errorf("no batch of %d jobs in 200", n)
		}
	}
	if len(counts) != 10 {
		t.Errorf("%d sizes of batches, want 10", len(counts))
	}
	if mostlyOne < 20 || mostlyOne > 120 {
		t.Errorf("%d of 200 batches have mostly one class", mostlyOne)
	}
	if mean := gaps / 200; mean < 25 || mean > 35 {
		t.Errorf("mean gap %.1f s, want about half of 60 s", mean)
	}
	c.Vary.Jobs = 13
	c.Arrivals = Arrivals{Process: "batch"}
	if p := c.Validate(); len(p) != 2 {
		t.Errorf("problems %v, want two", p)
	}
}
