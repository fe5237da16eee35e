// SPDX-License-Identifier: Apache-2.0

package strict

import "fmt"

// Set puts the YAML fragment value at path in the tree n, as a command-line setting does. Missing
// mappings on the way are made; list items must exist already. What it puts has origin as its
// Pos.File and no line, so that later messages name the setting. Whether the path means anything
// is found out by Decode. On an error n is unchanged.
func Set(n *Node, path, value, origin string) Errors {
	if n == nil {
		return nil
	}
	at := Pos{File: origin}
	segs, err := parsePath(path)
	if err != nil {
		return Errors{{Pos: at, Problem: probPath + ": " + err.Error(), Found: quote(path), Allowed: allowedPath}}
	}
	frag, errs := parse(origin, []byte(value))
	for i := range errs {
		errs[i].Pos, errs[i].Path = at, path
	}
	if len(errs) > 0 {
		return errs
	}
	if frag == nil {
		return Errors{{Pos: at, Path: path, Problem: probNull, Found: quote(value), Allowed: `a value ("" for an empty text)`}}
	}
	frag.stamp(at)
	s := setter{path: path, value: frag}
	if e := s.set(n, segs, 0); e != nil {
		e.Pos = at
		return Errors{*e}
	}
	return nil
}

type setter struct {
	path  string
	value *Node
}

// set puts the value at the steps segs below n; done is how much of the path leads to n.
func (s setter) set(n *Node, segs []segment, done int) *Error {
	if len(segs) == 0 {
		*n = *s.value
		return nil
	}
	seg, rest, here := segs[0], segs[1:], s.path[:done]
	if seg.name == "" {
		switch {
		case n.Kind != Sequence:
			return &Error{Path: here, Problem: probPath + ": no list here", Found: n.found(), Allowed: allowedPath}
		case seg.index >= len(n.Items):
			return &Error{
				Path: s.path[:seg.end], Problem: probPath + ": no such list item",
				Found: fmt.Sprintf("a list of %d", len(n.Items)), Allowed: "the position of an item that exists, counted from 0",
			}
		}
		return s.set(n.Items[seg.index], rest, seg.end)
	}
	switch n.Kind {
	case Mapping:
		if child := n.Get(seg.name); child != nil {
			return s.set(child, rest, seg.end)
		}
		key := &Node{Kind: Scalar, Text: seg.name, Pos: s.value.Pos}
		child := &Node{Kind: Null, Pos: s.value.Pos}
		if err := s.set(child, rest, seg.end); err != nil {
			return err
		}
		n.Keys, n.Items = append(n.Keys, key), append(n.Items, child)
		return nil
	case Null:
		m := &Node{Kind: Mapping, Pos: s.value.Pos}
		if err := s.set(m, segs, done); err != nil {
			return err
		}
		*n = *m
		return nil
	}
	return &Error{Path: here, Problem: probPath + ": no mapping here", Found: n.found(), Allowed: "a path that ends here"}
}
