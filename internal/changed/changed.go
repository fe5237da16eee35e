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
	"github.com/yardmaster/yardmaster/policy/hadoop1"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/yarn/handover"
)

// FileName is the file that is written.
const FileName = "capacity-scheduler.xml"

// yarnPrefix and hadoop1Prefix begin the properties of the file in YARN and in Hadoop 1. queueNames lists the queues of
// Hadoop 1; a file may have it.
const (
	yarnPrefix    = "yarn.scheduler.capacity."
	hadoop1Prefix = "mapred.capacity-scheduler."
	queueNames    = "mapred.queue.names"
)

// Command is the command capacity write.
type Command struct {
	Result string `arg:"" help:"Result folder of compare with --what-if, on a configuration of YARN 3 or settings of Hadoop 1."`
	Policy string `help:"Which of what was compared; the first that was changed if left out."`
	Out    string `placeholder:"FILE" default:"capacity-scheduler.changed.xml" help:"File to write."`
}

// Help implements kong's detailed help.
func (Command) Help() string {
	return `Examples:
  yardmaster capacity write results/what-if
  yardmaster capacity write results/what-if --out new/capacity-scheduler.xml
  yardmaster capacity write results/what-if --policy 'site, root.prod.user-limit-factor=2' --out new.xml

Writes the capacity-scheduler.xml that a what-if tried, of YARN 3 or of Hadoop 1. Where the file that the
result was made from is still there and unchanged, it is that file with the changed values, comments and
all; otherwise it has the properties alone that are modelled.`
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
	prefix  string            // of the properties that the file has
	before  map[string]string // the properties of what was not changed
	sources []string          // files that may not be overwritten
	foreign string            // a file of YARN among them, where the rules are those of Hadoop 1
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
	f := &File{}
	var after map[string]string
	f.before, f.prefix, err = properties(s, kept[at%len(kept)])
	if err == nil {
		after, _, err = properties(s, label)
	}
	if err == nil {
		f.Changes, err = difference(f.before, after, f.prefix)
	}
	if err != nil {
		return nil, refusal("%s: %v", folder, err)
	}
	f.Text, err = f.rewrite(m)
	return f, err
}

func refusal(format string, args ...any) error {
	return &strict.InputError{Err: fmt.Errorf(format, args...)}
}

// properties returns Hadoop's properties of a policy, and how those of the file begin.
func properties(s *scenario.Scenario, label string) (map[string]string, string, error) {
	choice, err := s.Choice(label)
	if err != nil {
		return nil, "", err
	}
	switch _, params := choice.Entry(); c := params.(type) {
	case *handover.Config:
		return c.Properties, yarnPrefix, nil
	case *hadoop1.Params:
		all, err := hadoop1Of(c)
		return all, hadoop1Prefix, err
	}
	return nil, "", fmt.Errorf("%s is neither YARN's resource manager nor the policy capacity, whose settings are a %s", label, FileName)
}

// difference returns what changed, by name. All of it must be of the file.
func difference(before, after map[string]string, prefix string) (changes []capacityxml.Change, err error) {
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
func (f *File) rewrite(m *result.Manifest) ([]byte, error) {
	if name, src := f.source(m, 8); src != nil {
		return capacityxml.Rewrite(name, src, f.Changes)
	}
	if f.foreign != "" {
		return nil, refusal("%s is YARN's, and was simulated by the rules of Hadoop 1; allowed: a what-if of its folder with --conf", f.foreign)
	}
	text := "<?xml version=\"1.0\"?>\n<configuration>\n"
	for _, name := range slices.Sorted(maps.Keys(f.before)) {
		if strings.HasPrefix(name, f.prefix) || name == queueNames {
			text += "  <property><name>" + escaped(name) + "</name><value>" + escaped(f.before[name]) + "</value></property>\n"
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
// are still those. YARN's has one name in every configuration folder; one of Hadoop 1 may have any, and has the settings.
func (f *File) source(m *result.Manifest, depth int) (name string, src []byte) {
	for _, input := range slices.Sorted(maps.Keys(m.Inputs)) {
		if f.prefix == yarnPrefix && filepath.Base(input) == FileName || f.prefix == hadoop1Prefix && filepath.Ext(input) == ".xml" {
			if path, err := filepath.Abs(input); err == nil {
				f.sources = append(f.sources, path)
			}
			text, err := scenario.ReadInput(input)
			if f.prefix == hadoop1Prefix && !f.says(input, text) {
				continue // settings of something else that is compared, or changed since
			}
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
