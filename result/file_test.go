// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// wantFile checks what a file is by itself, not where it leads: a regular file has the content.
func wantFile(t *testing.T, path string, mode fs.FileMode, content string) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != mode {
		t.Fatalf("%s is %v, want %v", path, info.Mode(), mode)
	}
	if !mode.IsRegular() {
		return
	}
	if src, err := os.ReadFile(path); err != nil || string(src) != content {
		t.Errorf("%s holds %q, want %q (%v)", path, src, content, err)
	}
}

// A file takes the place of an older one as a whole and keeps its mode; who has the old one open goes on reading that.
func TestWriteFileReplaces(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "secret.csv", "old")
	if err := os.Chmod("secret.csv", 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open("secret.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for path, mode := range map[string]fs.FileMode{"secret.csv": 0o600, "fresh.csv": 0o644} {
		if err := WriteFile(path, []byte("new")); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, mode, "new")
	}
	if old, err := io.ReadAll(reader); err != nil || string(old) != "old" {
		t.Errorf("the open file reads %q, want what it was (%v)", old, err)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 2 {
		t.Errorf("%v: %v, want two files", left, err)
	}
}

// Links stay and lead to the new content: one after the other, to a file that is not there yet, and upwards from a folder
// that is a link itself.
func TestWriteFileFollowsLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "data/deep/.keep", "")
	put(t, "data/there.csv", "old")
	for link, to := range map[string]string{"two.csv": "one.csv", "one.csv": "data/there.csv", "new.csv": "data/absent.csv",
		"folder": "data/deep", "data/deep/up.csv": "../up.csv"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"two.csv": "data/there.csv", "new.csv": "data/absent.csv", "folder/up.csv": "data/up.csv"} {
		before, _ := os.Readlink(link)
		if err := WriteFile(link, []byte("new")); err != nil {
			t.Fatal(err)
		}
		wantFile(t, target, 0o644, "new")
		if after, err := os.Readlink(link); err != nil || after != before {
			t.Errorf("%s leads to %q, want %q (%v)", link, after, before, err)
		}
	}
	if to, err := os.Readlink("one.csv"); err != nil || to != "data/there.csv" {
		t.Errorf("the second link leads to %q (%v)", to, err)
	}
	if err := os.Symlink("circle", "circle"); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile("circle", nil); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link to itself: %v", err)
	}
}

// A pipe is written to, by its name and through a link, and is still a pipe; a folder is refused.
func TestWriteFileToPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("pipe", "link"); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile("pipe", os.O_RDWR, 0) // a reader that need not wait for a writer
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, path := range []string{"pipe", "link"} {
		if err := WriteFile(path, []byte("new")); err != nil {
			t.Fatal(err)
		}
		wantFile(t, "pipe", fs.ModeNamedPipe|0o600, "")
		got := make([]byte, 3)
		if _, err := io.ReadFull(reader, got); err != nil || string(got) != "new" {
			t.Errorf("%s: read %q (%v)", path, got, err)
		}
	}
	if err := WriteFile(".", nil); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a folder: %v", err)
	}
}
