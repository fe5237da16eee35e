// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// Open returns the text of a file, or an error that wraps fs.ErrNotExist.
type Open func(file string) ([]byte, error)

// item is one <property> of a file.
type item struct {
	at    strict.Pos
	name  string
	value *string // nil if it has none
	final bool
}

// deepest is how far files may include one another.
const deepest = 30

// mostExpanded is how many bytes entities may stand for in a file and in those that it includes: a few lines of entities
// of entities would otherwise fill any memory.
const mostExpanded = 16 << 20

// parser reads one file and those that it includes, as the release does: whatever is no <property>, <include> or
// <fallback> is passed over, wherever it stands.
type parser struct {
	top   string // the file that includes are relative to, at any depth
	open  Open
	items []item
	odd   strict.Errors // what is passed over
	level int

	expanded int // bytes that entities have stood for
}

// parse reads a file with its includes.
func (p *parser) parse(file string, src []byte) error {
	text, err := Decode(src)
	if err != nil {
		return strict.Error{Pos: strict.Pos{File: file}, Problem: "malformed XML", Found: err.Error(), Allowed: "UTF-8, UTF-16, ISO-8859-1, windows-1252 or US-ASCII"}
	}
	d := &document{parser: p, file: file}
	d.dec = xml.NewDecoder(&metered{Reader: bytes.NewReader(text), document: d})
	d.dec.Entity = map[string]string{}
	d.dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return d.read()
}

// document is one file in hand.
type document struct {
	*parser
	file string
	dec  *xml.Decoder

	path   []string // open elements
	roots  int
	text   strings.Builder
	cur    item
	skip   int  // depth of the <fallback> that is not needed; 0 if none
	failed bool // the last <include> found no file
}

func (d *document) pos() strict.Pos {
	line, col := d.dec.InputPos()
	return strict.Pos{File: d.file, Line: line, Col: col}
}

// read goes through the document.
func (d *document) read() error {
	for {
		at := d.pos()
		token, err := d.dec.Token()
		switch {
		case err == io.EOF && d.roots == 0:
			return strict.Error{Pos: at, Problem: "malformed XML: nothing is in it", Allowed: "<configuration>"}
		case err == io.EOF:
			return nil
		case err != nil:
			return d.malformed(err)
		}
		switch t := token.(type) {
		case xml.Directive:
			err = d.directive(at, t)
		case xml.CharData:
			d.text.Write(t)
		case xml.StartElement:
			err = d.start(at, t)
		case xml.EndElement:
			err = d.end(t.Name.Local)
		}
		if err != nil {
			return err
		}
	}
}

// metered is the text of a document on its way to the decoder. It ends with an error where entities stand for too much.
type metered struct {
	*bytes.Reader
	document *document
	name     []byte // of the entity that is read, behind its &; nil outside of one
}

// ReadByte implements io.ByteReader.
func (m *metered) ReadByte() (byte, error) {
	b, err := m.Reader.ReadByte()
	switch {
	case b == '&':
		m.name = []byte{}
	case b == ';' && m.name != nil && err == nil:
		err = m.document.expand(string(m.name))
		m.name = nil
	case m.name != nil:
		m.name = append(m.name, b)
	}
	return b, err
}

// expand counts what an entity of the document stands for.
func (d *document) expand(name string) error {
	if d.expanded += len(d.dec.Entity[name]); d.expanded <= mostExpanded {
		return nil
	}
	return strict.Error{Pos: d.pos(), Problem: "entities stand for too much text", Found: fmt.Sprintf("%d bytes up to %q", d.expanded, "&"+name+";"),
		Allowed: fmt.Sprintf("%d bytes in a file and those that it includes", mostExpanded)}
}

func (d *document) malformed(err error) error {
	var refused strict.Error
	if errors.As(err, &refused) {
		return refused
	}
	at, text := d.pos(), err.Error()
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		if text = syntax.Msg; syntax.Line != at.Line {
			at.Line, at.Col = syntax.Line, 1
		}
	}
	return strict.Error{Pos: at, Problem: "malformed XML: " + text}
}

var (
	entity   = regexp.MustCompile(`<!ENTITY\s+(\w[\w.-]*)\s+(?:"([^"]*)"|'([^']*)')\s*>`)
	external = regexp.MustCompile(`^DOCTYPE\s+\S+\s+(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|'[^']*'))\s+(?:"([^"]*)"|'([^']*)')`)
	char     = regexp.MustCompile(`&(#?\w+);`)
)

// directive takes the entities of a document type. Those of a file that it names are not read, but the file must be there.
func (d *document) directive(at strict.Pos, text xml.Directive) error {
	if m := external.FindSubmatch(text); m != nil {
		name := string(m[1]) + string(m[2])
		if _, err := d.open(d.resolve(name)); err != nil {
			return strict.Error{Pos: at, Problem: "the document type names a file that cannot be read", Found: fmt.Sprintf("%q", name), Allowed: "a file that is there, or no document type"}
		}
	}
	for _, m := range entity.FindAllSubmatch(text, -1) {
		var fault error
		value := char.ReplaceAllStringFunc(string(m[2])+string(m[3]), func(ref string) string {
			name := ref[1 : len(ref)-1]
			if known, ok := d.dec.Entity[name]; ok {
				if fault == nil {
					fault = d.expand(name)
				}
				if fault != nil {
					return ""
				}
				return known
			}
			var code rune
			if _, err := fmt.Sscanf(ref, "&#x%x;", &code); err == nil {
				return string(code)
			}
			if _, err := fmt.Sscanf(ref, "&#%d;", &code); err == nil {
				return string(code)
			}
			return ref
		})
		if fault != nil {
			return fault
		}
		d.dec.Entity[string(m[1])] = value
	}
	return nil
}

func (d *document) start(at strict.Pos, t xml.StartElement) error {
	if len(d.path) == 0 {
		if d.roots++; d.roots > 1 {
			return strict.Error{Pos: at, Problem: "malformed XML: a second element behind the first", Found: "<" + t.Name.Local + ">", Allowed: "one <configuration>"}
		}
		if name := t.Name.Local; name != "configuration" && name != "property" {
			d.pass(at, name, "taken as <configuration>, as in the release")
		}
	}
	inside := len(d.path) > 0 && d.path[len(d.path)-1] == "property"
	d.path = append(d.path, t.Name.Local)
	if d.skip > 0 {
		return nil
	}
	switch t.Name.Local {
	case "property":
		d.property(at, t.Attr)
	case "name", "value", "final", "source", "tag":
		d.text.Reset()
	case "include":
		return d.include(at, t.Attr)
	case "fallback":
		if !d.failed {
			d.skip = len(d.path)
		}
		d.failed = false
	case "configuration", "description":
	default:
		if inside || len(d.path) == 2 {
			d.pass(at, t.Name.Local, "passed over: only <property> with a <name> and a <value> means something here")
		}
	}
	return nil
}

// property begins one, whose name and value may be attributes.
func (d *document) property(at strict.Pos, attrs []xml.Attr) {
	d.cur = item{at: at}
	for _, a := range attrs {
		switch a.Name.Local {
		case "name":
			d.cur.name = a.Value
		case "value":
			d.cur.value = &a.Value
		case "final":
			d.cur.final = a.Value == "true"
		}
	}
}

func (d *document) end(name string) error {
	closing := d.skip == len(d.path)
	d.path = d.path[:len(d.path)-1]
	if d.skip > 0 {
		if closing {
			d.skip = 0
		}
		return nil
	}
	switch text := d.text.String(); name {
	case "name":
		if text != "" {
			d.cur.name = strings.TrimSpace(text)
		}
	case "value":
		if text != "" {
			d.cur.value = &text
		}
	case "final":
		d.cur.final = text == "true"
	case "property":
		if d.cur.name == "" {
			d.pass(d.cur.at, name, "passed over: it has no name")
		} else {
			d.items = append(d.items, d.cur)
		}
		d.cur = item{}
	case "include":
		if d.failed {
			return strict.Error{Pos: d.pos(), Path: "<include>", Problem: "the file is not there, and there is no <fallback>", Allowed: "a file, as the release demands"}
		}
	}
	return nil
}

// include reads the file that stands in the place of an element.
func (d *document) include(at strict.Pos, attrs []xml.Attr) error {
	d.failed = false
	for _, a := range attrs {
		if a.Name.Local != "href" {
			continue
		}
		file := d.resolve(strings.TrimPrefix(a.Value, "file:"))
		if d.level >= deepest {
			return strict.Error{Pos: at, Path: "<include>", Problem: "files include one another without end", Found: fmt.Sprintf("%q", a.Value)}
		}
		src, err := d.open(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			d.failed = true
			return nil
		case err != nil:
			return strict.Error{Pos: at, Path: "<include>", Problem: "cannot be read: " + err.Error()}
		}
		d.level++
		err = d.parse(file, src)
		d.level--
		if err != nil {
			return err
		}
	}
	return nil
}

// resolve returns the name of a file that another one names.
func (d *document) resolve(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(d.top), name)
}

func (d *document) pass(at strict.Pos, element, text string) {
	d.odd = append(d.odd, strict.Error{Pos: at, Path: "<" + element + ">", Problem: text})
}
