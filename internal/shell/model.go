// SPDX-License-Identifier: Apache-2.0

// Package shell writes what a shell and a reader of manuals need to know of the command line, from its model: scripts
// that complete words in bash, zsh and fish, and a manual page.
package shell

import (
	"strings"

	"github.com/alecthomas/kong"
)

// place is a point of the command line: the program or one of its commands, with the words that may follow.
type place struct {
	path     string // yardmaster/workload/convert
	help     string
	commands []*kong.Node
	flags    []*kong.Flag
}

// places returns all points, each command before those below it.
func places(n *kong.Node, above string, inherited []*kong.Flag) []place {
	p := place{path: above + n.Name, help: n.Help, flags: inherited[:len(inherited):len(inherited)]}
	for _, f := range n.Flags {
		if !f.Hidden {
			p.flags = append(p.flags, f)
		}
	}
	for _, c := range n.Children {
		if c.Type == kong.CommandNode && !c.Hidden {
			p.commands = append(p.commands, c)
		}
	}
	list := []place{p}
	for _, c := range p.commands {
		list = append(list, places(c, p.path+"/", p.flags)...)
	}
	return list
}

// options returns a flag as it is typed: --out, and -o if it has a letter.
func options(f *kong.Flag) []string {
	list := []string{"--" + f.Name}
	if f.Short != 0 {
		list = append(list, "-"+string(f.Short))
	}
	if f.Tag.Negatable != "" {
		list = append(list, "--no-"+f.Name)
	}
	return list
}

// takesValue reports whether a word follows the flag.
func takesValue(f *kong.Flag) bool { return !f.IsBool() && !f.IsCounter() }

// choices returns the values that a flag allows, nil if they are not listed.
func choices(f *kong.Flag) []string {
	if f.Enum == "" {
		return nil
	}
	list := strings.Split(f.Enum, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// brief returns the first sentence of a help text.
func brief(help string) string {
	text, _, _ := strings.Cut(help, "\n")
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}
