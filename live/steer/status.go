// SPDX-License-Identifier: Apache-2.0

package steer

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yardmaster/yardmaster/internal/digits"
)

// Status is what a controller tells about itself: a page for people at / and Prometheus metrics at /metrics.
type Status struct {
	Task, Cluster, Queue string
	Apply                bool

	mu       sync.Mutex
	facts    []Fact
	said     []string // the last ones, oldest first
	looks    int
	faults   int
	refusals int
	writes   int
	fault    string
	phase    string
}

// kept is how many of the last moves the page shows.
const kept = 20

func (s *Status) saw(facts []Fact) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts = slices.Clone(facts)
	s.looks++
	s.fault, s.phase = "", "steering"
}

func (s *Status) moved(m Move, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = writes
	if m.Refused != "" {
		s.refusals++
	}
	if m.Said != "" {
		s.said = append(s.said, m.Said)
		s.said = s.said[max(0, len(s.said)-kept):]
	}
}

func (s *Status) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults++
	s.fault = err.Error()
}

func (s *Status) restoring() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = "restoring"
}

// Page returns the status as text.
func (s *Status) Page() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	mode := "dry run: nothing is changed"
	if s.Apply {
		mode = "changes are applied"
	}
	fmt.Fprintf(&b, "yardmaster %s\ncluster %s\nqueue   %s\n%s\n\n%s, %s, %s, %d refused, %s\n", s.Task, s.Cluster, s.Queue, mode,
		cmp.Or(s.phase, "starting"), digits.Count(s.looks, "look"), digits.Count(s.writes, "write"), s.refusals, digits.Count(s.faults, "fault"))
	if s.fault != "" {
		fmt.Fprintf(&b, "out of reach: %s\n", s.fault)
	}
	b.WriteByte('\n')
	for _, f := range s.facts {
		fmt.Fprintf(&b, "%-16s %v\n", f.Name, f.Value)
	}
	b.WriteByte('\n')
	for _, said := range s.said {
		fmt.Fprintln(&b, said)
	}
	return b.String()
}

// Metrics returns the status in Prometheus' text format.
func (s *Status) Metrics() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	write := func(name, kind, help string, value float64) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s{queue=%q} %v\n", name, help, name, kind, name, s.Queue, value)
	}
	write("yardmaster_looks_total", "counter", "Looks at the cluster.", float64(s.looks))
	write("yardmaster_writes_total", "counter", "Changes that were sent.", float64(s.writes))
	write("yardmaster_refusals_total", "counter", "Changes that were not made.", float64(s.refusals))
	write("yardmaster_faults_total", "counter", "Looks that failed.", float64(s.faults))
	reach := 1.0
	if s.fault != "" {
		reach = 0
	}
	write("yardmaster_cluster_up", "gauge", "Whether the last look reached the cluster.", reach)
	for _, f := range s.facts {
		write("yardmaster_seen_"+f.Name, "gauge", "As seen at the last look.", f.Value)
	}
	return b.String()
}

// Listen checks an address and opens it. An address that other machines can reach must be asked for.
func Listen(address string, public bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: allowed: HOST:PORT, such as 127.0.0.1:9190", address)
	}
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) && !public {
		return nil, fmt.Errorf("--listen %s: other machines could reach it; allowed: a loopback address such as 127.0.0.1, or --listen-public as well", address)
	}
	return net.Listen("tcp", address)
}

// Serve answers on the listener until the context ends.
func (s *Status) Serve(ctx context.Context, l net.Listener) {
	mux := http.NewServeMux()
	text := func(kind string, of func() string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, of())
		}
	}
	mux.Handle("GET /{$}", text("text/plain; charset=utf-8", s.Page))
	mux.Handle("GET /metrics", text("text/plain; version=0.0.4; charset=utf-8", s.Metrics))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	go server.Serve(l)
}
