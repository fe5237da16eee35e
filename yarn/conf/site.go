// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// Site is the configuration of a cluster: what its files say together.
type Site struct {
	Properties
	Files []string // that were read

	at    map[string]strict.Pos // where each property was set
	final map[string]strict.Pos // where those that no later file may change were marked
	notes strict.Errors         // what is taken, but not as it may be meant
}

// SiteFiles are the files of a folder that are read, in this order.
var SiteFiles = []string{"core-site.xml", "yarn-site.xml", "mapred-site.xml", "capacity-scheduler.xml", "sls-runner.xml"}

// passed are files of a folder that a resource manager reads and this package does not, with what that changes.
var passed = [][2]string{
	{"resource-types.xml", "containers have memory and vcores, no other resources"},
	{"node-resources.xml", "nodes have memory and vcores, no other resources"},
}

// ReadSite reads folders, each with the files of SiteFiles that it has, and single files (by their ending .xml), one
// over the other. The error lists every file that cannot be read or that the release refuses.
func ReadSite(open Open, paths ...string) (*Site, error) {
	s := &Site{Properties: Properties{}}
	var errs []error
	for _, path := range paths {
		if strings.EqualFold(filepath.Ext(path), ".xml") {
			errs = append(errs, s.Read(path, open))
			continue
		}
		errs = append(errs, s.folder(path, open))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if errs := s.circles(); len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// folder reads the files of a folder.
func (s *Site) folder(dir string, open Open) error {
	var errs []error
	found := 0
	for _, name := range SiteFiles {
		switch err := s.Read(filepath.Join(dir, name), open); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			errs = append(errs, err)
			found++
		default:
			found++
		}
	}
	if found == 0 {
		return strict.Error{Pos: strict.Pos{File: dir}, Problem: "no configuration", Allowed: "a folder with one of " + strings.Join(SiteFiles, ", ")}
	}
	for _, p := range passed {
		if _, err := open(filepath.Join(dir, p[0])); err == nil {
			s.note(strict.Pos{File: filepath.Join(dir, p[0])}, "", "passed over: "+p[1])
		}
	}
	return errors.Join(errs...)
}

// Read reads one file over what is there, by the rules of the release: of a property given twice the last counts, a
// property without a value stays as it was, and one that is marked final is not changed any more. Files that it includes
// take the place of the element that names them; their names are relative to this file.
func (s *Site) Read(file string, open Open) error {
	src, err := open(file)
	if err != nil {
		return err
	}
	p := &parser{top: file, open: open}
	if err := p.parse(file, src); err != nil {
		return err
	}
	s.Files = append(s.Files, file)
	s.notes = append(s.notes, p.odd...)
	if s.Properties == nil {
		s.Properties = Properties{}
	}
	if s.at == nil {
		s.at, s.final = map[string]strict.Pos{}, map[string]strict.Pos{}
	}
	here := map[string]strict.Pos{}
	for _, it := range p.items {
		s.take(it, here)
	}
	return nil
}

// take takes one property; here are those of the same file.
func (s *Site) take(it item, here map[string]strict.Pos) {
	before, fixed := s.final[it.name]
	switch {
	case it.value == nil:
		s.note(it.at, it.name, "has no value, so it changes nothing, as in the release")
	case fixed:
		if s.Properties[it.name] != *it.value {
			s.note(it.at, it.name, fmt.Sprintf("%s has no effect: the property was made final at %s", quote(*it.value), place(before)))
		}
	default:
		if first, twice := here[it.name]; twice && s.Properties[it.name] != *it.value {
			s.note(it.at, it.name, fmt.Sprintf("given twice: %s counts, %s at %s does not", quote(*it.value), quote(s.Properties[it.name]), place(first)))
		}
		s.Properties[it.name], s.at[it.name], here[it.name] = *it.value, it.at, it.at
	}
	if it.final {
		s.final[it.name] = it.at
	}
}

// At returns where a property was set; the zero position if it was not.
func (s *Site) At(name string) strict.Pos { return s.at[name] }

// circles refuses properties of the table whose variables have no end, as the release does when it reads them.
func (s *Site) circles() (errs strict.Errors) {
	for _, name := range s.names() {
		if Find(name) == nil {
			continue
		}
		if _, err := s.Expand(s.Properties[name]); err != nil {
			errs = append(errs, strict.Error{Pos: s.at[name], Path: name, Problem: err.Error()})
		}
	}
	return errs
}

func (s *Site) note(at strict.Pos, name, text string) {
	s.notes = append(s.notes, strict.Error{Pos: at, Path: name, Problem: text})
}

func place(at strict.Pos) string { return fmt.Sprintf("%s:%d", at.File, at.Line) }

// quote shows a value in a message.
func quote(value string) string {
	const most = 60
	if len(value) > most {
		value = strings.ToValidUTF8(value[:most], "") + "..."
	}
	return fmt.Sprintf("%q", value)
}

// ReadXML puts the properties of a single file, which includes no other, over those that are there.
func (p Properties) ReadXML(file string, src []byte) error {
	s := &Site{Properties: p}
	return s.Read(file, func(name string) ([]byte, error) {
		if name == file {
			return src, nil
		}
		return nil, fs.ErrNotExist
	})
}
