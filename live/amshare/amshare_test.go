// SPDX-License-Identifier: Apache-2.0

package amshare

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/live/steer"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/tune"
)

const allocations = `<?xml version="1.0"?>
<allocations>
  <!-- <queue name="etl"><maxAMShare>9</maxAMShare></queue> -->
  <queue name="root">
    <queue name="etl" type="parent">
      <maxAMShare>0.9</maxAMShare>
      <queue name="nightly"> <weight>2</weight> <maxAMShare> 0.4 </maxAMShare>
      </queue>
      <queue name="daily"/>
    </queue>
  </queue>
  <pool name="adhoc"><weight>1</weight></pool>
  <queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>
</allocations>
`

func TestAllocationFile(t *testing.T) {
	for _, c := range []struct{ queue, was, changed string }{
		{"root.etl.nightly", "0.4", `<weight>2</weight> <maxAMShare>0.3</maxAMShare>`},
		{"root.etl", "0.9", `<queue name="etl" type="parent">` + "\n      <maxAMShare>0.3</maxAMShare>"},
		{"root.etl.daily", "unset", `<queue name="daily"><maxAMShare>0.3</maxAMShare></queue>`},
		{"root.adhoc", "unset", `<pool name="adhoc"><maxAMShare>0.3</maxAMShare><weight>1</weight></pool>`},
	} {
		file := filepath.Join(t.TempDir(), "fair-scheduler.xml")
		if err := os.WriteFile(file, []byte(allocations), 0o640); err != nil {
			t.Fatal(err)
		}
		k := steer.Knob{Kind: steer.KindFile, Name: c.queue, File: file}
		was, err := FileHand{}.Read(t.Context(), k)
		if err != nil || was.String() != c.was {
			t.Errorf("%s: %v %v", c.queue, was, err)
		}
		if err := (FileHand{}).Write(t.Context(), k, steer.Of("0.3")); err != nil {
			t.Fatal(err)
		}
		src, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(src), c.changed) || strings.Count(string(src), "0.3") != 1 {
			t.Errorf("%s: %s %v", c.queue, src, err)
		}
		now, err := FileHand{}.Read(t.Context(), k)
		if err != nil || now != steer.Of("0.3") {
			t.Errorf("%s: %v is read back: %v", c.queue, now, err)
		}
		if err := (FileHand{}).Write(t.Context(), k, was); err != nil {
			t.Fatal(err)
		}
		if again, err := (FileHand{}).Read(t.Context(), k); err != nil || !again.Same(was) {
			t.Errorf("%s: %v is put back as %v: %v", c.queue, was, again, err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v %v", c.queue, info.Mode(), err)
		}
	}
	file := filepath.Join(t.TempDir(), "fair-scheduler.xml")
	if err := os.WriteFile(file, []byte(allocations), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := (FileHand{}).Read(t.Context(), steer.Knob{Name: "root.nosuch", File: file}); !errors.Is(err, steer.ErrGone) {
		t.Error(err)
	}
}

// TestFileNeverGetsOlder: the scheduler reads a file that is younger than its last reading, so a clock that has been set
// back must not make the file older.
func TestFileNeverGetsOlder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fair-scheduler.xml")
	if err := os.WriteFile(file, []byte(allocations), 0o640); err != nil {
		t.Fatal(err)
	}
	ahead := time.Now().Add(time.Hour).Truncate(time.Second)
	if err := os.Chtimes(file, ahead, ahead); err != nil {
		t.Fatal(err)
	}
	k := steer.Knob{Kind: steer.KindFile, Name: "root.adhoc", File: file}
	for i, v := range []string{"0.2", "0.3"} {
		if err := (FileHand{}).Write(t.Context(), k, steer.Of(v)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if want := ahead.Add(time.Duration(i+1) * time.Second); err != nil || info.ModTime().Before(want) {
			t.Errorf("written at %v, want %v: %v", info.ModTime(), want, err)
		}
	}
}

// TestAllocationFileByLinks: where the file is reached by symbolic links, such as to the folder of a release, what they lead
// to is changed, and they stay.
func TestAllocationFileByLinks(t *testing.T) {
	dir := t.TempDir()
	file, current, link := filepath.Join(dir, "v7", "fair-scheduler.xml"), filepath.Join(dir, "current"), filepath.Join(dir, "fair-scheduler.xml")
	err := errors.Join(os.Mkdir(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(allocations), 0o640),
		os.Symlink("v7", current), os.Symlink(filepath.Join("current", "fair-scheduler.xml"), link))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{link, filepath.Join(current, "fair-scheduler.xml"), file} {
		for _, v := range []steer.Value{steer.Of("0.3"), {}} {
			k := steer.Knob{Kind: steer.KindFile, Name: "root.adhoc", File: at}
			if err := (FileHand{}).Write(t.Context(), k, v); err != nil {
				t.Fatal(err)
			}
			k.File = file
			if now, err := (FileHand{}).Read(t.Context(), k); err != nil || now != v {
				t.Errorf("%s written at %s: %s stands: %v", v, at, now, err)
			}
		}
	}
	for _, l := range []string{current, link} {
		if info, err := os.Lstat(l); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v %v", l, info.Mode(), err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", ".fair*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestNodeMeter(t *testing.T) {
	node := func(percent, cores, containers float64) rest.Node {
		n := rest.Node{CPUPercent: percent}
		n.Utilization.CPU, n.Utilization.ContainersCPU = cores, containers
		return n
	}
	// Two hosts of 4 and 12 cores, of which 2 and 9 are at work: 5 of 16 are idle; containers use 4 of 16.
	nodes := []rest.Node{node(50, 2, 1), node(75, 9, 3), {}}
	for name, want := range map[string]float64{"nodes": 100 * 5. / 16, "containers": 75} {
		m, err := NewMeter(name)
		if err != nil {
			t.Fatal(err)
		}
		if load, err := m.Read(t.Context(), nodes); err != nil || !load.Idle.Known || load.Idle.Value != want || load.Disk.Known {
			t.Errorf("%s: %+v %v, want %v", name, load, err, want)
		}
		if load, err := m.Read(t.Context(), nil); err != nil || load.Idle.Known {
			t.Errorf("%s without nodes: %+v %v", name, load, err)
		}
	}
}

func TestExporter(t *testing.T) {
	page := `# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{cpu="0",mode="idle"} 100
node_cpu_seconds_total{cpu="0",mode="user"} 50
node_cpu_seconds_total{cpu="1",mode="idle"} 100.5
node_cpu_seconds_total{cpu="1",mode="iowait"} 49.5
node_disk_io_time_seconds_total{device="sda"} 7
node_load1 3
`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(page)) }))
	defer server.Close()
	m, err := NewMeter(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	if load, err := m.Read(t.Context(), nil); err != nil || load.Idle.Known || load.Disk.Known {
		t.Errorf("the first look knows %+v: %v", load, err)
	}
	page = strings.NewReplacer("idle\"} 100\n", "idle\"} 101\n", "iowait\"} 49.5", "iowait\"} 52.5").Replace(page)
	load, err := m.Read(t.Context(), nil)
	if err != nil || load.Idle != tune.Got(25.0) || !load.Disk.Known {
		t.Errorf("1 of 4 s idle: %+v %v", load, err)
	}
	page = "nothing\n"
	if _, err := m.Read(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "node exporter") {
		t.Error(err)
	}
	own, err := NewMeter("host")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := own.Read(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// oneQueue is a cluster with one queue.
type oneQueue struct {
	queue rest.Queue
	apps  []rest.App
}

func (s *oneQueue) Scheduler(context.Context) (*rest.Scheduler, error) {
	return &rest.Scheduler{Kind: rest.Capacity, Root: &s.queue}, nil
}
func (s *oneQueue) Apps(context.Context, rest.Filter) ([]rest.App, error) { return s.apps, nil }
func (s *oneQueue) Nodes(context.Context, ...string) ([]rest.Node, error) { return nil, nil }
func memory(mb model.Bytes) rest.Resource                                 { return rest.Resource{Memory: mb * model.MiB} }
func inState(id string, state rest.AppState, containers int, mb model.Bytes) rest.App {
	return rest.App{ID: id, Queue: "root.q", State: state, Containers: containers, Allocated: memory(mb), Progress: 40}
}

func TestObserve(t *testing.T) {
	s := &oneQueue{queue: rest.Queue{Path: "root.q", AMShare: 0.2, AMLimit: memory(1792), AMUsed: memory(1024), ActiveApps: 2, Limit: memory(8192), Guaranteed: memory(4915), Used: memory(2560)},
		apps: []rest.App{inState("a", rest.StateRunning, 4, 2048), inState("b", rest.StateAccepted, 1, 512), inState("c", rest.StateAccepted, 0, 0), {ID: "x", Queue: "root.other"}}}
	e := &Eyes{Source: s, Queue: "root.q"}
	o, err := e.Observe(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if o.Pending != tune.Got(1) || o.Running != tune.Got(2) || o.AM != tune.Got(512*model.MiB) || o.Container != tune.Got(512*model.MiB) ||
		o.Memory != tune.Got(8192*model.MiB) || o.Available != tune.Got(5632*model.MiB) || o.Share != tune.Got(0.2) || len(o.Apps) != 3 {
		t.Errorf("%+v", o)
	}
	s.apps = s.apps[1:]
	if o, err = e.Observe(t.Context(), model.Second); err != nil || len(o.Apps) != 3 || o.Apps[0].State != tune.Finished || o.Running != tune.Got(1) {
		t.Errorf("%+v %v", o, err)
	}
	// Siblings have taken what was beyond the guarantee: the limit on masters tells.
	s.queue.AMLimit = memory(1024)
	if o, err = e.Observe(t.Context(), 2*model.Second); err != nil || o.Memory != tune.Got(5120*model.MiB) {
		t.Errorf("%+v %v", o.Memory, err)
	}
}
