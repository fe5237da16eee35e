// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are those that Completion knows.
const Shells = "bash,zsh,fish"

// Completion writes a script that completes commands, flags and their values in the shell; where a file may stand,
// the shell completes its name.
func Completion(w io.Writer, app *kong.Node, shell string) error {
	write := map[string]func(*bytes.Buffer, string, []place){"bash": bash, "zsh": zsh, "fish": fish}[shell]
	if write == nil {
		return fmt.Errorf("shell %q; allowed: %s", shell, Shells)
	}
	var b bytes.Buffer
	write(&b, app.Name, places(app, "", nil))
	_, err := w.Write(b.Bytes())
	return err
}

// below returns the paths of all commands.
func below(list []place) (paths []string) {
	for _, p := range list[1:] {
		paths = append(paths, p.path)
	}
	return paths
}

// words returns the commands and the flags that may stand at a place.
func (p *place) words() (commands, flags []string) {
	for _, c := range p.commands {
		commands = append(commands, c.Name)
	}
	for _, f := range p.flags {
		flags = append(flags, options(f)...)
	}
	return commands, flags
}

// value calls visit for each flag of the place that a word follows: with the patterns "PATH FLAG" of a shell's case,
// and with the values it allows.
func (p *place) values(visit func(pattern string, choices []string)) {
	for _, f := range p.flags {
		if !takesValue(f) {
			continue
		}
		var patterns []string
		for _, o := range options(f) {
			patterns = append(patterns, `"`+p.path+" "+o+`"`)
		}
		visit(strings.Join(patterns, "|"), choices(f))
	}
}

// bash leaves the reply empty where a file may stand: -o default completes it.
func bash(b *bytes.Buffer, name string, list []place) {
	fmt.Fprintf(b, `# Completion of %[1]s for bash: source <(%[1]s completion bash)
_%[1]s() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} place=%[1]s i words
  COMPREPLY=()
  if [[ $cur == "=" ]]; then cur=; elif [[ $prev == "=" ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place/${COMP_WORDS[i]}" in
      %[2]s) place="$place/${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place $prev" in
`, name, strings.Join(below(list), "|"))
	for _, p := range list {
		p.values(func(pattern string, choices []string) {
			if choices == nil {
				fmt.Fprintf(b, "    %s) return ;;\n", pattern)
				return
			}
			fmt.Fprintf(b, "    %s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", pattern, quote(strings.Join(choices, " ")))
		})
	}
	fmt.Fprintf(b, "  esac\n  case \"$place\" in\n")
	for _, p := range list {
		commands, flags := p.words()
		fmt.Fprintf(b, "    %s) if [[ $cur == -* ]]; then words=%s; else words=%s; fi ;;\n", p.path, quote(strings.Join(flags, " ")), quote(strings.Join(commands, " ")))
	}
	fmt.Fprintf(b, "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _%[1]s %[1]s\n", name)
}

func zsh(b *bytes.Buffer, name string, list []place) {
	fmt.Fprintf(b, `#compdef %[1]s
# Completion of %[1]s for zsh: %[1]s completion zsh > a folder of $fpath, as _%[1]s
_%[1]s() {
  local cur=$words[CURRENT] prev=$words[CURRENT-1] place=%[1]s i
  local -a list
  for ((i = 2; i < CURRENT; i++)); do
    case "$place/$words[i]" in
      (%[2]s) place="$place/$words[i]" ;;
    esac
  done
  case "$place $prev" in
`, name, strings.Join(below(list), "|"))
	for _, p := range list {
		p.values(func(pattern string, choices []string) {
			do := "_files"
			if choices != nil {
				do = "compadd -- " + strings.Join(quoteAll(choices), " ")
			}
			fmt.Fprintf(b, "    (%s) %s; return ;;\n", pattern, do)
		})
	}
	fmt.Fprintf(b, "  esac\n  case \"$place\" in\n")
	for _, p := range list {
		var commands, flags []string
		for _, c := range p.commands {
			commands = append(commands, c.Name+":"+brief(c.Help))
		}
		for _, f := range p.flags {
			for _, o := range options(f) {
				flags = append(flags, o+":"+brief(f.Help))
			}
		}
		other := "_files"
		if len(commands) > 0 {
			other = "list=(" + strings.Join(quoteAll(commands), " ") + "); _describe command list"
		}
		fmt.Fprintf(b, "    (%s) if [[ $cur == -* ]]; then list=(%s); _describe option list; else %s; fi ;;\n", p.path, strings.Join(quoteAll(flags), " "), other)
	}
	fmt.Fprintf(b, "  esac\n}\nif [[ $funcstack[1] == _%[1]s ]]; then _%[1]s \"$@\"; else compdef _%[1]s %[1]s; fi\n", name)
}

func fish(b *bytes.Buffer, name string, list []place) {
	fmt.Fprintf(b, `# Completion of %[1]s for fish: %[1]s completion fish > ~/.config/fish/completions/%[1]s.fish
function __%[1]s_at
    set -l words (commandline -opc)
    set -l place %[1]s
    for word in $words[2..-1]
        switch "$place/$word"
            case %[2]s
                set place "$place/$word"
        end
    end
    test "$place" = "$argv[1]"
end
`, name, strings.Join(below(list), " "))
	for _, p := range list {
		head := fmt.Sprintf("complete -c %s -n %s", name, quote("__"+name+"_at "+p.path))
		for _, c := range p.commands {
			fmt.Fprintf(b, "%s -f -a %s -d %s\n", head, c.Name, quoteFish(brief(c.Help)))
		}
		for _, f := range p.flags {
			line := head + " -l " + f.Name
			if f.Short != 0 {
				line += " -s " + string(f.Short)
			}
			if list := choices(f); list != nil {
				line += " -x -a " + quoteFish(strings.Join(list, " "))
			} else if takesValue(f) {
				line += " -r"
			}
			fmt.Fprintf(b, "%s -d %s\n", line, quoteFish(brief(f.Help)))
			if f.Tag.Negatable != "" {
				fmt.Fprintf(b, "%s -l no-%s -d %s\n", head, f.Name, quoteFish("Not: "+brief(f.Help)))
			}
		}
	}
}

// quote returns the text in single quotes of bash and zsh.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quoteAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quote(s)
	}
	return out
}

// quoteFish returns the text in single quotes of fish.
func quoteFish(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
