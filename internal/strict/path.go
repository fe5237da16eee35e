// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"errors"
	"strconv"
	"strings"
)

// A path is names joined by dots, with list positions in brackets: workload.jobs[2].maps. A key
// that is not a plain name stands quoted in brackets: limits["a.b"].

// segment is one step of a path: a name, or an index when name is "".
type segment struct {
	name  string
	index int
	end   int // where the step ends in the path
}

const allowedPath = `names joined by dots, list positions in brackets, such as workload.jobs[0].maps`

func parsePath(path string) ([]segment, error) {
	var segs []segment
	rest := path
	for rest != "" {
		var s segment
		var err error
		switch {
		case rest[0] == '[':
			s, rest, err = parseBracket(rest[1:])
		default:
			if len(segs) > 0 {
				if rest[0] != '.' {
					return nil, errors.New("a dot is missing")
				}
				rest = rest[1:]
			}
			n := strings.IndexAny(rest, ".[]")
			if n < 0 {
				n = len(rest)
			}
			s.name, rest = rest[:n], rest[n:]
			if s.name == "" {
				err = errors.New("a name is missing")
			}
		}
		if err != nil {
			return nil, err
		}
		s.end = len(path) - len(rest)
		segs = append(segs, s)
	}
	if len(segs) == 0 {
		return nil, errors.New("it is empty")
	}
	return segs, nil
}

// parseBracket reads what follows a "[" and returns the text after its "]".
func parseBracket(s string) (segment, string, error) {
	if strings.HasPrefix(s, `"`) {
		q, err := strconv.QuotedPrefix(s)
		if err != nil || !strings.HasPrefix(s[len(q):], "]") {
			return segment{}, "", errors.New("a quoted key does not end")
		}
		name, err := strconv.Unquote(q)
		if err != nil || name == "" {
			return segment{}, "", errors.New("a quoted key is empty")
		}
		return segment{name: name}, s[len(q)+1:], nil
	}
	text, rest, ok := strings.Cut(s, "]")
	if !ok {
		return segment{}, "", errors.New("a bracket does not close")
	}
	i, err := strconv.Atoi(text)
	if err != nil || i < 0 || !isInteger(text) {
		return segment{}, "", errors.New(strconv.Quote(text) + " is not a list position")
	}
	return segment{index: i}, rest, nil
}

// Above returns the path of what the value at path is a field or an item of; "" at the root, and for what is no path.
func Above(path string) string {
	segs, err := parsePath(path)
	if err != nil || len(segs) < 2 {
		return ""
	}
	return path[:segs[len(segs)-2].end]
}

// within reports whether path leads to what stands at root or below it.
func within(path, root string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// join appends a step or a relative path to a path.
func join(path, suffix string) string {
	switch {
	case path == "":
		return strings.TrimPrefix(suffix, ".")
	case suffix == "" || suffix[0] == '.' || suffix[0] == '[':
		return path + suffix
	}
	return path + "." + suffix
}

// keyStep returns the step to key: .key, or ["key"] where that would not parse.
func keyStep(key string) string {
	for _, r := range key {
		plain := r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !plain {
			return "[" + strconv.Quote(key) + "]"
		}
	}
	if key == "" {
		return `[""]`
	}
	return "." + key
}

func indexStep(i int) string { return "[" + strconv.Itoa(i) + "]" }

// Find returns the position of the value at path and true; or, when the tree has no such value or
// the path does not parse, the position of its nearest ancestor that exists and false.
func (n *Node) Find(path string) (Pos, bool) {
	if n == nil {
		return Pos{}, false
	}
	if path == "" {
		return n.Pos, true
	}
	segs, err := parsePath(path)
	if err != nil {
		return n.Pos, false
	}
	for _, s := range segs {
		var next *Node
		if s.name != "" {
			next = n.Get(s.name)
		} else if n.Kind == Sequence && s.index < len(n.Items) {
			next = n.Items[s.index]
		}
		if next == nil {
			return n.Pos, false
		}
		n = next
	}
	return n.Pos, true
}
