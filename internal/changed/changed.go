// SPDX-License-Identifier: Apache-2.0

// Package changed writes the configuration file of a what-if: the capacity-scheduler.xml that a result was made from, with
// the values that the what-if tried.
package changed

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/capacityxml"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// FileName is the file that is written.
const FileName = "capacity-scheduler.xml"

const prefix = "yarn.scheduler.capacity."

// Command is the command capacity write.
type Command struct {
	Result string `arg:"" help:"Result folder of compare with --what-if, on a configuration of YARN 3."`
	Policy string `help:"Which of what was compared; the first that was changed if left out."`
	Out    string `placeholder:"FILE" default:"capacity-scheduler.changed.xml" help:"File to write."`
}

// Help implements kong's detailed help.
func (Command) Help() string {
	return `Examples:
  yardmaster capacity write results/what-if
  yardmaster capacity write results/what-if --out new/capacity-scheduler.xml
  yardmaster capacity write results/what-if --policy 'settings-site, ...' --out new.xml

Writes the capacity-scheduler.xml that a what-if tried. Where the file that the result was made from is
still there and unchanged, it is that file with the changed values, comments and all; otherwise it has
the properties alone that are modelled.`
}

// Run implements the command.
func (c *Command) Run() error {
	f, err := Of(c.Result, c.Policy)
	if err != nil {
		return err
	}
	if same, err := filepath.Abs(c.Out); err == nil && slices.Contains(f.sources, same) {
		return &strict.InputError{Err: fmt.Errorf("--out %s: allowed: another file than the one that the result was made from", c.Out)}
	}
	return result.WriteFile(c.Out, f.Text)
}

// File is the changed file.
type File struct {
	Text    []byte
	Changes []capacityxml.Change
	sources []string // files that may not be overwritten
}

// Labels returns the changed policies of a result for which a file can be written.
func Labels(folder string) (labels []string) {
	m, err := result.ReadManifest(folder)
	if err != nil {
		return nil
	}
	for _, l := range m.Policies {
		if m.Changes[l] == nil {
			continue
		}
		if _, err := Of(folder, l); err == nil {
			labels = append(labels, l)
		}
	}
	return labels
}

// Of returns the file of a changed policy of the result; the first changed one for an empty label.
func Of(folder, label string) (*File, error) {
	m, err := result.ReadManifest(folder)
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(m.Policies), func(l string) bool { return m.Changes[l] != nil })
	altered := slices.DeleteFunc(slices.Clone(m.Policies), func(l string) bool { return m.Changes[l] == nil })
	if len(altered) == 0 || len(kept) == 0 {
		return nil, refusal("%s: nothing was changed; allowed: a result of compare --what-if", folder)
	}
	label = cmp.Or(label, altered[0])
	at := slices.Index(altered, label)
	if at < 0 {
		return nil, refusal("%s: found %q; allowed: %s", folder, label, strings.Join(altered, ", "))
	}
	s, err := scenario.Parse(filepath.Join(folder, result.ManifestName), m.Scenario, nil)
	if err != nil {
		return nil, err
	}
	before, err1 := properties(s, kept[at%len(kept)])
	after, err2 := properties(s, label)
	if err := errors.Join(err1, err2); err != nil {
		return nil, refusal("%s: %v", folder, err)
	}
	changes, err := difference(before, after)
	if err != nil {
		return nil, refusal("%s: %v", folder, err)
	}
	f := &File{Changes: changes}
	f.Text, err = f.rewrite(m, before)
	return f, err
}

func refusal(format string, args ...any) error {
	return &strict.InputError{Err: fmt.Errorf(format, args...)}
}

// properties returns Hadoop's properties of a policy.
func properties(s *scenario.Scenario, label string) (map[string]string, error) {
	choice, err := s.Choice(label)
	if err != nil {
		return nil, err
	}
	_, params := choice.Entry()
	c, ok := params.(*handover.Config)
	if !ok {
		return nil, fmt.Errorf("%s is not YARN's resource manager, whose settings are a %s", label, FileName)
	}
	return c.Properties, nil
}

// difference returns what changed, by name. All of it must be of the file.
func difference(before, after map[string]string) (changes []capacityxml.Change, err error) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old, had := before[name]; had && old == after[name] {
			continue
		}
		if !strings.HasPrefix(name, prefix) {
			return nil, fmt.Errorf("%s was changed too, which is not in %s", name, FileName)
		}
		changes = append(changes, capacityxml.Change{Property: name, Old: before[name], New: after[name]})
	}
	if len(changes) == 0 {
		return nil, errors.New("no setting of " + FileName + " was changed")
	}
	return changes, nil
}

// rewrite returns the text of the file that the result was made from with the changes, or of a new file.
func (f *File) rewrite(m *result.Manifest, before map[string]string) ([]byte, error) {
	if name, src := f.source(m, 8); src != nil {
		return capacityxml.Rewrite(name, src, f.Changes)
	}
	text := "<?xml version=\"1.0\"?>\n<configuration>\n"
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if strings.HasPrefix(name, prefix) {
			text += "  <property><name>" + escaped(name) + "</name><value>" + escaped(before[name]) + "</value></property>\n"
		}
	}
	return capacityxml.Rewrite(FileName, []byte(text+"</configuration>\n"), f.Changes)
}

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}

// source finds the one file that the result was made from, through the results that it was made from in turn, if its bytes
// are still those.
func (f *File) source(m *result.Manifest, depth int) (name string, src []byte) {
	for _, input := range slices.Sorted(maps.Keys(m.Inputs)) {
		if filepath.Base(input) == FileName {
			if path, err := filepath.Abs(input); err == nil {
				f.sources = append(f.sources, path)
			}
			text, err := scenario.ReadInput(input)
			if err != nil || result.Hash(text) != m.Inputs[input] || src != nil {
				return "", nil // gone, changed since, or one of several
			}
			name, src = input, text
		}
	}
	if src != nil || depth == 0 {
		return name, src
	}
	for _, input := range slices.Sorted(maps.Keys(m.Inputs)) {
		if from, err := result.ReadManifest(input); err == nil {
			return f.source(from, depth-1)
		}
	}
	return "", nil
}
