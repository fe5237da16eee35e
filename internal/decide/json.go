// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// parse reads JSON with comments from // to the end of a line into a tree with positions.
func parse(file string, src []byte) (*strict.Node, strict.Errors) {
	p := &parser{file: file, src: src, line: 1}
	n := p.value(0)
	p.blank()
	if p.at < len(p.src) {
		p.fail("the end of the file")
	}
	if p.err != nil {
		return nil, strict.Errors{*p.err}
	}
	return n, p.twice
}

// parser stops at the first fault of syntax.
type parser struct {
	file  string
	src   []byte
	at    int
	line  int
	start int // of the line
	err   *strict.Error
	twice strict.Errors // keys given twice
}

const deepest = 100

func (p *parser) pos() strict.Pos {
	return strict.Pos{File: p.file, Line: p.line, Col: p.at - p.start + 1}
}

func (p *parser) fail(allowed string) {
	if p.err != nil {
		return
	}
	found := "the end of the file"
	if p.at < len(p.src) {
		r, _ := utf8.DecodeRune(p.src[p.at:])
		found = fmt.Sprintf("%q", r)
	}
	p.err = &strict.Error{Pos: p.pos(), Problem: "syntax error", Found: found, Allowed: allowed}
	p.at = len(p.src)
}

// blank skips white space and comments.
func (p *parser) blank() {
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '\n':
			p.line++
			p.start = p.at + 1
		case c == ' ' || c == '\t' || c == '\r':
		case c == '/' && p.at+1 < len(p.src) && p.src[p.at+1] == '/':
			for p.at+1 < len(p.src) && p.src[p.at+1] != '\n' {
				p.at++
			}
		default:
			return
		}
		p.at++
	}
}

// next reports whether the next character is c, and skips it.
func (p *parser) next(c byte) bool {
	p.blank()
	if p.at < len(p.src) && p.src[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) *strict.Node {
	p.blank()
	n := &strict.Node{Kind: strict.Null, Pos: p.pos()}
	if p.at == len(p.src) || depth > deepest {
		p.fail(fmt.Sprintf("a value, nested at most %d deep", deepest))
		return n
	}
	switch c := p.src[p.at]; {
	case c == '{':
		p.object(n, depth)
	case c == '[':
		p.array(n, depth)
	case c == '"':
		n.Kind, n.Quoted, n.Text = strict.Scalar, true, p.text()
	default:
		p.bare(n)
	}
	return n
}

func (p *parser) object(n *strict.Node, depth int) {
	n.Kind = strict.Mapping
	p.at++
	if p.next('}') {
		return
	}
	seen := map[string]bool{}
	for p.err == nil {
		p.blank()
		key := &strict.Node{Kind: strict.Scalar, Quoted: true, Pos: p.pos()}
		if p.at == len(p.src) || p.src[p.at] != '"' {
			p.fail("a key in quotes")
			return
		}
		key.Text = p.text()
		if seen[key.Text] {
			p.twice = append(p.twice, strict.Error{Pos: key.Pos, Path: key.Text, Problem: "duplicate key", Allowed: "each key once"})
		}
		seen[key.Text] = true
		if !p.next(':') {
			p.fail("a colon")
			return
		}
		n.Keys = append(n.Keys, key)
		n.Items = append(n.Items, p.value(depth+1))
		if p.next('}') {
			return
		}
		if !p.next(',') {
			p.fail("a comma or }")
		}
	}
}

func (p *parser) array(n *strict.Node, depth int) {
	n.Kind = strict.Sequence
	p.at++
	if p.next(']') {
		return
	}
	for p.err == nil {
		n.Items = append(n.Items, p.value(depth+1))
		if p.next(']') {
			return
		}
		if !p.next(',') {
			p.fail("a comma or ]")
		}
	}
}

// text reads a string.
func (p *parser) text() string {
	end := p.at + 1
	for end < len(p.src) && p.src[end] != '"' && p.src[end] != '\n' {
		if p.src[end] == '\\' {
			end++
		}
		end++
	}
	var s string
	if end >= len(p.src) || json.Unmarshal(p.src[p.at:end+1], &s) != nil {
		p.fail("a string in quotes on one line")
		return ""
	}
	p.at = end + 1
	return s
}

// bare reads a number, true, false or null.
func (p *parser) bare(n *strict.Node) {
	end := p.at
	for end < len(p.src) && !strings.ContainsRune(" \t\r\n,]}:/\"", rune(p.src[end])) {
		end++
	}
	word := string(p.src[p.at:end])
	if !json.Valid([]byte(word)) {
		p.fail("an object, a list, a string, a number, true, false or null")
		return
	}
	p.at = end
	if word != "null" {
		n.Kind, n.Text = strict.Scalar, word
	}
}
