// SPDX-License-Identifier: Apache-2.0

package strict

// Leaf is a value of a tree that holds no others, and where it stands.
type Leaf struct {
	Path  string // as Set takes it
	Field string // as Fields names it: jobs[].maps, queues.<name>.share
	Text  string // as one would write it in YAML
}

// Leaves lists the scalars of a tree and its lists of scalars, which one writes on a line, in their order. known tells
// whether a path of Fields is there, so that the keys of a map become <name>.
func Leaves(n *Node, known func(field string) bool) []Leaf {
	w := leafWalker{known: known}
	w.walk(n, "", "")
	return w.out
}

type leafWalker struct {
	out   []Leaf
	known func(string) bool
}

func (w *leafWalker) walk(n *Node, path, field string) {
	switch {
	case n == nil || n.Kind == Null || n.Kind == Bad:
	case n.Kind == Scalar:
		text := n.Text
		if text == "" {
			text = `""`
		}
		w.out = append(w.out, Leaf{path, field, text})
	case n.Kind == Mapping:
		for i, key := range n.Keys {
			step := keyStep(key.Text)
			below := join(field, step)
			if !w.known(below) && w.known(field) {
				below = field + ".<name>"
			}
			w.walk(n.Items[i], join(path, step), below)
		}
	case plainList(n):
		w.out = append(w.out, Leaf{path, field, string(n.JSON(""))})
	default:
		for i, item := range n.Items {
			w.walk(item, path+indexStep(i), field+"[]")
		}
	}
}

// plainList reports whether n is a list of scalars.
func plainList(n *Node) bool {
	for _, item := range n.Items {
		if item.Kind != Scalar {
			return false
		}
	}
	return true
}
