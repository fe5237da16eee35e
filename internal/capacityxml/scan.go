// SPDX-License-Identifier: Apache-2.0

package capacityxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// scanner goes through the XML and collects properties.
type scanner struct {
	f    *File
	dec  *xml.Decoder
	errs strict.Errors
	seen map[string]int // line of each name

	encoding string // that the file says it has, if that is not UTF-8
}

// scan reads the properties. whole is false where the text ends in a syntax error, behind which
// nothing can be told.
func (f *File) scan() (errs strict.Errors, whole bool) {
	s := &scanner{f: f, dec: xml.NewDecoder(bytes.NewReader(f.src)), seen: map[string]int{}}
	s.dec.CharsetReader = func(name string, _ io.Reader) (io.Reader, error) {
		s.encoding = name
		return nil, errors.New("not read")
	}
	roots, err := 0, error(nil)
	for err == nil {
		at := s.pos()
		var token xml.Token
		if token, err = s.dec.Token(); err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			if roots++; t.Name.Local != "configuration" || roots > 1 {
				s.bad(at, "wrong element", "<"+t.Name.Local+">", "one <configuration> around all properties")
				err = s.dec.Skip()
				continue
			}
			err = s.configuration()
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" {
				s.bad(at, "text outside of <configuration>", quote(text), "one <configuration> around all properties")
			}
		}
	}
	if err != io.EOF {
		s.syntax(err)
		return s.errs, false
	}
	if roots == 0 {
		s.bad(s.pos(), "no settings", "no <configuration>", "a capacity-scheduler.xml")
		return s.errs, false
	}
	return s.errs, true
}

func (s *scanner) pos() strict.Pos {
	line, col := s.dec.InputPos()
	return strict.Pos{File: s.f.Name, Line: line, Col: col}
}

func (s *scanner) bad(at strict.Pos, problem, found, allowed string) {
	s.errs = append(s.errs, strict.Error{Pos: at, Problem: problem, Found: found, Allowed: allowed})
}

func (s *scanner) syntax(err error) {
	at := s.pos()
	if s.encoding != "" {
		s.bad(at, "another encoding", quote(s.encoding), "a file in UTF-8 that says so, or says nothing")
		return
	}
	text := err.Error()
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		if text = syntax.Msg; syntax.Line != at.Line {
			at.Line, at.Col = syntax.Line, 1
		}
	}
	s.bad(at, "malformed XML: "+text, "", "")
}

// configuration reads what stands between <configuration> and its end.
func (s *scanner) configuration() error {
	for {
		at, offset := s.pos(), int(s.dec.InputOffset())
		token, err := s.dec.Token()
		if err != nil {
			return unexpected(err)
		}
		switch t := token.(type) {
		case xml.EndElement:
			s.f.end = offset
			return nil
		case xml.StartElement:
			switch t.Name.Local {
			case "property":
				err = s.property(at)
			case "include":
				s.bad(at, "not supported", "an include", "all settings in one file")
				err = s.dec.Skip()
			default:
				s.f.Warnings = append(s.f.Warnings, strict.Error{Pos: at, Path: "<" + t.Name.Local + ">", Problem: "passed over: only <property> means something here"})
				err = s.dec.Skip()
			}
			if err != nil {
				return unexpected(err)
			}
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" {
				s.bad(at, "text outside of a property", quote(text), "<property> elements")
			}
		}
	}
}

// property reads one property and keeps it unless something is wrong with it.
func (s *scanner) property(at strict.Pos) error {
	p := Property{Line: at.Line, from: -1}
	named := false
	for {
		inner, offset := s.pos(), int(s.dec.InputOffset())
		token, err := s.dec.Token()
		if err != nil {
			return unexpected(err)
		}
		switch t := token.(type) {
		case xml.EndElement:
			s.keep(at, &p, named)
			return nil
		case xml.StartElement:
			var text string
			if text, err = s.text(); err != nil {
				return err
			}
			switch t.Name.Local {
			case "name":
				p.Name, named = text, text != ""
			case "value":
				if p.from >= 0 {
					s.bad(inner, "duplicate value", quote(text), "one <value> a property")
				}
				p.Value, p.from, p.to = text, offset, int(s.dec.InputOffset())
			case "description", "final", "source":
			default:
				s.f.Warnings = append(s.f.Warnings, strict.Error{Pos: inner, Path: "<" + t.Name.Local + ">", Problem: "passed over: a property has a <name> and a <value>"})
			}
		}
	}
}

func (s *scanner) keep(at strict.Pos, p *Property, named bool) {
	switch {
	case !named:
		s.bad(at, "property without a name", "", "<name> and <value> in every <property>")
	case p.from < 0:
		s.errs = append(s.errs, strict.Error{Pos: at, Path: p.Name, Problem: "property without a value", Allowed: "<name> and <value> in every <property>"})
	case s.seen[p.Name] > 0:
		s.errs = append(s.errs, strict.Error{Pos: at, Path: p.Name, Problem: "duplicate property", Found: fmt.Sprintf("it on line %d before", s.seen[p.Name]), Allowed: "each property once"})
	default:
		s.seen[p.Name] = p.Line
		s.f.Properties = append(s.f.Properties, *p)
	}
}

// text returns the text of the element that was begun, without white space around it.
func (s *scanner) text() (string, error) {
	var b strings.Builder
	for depth := 1; ; {
		token, err := s.dec.Token()
		if err != nil {
			return "", unexpected(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth--; depth == 0 {
				return strings.TrimSpace(b.String()), nil
			}
		case xml.CharData:
			b.Write(t)
		}
	}
}

// unexpected makes the end of the file inside an element a syntax error.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

const maxShown = 60 // bytes of a found text that a message shows

func quote(text string) string {
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "..."
	}
	return strconv.Quote(text)
}
