// SPDX-License-Identifier: Apache-2.0

package recorded

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Root is where a ResourceManager's REST interface begins.
const Root = "/ws/v1/cluster"

// Pair is a request and what a real ResourceManager answered.
type Pair struct {
	Name    string
	Request struct {
		Method, Path string // below Root, with its query
		Headers      map[string]string
		Body         string
	}
	Response struct {
		Status  int
		Headers map[string]string
		Body    string
	}
}

// Pairs returns the pairs of an archive, by the names of their files.
func Pairs(t testing.TB, path string) []Pair {
	t.Helper()
	files := Files(t, path)
	var pairs []Pair
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var p Pair
		if err := json.Unmarshal(files[name], &p); err != nil {
			t.Fatalf("%s: %s: %v", path, name, err)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// Player answers requests as it was recorded. Of several answers to the same request the first comes first; the last
// one comes again and again. A request that was not recorded fails the test.
type Player struct {
	*httptest.Server
	Asked []string // requests so far, as "GET /path?query"
}

// Play starts a player, which stops with the test.
func Play(t testing.TB, pairs []Pair) *Player {
	t.Helper()
	answers := map[string][]*Pair{}
	for i := range pairs {
		r := &pairs[i].Request
		u, err := url.Parse(r.Path)
		if err != nil {
			t.Fatal(err)
		}
		key := requestKey(r.Method, u, r.Headers["Accept"], r.Body)
		answers[key] = append(answers[key], &pairs[i])
	}
	p := &Player{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.URL.Path = strings.TrimPrefix(r.URL.Path, Root)
		p.Asked = append(p.Asked, r.Method+" "+r.URL.RequestURI())
		key := requestKey(r.Method, r.URL, r.Header.Get("Accept"), string(body))
		a := answers[key]
		if len(a) == 0 {
			t.Errorf("not recorded: %s", key)
			http.Error(w, "not recorded", http.StatusTeapot)
			return
		}
		if len(a) > 1 {
			answers[key] = a[1:]
		}
		for name, v := range a[0].Response.Headers {
			w.Header().Set(name, v)
		}
		w.WriteHeader(a[0].Response.Status)
		if _, err := io.WriteString(w, a[0].Response.Body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// requestKey tells requests apart; the order of a query's parameters does not matter.
func requestKey(method string, u *url.URL, accept, body string) string {
	if json.Valid([]byte(body)) && body != "" { // blanks of JSON do not matter either
		var v any
		if json.Unmarshal([]byte(body), &v) == nil {
			if b, err := json.Marshal(v); err == nil {
				body = string(b)
			}
		}
	}
	return method + " " + u.Path + "?" + u.Query().Encode() + " " + accept + " " + body
}
