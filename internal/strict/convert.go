// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// converter turns the library's tree into a Node and collects what is refused on the way.
type converter struct {
	file  string
	depth int
	errs  Errors

	broken bool // the tree is not what the file says
}

func (c *converter) refuse(p Pos, path, problem, found, allowed string) {
	c.errs = append(c.errs, Error{Pos: p, Path: path, Problem: problem, Found: found, Allowed: allowed})
}

// file2node converts the first document and refuses the others; nil when the file is empty.
func (c *converter) file2node(f *ast.File) *Node {
	var body ast.Node
	docs := 0
	for _, doc := range f.Docs {
		if d, ok := doc.Body.(*ast.DirectiveNode); ok {
			c.refuse(nodePos(c.file, d), "", probUnsupported, "a directive", "a plain document")
			continue
		}
		docs++
		switch {
		case docs == 1:
			body = doc.Body
		case docs == 2:
			c.refuse(c.docPos(doc), "", probUnsupported, "a second document", "one document")
		}
	}
	if body == nil {
		return nil
	}
	return c.value(body, "")
}

func (c *converter) docPos(doc *ast.DocumentNode) Pos {
	if doc.Start == nil && doc.Body != nil {
		return nodePos(c.file, doc.Body)
	}
	return tokenPos(c.file, doc.Start)
}

func (c *converter) value(n ast.Node, path string) *Node {
	out := &Node{Kind: Bad, Pos: Pos{c.file, 1, 1}}
	if n == nil {
		return out
	}
	out.Pos = nodePos(c.file, n)
	if c.depth++; c.depth > maxDepth+1 { // a scalar stands one level below its list
		c.refuse(out.Pos, path, probDeep, "", allowedDepth)
		c.depth--
		return out
	}
	defer func() { c.depth-- }()
	switch n := n.(type) {
	case *ast.NullNode:
		out.Kind = Null
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.Kind, out.Text = Scalar, n.GetToken().Value
	case *ast.StringNode:
		tk := n.GetToken()
		out.Kind, out.Text = Scalar, n.Value
		out.Quoted = tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType
		if !out.Quoted && strings.Contains(strings.TrimSpace(tk.Origin), "\n") {
			c.refuse(out.Pos, path, probUnsupported, "a bare text over several lines: "+quote(out.Text), "a text in quotes or after |, or the right indentation")
			out.Kind = Bad
		}
	case *ast.LiteralNode:
		out.Kind, out.Quoted = Scalar, true
		if n.Value != nil {
			out.Text = n.Value.Value
		}
	case *ast.MappingNode:
		c.mapping(out, n.Values, path, n.IsFlowStyle)
	case *ast.MappingValueNode:
		c.mapping(out, []*ast.MappingValueNode{n}, path, true)
	case *ast.SequenceNode:
		out.Kind = Sequence
		for i, v := range n.Values {
			at := join(path, indexStep(i))
			if !n.IsFlowStyle && i < len(n.Entries) {
				c.checkIndent(tokenPos(c.file, n.Entries[i].Start), v, at, false)
			}
			out.Items = append(out.Items, c.value(v, at))
		}
	case *ast.AnchorNode:
		c.refuse(out.Pos, path, probUnsupported, "an anchor (&)", "the value written out")
		return c.value(n.Value, path)
	case *ast.TagNode:
		c.refuse(out.Pos, path, probUnsupported, "a tag ("+shorten(strings.TrimSpace(n.GetToken().Value))+")", "the value without a tag")
		if v := c.value(n.Value, path); v.Kind == Mapping || v.Kind == Sequence {
			return v
		}
	case *ast.AliasNode:
		c.refuse(out.Pos, path, probUnsupported, "an alias (*)", "the value written out")
	case *ast.MergeKeyNode:
		c.refuse(out.Pos, path, probUnsupported, "a merge key (<<)", "the fields written out")
	default:
		c.refuse(out.Pos, path, probUnsupported, "a "+strings.ToLower(n.Type().String()), "a scalar, a list or a mapping")
	}
	return out
}

func (c *converter) mapping(out *Node, entries []*ast.MappingValueNode, path string, flow bool) {
	out.Kind = Mapping
	first := map[string]Pos{}
	for _, e := range entries {
		key := c.key(e.Key, path)
		if key == nil {
			continue
		}
		at := join(path, keyStep(key.Text))
		if p, ok := first[key.Text]; ok {
			c.refuse(key.Pos, at, probDuplicate, quote(key.Text), fmt.Sprintf("each key once (the first is on line %d)", p.Line))
		} else {
			first[key.Text] = key.Pos
		}
		if !flow {
			c.checkIndent(key.Pos, e.Value, at, true)
		}
		out.Keys = append(out.Keys, key)
		out.Items = append(out.Items, c.value(e.Value, at))
	}
}

// checkIndent refuses a block value that is not indented below its key or dash, which stands at
// parent. The library takes such a value where YAML has none: in
//
//	jobs:
//	-
//	queues: {}
//
// it makes queues part of the list item. A list may start in the column of its key.
func (c *converter) checkIndent(parent Pos, v ast.Node, path string, isKey bool) {
	if v == nil || v.Type() == ast.NullType {
		return
	}
	p := nodePos(c.file, v)
	seq, isSeq := v.(*ast.SequenceNode)
	if p.Line == parent.Line || p.Col > parent.Col || isKey && isSeq && !seq.IsFlowStyle && p.Col == parent.Col {
		return
	}
	c.broken = true
	c.refuse(parent, path, probSyntax, "no value indented below this", "a value, or [] for an empty list, {} for an empty mapping")
}

// key converts a key, or returns nil when the whole entry is refused.
func (c *converter) key(n ast.MapKeyNode, path string) *Node {
	const allowed = "a plain name"
	p := nodePos(c.file, n)
	switch n.(type) {
	case *ast.StringNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		k := c.value(n, path)
		if !k.Quoted && strings.HasPrefix(k.Text, "- ") { // the library missed a dash
			c.broken = true
			c.refuse(p, path, probSyntax, "a list item", allowed)
		}
		return k
	case *ast.MergeKeyNode:
		c.refuse(p, path, probUnsupported, "a merge key (<<)", "the fields written out")
	case *ast.MappingKeyNode:
		c.refuse(p, path, probUnsupported, "a key after ?", allowed)
	case *ast.AnchorNode:
		c.refuse(p, path, probUnsupported, "an anchor (&) on a key", allowed)
	case *ast.AliasNode:
		c.refuse(p, path, probUnsupported, "an alias (*) as a key", allowed)
	case *ast.TagNode:
		c.refuse(p, path, probUnsupported, "a tag on a key", allowed)
	case *ast.NullNode:
		c.refuse(p, path, probUnsupported, "null as a key", allowed)
	default:
		c.refuse(p, path, probUnsupported, "a key of this kind", allowed)
	}
	return nil
}
