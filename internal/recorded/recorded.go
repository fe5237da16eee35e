// SPDX-License-Identifier: Apache-2.0

// Package recorded opens what was recorded of real Hadoop and is kept compressed under testdata. Only tests import it.
package recorded

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"testing"
)

// File returns the contents of a compressed file.
func File(t testing.TB, path string) []byte {
	t.Helper()
	var out []byte
	open(t, path, func(r io.Reader) (err error) {
		out, err = io.ReadAll(r)
		return err
	})
	return out
}

// Files returns the files of a compressed archive by name.
func Files(t testing.TB, path string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	open(t, path, func(z io.Reader) error {
		for r := tar.NewReader(z); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if h.Typeflag == tar.TypeDir {
				continue
			}
			if files[h.Name], err = io.ReadAll(r); err != nil {
				return err
			}
		}
	})
	return files
}

func open(t testing.TB, path string, read func(io.Reader) error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = read(z)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
