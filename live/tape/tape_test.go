// SPDX-License-Identifier: Apache-2.0

package tape_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/tape"
)

// What was recorded comes again in its order, faults too, and then the tape ends. Who asked is not on it.
func TestTape(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		switch asked {
		case 2:
			w.WriteHeader(503)
		case 3:
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"clusterM`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		default:
			fmt.Fprintf(w, `{"clusterMetrics":{"appsRunning":%d}}`, asked)
		}
	}))
	defer s.Close()
	var b strings.Builder
	record := tape.NewRecorder(&b)
	clock := time.UnixMilli(1000)
	record.Now = func() time.Time { clock = clock.Add(time.Second); return clock }
	ask := func(via http.RoundTripper) (out []string) {
		c, err := rest.New(rest.Config{URLs: []string{s.URL}, Auth: rest.UserName("secretive"), Retries: -1, Via: via})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			m, err := c.Metrics(context.Background())
			out = append(out, fmt.Sprint(m, err))
		}
		if _, err := c.Metrics(context.Background()); via != record && !errors.Is(err, tape.ErrEnd) {
			t.Errorf("after the end: %v", err)
		}
		return out
	}
	live := ask(record)
	if record.Err() != nil || strings.Contains(b.String(), "secretive") {
		t.Errorf("%v: %s", record.Err(), b.String())
	}
	text := b.String()
	cut := text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+20] // as a recorder that is killed leaves it
	player, err := tape.Play(strings.NewReader(cut))
	if err != nil {
		t.Fatal(err)
	}
	played := ask(player)
	for i := range live {
		if live[i] != played[i] {
			t.Errorf("request %d: live %s, played %s", i, live[i], played[i])
		}
	}
	if got := player.Now().UnixMilli(); got != 5000 {
		t.Errorf("the time is %d", got)
	}
	if _, err := tape.Play(strings.NewReader("{}")); err == nil {
		t.Error("a file that is no tape was taken")
	}
}
