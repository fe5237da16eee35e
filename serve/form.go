// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policies"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/conf"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// field is one setting of a form.
type field struct {
	Path    string `json:"path"`  // as --what-if takes it
	Group   string `json:"group"` // the section of the scenario
	Value   string `json:"value"` // now; empty where nothing is set
	Type    string `json:"type"`
	Allowed string `json:"allowed"`
	Doc     string `json:"doc"`
}

// fault is one thing that is wrong with what was asked for, at a field if it is about one.
type fault struct {
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

// faultsOf takes an error apart; the texts are those of the command line.
func faultsOf(err error) []fault {
	var list strict.Errors
	if !errors.As(err, &list) {
		return []fault{{Text: err.Error()}}
	}
	var out []fault
	for _, e := range list {
		out = append(out, fault{e.Path, e.Error()})
	}
	return out
}

// form answers with the settings of a scenario: of a file, of a result, or of the built-in one. policy is a label of
// those that it compares, or empty for the one that it runs, of a comparison the first.
func (b *Workbench) form(w http.ResponseWriter, r *http.Request) {
	base, label := r.URL.Query().Get("base"), r.URL.Query().Get("policy")
	s, err := b.scenario(base)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err)
		return
	}
	labels := []string{}
	if m, err := b.manifest(base); err == nil && m.Kind == "compare" && len(m.Policies) > 0 {
		label, labels = cmp.Or(label, m.Policies[0]), append(labels, m.Policies...)
		if s, err = (&scenario.Change{Settings: m.Changes[label]}).Scenario(s); err != nil {
			refuse(w, http.StatusUnprocessableEntity, err)
			return
		}
	}
	choice, prefix := s.Policy, "policy."+s.Policy.Name+"."
	if slices.Contains(labels, label) { // compared, and perhaps named on the command line alone
		if choice, err = s.Choice(label); err != nil {
			refuse(w, http.StatusUnprocessableEntity, err)
			return
		}
		prefix = "policy." + choice.Name + "."
	}
	for i, p := range s.Policies {
		if !slices.Contains(labels, p.Label()) {
			labels = append(labels, p.Label())
		}
		if p.Label() == label {
			choice, prefix = p, prefixOf(s, i)
		}
	}
	if len(labels) == 0 {
		labels = append(labels, s.Policy.Label())
	}
	further := "" // where properties of Hadoop that are not set yet go
	if _, params := choice.Entry(); isYarn(params) {
		further = prefix + "properties"
	}
	reply(w, map[string]any{"name": s.Name, "policies": labels, "policy": choice.Label(), "seeds": min(s.Seeds, 10), "fields": fieldsOf(s, &choice, prefix), "further": further})
}

func isYarn(params any) bool { _, ok := params.(*handover.Config); return ok }

// prefixOf is the path of the parameters of the i-th policy that is compared: its own where it has some, otherwise those of
// the policy that is run.
func prefixOf(s *scenario.Scenario, i int) string {
	own := fmt.Sprintf("policies[%d].%s.", i, s.Policies[i].Name)
	for _, l := range strict.Leaves(strict.Encode(s), func(string) bool { return false }) {
		if strings.HasPrefix(l.Path, own) {
			return own
		}
	}
	return "policy." + s.Policies[i].Name + "."
}

// scenario reads the scenario of a path below the folder; the built-in one if it is empty.
func (b *Workbench) scenario(base string) (*scenario.Scenario, error) {
	if base == "" {
		s, _, err := scenario.LoadOrBuiltin("", nil)
		return s, err
	}
	if _, err := b.root.Stat(base); err != nil {
		return nil, &strict.InputError{Err: err}
	}
	s, _, err := scenario.LoadOrBuiltin(b.shell(base), nil)
	return s, err
}

// fieldsOf lists the settings of a scenario and of one of its policies, first those that it has, then those that it
// could have.
func fieldsOf(s *scenario.Scenario, choice *scenario.PolicyChoice, prefix string) []field {
	node := strict.Encode(s)
	node.Drop("policy", "policies")
	out := describe("", node, strict.Fields(s))
	if choice.Roles == nil {
		if params := choice.Parameters(policies.Choosable); params != nil {
			out = append(describe(prefix, strict.Encode(params), strict.Fields(params)), out...)
		}
	}
	return out
}

// describe words the values of a tree and the fields that it leaves out.
func describe(prefix string, node *strict.Node, schema []strict.Field) (out []field) {
	about := map[string]*strict.Field{}
	for i := range schema {
		about[schema[i].Path] = &schema[i]
	}
	seen := map[string]bool{}
	add := func(path, value string, f *strict.Field) {
		group, _, _ := strings.Cut(path, ".")
		if prefix != "" {
			group = strings.TrimSuffix(prefix, ".")
		} else if !strings.Contains(path, ".") {
			group = "general"
		}
		one := field{Path: prefix + path, Group: group, Value: value}
		if f != nil {
			one.Type, one.Allowed, one.Doc = f.Type, f.Allowed, f.Doc
		}
		if name, ok := property(path); ok {
			one.property(name)
		}
		out = append(out, one)
	}
	for _, l := range strict.Leaves(node, func(path string) bool { return about[path] != nil }) {
		seen[l.Field] = true
		f := about[l.Field]
		for at := l.Field; f == nil && strings.Contains(at, "."); f = about[at] { // part of a value with a notation of its own
			at = at[:strings.LastIndex(at, ".")]
		}
		add(l.Path, l.Text, f)
	}
	for i := range schema {
		f := &schema[i]
		own := !strings.ContainsAny(f.Path, "[<") && !strings.HasPrefix(f.Path, "policies") && f.Path != "policy"
		if own && !seen[f.Path] && f.Type != "mapping" && !strings.HasPrefix(f.Type, "list of mapping") {
			add(f.Path, "", f)
		}
	}
	return out
}

// property returns the name of the property of Hadoop that a path leads to.
func property(path string) (string, bool) {
	name, ok := strings.CutPrefix(path, `properties["`)
	name, closed := strings.CutSuffix(name, `"]`)
	return name, ok && closed
}

// property words a property of Hadoop.
func (f *field) property(name string) {
	e := conf.Find(name)
	switch {
	case e == nil:
		f.Doc = "A property of Hadoop that nothing reads."
	default:
		f.Type, f.Doc = e.Type, "A property of Hadoop; "+e.Default+" if it is not set."
		if e.Default == "" {
			f.Doc = "A property of Hadoop."
		}
	}
}
