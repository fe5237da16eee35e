// SPDX-License-Identifier: Apache-2.0

package console

import (
	"io"
	"os"
)

// Checked remembers the first error, so that a full disk behind a pipe is not overlooked.
type Checked struct {
	io.Writer
	Err error
}

func (w *Checked) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil && w.Err == nil {
		w.Err = err
	}
	return n, err
}

// IsTerminal reports whether the file is a terminal, on which progress is shown.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
