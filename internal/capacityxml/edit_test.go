// SPDX-License-Identifier: Apache-2.0

package capacityxml

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const commented = `<?xml version="1.0"?>
<!-- ours -->
<configuration>
  <property>
    <name>mapred.capacity-scheduler.queue.a.capacity</name>
    <value>
      60
    </value> <!-- was 50 -->
    <description>most</description>
  </property>
  <property><name>mapred.capacity-scheduler.queue.b.capacity</name><value>40</value></property>
</configuration>
`

func TestEdit(t *testing.T) {
	f, err := Read("c.xml", []byte(commented))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Config.Clone()
	c.Queues[0].Capacity, c.Queues[1].Capacity, c.Queues[1].UserLimitFactor = 70, 30, 2.5
	text, changes := f.Edit(&c)
	want := strings.NewReplacer("<value>\n      60\n    </value>", "<value>70</value>", "<value>40</value>", "<value>30</value>", "</configuration>",
		"  <property>\n    <name>mapred.capacity-scheduler.queue.b.user-limit-factor</name>\n    <value>2.5</value>\n  </property>\n</configuration>").Replace(commented)
	if string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	wantChanges := []Change{{"mapred.capacity-scheduler.queue.a.capacity", "60", "70"}, {"mapred.capacity-scheduler.queue.b.capacity", "40", "30"},
		{"mapred.capacity-scheduler.queue.b.user-limit-factor", "", "2.5"}}
	if !reflect.DeepEqual(changes, wantChanges) {
		t.Errorf("%+v, want %+v", changes, wantChanges)
	}
	same, none := f.Edit(&f.Config)
	if string(same) != commented || none != nil {
		t.Errorf("an edit without a change: %v\n%s", none, same)
	}
}

// What was written is read back as it was meant, in both dialects.
func TestEditRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "queues")
		yarn := rapid.Bool().Draw(t, "yarn")
		properties := []string{}
		left := 100
		for i := range n {
			share := left
			if i < n-1 {
				share = rapid.IntRange(0, left).Draw(t, "capacity")
			}
			left -= share
			name := fmt.Sprintf("q:q%d.capacity=%d", i, share)
			if yarn {
				name = fmt.Sprintf("y:root.q%d.capacity=%d", i, share)
			}
			properties = append(properties, name)
		}
		if yarn {
			properties = append(properties, "y:root.queues=q0,q1,q2,q3"[:len("y:root.queues=")+3*n-1])
		}
		f, err := Read("c.xml", []byte(xmlOf(properties...)))
		if err != nil {
			t.Fatal(err)
		}
		c := f.Config.Clone()
		for i := range c.Queues {
			q := &c.Queues[i]
			q.MaximumCapacity = float64(rapid.IntRange(max(1, int(q.Capacity)), 100).Draw(t, "maximum"))
			q.MinimumUserLimitPercent = rapid.IntRange(1, 100).Draw(t, "user limit")
			q.UserLimitFactor = rapid.Float64Range(0.001, 100).Draw(t, "factor")
		}
		text, _ := f.Edit(&c)
		g, err := Read("c.xml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(c, g.Config) {
			t.Errorf("%+v, want %+v\n%s", g.Config, c, text)
		}
	})
}

// FuzzRead: a file is either refused, with a line for every fault, or its settings are such that the scheduler
// starts, and an edit without a change leaves every byte as it is.
func FuzzRead(f *testing.F) {
	f.Add([]byte(commented))
	f.Add([]byte(xmlOf("y:root.queues=a,b", "y:root.a.capacity=1w", "y:root.b.capacity=2w", "y:root.a.queues=c", "y:root.a.c.capacity=100")))
	f.Add([]byte(xmlOf("mapred.queue.names=a", "q:a.capacity=100.5", "q:b.x=3")))
	f.Add([]byte("<configuration><property><name>mapred.capacity-scheduler.queue.a.capacity</name><value/></property></configuration>"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Read("f.xml", src)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.xml:") {
				t.Errorf("no file in %q", err)
			}
			return
		}
		if len(file.Config.Queues) == 0 {
			t.Error("no queue")
		}
		for _, q := range file.Config.Queues {
			if q.Name == "" || !(q.Capacity >= 0) || q.MaximumCapacity > 100.001 || q.MinimumUserLimitPercent < 1 || q.MinimumUserLimitPercent > 100 {
				t.Errorf("%+v", q)
			}
		}
		if same, changes := file.Edit(&file.Config); string(same) != string(src) || changes != nil {
			t.Errorf("%v\n%q\n%q", changes, src, same)
		}
	})
}
