// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/workload"
)

// maxUnpacked is how much a compressed file may hold: a file made to fill the memory holds more.
const maxUnpacked = 8 * model.GiB

// unpacker reads a file that may be compressed, and remembers what was wrong with the compression,
// because readers only pass on that reading failed.
type unpacker struct {
	in     io.Reader
	zipped bool
	most   model.Bytes
	done   model.Bytes // bytes handed on
	fault  *workload.Fault
}

// errUnpack ends the reading of a compressed file whose fault was noted.
var errUnpack = errors.New("cannot be unpacked")

// unpack returns a reader of the content of r, which is compressed if it begins as gzip does.
func unpack(r io.Reader, most model.Bytes) *unpacker {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return &unpacker{in: in}
	}
	u := &unpacker{zipped: true, most: most}
	z, err := gzip.NewReader(in) // of all members that follow one another
	if err != nil {
		u.in = failed{err}
	} else {
		u.in = z
	}
	return u
}

// failed is a reader that cannot even start.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) {
	if f.err == io.EOF {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, f.err
}

// Read hands on what is unpacked.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if !u.zipped {
		return n, err
	}
	if u.done+model.Bytes(n) > u.most {
		return 0, u.refuse("more than "+u.most.String()+" of data", "at most "+u.most.String()+" of data when unpacked")
	}
	u.done += model.Bytes(n)
	var corrupt flate.CorruptInputError
	switch {
	case err == io.ErrUnexpectedEOF:
		err = u.refuse("the end of the file inside compressed data: it is cut off", "a whole gzip file")
	case err == gzip.ErrChecksum:
		err = u.refuse("a wrong checksum: the data is damaged", "a whole gzip file")
	case err == gzip.ErrHeader:
		err = u.refuse("something that is not a gzip header", "gzip files, one after the other, and nothing else")
	case errors.As(err, &corrupt):
		err = u.refuse("data that cannot be unpacked: it is damaged", "a whole gzip file")
	}
	return n, err
}

func (u *unpacker) refuse(found, allowed string) error {
	u.fault = &workload.Fault{Where: fmt.Sprintf("byte %d when unpacked", u.done), Field: "gzip", Found: found, Allowed: allowed}
	return errUnpack
}
