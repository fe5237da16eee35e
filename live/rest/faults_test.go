// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server answers one request after another; the last answer stands.
type server struct {
	*httptest.Server
	requests atomic.Int32
}

// asked returns how many requests have come.
func (s *server) asked() int { return int(s.requests.Load()) }

func serve(t *testing.T, answers ...http.HandlerFunc) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before := int(s.requests.Add(1)) - 1
		answers[min(before, len(answers)-1)](w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json;charset=utf-8")
		fmt.Fprint(w, text)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// half breaks an answer off in the middle.
func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100")
	fmt.Fprint(w, `{"clusterInfo":{"haSt`)
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// What a server says goes to a terminal in one line, whatever is in it.
func TestErrorsPrint(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"RemoteException":{"exception":"X","message":"no\u001b[2J\nentry"}}`)
	})
	c, _ := quick(t, Config{URLs: []string{s.URL}})
	_, err := c.Metrics(context.Background())
	if err == nil || !strings.HasSuffix(err.Error(), `403 Forbidden: no\x1b[2J\nentry`) {
		t.Errorf("%q", err)
	}
}

const info = `{"clusterInfo":{"haState":"ACTIVE"}}`

// quick returns a client that does not wait between rounds, and what it would have waited.
func quick(t *testing.T, c Config) (*Client, *[]time.Duration) {
	t.Helper()
	c.Seed = 1
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var waits []time.Duration
	client.t.sleep = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	return client, &waits
}

// What only reads is asked again after 503, half an answer and JSON that ends early, with growing pauses.
func TestReadsAgain(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{"503": status(503), "half": half, "cut": body(info[:20])} {
		s := serve(t, first, first, body(info))
		c, waits := quick(t, Config{URLs: []string{s.URL}})
		i, err := c.Info(context.Background())
		if err != nil || i.HAState != "ACTIVE" || s.asked() != 3 {
			t.Errorf("%s: %v, %v after %d requests", name, i, err, s.asked())
		}
		for round, d := range *waits {
			if base := c.t.Pause << round; d < base/2 || d >= base*3/2 {
				t.Errorf("%s: pause %d is %v", name, round, d)
			}
		}
	}
}

// A fault that stays is told once, with the address and what was found.
func TestFaultStays(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		asked  int
		text   string
	}{
		"503":   {status(503), 3, "503 Service Unavailable"},
		"half":  {half, 3, "the answer breaks off after 21 bytes"},
		"cut":   {body(info[:20]), 3, "20 bytes that are no such JSON"},
		"page":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>please log in") }, 1, "expected JSON, found text/html; charset=utf-8: <html>please log in"},
		"long":  {body(strings.Repeat(" ", 200)), 1, "the answer is longer than 100 bytes"},
		"401":   {status(401), 1, "401 Unauthorized"},
		"empty": {body("{}"), 1, "an answer without clusterInfo"},
	} {
		s := serve(t, c.answer)
		client, _ := quick(t, Config{URLs: []string{s.URL}, Retries: 2, Largest: 100})
		_, err := client.Info(context.Background())
		if err == nil || strings.Count(err.Error(), c.text) != 1 || s.asked() != c.asked {
			t.Errorf("%s: %v after %d requests, want %q after %d", name, err, s.asked(), c.text, c.asked)
		}
	}
}

// A request that acts is never sent twice to a server that may have taken it.
func TestActsOnce(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{"503": status(503), "half": half,
		"closed": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }} {
		s, other := serve(t, answer), serve(t, body(`{"state":"KILLED"}`))
		c, _ := quick(t, Config{URLs: []string{s.URL, other.URL}})
		ctx := context.Background()
		for _, err := range []error{second(c.Kill(ctx, "application_1_1")), second(c.SetPriority(ctx, "application_1_1", 3)),
			c.PutConf(ctx, &Update{}), second(c.ValidateConf(ctx, &Update{}))} {
			var fault *Error
			if !errors.As(err, &fault) || fault.Unsent() {
				t.Errorf("%s: %v", name, err)
			}
		}
		if s.asked() != 4 || other.asked() != 0 {
			t.Errorf("%s: %d and %d requests, want 4 and none", name, s.asked(), other.asked())
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A standby turns requests away, and nobody listens at an address that is shut: both did nothing, so the next server
// of the list is asked even if the request acts. It stays the one that is asked first.
func TestFailover(t *testing.T) {
	redirect := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://rm2:8088/ws/v1/cluster/apps")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	refresh := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Refresh", "3;url=http://rm2:8088/")
		fmt.Fprint(w, "This is standby RM.")
	}
	for name, away := range map[string]http.HandlerFunc{"redirect": redirect, "refresh": refresh, "shut": nil} {
		var urls []string
		first := serve(t, away)
		if away == nil {
			first.Close()
		}
		active := serve(t, body(`{"state":"KILLED"}`))
		urls = append(urls, first.URL, active.URL)
		c, _ := quick(t, Config{URLs: urls})
		for range 2 {
			if state, err := c.Kill(context.Background(), "application_1_1"); err != nil || state != StateKilled {
				t.Errorf("%s: %v, %v", name, state, err)
			}
		}
		if active.asked() != 2 || away != nil && first.asked() != 1 {
			t.Errorf("%s: asked %d and %d times", name, first.asked(), active.asked())
		}
	}
	c, _ := quick(t, Config{URLs: []string{serve(t, redirect).URL}})
	if _, err := c.Kill(context.Background(), "application_1_1"); err == nil || !strings.Contains(err.Error(), "is standby and names http://rm2:8088/ws/v1/cluster/apps") {
		t.Errorf("%v", err)
	}
}

// A server that does not answer in time is given up.
func TestTimeout(t *testing.T) {
	done := make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) { <-done })
	defer close(done)
	c, waits := quick(t, Config{URLs: []string{s.URL}, Timeout: 20 * time.Millisecond, Retries: 1})
	if _, err := c.Info(context.Background()); !errors.Is(err, context.DeadlineExceeded) || len(*waits) != 1 {
		t.Errorf("%v after %d pauses", err, len(*waits))
	}
}

// Who asks: a name in the query, or what a command prints, and only its first word's worth in errors.
func TestAuth(t *testing.T) {
	var got *http.Request
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body(info)(w, r)
	})
	ask := func(a Auth) error {
		c, _ := quick(t, Config{URLs: []string{s.URL}, Auth: a})
		_, err := c.Info(context.Background())
		return err
	}
	if err := ask(UserName("alice")); err != nil || got.URL.Query().Get("user.name") != "alice" {
		t.Errorf("%v: %v", got.URL, err)
	}
	if err := ask(&TokenCommand{Command: []string{"echo", "secret"}}); err != nil || got.Header.Get("X-Hadoop-Delegation-Token") != "secret" {
		t.Errorf("%v: %v", got.Header, err)
	}
	if err := ask(&TokenCommand{Command: []string{"echo", "Authorization: Bearer secret"}}); err != nil || got.Header.Get("Authorization") != "Bearer secret" {
		t.Errorf("%v: %v", got.Header, err)
	}
	err := ask(&TokenCommand{Command: []string{"printf", `secret\nsecret`}})
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "printed 2 lines") {
		t.Errorf("%v", err)
	}
}

// Addresses that cannot be asked are refused, without a password in the message.
func TestAddresses(t *testing.T) {
	for _, text := range []string{"localhost:8088", "ftp://rm", "http://", "http://u:secret@rm:8088", "http://rm:8088?user.name=x"} {
		if _, err := New(Config{URLs: []string{text}}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := New(Config{}); err == nil {
		t.Error("no address is accepted")
	}
}

// The Fair Scheduler's tree; a single child stands without a list.
func TestFair(t *testing.T) {
	const text = `{"scheduler":{"schedulerInfo":{"type":"fairScheduler","rootQueue":{"queueName":"root","childQueues":{"queue":
	{"type":"fairSchedulerLeafQueueInfo","queueName":"root.q","schedulingPolicy":"fair","usedResources":{"memory":2048,"vCores":2},"fairResources":{"memory":8192,"vCores":8},
	"steadyFairResources":{"memory":8192,"vCores":8},"maxResources":{"memory":16384,"vCores":16},"amUsedResources":{"memory":512,"vCores":1},"amMaxResources":{"memory":4096,"vCores":4},"numActiveApps":2,"numPendingApps":1}}}}}}`
	c, _ := quick(t, Config{URLs: []string{serve(t, body(text)).URL}})
	s, err := c.Scheduler(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	q := s.Root.Find("root.q")
	if s.Kind != Fair || q == nil || q.AMShare != 0.5 || q.AMUsed.VCores != 1 || q.ActiveApps != 2 || q.PendingApps != 1 {
		t.Errorf("%+v", q)
	}
	c, _ = quick(t, Config{URLs: []string{serve(t, body(`{"scheduler":{"schedulerInfo":{"type":"odd"}}}`)).URL}})
	if _, err := c.Scheduler(context.Background()); err == nil || !strings.Contains(err.Error(), `type "odd"`) {
		t.Errorf("%v", err)
	}
}
