// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/yarn/conf"
)

// differ are the probes that are judged differently, with the reason.
var differ = map[string]string{
	"vec06":      "a negative amount is below that of the children, which name none",
	"int-hexbig": "the release says that the digits were hexadecimal",
}

// TestProbes: configurations that the release refuses are refused with its reason, others are taken.
func TestProbes(t *testing.T) {
	f, err := os.Open("testdata/probes.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count := map[bool]int{}
	var name, want string
	var p conf.Properties
	check := func() {
		if name == "" {
			return
		}
		got := "taken"
		if _, err := Read(p); err != nil {
			got = strings.ReplaceAll(err.Error(), " ", "_")
		}
		if (got != want) != (differ[name] != "") {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		count[want == "taken"]++
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		if !strings.HasPrefix(line, "\t") {
			check()
			name, want, _ = strings.Cut(line, "\t")
			p = conf.Properties{Prefix + "root.queues": "a,b", Prefix + "root.a.capacity": "60", Prefix + "root.b.capacity": "40"}
			continue
		}
		key, value, _ := strings.Cut(line[1:], "=")
		full := func(key string) string {
			if strings.HasPrefix(key, "yarn.") {
				return key
			}
			return Prefix + key
		}
		if gone, ok := strings.CutPrefix(key, "-"); ok {
			delete(p, full(gone))
			continue
		}
		p[full(key)] = value
	}
	check()
	if count[true] < 80 || count[false] < 80 {
		t.Errorf("%d taken, %d refused: the list is not whole", count[true], count[false])
	}
}

// TestOdd: what is taken but hardly meant is said.
func TestOdd(t *testing.T) {
	s, err := Read(conf.Properties{Prefix + "root.queues": "a,b", Prefix + "root.a.capacity": "60", Prefix + "root.b.capacity": "40", Prefix + "maximum-applications": "0",
		Prefix + "root.a.maximum-capacity": "50", Prefix + "root.a.minimum-user-limit-percent": "0", Prefix + "root.a.user-limit-factor": "-2", Prefix + "root.a.maximum-am-resource-percent": "1.5",
		Prefix + "root.b.max-parallel-apps": "0", Prefix + "root.b.user-limit-factor": "-1", Prefix + "root.b.maximum-capacity": "150", Prefix + "root.b.maximum-am-resource-percent": "0"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		Prefix + "maximum-applications: 0: every application is rejected",
		Prefix + "root.a.maximum-capacity: 50 is below the capacity 60: the queue never gets its guarantee",
		Prefix + "root.a.minimum-user-limit-percent: 0: every application is rejected, because a user may have none",
		Prefix + "root.a.user-limit-factor: -2: every application is rejected, because a user may have none",
		Prefix + "root.a.maximum-am-resource-percent: 1.5: masters may fill the whole queue, so that none gets a container for its tasks",
		Prefix + "root.b.maximum-capacity: 150: above 100 there is no maximum",
		Prefix + "root.b.max-parallel-apps: 0: no application starts",
		Prefix + "root.b.maximum-am-resource-percent: 0: one application runs at a time",
	}
	if got := s.Odd(); !slices.Equal(got, want) {
		t.Error(strings.Join(got, "\n"))
	}
}

// TestOddNaN: the release reads NaN as a number, and what follows is said as of 0. The queue may use nothing.
func TestOddNaN(t *testing.T) {
	p := conf.Properties{Prefix + "root.queues": "a,b", Prefix + "root.a.capacity": "NaN", Prefix + "root.b.capacity": "40"}
	for _, key := range []string{"maximum-capacity", "minimum-user-limit-percent", "user-limit-factor", "maximum-am-resource-percent"} {
		p[Prefix+"root.a."+key] = "NaN"
	}
	s, err := Read(p)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		Prefix + "root.a.capacity: NaN: the queue has no guarantee, and no share of maximum-applications",
		Prefix + "root.a.maximum-capacity: NaN: nothing starts in the queue",
		Prefix + "root.a.minimum-user-limit-percent: NaN: every application is rejected, because a user may have none",
		Prefix + "root.a.user-limit-factor: NaN: every application is rejected, because a user may have none",
		Prefix + "root.a.maximum-am-resource-percent: NaN: one application runs at a time",
	}
	if got := s.Odd(); !slices.Equal(got, want) {
		t.Error(strings.Join(got, "\n"))
	}
}
