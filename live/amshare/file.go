// SPDX-License-Identifier: Apache-2.0

package amshare

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/yardmaster/yardmaster/live/steer"
)

// FileHand turns the AM share of queues of the Fair Scheduler in its allocation file. It changes nothing of the file
// but that share. The scheduler looks at the file every 10 s and reads it if it was written after the last reading and
// is 5 s old, so the file's time must never go back, whatever the clock does; it takes the place of the old one in
// one step, because half a file would be read as well.
type FileHand struct{}

var _ steer.Hand = FileHand{}

// Read implements steer.Hand.
func (FileHand) Read(_ context.Context, k steer.Knob) (steer.Value, error) {
	src, err := os.ReadFile(k.File)
	if err != nil {
		return steer.Value{}, err
	}
	at, err := locate(src, k.Name)
	if err != nil {
		return steer.Value{}, fmt.Errorf("%s: %w", k.File, err)
	}
	if !at.set {
		return steer.Value{}, nil
	}
	return steer.Of(strings.TrimSpace(at.text)), nil
}

// Write implements steer.Hand.
func (FileHand) Write(_ context.Context, k steer.Knob, v steer.Value) error {
	src, err := os.ReadFile(k.File)
	if err != nil {
		return &steer.Refusal{Reason: err.Error()}
	}
	changed, err := edit(src, k.Name, v)
	if err == nil {
		err = replace(k.File, src, changed)
	}
	if err != nil {
		return &steer.Refusal{Reason: fmt.Sprintf("%s: %v", k.File, err)}
	}
	return nil
}

// place is where a queue's share stands in an allocation file.
type place struct {
	set         bool
	text        string
	start, end  int64 // of the element maxAMShare
	body        int64 // behind the queue's start tag
	selfClosing bool  // the queue is written <queue …/>
	queueStart  int64
}

// locate finds a queue's share. A queue is an element queue or pool with a name, inside those of its parents; root may be
// written or not.
func locate(src []byte, queue string) (place, error) {
	wanted := strings.TrimPrefix(queue, "root.")
	d := xml.NewDecoder(bytes.NewReader(src))
	var names []string // of the open elements: a queue's, or empty
	var found place
	inside := 0 // depth of the queue, 0 outside
	ok := false
	for {
		before := d.InputOffset()
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return found, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch {
			case inside > 0 && len(names) == inside && t.Name.Local == "maxAMShare":
				found.set, found.start = true, before
				if err := d.DecodeElement(&found.text, &t); err != nil {
					return found, err
				}
				found.end = d.InputOffset()
				continue
			case t.Name.Local == "queue" || t.Name.Local == "pool":
				names = append(names, attribute(t, "name"))
			default:
				names = append(names, "")
			}
			if inside == 0 && path(names) == wanted && names[len(names)-1] != "" {
				if ok {
					return found, fmt.Errorf("queue %s is there twice", queue)
				}
				ok, inside = true, len(names)
				found.queueStart, found.body = before, d.InputOffset()
				found.selfClosing = src[found.body-2] == '/'
			}
		case xml.EndElement:
			if len(names) == inside {
				inside = 0
			}
			names = names[:len(names)-1]
		}
	}
	if !ok {
		return found, fmt.Errorf("queue %s: %w", queue, steer.ErrGone)
	}
	return found, nil
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// path joins the names of queues, without root.
func path(names []string) string {
	var parts []string
	for _, n := range names {
		if n != "" && n != "root" {
			parts = append(parts, n)
		}
	}
	return strings.Join(parts, ".")
}

// edit returns the file with another share, everything else as it was.
func edit(src []byte, queue string, v steer.Value) ([]byte, error) {
	at, err := locate(src, queue)
	if err != nil {
		return nil, err
	}
	element := ""
	if v.Set {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(v.Text)) // a builder takes everything
		element = "<maxAMShare>" + b.String() + "</maxAMShare>"
	}
	splice := func(from, to int64, text string) []byte {
		return append(append(append([]byte{}, src[:from]...), text...), src[to:]...)
	}
	switch {
	case at.set:
		return splice(at.start, at.end, element), nil
	case !at.selfClosing:
		return splice(at.body, at.body, element), nil
	}
	tag := strings.Fields(string(src[at.queueStart+1 : at.body]))[0] // queue or pool
	open := strings.TrimRight(strings.TrimSuffix(string(src[at.queueStart:at.body]), "/>"), " ")
	return splice(at.queueStart, at.body, open+">"+element+"</"+tag+">"), nil
}

// replace puts a new content in the file's place in one step, if it still holds the old one. The new file has the
// rights and the owner of the old one, and is younger by at least a second. A symbolic link stays one, and leads to it.
func replace(file string, old, content []byte) error {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // not there any more if all went well
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Chmod(info.Mode().Perm()))
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Getuid() {
		err = errors.Join(err, tmp.Chown(int(owner.Uid), int(owner.Gid)))
	}
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	at := time.Now()
	if least := info.ModTime().Add(time.Second); at.Before(least) {
		at = least
	}
	if err := os.Chtimes(tmp.Name(), at, at); err != nil {
		return err
	}
	now, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, old) {
		return errors.New("somebody else has written it just now")
	}
	return os.Rename(tmp.Name(), file)
}
