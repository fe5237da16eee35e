// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Manual writes a manual page of section 1: the program, and each command with its arguments, flags and examples.
func Manual(w io.Writer, app *kong.Node) {
	first, rest, _ := strings.Cut(app.Help, "\n\n")
	fmt.Fprintf(w, ".\\\" Written by %s docs; do not edit.\n.TH %s 1\n.SH NAME\n%s \\- %s\n", app.Name, strings.ToUpper(app.Name), app.Name, roff(brief(first)))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n.I COMMAND\n[\\fIARGUMENT\\fR ...] [\\fIFLAG\\fR ...]\n.SH DESCRIPTION\n", app.Name)
	paragraphs(w, first+"\n\n"+rest)
	fmt.Fprintf(w, ".SH COMMANDS\n")
	for _, leaf := range app.Leaves(true) {
		fmt.Fprintf(w, ".SS \"%s\"\n", roff(strings.ReplaceAll(title(leaf), `"`, "'")))
		paragraphs(w, leaf.Help)
		for _, f := range leaf.Flags {
			if !f.Hidden {
				fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(flagTitle(f)), roff(flagHelp(f)))
			}
		}
		if leaf.Detail != "" {
			fmt.Fprintf(w, ".PP\n.nf\n%s\n.fi\n", roff(strings.TrimSpace(leaf.Detail)))
		}
	}
}

// title returns a command with its arguments.
func title(n *kong.Node) string {
	text := n.Path()
	for _, p := range n.Positional {
		text += " " + p.Summary()
	}
	return text
}

func flagTitle(f *kong.Flag) string {
	text := strings.Join(options(f), ", ")
	if takesValue(f) {
		text += " " + f.FormatPlaceHolder()
	}
	return text
}

func flagHelp(f *kong.Flag) string {
	text := strings.ReplaceAll(f.Help, "${enum}", strings.Join(choices(f), ", "))
	if f.HasDefault && f.Default != "" {
		text += " Default: " + f.Default + "."
	}
	return text
}

// paragraphs writes text whose paragraphs are split by empty lines.
func paragraphs(w io.Writer, text string) {
	for _, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		fmt.Fprintf(w, ".PP\n%s\n", roff(p))
	}
}

// roff escapes what the language of manual pages takes for its own.
func roff(s string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
