// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// holds fails the test if the check returns an error.
func holds(t *testing.T, check func() error) {
	t.Helper()
	if err := check(); err != nil {
		t.Error(err)
	}
}

// TestPolicyWithoutName reads a choice that has a label and no policy.
func TestPolicyWithoutName(t *testing.T) {
	holds(t, func() error {
		src := strings.Replace(cancelScenario, "policies: [fifo, fair]", "policy: {as: x}", 1)
		if s, err := Parse("test.yaml", []byte(src), nil); err == nil {
			return fmt.Errorf("{as: x} is accepted as policy %q, which panics when it runs", s.Policy.Name)
		}
		return nil
	})
}

// TestFolderKeepsForeignFiles refuses to replace a folder whose manifest.json is not ours.
func TestFolderKeepsForeignFiles(t *testing.T) {
	holds(t, func() error {
		folder := filepath.Join(t.TempDir(), "web-app")
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		precious := filepath.Join(folder, "index.js")
		os.WriteFile(precious, []byte("//"), 0o644)
		os.WriteFile(filepath.Join(folder, ManifestName), []byte(`{"name": "a web app"}`), 0o644)
		if f, err := NewFolder(folder); err == nil {
			f.Commit()
		}
		if _, err := os.Stat(precious); err != nil {
			return fmt.Errorf("a folder with a foreign manifest.json was deleted: %w", err)
		}
		return nil
	})
}

// TestIgnoredParameters gives parameters that have no effect, which must not pass in silence.
func TestIgnoredParameters(t *testing.T) {
	for name, class := range map[string]string{
		"mean of uniform":  "{name: a, maps: {kind: uniform, mean: 5}}",
		"cv of constant":   "{name: a, maps: {mean: 5, cv: 2}}",
		"low of lognormal": "{name: a, maps: {kind: lognormal, mean: 5, low: 2}}",
		"cv without kind":  "{name: a, noise: {cv: 0.5}}",
		"uniform cv of 5":  "{name: a, noise: {kind: uniform, cv: 5}}",
		"exponential cv 5": "{name: a, noise: {kind: exponential, cv: 5}}",
	} {
		t.Run(name, func(t *testing.T) {
			holds(t, func() error {
				src := strings.Replace(cancelScenario, "{name: a, maps: 3}", class, 1)
				if _, err := Parse("test.yaml", []byte(src), nil); err == nil {
					return fmt.Errorf("%s is accepted", class)
				}
				return nil
			})
		})
	}
}
