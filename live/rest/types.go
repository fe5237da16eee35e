// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/yardmaster/yardmaster/model"
)

// Moment is a time on the cluster's clock, in milliseconds since 1970. Zero means not yet.
type Moment int64

// Since returns how long after another moment this one is.
func (m Moment) Since(other Moment) model.Time { return model.Time(m-other) * model.Millisecond }

// Resource is memory and cores.
type Resource struct {
	Memory model.Bytes
	VCores int
}

// UnmarshalJSON reads the interface's object, whose memory is in MiB.
func (r *Resource) UnmarshalJSON(b []byte) error {
	var wire struct {
		Memory number `json:"memory"`
		VCores number `json:"vCores"`
	}
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	*r = Resource{Memory: mib(wire.Memory), VCores: int(wire.VCores)}
	return nil
}

// mib turns a number of MiB into bytes. The interface says -1 where there is nothing to tell.
func mib(n number) model.Bytes { return model.Bytes(max(n, 0)) * model.MiB }

// number is a whole number, or a string that holds one.
type number int64

// UnmarshalJSON reads either; a fraction is cut off.
func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	text := string(bytes.Trim(b, `"`))
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		*n = number(v)
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return err
	}
	*n = number(v)
	return nil
}

// list is a list as the interface writes it: an array, the only element itself, or null.
type list[T any] []T

// UnmarshalJSON reads any of these.
func (l *list[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	b = bytes.TrimSpace(b)
	switch {
	case string(b) == "null" || string(b) == `""`:
		return nil
	case len(b) > 0 && b[0] == '[':
		var all []T
		err := json.Unmarshal(b, &all)
		*l = all
		return err
	}
	var one T
	err := json.Unmarshal(b, &one)
	*l = []T{one}
	return err
}

// Info is the ResourceManager itself.
type Info struct {
	ID      Moment `json:"id"` // of the cluster: when this ResourceManager became what it is
	Started Moment `json:"startedOn"`
	State   string `json:"state"`
	HAState string `json:"haState"` // ACTIVE or STANDBY
	Release string `json:"hadoopVersion"`
}

// Metrics counts the whole cluster.
type Metrics struct {
	Submitted int `json:"appsSubmitted"`
	Completed int `json:"appsCompleted"`
	Pending   int `json:"appsPending"`
	Running   int `json:"appsRunning"`
	Failed    int `json:"appsFailed"`
	Killed    int `json:"appsKilled"`

	Memory, Available, Allocated, Reserved model.Bytes `json:"-"`

	VCores            int `json:"totalVirtualCores"`
	AvailableVCores   int `json:"availableVirtualCores"`
	Containers        int `json:"containersAllocated"`
	ContainersPending int `json:"containersPending"`

	Nodes     int `json:"totalNodes"`
	Active    int `json:"activeNodes"`
	Lost      int `json:"lostNodes"`
	Unhealthy int `json:"unhealthyNodes"`
}

// UnmarshalJSON reads the interface's object.
func (m *Metrics) UnmarshalJSON(b []byte) error {
	type bare Metrics
	wire := struct {
		*bare
		Total     number `json:"totalMB"`
		Available number `json:"availableMB"`
		Allocated number `json:"allocatedMB"`
		Reserved  number `json:"reservedMB"`
	}{bare: (*bare)(m)}
	err := json.Unmarshal(b, &wire)
	m.Memory, m.Available, m.Allocated, m.Reserved = mib(wire.Total), mib(wire.Available), mib(wire.Allocated), mib(wire.Reserved)
	return err
}

// Node is a NodeManager.
type Node struct {
	ID         string   `json:"id"` // host:port
	Host       string   `json:"nodeHostName"`
	Rack       string   `json:"rack"`
	State      string   `json:"state"` // RUNNING, UNHEALTHY, LOST, …
	Labels     []string `json:"-"`
	Total      Resource `json:"totalResource"`
	Used       Resource `json:"usedResource"`
	Containers int      `json:"numContainers"`
	Release    string   `json:"version"`
	CPUPercent float64  `json:"cpuUtilization"` // of the host's cores at work, whoever uses them

	Utilization Utilization `json:"resourceUtilization"`
}

// UnmarshalJSON reads the interface's object.
func (n *Node) UnmarshalJSON(b []byte) error {
	type bare Node
	wire := struct {
		*bare
		Labels list[string] `json:"nodeLabels"`
	}{bare: (*bare)(n)}
	err := json.Unmarshal(b, &wire)
	n.Labels = wire.Labels
	return err
}

// Utilization is what a NodeManager measures on its host.
type Utilization struct {
	CPU           float64 `json:"nodeCPUUsage"`       // cores at work on the host, whoever uses them
	ContainersCPU float64 `json:"containersCPUUsage"` // of these, by containers of this NodeManager
	MemoryMiB     int64   `json:"nodePhysicalMemoryMB"`
}

// AppState is where an application stands.
type AppState string

// The states.
const (
	StateNew       AppState = "NEW"
	StateNewSaving AppState = "NEW_SAVING"
	StateSubmitted AppState = "SUBMITTED"
	StateAccepted  AppState = "ACCEPTED"
	StateRunning   AppState = "RUNNING"
	StateFinished  AppState = "FINISHED"
	StateFailed    AppState = "FAILED"
	StateKilled    AppState = "KILLED"
)

// Unfinished are the states of applications that wait or run.
var Unfinished = []AppState{StateNew, StateNewSaving, StateSubmitted, StateAccepted, StateRunning}

// Ended reports whether the application waits and runs no more.
func (s AppState) Ended() bool { return s == StateFinished || s == StateFailed || s == StateKilled }

// App is an application.
type App struct {
	ID          string   `json:"id"`
	User        string   `json:"user"`
	Name        string   `json:"name"`
	Queue       string   `json:"queue"` // full path
	Type        string   `json:"applicationType"`
	Tags        string   `json:"applicationTags"`
	State       AppState `json:"state"`
	FinalStatus string   `json:"finalStatus"` // UNDEFINED, SUCCEEDED, FAILED or KILLED
	Progress    float64  `json:"progress"`    // percent
	Diagnostics string   `json:"diagnostics"` // of one that waits: the limit that it waits for
	Priority    int      `json:"priority"`

	Started  Moment `json:"startedTime"` // submission
	Launched Moment `json:"launchTime"`
	Finished Moment `json:"finishedTime"`

	Allocated     Resource  `json:"-"`
	Containers    int       `json:"-"` // 0 while no attempt is live
	MemorySeconds int64     `json:"memorySeconds"`
	VCoreSeconds  int64     `json:"vcoreSeconds"`
	Requests      []Request `json:"-"` // what it asks for, its master's container first; absent from lists that leave them out
}

// UnmarshalJSON reads the interface's object.
func (a *App) UnmarshalJSON(b []byte) error {
	type bare App
	wire := struct {
		*bare
		Memory     number        `json:"allocatedMB"`
		VCores     number        `json:"allocatedVCores"`
		Containers number        `json:"runningContainers"`
		Requests   list[Request] `json:"resourceRequests"`
	}{bare: (*bare)(a)}
	err := json.Unmarshal(b, &wire)
	a.Allocated = Resource{Memory: mib(wire.Memory), VCores: int(max(wire.VCores, 0))}
	a.Containers, a.Requests = int(max(wire.Containers, 0)), wire.Requests
	return err
}

// Request is a number of containers that an application asks for.
type Request struct {
	Priority   int      `json:"priority"`
	Where      string   `json:"resourceName"` // a host, a rack, or * for anywhere
	Each       Resource `json:"capability"`
	Containers int      `json:"numContainers"`
	Label      string   `json:"nodeLabelExpression"`
}

// Attempt is one life of an application's master.
type Attempt struct {
	ID        string `json:"appAttemptId"`
	State     string `json:"appAttemptState"`
	Started   Moment `json:"startTime"`
	Finished  Moment `json:"finishedTime"`
	Container string `json:"containerId"` // the master's
	Node      string `json:"nodeId"`
}

// Container is a container that is allocated or runs.
type Container struct {
	ID       string
	Node     string
	State    string
	Priority int
	Size     Resource
	Started  Moment
	Finished Moment
}

// UnmarshalJSON reads the interface's object, whose numbers are strings.
func (c *Container) UnmarshalJSON(b []byte) error {
	var wire struct {
		ID       string `json:"containerId"`
		Node     string `json:"assignedNodeId"`
		State    string `json:"containerState"`
		Priority number `json:"priority"`
		Memory   number `json:"allocatedMB"`
		VCores   number `json:"allocatedVCores"`
		Started  number `json:"startedTime"`
		Finished number `json:"finishedTime"`
	}
	err := json.Unmarshal(b, &wire)
	*c = Container{ID: wire.ID, Node: wire.Node, State: wire.State, Priority: int(wire.Priority),
		Size: Resource{Memory: mib(wire.Memory), VCores: int(wire.VCores)}, Started: Moment(wire.Started), Finished: Moment(wire.Finished)}
	return err
}
