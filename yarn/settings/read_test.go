// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"testing"

	"github.com/yardmaster/yardmaster/yarn/conf"
)

// absolute are the settings of two queues, the first with two children, in MB and virtual cores.
func absolute(calculator, a, x, y, maximum string) conf.Properties {
	p := conf.Properties{
		Prefix + "root.queues": "a,b", Prefix + "root.a.queues": "x,y", Prefix + "resource-calculator": calculator,
		Prefix + "root.a.capacity": a, Prefix + "root.b.capacity": "[memory=1000,vcores=4]",
		Prefix + "root.a.x.capacity": x, Prefix + "root.a.y.capacity": y,
	}
	if maximum != "" {
		p[Prefix+"root.a.maximum-capacity"] = maximum
	}
	return p
}

// TestOverbooked: what the release says to amounts that do not go together, asked of it for these very settings.
func TestOverbooked(t *testing.T) {
	const a = "[memory=1000,vcores=4]"
	for _, c := range []struct {
		name, want       string
		calculator, x, y string
		maximum          string
	}{
		{"memory", "IOException:Parent Queues capacity: <memory:1000, vCores:4> is less than to its children:<memory:1200, vCores:4> for queue:a",
			memory, "[memory=600,vcores=2]", "[memory=600,vcores=2]", ""},
		{"both", "IOException:Parent Queues capacity: <memory:1000, vCores:4> is less than to its children:<memory:1200, vCores:6> for queue:a",
			dominant, "[memory=600,vcores=3]", "[memory=600,vcores=3]", ""},
		{"more of one, less of the other", "", dominant, "[memory=600,vcores=2]", "[memory=600,vcores=1]", ""},
		{"above the maximum", "IllegalArgumentException:Min resource configuration <memory:1000, vCores:4> is greater than its max value:<memory:500, vCores:1> in queue:root.a",
			memory, "[memory=400,vcores=2]", "[memory=400,vcores=2]", "[memory=500,vcores=1]"},
	} {
		_, err := Read(absolute(c.calculator, a, c.x, c.y, c.maximum))
		if got := text(err); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
