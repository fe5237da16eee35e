// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"github.com/yardmaster/yardmaster/internal/reference"
	"github.com/yardmaster/yardmaster/internal/shell"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

type docsCmd struct {
	Folder string `arg:"" help:"Folder of the documentation."`
}

// Run implements the command.
func (c *docsCmd) Run(k *kong.Context) error {
	for name, write := range map[string]func(*bytes.Buffer){
		"scenario-reference.md": func(b *bytes.Buffer) { reference.Scenarios(b) },
		"policies.md":           func(b *bytes.Buffer) { reference.Policies(b) },
		"tuners.md":             func(b *bytes.Buffer) { reference.Tuners(b) },
		"results-reference.md":  func(b *bytes.Buffer) { reference.Results(b) },
		"metrics.md":            func(b *bytes.Buffer) { metrics.WriteReference(b) },
		"yardmaster.1":          func(b *bytes.Buffer) { shell.Manual(b, k.Model.Node) },
		"yarn-properties.md":    func(b *bytes.Buffer) { conf.WriteReference(b) },
	} {
		var b bytes.Buffer
		write(&b)
		if err := os.WriteFile(filepath.Join(c.Folder, name), b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing docs: %w", err)
		}
	}
	return nil
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: ${enum}."`
}

// Help implements kong's detailed help.
func (completionCmd) Help() string {
	return `Examples:
  source <(yardmaster completion bash)
  yardmaster completion zsh > ~/.zfunc/_yardmaster          a folder of $fpath
  yardmaster completion fish > ~/.config/fish/completions/yardmaster.fish`
}

// Run implements the command.
func (c *completionCmd) Run(w *world, k *kong.Context) error {
	return shell.Completion(w.out, k.Model.Node, c.Shell)
}
