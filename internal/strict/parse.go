// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits on one file. The YAML library recurses once per level of nesting and once per key of a
// mapping, and a stack overflow cannot be recovered from.
const (
	maxBytes = 4 << 20
	maxDepth = 100
	maxKeys  = 100_000

	allowedDepth = "at most 100 levels"
)

// Parse reads one YAML document. The tree is nil when the syntax is broken; after any other error
// (duplicate key, alias, tag, ...) it is complete enough to be decoded for the sake of further
// errors. Both values of a duplicate key stay in it. An empty document is an empty mapping.
// Parse never panics.
func Parse(file string, src []byte) (*Node, Errors) {
	n, errs := parse(file, src)
	if n == nil && len(errs) == 0 {
		n = &Node{Kind: Mapping, Pos: Pos{file, 1, 1}}
	}
	return n, errs
}

// parse is Parse, but an empty document gives nil and no error.
func parse(file string, src []byte) (n *Node, errs Errors) {
	defer func() {
		if r := recover(); r != nil {
			n, errs = nil, Errors{{Pos: Pos{file, 1, 1}, Problem: fmt.Sprintf("%s: the YAML reader failed (%v)", probSyntax, r)}}
		}
	}()
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	if e := checkText(file, src); e != nil {
		return nil, Errors{*e}
	}
	tokens := lexer.Tokenize(string(src))
	if e := checkTokens(file, tokens); e != nil {
		return nil, Errors{*e}
	}
	f, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, Errors{syntaxError(file, err)}
	}
	c := converter{file: file}
	n = c.file2node(f)
	c.errs.sort()
	if c.broken {
		n = nil
	}
	return n, c.errs
}

// checkText refuses what the library would accept or misread: broken UTF-8, control characters,
// files too large.
func checkText(file string, src []byte) *Error {
	if len(src) > maxBytes {
		return &Error{
			Pos: Pos{file, 1, 1}, Problem: "file too large",
			Found: fmt.Sprintf("%d bytes", len(src)), Allowed: fmt.Sprintf("at most %d bytes", maxBytes),
		}
	}
	line, col := 1, 1
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return &Error{Pos: Pos{file, line, col}, Problem: probSyntax, Found: fmt.Sprintf("byte 0x%02x", src[i]), Allowed: "text in UTF-8"}
		case r < ' ' && r != '\t' && r != '\n' || r == 0x7f:
			return &Error{Pos: Pos{file, line, col}, Problem: probSyntax, Found: fmt.Sprintf("control character %#U", r), Allowed: "printable text"}
		case r == '\n':
			line, col = line+1, 0
		}
		col++
		i += size
	}
	return nil
}

// checkTokens refuses what would exhaust the library's stack.
func checkTokens(file string, tokens token.Tokens) *Error {
	flow, keys, dashes, line := 0, 0, 0, 0
	for _, tk := range tokens {
		if tk.Position != nil && tk.Position.Line != line {
			line, dashes = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.MappingValueType:
			keys++
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			dashes++
		}
		if flow > maxDepth || dashes > maxDepth || tk.Position != nil && tk.Position.IndentLevel > maxDepth {
			return &Error{Pos: tokenPos(file, tk), Problem: probDeep, Allowed: allowedDepth}
		}
		if keys > maxKeys {
			return &Error{Pos: tokenPos(file, tk), Problem: "too many keys", Allowed: fmt.Sprintf("at most %d in one file", maxKeys)}
		}
	}
	return nil
}

// syntaxError takes the position and message out of an error of the library, whose own format is
// a multi-line excerpt.
func syntaxError(file string, err error) Error {
	e := Error{Pos: Pos{file, 1, 1}}
	var located interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &located) {
		e.Problem = probSyntax + ": " + err.Error()
		return e
	}
	e.Pos, e.Problem = tokenPos(file, located.GetToken()), probSyntax+": "+located.GetMessage()
	return e
}

func tokenPos(file string, tk *token.Token) Pos {
	if tk == nil || tk.Position == nil {
		return Pos{file, 1, 1}
	}
	return Pos{file, max(1, tk.Position.Line), max(1, tk.Position.Column)}
}

// nodePos returns where n starts. The token of a block mapping is its first colon, so that its
// first key is asked instead.
func nodePos(file string, n ast.Node) Pos {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return nodePos(file, n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return nodePos(file, n.Key)
	}
	return tokenPos(file, n.GetToken())
}
