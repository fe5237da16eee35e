// SPDX-License-Identifier: Apache-2.0

package amshare

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/tune"
)

// Load is how busy hosts are, in percent.
type Load struct {
	Idle tune.Reading[float64] // of the CPU
	Disk tune.Reading[float64] // the busiest disk
}

// Meter tells how busy the hosts of a cluster are.
type Meter interface {
	Read(context.Context, []rest.Node) (Load, error)
}

// NewMeter returns the meter of a name: nodes for what NodeManagers measure of their hosts, containers for their
// containers alone, host for this machine, none, or the address of a Prometheus exporter of the machine.
func NewMeter(name string) (Meter, error) {
	switch {
	case name == "none":
		return nil, nil
	case name == "nodes":
		return nodeMeter{}, nil
	case name == "containers":
		return nodeMeter{containers: true}, nil
	case name == "host":
		return &counterMeter{read: readProc}, nil
	case strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://"):
		return &counterMeter{read: func(ctx context.Context) (counters, error) { return scrape(ctx, name) }}, nil
	}
	return nil, fmt.Errorf("found %q; allowed: nodes, containers, host, none, or http://HOST:PORT/metrics of a Prometheus exporter", name)
}

// nodeMeter reads what NodeManagers say. They count time in which the CPU waits for disks as idle, and know
// nothing of disks.
type nodeMeter struct{ containers bool }

// Read implements Meter.
func (m nodeMeter) Read(_ context.Context, nodes []rest.Node) (Load, error) {
	cores, used := 0.0, 0.0
	for i := range nodes {
		u := &nodes[i].Utilization
		if nodes[i].CPUPercent <= 0 || u.CPU <= 0 {
			continue
		}
		cores += u.CPU / nodes[i].CPUPercent * 100
		if m.containers {
			used += u.ContainersCPU
		} else {
			used += u.CPU
		}
	}
	if cores == 0 {
		return Load{}, nil
	}
	return Load{Idle: tune.Got(min(max(100*(1-used/cores), 0), 100))}, nil
}

// counters are seconds since a machine has started.
type counters struct {
	at    time.Time
	idle  float64 // of all cores
	all   float64
	disks map[string]float64 // at work
}

// counterMeter compares counters with those of the look before.
type counterMeter struct {
	read func(context.Context) (counters, error)
	last *counters
}

// Read implements Meter. The first look knows nothing.
func (m *counterMeter) Read(ctx context.Context, _ []rest.Node) (Load, error) {
	now, err := m.read(ctx)
	if err != nil {
		return Load{}, err
	}
	last := m.last
	m.last = &now
	var l Load
	if last == nil {
		return l, nil
	}
	if all := now.all - last.all; all > 0 && now.idle >= last.idle {
		l.Idle = tune.Got(min(100*(now.idle-last.idle)/all, 100))
	}
	if span := now.at.Sub(last.at).Seconds(); span > 0 && len(now.disks) > 0 {
		busiest := 0.0
		for name, busy := range now.disks {
			if before, ok := last.disks[name]; ok {
				busiest = max(busiest, 100*(busy-before)/span)
			}
		}
		l.Disk = tune.Got(min(busiest, 100))
	}
	return l, nil
}

// readProc reads this machine's counters.
func readProc(context.Context) (counters, error) {
	c := counters{at: time.Now(), disks: map[string]float64{}}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return c, err
	}
	line, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(line)
	for i := 1; i < len(fields) && i <= 8; i++ { // guests' time is part of user's
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return c, fmt.Errorf("/proc/stat: %w", err)
		}
		c.all += v
		if i == 4 {
			c.idle = v
		}
	}
	disks, err := os.ReadFile("/proc/diskstats")
	if err != nil {
		return c, err
	}
	for line := range strings.Lines(string(disks)) {
		f := strings.Fields(line)
		if len(f) < 13 || strings.HasPrefix(f[2], "loop") || strings.HasPrefix(f[2], "zram") || strings.HasPrefix(f[2], "ram") {
			continue
		}
		if ms, err := strconv.ParseFloat(f[12], 64); err == nil {
			c.disks[f[2]] = ms / 1000
		}
	}
	return c, nil
}

// scrape reads the counters of a machine from Prometheus' node exporter.
func scrape(ctx context.Context, address string) (counters, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return counters{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return counters{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return counters{}, fmt.Errorf("%s: %s", req.URL.Redacted(), resp.Status)
	}
	return readExporter(io.LimitReader(resp.Body, 64<<20))
}

// readExporter reads node_cpu_seconds_total and node_disk_io_time_seconds_total from Prometheus' text format.
func readExporter(r io.Reader) (counters, error) {
	c := counters{at: time.Now(), disks: map[string]float64{}}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		name, rest, ok := strings.Cut(in.Text(), "{")
		if !ok || name != "node_cpu_seconds_total" && name != "node_disk_io_time_seconds_total" {
			continue
		}
		labels, text, ok := strings.Cut(rest, "}")
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.Fields(text + " ?")[0], 64)
		if err != nil {
			return c, fmt.Errorf("%s: found %q, not a number", name, strings.TrimSpace(text))
		}
		if name == "node_disk_io_time_seconds_total" {
			c.disks[label(labels, "device")] = v
			continue
		}
		c.all += v
		if label(labels, "mode") == "idle" {
			c.idle += v
		}
	}
	if err := in.Err(); err != nil {
		return c, err
	}
	if c.all == 0 {
		return c, fmt.Errorf("node_cpu_seconds_total is not there; allowed: the address of a node exporter")
	}
	return c, nil
}

// label returns the value of a label in name="value",name="value".
func label(labels, name string) string {
	for part := range strings.SplitSeq(labels, ",") {
		if key, value, ok := strings.Cut(part, "="); ok && strings.TrimSpace(key) == name {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}
