// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"slices"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	p := Properties{"a": " ${b}/x ", "b": "${c}", "c": "1", "d": "${nobody}", "e": "${e}"}
	for name, want := range map[string]string{"a": "1/x", "d": "${nobody}", "e": "${e}"} {
		if got := p.Or(name, ""); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := (Properties{"l": " a, b,,c "}).List("l"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%q", got)
	}
}

func TestReadXML(t *testing.T) {
	p := Properties{"kept": "1"}
	err := p.ReadXML("c.xml", []byte("<configuration><property><name>a</name><value>1</value></property>\n<property><name>a</name><value>2</value></property></configuration>"))
	if err != nil || p["a"] != "2" || p["kept"] != "1" {
		t.Error(p, err)
	}
	err = p.ReadXML("c.xml", []byte("<configuration>\n<property>"))
	if err == nil || !strings.HasPrefix(err.Error(), "c.xml:2:") {
		t.Error(err)
	}
}

func TestTable(t *testing.T) {
	if !slices.IsSortedFunc(Table, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not by name")
	}
	for name, want := range map[string]string{
		cs + "root.a.b.capacity":                          cs + "<q>.capacity",
		cs + "root.a.user-settings.bob.weight":            cs + "<q>.user-settings.<u>.weight",
		cs + "root.max-parallel-apps":                     cs + "<q>.max-parallel-apps",
		cs + "user.bob.max-parallel-apps":                 cs + "user.<u>.max-parallel-apps",
		cs + "root.a.accessible-node-labels.x.capacity":   cs + "<q>.accessible-node-labels.<l>.capacity",
		cs + "root.a.ordering-policy":                     cs + "<q>.ordering-policy",
		cs + "root.a.capacity.x":                          "",
		"yarn.resourcemanager.max-completed-applications": "",
	} {
		got := ""
		if e := Find(name); e != nil {
			got = e.Name
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	set := Properties{cs + "root.a.allow-zero-capacity-sum": "true", cs + "root.b.allow-zero-capacity-sum": "false", cs + "node-locality-delay": "2"}
	if got := set.Unmodelled(); len(got) != 1 || got[0].Name != cs+"root.a.allow-zero-capacity-sum" {
		t.Error(got)
	}
}
