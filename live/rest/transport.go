// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/rng"
)

// Auth puts what proves who asks on a request.
type Auth interface {
	Sign(*http.Request) error
}

// Config says whom to ask and how. The zero value of every field but URLs has a default.
type Config struct {
	URLs []string // addresses of the servers that stand in for each other, such as http://rm1:8088
	Auth Auth     // nil: nobody in particular

	Timeout time.Duration // of one request, its answer included; 10 s
	Retries int           // further rounds over all servers for requests that only read; 3, none if negative
	Pause   time.Duration // before the first of these rounds, doubled for each later one; 200 ms
	Largest int64         // bytes of an answer; 64 MiB
	Seed    uint64        // of the jitter; the clock's if 0

	Via http.RoundTripper // carries requests; nil: the network
}

// transport asks a list of servers of which one is active.
//
// A request that reads is asked again, of the next server and after a pause with jitter, when nobody answers, the
// answer breaks off, or the server says that it cannot now (5xx). A request that acts is sent again only if it surely
// did nothing: no connection came about, or a standby turned it away.
type transport struct {
	Config
	bases  []*url.URL
	http   *http.Client
	active int // index of the server that answered last
	jitter *rng.Stream
	pauses uint64
	sleep  func(context.Context, time.Duration) error
}

func newTransport(c Config, path string) (*transport, error) {
	if len(c.URLs) == 0 {
		return nil, errors.New("no address; allowed: at least one, such as http://localhost:8088")
	}
	t := &transport{Config: c, sleep: sleep}
	for _, text := range c.URLs {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.User != nil {
			return nil, fmt.Errorf("address %q; allowed: http://HOST:PORT or https://HOST:PORT, nothing behind a question mark and no password", redacted(text))
		}
		t.bases = append(t.bases, u.JoinPath(path))
	}
	t.Timeout = cmp.Or(t.Timeout, 10*time.Second)
	t.Pause = cmp.Or(t.Pause, 200*time.Millisecond)
	t.Largest = cmp.Or(t.Largest, 64<<20)
	t.Retries = max(cmp.Or(t.Retries, 3), 0)
	t.jitter = rng.New(cmp.Or(t.Seed, uint64(time.Now().UnixNano())), rng.RetryJitter)
	t.http = &http.Client{
		Transport: c.Via,
		// A redirect is a standby's way to say that it is none of ours to ask; secrets go to listed servers only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return t, nil
}

// redacted is an address without a password, for messages.
func redacted(text string) string {
	if u, err := url.Parse(text); err == nil {
		return u.Redacted()
	}
	return "that cannot be parsed"
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// request is one question.
type request struct {
	method string
	path   string // below the interface's root, with its query
	kind   string // content type of the body
	body   []byte
}

// acts reports whether the request may change something.
func (r *request) acts() bool { return r.method != http.MethodGet }

// answer is what came back, whole.
type answer struct {
	method string
	url    string
	status int
	kind   string
	body   []byte
}

// get reads a JSON answer into out. Fields that out does not have are left alone.
func (t *transport) get(ctx context.Context, path string, out any) error {
	_, err := t.do(ctx, &request{method: http.MethodGet, path: path}, func(a *answer) error { return a.decode(out) })
	return err
}

// do asks until there is an answer that read accepts, or no reason to ask again. read may be nil.
func (t *transport) do(ctx context.Context, r *request, read func(*answer) error) (*answer, error) {
	var errs []error
	for round := 0; ; round++ {
		for range t.bases {
			a, err := t.once(ctx, r)
			if err == nil && read != nil {
				err = read(a)
			}
			if err == nil {
				return a, nil
			}
			errs = append(errs, err)
			if ctx.Err() != nil || !again(r, err) {
				return nil, err
			}
			t.active = (t.active + 1) % len(t.bases)
		}
		if round >= t.Retries || r.acts() {
			return nil, errors.Join(distinct(errs)...)
		}
		if err := t.sleep(ctx, t.pause(round)); err != nil {
			return nil, errors.Join(distinct(append(errs, err))...)
		}
	}
}

// pause doubles from round to round up to 64 times the first, and varies by half.
func (t *transport) pause(round int) time.Duration {
	t.pauses++
	d := t.Pause << min(round, 6)
	return d/2 + time.Duration(rng.Below(t.jitter.Uint64(t.pauses, 0, 0), int(min(d, time.Minute))))
}

// once asks the active server.
func (t *transport) once(ctx context.Context, r *request) (*answer, error) {
	base := t.bases[t.active]
	fault := &Error{Method: r.method, URL: base.String() + r.path}
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, fault.URL, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if r.body != nil {
		req.Header.Set("Content-Type", r.kind)
	}
	if t.Auth != nil {
		if err := t.Auth.Sign(req); err != nil {
			return nil, fmt.Errorf("%s %s: who asks: %w", fault.Method, fault.URL, err)
		}
	}
	resp, err := t.http.Do(req)
	if err != nil {
		fault.Err, fault.unsent = plain(err), refusedDial(err)
		return nil, fault
	}
	defer resp.Body.Close()
	fault.Status = resp.StatusCode
	if where, is := standby(resp); is {
		fault.Standby, fault.Active, fault.unsent = true, where, true
		return nil, fault
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, t.Largest+1))
	switch {
	case err != nil:
		fault.Err = fmt.Errorf("the answer breaks off after %d bytes: %w", len(body), plain(err))
		return nil, fault
	case int64(len(body)) > t.Largest:
		fault.Err, fault.final = fmt.Errorf("the answer is longer than %d bytes", t.Largest), true
		return nil, fault
	}
	a := &answer{method: r.method, url: fault.URL, status: resp.StatusCode, kind: resp.Header.Get("Content-Type"), body: body}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		fault.Text = remoteText(a)
		return nil, fault
	}
	return a, nil
}

// plain takes the address off an error of package http: Error has it.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// refusedDial reports whether no connection came about.
func refusedDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// standby reports whether the server is not the active one, and whom it names instead. A standby redirects; while
// there is no active one it answers 200 with the header Refresh.
func standby(resp *http.Response) (active string, is bool) {
	if where := resp.Header.Get("Location"); where != "" && resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return redacted(where), true
	}
	_, where, found := strings.Cut(strings.ToLower(resp.Header.Get("Refresh")), "url=")
	if found {
		return redacted(where), true
	}
	return "", resp.Header.Get("Refresh") != ""
}

// again reports whether asking once more can help and cannot act twice.
func again(r *request, err error) bool {
	var fault *Error
	switch {
	case !errors.As(err, &fault):
		return false
	case fault.unsent:
		return true
	case r.acts() || fault.final:
		return false
	}
	return fault.Status == 0 || fault.Status >= 500 || fault.Status < 300
}

// decode reads a JSON answer.
func (a *answer) decode(out any) error {
	if kind, _, _ := mime.ParseMediaType(a.kind); kind != "application/json" {
		return &Error{Method: a.method, URL: a.url, Status: a.status, final: true,
			Err: fmt.Errorf("expected JSON, found %s: %s", cmp.Or(a.kind, "no content type"), excerpt(a.body))}
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return &Error{Method: a.method, URL: a.url, Status: a.status, Err: fmt.Errorf("%d bytes that are no such JSON: %w", len(a.body), err)}
	}
	return nil
}

// distinct leaves out an error that says what one before it says.
func distinct(errs []error) (out []error) {
	seen := map[string]bool{}
	for _, err := range errs {
		if text := err.Error(); !seen[text] {
			seen[text] = true
			out = append(out, err)
		}
	}
	return out
}
