// SPDX-License-Identifier: Apache-2.0

package result

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFolderKeepsForeignFiles refuses to replace a folder whose manifest.json is not ours.
func TestFolderKeepsForeignFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "web-app")
	put(t, filepath.Join(folder, "index.js"), "//")
	put(t, filepath.Join(folder, ManifestName), `{"name": "a web app"}`)
	if f, err := NewFolder(folder); err == nil {
		f.Commit()
	}
	if _, err := os.Stat(filepath.Join(folder, "index.js")); err != nil {
		t.Errorf("a folder with a foreign manifest.json was deleted: %v", err)
	}
}

// made writes a folder of one run whose summary is the text, with further files, and commits it.
func made(t *testing.T, path, text string, more ...string) error {
	t.Helper()
	f, err := NewFolder(path)
	if err != nil {
		return err
	}
	for name, v := range map[string]any{ManifestName: &Manifest{Yardmaster: "test", Kind: "run"}, filepath.Join("sub", SummaryName): text} {
		if err := f.Write(name, func(w io.Writer) error { return WriteJSON(w, v) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range more {
		if err := f.Write(name, func(w io.Writer) error { return WriteJSON(w, text) }); err != nil {
			t.Fatal(err)
		}
	}
	return f.Commit()
}

// Files that the user put into a result folder are there after the command has run again.
func TestCommitKeepsTheUsersFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := made(t, path, "old"); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(path, "notes.txt"), "mine")
	put(t, filepath.Join(path, "sub", "mine", JobsName), "a copy")
	for range 2 { // kept files do not become ours
		if err := made(t, path, "new"); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"notes.txt", filepath.Join("sub", "mine", JobsName)} {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, err := ReadManifest(path)
	if want := []string{ManifestName, "sub/" + SummaryName}; err != nil || !slices.Equal(m.Files, want) {
		t.Errorf("files %v, want %v (%v)", m.Files, want, err)
	}
}

// Of a folder whose manifest lists no files, what bears the name of a result is replaced, all else kept.
func TestCommitOverUnlistedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	put(t, filepath.Join(path, ManifestName), `{"yardmaster": "test", "kind": "run"}`)
	put(t, filepath.Join(path, JobsName), "of the old run")
	put(t, filepath.Join(path, "notes.txt"), "mine")
	if err := made(t, path, "new"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, JobsName)); err == nil {
		t.Error("a file of the old results is still there")
	}
	if _, err := os.Stat(filepath.Join(path, "notes.txt")); err != nil {
		t.Error(err)
	}
}

// A folder takes the place of older results as a whole; nothing of them and nothing temporary is left.
func TestCommitReplaces(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "out")
	if err := made(t, path, "old", JobsName); err != nil {
		t.Fatal(err)
	}
	if err := made(t, path, "new"); err != nil {
		t.Fatal(err)
	}
	if src, err := os.ReadFile(filepath.Join(path, "sub", SummaryName)); err != nil || string(src) != "\"new\"\n" {
		t.Errorf("summary %q, %v", src, err)
	}
	if _, err := os.Stat(filepath.Join(path, JobsName)); err == nil {
		t.Error("a file of the old results is still there")
	}
	if left, _ := os.ReadDir(parent); len(left) != 1 {
		t.Errorf("%d folders beside each other, want one", len(left))
	}
}

// A sweep is never replaced: its journal may be half a night's work.
func TestSweepIsNotReplaced(t *testing.T) {
	path := t.TempDir()
	put(t, filepath.Join(path, ManifestName), `{"yardmaster": "test", "kind": "sweep"}`)
	if err := made(t, path, "x"); err == nil {
		t.Error("a sweep was replaced by a run")
	}
}
