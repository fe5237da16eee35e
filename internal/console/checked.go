// SPDX-License-Identifier: Apache-2.0

package console

import "io"

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
