// SPDX-License-Identifier: Apache-2.0

package recorded

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// What was packed comes out again; folders of an archive are no files.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tar.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for _, h := range []*tar.Header{{Name: "d/", Typeflag: tar.TypeDir, Mode: 0o755}, {Name: "d/x", Size: 2, Mode: 0o644}} {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write([]byte("hi")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface{ Close() error }{w, z, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if files := Files(t, path); len(files) != 1 || string(files["d/x"]) != "hi" {
		t.Errorf("%q", files)
	}
	if b := File(t, path); len(b) == 0 || len(b)%512 != 0 {
		t.Errorf("an archive of %d bytes", len(b))
	}
}
