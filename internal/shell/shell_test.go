// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// line is a command line with what completion has to tell apart.
type line struct {
	Run struct {
		File   string `arg:"" optional:"" help:"A file."`
		Format string `enum:"table,json" default:"table" help:"What to print. It's one."`
		Out    string `short:"o" help:"Folder."`
		Quiet  bool   `short:"q" help:"No progress."`
		Check  bool   `negatable:"" default:"true" help:"Check."`
	} `cmd:"" help:"Run."`
	Trace struct {
		Convert struct{} `cmd:"" help:"Convert a trace."`
		Cut     struct{} `cmd:"" help:"Cut a trace."`
		Secret  struct{} `cmd:"" hidden:""`
	} `cmd:"" help:"Traces."`
}

func model(t *testing.T) *kong.Node {
	t.Helper()
	k, err := kong.New(&line{}, kong.Name("yard"), kong.Description("A yard. With tracks.\n\n.Dots begin lines."))
	if err != nil {
		t.Fatal(err)
	}
	return k.Model.Node
}

func script(t *testing.T, shell string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Completion(&b, model(t), shell); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Bash is asked what it would offer after the words; the last one is being typed.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "yard.bash")
	if err := os.WriteFile(file, []byte(script(t, "bash")), 0o644); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"yard|":                      "run trace",
		"yard|r":                     "run",
		"yard|trace|":                "convert cut",
		"yard|trace|c":               "convert cut",
		"yard|trace|cu":              "cut",
		"yard|run|":                  "", // files
		"yard|run|--":                "--help --format --out --quiet --check --no-check",
		"yard|run|trace|-":           "--help -h --format --out -o --quiet -q --check --no-check",
		"yard|run|--format|":         "table json",
		"yard|run|--format|=|j":      "json",
		"yard|run|--format|=":        "table json",
		"yard|run|x|--format|t":      "table",
		"yard|run|--out|":            "",
		"yard|run|-q|--no":           "--no-check",
		"yard|trace|convert|--form":  "",
		"yard|trace|convert|--h":     "--help",
		"yard|run|--out|trace|--out": "--out",
	} {
		cmd := exec.Command(bash, "-c", `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _yard; echo "${COMPREPLY[*]}"`,
			"bash", file)
		cmd.Args = append(cmd.Args, strings.Split(words, "|")...)
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", words, got, err, want)
		}
	}
}

// Scripts are free of syntax errors where there is the shell to tell, and name every command.
func TestScripts(t *testing.T) {
	for _, shell := range strings.Split(Shells, ",") {
		text := script(t, shell)
		for _, want := range []string{"yard/trace/convert", "format", "json"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s", shell, want)
			}
		}
		if strings.Contains(strings.ToLower(text), "secret") {
			t.Errorf("%s: offers a hidden command", shell)
		}
		if path, err := exec.LookPath(shell); err == nil {
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", shell, err, out)
			}
		}
	}
	if err := Completion(&bytes.Buffer{}, model(t), "csh"); err == nil {
		t.Error("csh is not refused")
	}
}

func TestManual(t *testing.T) {
	var b bytes.Buffer
	Manual(&b, model(t))
	for _, want := range []string{".TH YARD 1\n", "yard \\- A yard\n", ".SS \"run [<file>]\"", "\n\\&.Dots begin lines.", ".B \\-\\-out, \\-o ", "Default: table.", ".SS \"trace cut\""} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "secret") {
		t.Error("names a hidden command")
	}
}
