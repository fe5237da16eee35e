// SPDX-License-Identifier: Apache-2.0

// Package fakerm is a ResourceManager on loopback for tests: as much of its REST interface as controllers use, with
// faults on demand.
package fakerm

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Fault is what happens to a request.
type Fault int

// The faults. An answer that is lost belongs to a request that was carried out, a request that is lost to one that was not.
const (
	None        Fault = iota
	Busy              // 503, not carried out
	HalfAnswer        // carried out; the answer breaks off
	LostAnswer        // carried out; the connection breaks off
	LostRequest       // not carried out; the connection breaks off
	NoEffect          // answered as if it were carried out
)

// App is an application.
type App struct {
	ID, Name, User, Queue, State, Tags string
	Progress                           float64
	Started                            int64 // milliseconds
	Priority, Containers, MemoryMB     int
	MemorySeconds                      int64
	Asks                               int // containers that it asks for, anywhere

	first *int // its priority before the first change
	rank  *int // the priority by which the scheduler goes, nil before the first change
}

// Rank is the priority by which the scheduler goes. Like that of the release, it is not told when an application gets
// its first priority back, which is shown all the same.
func (a *App) Rank() int {
	if a.rank != nil {
		return *a.rank
	}
	return a.Priority
}

func (a *App) setPriority(p int) {
	if a.first == nil {
		first := a.Priority
		a.first = &first
	}
	if a.rank == nil {
		a.rank = a.first
	}
	if p != *a.first {
		a.rank = &p
	}
	a.Priority = p
}

// RM is the ResourceManager.
type RM struct {
	*httptest.Server

	mu          sync.Mutex
	Conf        map[string]string
	Queue       string
	Order       string // of the queue's applications
	TotalMB     int
	AMMB        int
	Apps        []*App
	MaxPriority int
	CPUPercent  float64
	Writes      []string           // carried out, in order
	Requests    []string           // all, in order
	Fail        func(string) Fault // told method and path
}

// New starts a ResourceManager with one leaf queue of 8 GiB and a share of 0.2 for masters.
func New() *RM {
	m := &RM{Queue: "root.prod", Order: "FifoOrderingPolicy", TotalMB: 8192, AMMB: 512, MaxPriority: 10, CPUPercent: 20,
		Conf: map[string]string{"yarn.scheduler.capacity.root.queues": "prod", "yarn.scheduler.capacity.maximum-am-resource-percent": "0.2"}}
	m.Server = httptest.NewServer(m)
	return m
}

// Do changes or reads the state while no request is served.
func (m *RM) Do(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// Share returns the share that has effect, as text.
func (m *RM) Share() string {
	if v := m.Conf["yarn.scheduler.capacity."+m.Queue+".maximum-am-resource-percent"]; v != "" {
		return v
	}
	return m.Conf["yarn.scheduler.capacity.maximum-am-resource-percent"]
}

// ServeHTTP implements http.Handler.
func (m *RM) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/ws/v1/cluster")
	what := r.Method + " " + path
	m.Requests = append(m.Requests, what)
	fault := None
	if m.Fail != nil {
		fault = m.Fail(what)
	}
	body, _ := io.ReadAll(r.Body)
	switch fault {
	case Busy:
		http.Error(w, "starting", http.StatusServiceUnavailable)
		return
	case LostRequest:
		panic(http.ErrAbortHandler)
	}
	status, answer := m.answer(r.Method, path, body, fault != NoEffect)
	switch fault {
	case LostAnswer:
		panic(http.ErrAbortHandler)
	case HalfAnswer:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		w.WriteHeader(status)
		io.WriteString(w, answer[:len(answer)/2])
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, answer)
}

func (m *RM) answer(method, path string, body []byte, act bool) (int, string) {
	id, sub, isApp := "", "", false
	if rest, ok := strings.CutPrefix(path, "/apps/"); ok {
		id, sub, _ = strings.Cut(rest, "/")
		isApp = true
	}
	switch {
	case method == "GET" && path == "/info":
		return 200, `{"clusterInfo":{"id":1,"startedOn":1,"state":"STARTED","haState":"ACTIVE","hadoopVersion":"3.4.2"}}`
	case method == "GET" && path == "/scheduler":
		return 200, m.scheduler()
	case method == "GET" && path == "/scheduler-conf":
		var list []map[string]string
		for k, v := range m.Conf {
			list = append(list, map[string]string{"name": k, "value": v})
		}
		return 200, object("property", list)
	case method == "PUT" && path == "/scheduler-conf":
		return m.putConf(body, act)
	case method == "GET" && path == "/nodes":
		return 200, fmt.Sprintf(`{"nodes":{"node":[{"id":"n1:1","state":"RUNNING","cpuUtilization":%v,"resourceUtilization":{"nodeCPUUsage":%v,"containersCPUUsage":0.1},"totalResource":{"memory":%d,"vCores":8}}]}}`, m.CPUPercent, m.CPUPercent/50, m.TotalMB)
	case method == "GET" && path == "/apps":
		return 200, m.apps()
	case isApp:
		for _, a := range m.Apps {
			if a.ID == id {
				return m.app(a, method, sub, body, act)
			}
		}
	}
	return 404, `{"RemoteException":{"exception":"NotFoundException","message":"not found"}}`
}

func object(name string, v any) string {
	b, _ := json.Marshal(map[string]any{name: v})
	return string(b)
}

func (m *RM) app(a *App, method, sub string, body []byte, act bool) (int, string) {
	switch {
	case method == "GET" && sub == "":
		return 200, object("app", a.show())
	case method == "GET" && sub == "priority":
		return 200, object("priority", a.Priority)
	case method == "PUT" && sub == "priority":
		var in struct{ Priority int }
		if json.Unmarshal(body, &in) != nil || ended(a.State) {
			return 400, `{"RemoteException":{"exception":"BadRequestException","message":"cannot be changed"}}`
		}
		p := min(in.Priority, m.MaxPriority)
		if act {
			a.setPriority(p)
			m.Writes = append(m.Writes, fmt.Sprintf("%s priority %d", a.ID, p))
		}
		return 200, object("priority", p)
	}
	return 404, "{}"
}

func ended(state string) bool { return state == "FINISHED" || state == "FAILED" || state == "KILLED" }

func (a *App) show() map[string]any {
	shown := map[string]any{"id": a.ID, "name": a.Name, "user": a.User, "queue": a.Queue, "state": a.State, "applicationTags": a.Tags, "applicationType": "MAPREDUCE",
		"progress": a.Progress, "startedTime": a.Started, "priority": a.Priority, "runningContainers": a.Containers,
		"allocatedMB": a.MemoryMB, "allocatedVCores": a.Containers, "memorySeconds": a.MemorySeconds}
	if a.Asks > 0 {
		shown["resourceRequests"] = []map[string]any{{"resourceName": "*", "numContainers": a.Asks}}
	}
	return shown
}

func (m *RM) apps() string {
	var list []map[string]any
	for _, a := range m.Apps {
		if !ended(a.State) {
			list = append(list, a.show())
		}
	}
	if list == nil {
		return `{"apps":{}}`
	}
	return object("apps", map[string]any{"app": list})
}

func (m *RM) putConf(body []byte, act bool) (int, string) {
	var in struct {
		Queues []struct {
			Name   string `xml:"queue-name"`
			Params []struct {
				Key   string `xml:"key"`
				Value string `xml:"value"`
			} `xml:"params>entry"`
		} `xml:"update-queue"`
	}
	if err := xml.Unmarshal(body, &in); err != nil {
		return 400, err.Error()
	}
	for _, q := range in.Queues {
		for _, p := range q.Params {
			if p.Value == "lots" {
				return 400, `Failed to re-init queues : For input string: "lots"`
			}
			if !act {
				continue
			}
			key := "yarn.scheduler.capacity." + q.Name + "." + p.Key
			m.Writes = append(m.Writes, q.Name+" "+p.Key+" "+p.Value)
			if m.Conf[key] = p.Value; p.Value == "" {
				delete(m.Conf, key)
			}
		}
	}
	return 200, "Configuration change successfully applied."
}

func (m *RM) scheduler() string {
	pending, active, used, am := 0, 0, 0, 0
	for _, a := range m.Apps {
		switch {
		case ended(a.State):
		case a.Containers > 0:
			active++
			used += a.MemoryMB
			am += m.AMMB
		default:
			pending++
		}
	}
	var share float64
	fmt.Sscan(m.Share(), &share)
	room := func(mb int) map[string]int { return map[string]int{"memory": mb, "vCores": mb / 256} }
	queue := map[string]any{"type": "capacitySchedulerLeafQueueInfo", "queuePath": m.Queue, "queueName": "prod", "state": "RUNNING",
		"orderingPolicyInfo": m.Order, "numActiveApplications": active, "numPendingApplications": pending, "configuredMaxAMResourceLimit": share,
		"AMResourceLimit": room((int(share*float64(m.TotalMB)) + 255) / 256 * 256), "usedAMResource": room(am), "resourcesUsed": room(used),
		"minEffectiveCapacity": room(m.TotalMB / 2), "maxEffectiveCapacity": room(m.TotalMB)}
	root := map[string]any{"type": "capacityScheduler", "queueName": "root", "queuePath": "root", "queues": map[string]any{"queue": []any{queue}}}
	return object("scheduler", map[string]any{"schedulerInfo": root})
}
