// SPDX-License-Identifier: Apache-2.0

// Package tape records what passes between Yardmaster and a cluster, and plays it again: whoever asks the same gets the
// same answers, without a cluster.
//
// A tape is lines of JSON: the first names the format, each other one is a request and its answer with the time on the
// clock of whoever asked. Headers are not recorded, and neither is who asked.
package tape

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Version is that of the format.
const Version = 1

type header struct {
	Tape int `json:"tape"`
}

// Exchange is a request and its answer.
type Exchange struct {
	At     int64  `json:"at"` // milliseconds since 1970
	Method string `json:"method"`
	Path   string `json:"path"` // with its query, without user.name
	Sent   string `json:"sent,omitempty"`
	Status int    `json:"status,omitempty"`
	Type   string `json:"type,omitempty"`
	Body   string `json:"body,omitempty"`
	Fault  string `json:"fault,omitempty"` // why there is no answer, or only a part of one
}

// Recorder is an http.RoundTripper that writes down what passes through it.
type Recorder struct {
	Next http.RoundTripper // nil: the network
	Now  func() time.Time  // nil: the clock
	out  *json.Encoder
	err  error
}

// NewRecorder begins a tape.
func NewRecorder(w io.Writer) *Recorder {
	r := &Recorder{out: json.NewEncoder(w)}
	r.out.SetEscapeHTML(false)
	r.err = r.out.Encode(header{Version})
	return r
}

// Err returns the first error of writing.
func (r *Recorder) Err() error { return r.err }

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	next, now := r.Next, r.Now
	if next == nil {
		next = http.DefaultTransport
	}
	if now == nil {
		now = time.Now
	}
	x := Exchange{Method: req.Method, Path: pathOf(req.URL)}
	if req.Body != nil && req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			sent, _ := io.ReadAll(body) // the body of a request is in memory
			x.Sent = string(sent)
		}
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		x.At, x.Fault = now().UnixMilli(), err.Error()
		r.write(&x)
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	x.At, x.Status, x.Type, x.Body = now().UnixMilli(), resp.StatusCode, resp.Header.Get("Content-Type"), string(body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		x.Fault = err.Error()
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), broken{err}))
	}
	r.write(&x)
	return resp, nil
}

func (r *Recorder) write(x *Exchange) {
	if err := r.out.Encode(x); r.err == nil {
		r.err = err
	}
}

// broken is the place where an answer broke off.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// pathOf is what was asked, without who asked.
func pathOf(u *url.URL) string {
	q := u.Query()
	q.Del("user.name")
	if len(q) == 0 {
		return u.Path
	}
	return u.Path + "?" + strings.ReplaceAll(q.Encode(), "%2C", ",")
}

// ErrEnd says that the tape has no further answer to a request.
var ErrEnd = errors.New("the recording ends here")

// Player is an http.RoundTripper that answers from a tape: each request gets the first answer to it that was not given
// yet.
type Player struct {
	answers map[string][]*Exchange
	now     int64
}

// Play reads a tape.
func Play(r io.Reader) (*Player, error) {
	in := bufio.NewReader(r)
	dec := json.NewDecoder(in)
	var head header
	if err := dec.Decode(&head); err != nil || head.Tape != Version {
		return nil, fmt.Errorf("line 1: no recording of format %d", Version)
	}
	p := &Player{answers: map[string][]*Exchange{}}
	for line := 2; ; line++ {
		x := &Exchange{}
		err := dec.Decode(x)
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) { // a recorder that was killed leaves half a line
			return p, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if p.now == 0 {
			p.now = x.At
		}
		key := x.Method + " " + x.Path
		p.answers[key] = append(p.answers[key], x)
	}
}

// Has reports whether a path that begins like this was asked.
func (p *Player) Has(prefix string) bool {
	for key := range p.answers {
		if _, path, _ := strings.Cut(key, " "); strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// Now returns the time of the latest answer.
func (p *Player) Now() time.Time { return time.UnixMilli(p.now) }

// RoundTrip implements http.RoundTripper.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	key := req.Method + " " + pathOf(req.URL)
	list := p.answers[key]
	if len(list) == 0 {
		return nil, ErrEnd
	}
	x := list[0]
	p.answers[key] = list[1:]
	p.now = max(p.now, x.At)
	if x.Status == 0 {
		return nil, errors.New(x.Fault)
	}
	var body io.Reader = strings.NewReader(x.Body)
	if x.Fault != "" {
		body = io.MultiReader(body, broken{errors.New(x.Fault)})
	}
	return &http.Response{StatusCode: x.Status, Status: http.StatusText(x.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {x.Type}}, Body: io.NopCloser(body), ContentLength: -1, Request: req}, nil
}
