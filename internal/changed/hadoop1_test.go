// SPDX-License-Identifier: Apache-2.0

package changed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/result"
)

const old1 = `<configuration>
  <!-- ours -->
  <property><name>mapred.capacity-scheduler.queue.prod.capacity</name><value>60</value> <!-- was 50 --></property>
  <property><name>mapred.capacity-scheduler.queue.dev.capacity</name><value> 40 </value></property>
  <property><name>mapred.capacity-scheduler.default-user-limit-factor</name><value>2</value></property>
  <property><name>mapred.capacity-scheduler.queue.dev.reclaim-time-limit</name><value>300</value></property>
  <property><name>site.note</name><value>kept &amp; unread</value></property>
</configuration>
`

// folder1 writes the manifest of a what-if on settings of Hadoop 1: those of old.xml, which stands beside it with the text
// given, and others of other.xml. after are the changed parameters, then, after a bar, the changed queue prod.
func folder1(t *testing.T, text, after string) (cost, site string) {
	t.Helper()
	dir := t.TempDir()
	site, cost = filepath.Join(dir, "old.xml"), filepath.Join(dir, "cost")
	other := filepath.Join(dir, "other.xml")
	params := func(head, prod string) string {
		return `{"capacity": {` + head + `"queues": [{` + prod + `}, {"name": "dev", "capacity": 40, "user-limit-factor": 2}]}, "as": `
	}
	head, prod, changes := strings.Cut(after, "|")
	if !changes {
		prod = oldProd
	}
	manifest := `{"yardmaster": "1", "kind": "compare", "policies": ["old.xml", "new"], "inputs": {"` + site + `": "` + result.Hash([]byte(text)) + `", "` + other + `": "` + result.Hash([]byte(othersXML)) + `"},
		"changes": {"new": [{"path": "policy", "value": "x"}]},
		"scenario": {"cluster": {"classes": [{"nodes": 4, "map-slots": 4, "reduce-slots": 2}]}, "workload": {"jobs": [{"name": "a", "queue": "prod", "maps": 1, "map-length": "1s"}]},
			"policies": [` + params("", oldProd) + `"old.xml"}, ` + params(head, prod) + `"new"}]}}`
	for name, content := range map[string]string{site: text, other: othersXML, filepath.Join(cost, result.ManifestName): manifest} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return cost, site
}

const oldProd = `"name": "prod", "capacity": 60, "user-limit-factor": 2`

const othersXML = `<configuration><property><name>mapred.capacity-scheduler.queue.prod.capacity</name><value>100</value></property></configuration>`

// The file that has the settings is found among the inputs, whatever its name, and keeps its comments and what nothing reads.
func TestRewritesHadoop1(t *testing.T) {
	cost, site := folder1(t, old1, `"init-poll-interval": "5s", |"name": "prod", "capacity": 60.5, "user-limit-factor": 2, "minimum-user-limit-percent": 25`)
	f, err := Of(cost, "")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("<value>60</value>", "<value>60.5</value>", "</configuration>",
		"  <property>\n    <name>mapred.capacity-scheduler.init-poll-interval</name>\n    <value>5000</value>\n  </property>\n"+
			"  <property>\n    <name>mapred.capacity-scheduler.queue.prod.minimum-user-limit-percent</name>\n    <value>25</value>\n  </property>\n</configuration>").Replace(old1)
	if string(f.Text) != want {
		t.Errorf("the file is\n%s\nwant\n%s", f.Text, want)
	}
	if err := (&Command{Result: cost, Out: site}).Run(); err == nil || !strings.Contains(err.Error(), "allowed: another file") {
		t.Errorf("the old file is overwritten: %v", err)
	}
}

// Without the file a new one has all settings, and reads as those that were tried.
func TestWritesANewHadoop1(t *testing.T) {
	cost, site := folder1(t, old1, "|"+oldProd+`, "maximum-capacity": 80`)
	if err := os.Remove(site); err != nil {
		t.Fatal(err)
	}
	f, err := Of(cost, "new")
	if err != nil {
		t.Fatal(err)
	}
	read, err := capacityxml.Read("new.xml", f.Text)
	if err != nil || len(read.Warnings) > 0 {
		t.Fatalf("%v %v\n%s", err, read, f.Text)
	}
	prod, dev := read.Config.Find("prod"), read.Config.Find("dev")
	if prod.MaximumCapacity != 80 || prod.UserLimitFactor != 2 || dev.Capacity != 40 || dev.MaximumCapacity != capacityxml.Unlimited || read.Config.MaximumSystemJobs != 5000 {
		t.Errorf("the file is\n%s", f.Text)
	}
}

func TestRefusalsOfHadoop1(t *testing.T) {
	const twin = `<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>prod,dev</value></property>
		<property><name>yarn.scheduler.capacity.root.prod.capacity</name><value>60</value></property>
		<property><name>yarn.scheduler.capacity.root.dev.capacity</name><value>40</value></property></configuration>`
	for name, c := range map[string]struct{ text, after, want string }{
		"rules":            {old1, `"lend-empty": true, `, "lend-empty was changed too, which is not in capacity-scheduler.xml"},
		"a default":        {old1, `"default-user-limit-factor": 3, `, "no setting of capacity-scheduler.xml was changed"}, // the queues have their own
		"part of a second": {old1, `"init-poll-interval": "1500us", `, "whole milliseconds"},
		"a renamed queue":  {old1, "|" + strings.Replace(oldProd, "prod", "production", 1), "mapred.queue.names was changed too"},
		"YARN's file":      {twin, "|" + strings.Replace(oldProd, "2", "3", 1), "was simulated by the rules of Hadoop 1; allowed: a what-if of its folder with --conf"},
	} {
		cost, _ := folder1(t, c.text, c.after)
		if _, err := Of(cost, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
