// SPDX-License-Identifier: Apache-2.0

package rest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/recorded"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/model"
)

const (
	pairsFile = "testdata/pairs.tar.gz"
	long1     = "application_1794729837477_0002"
	mid2      = "application_1794729837477_0006"
	mid4      = "application_1794729837477_0018"
)

// clientOf plays the recorded pairs of these names, all if none is given.
func clientOf(t *testing.T, auth rest.Auth, names ...string) *rest.Client {
	t.Helper()
	pairs := recorded.Pairs(t, pairsFile)
	if len(names) > 0 {
		pairs = slices.DeleteFunc(pairs, func(p recorded.Pair) bool { return !slices.Contains(names, p.Name) })
	}
	c, err := rest.New(rest.Config{URLs: []string{recorded.Play(t, pairs).URL}, Auth: auth, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// must is for answers that were recorded.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Every kind of read gives what the recorded cluster showed.
func TestReads(t *testing.T) {
	ctx := context.Background()
	c := clientOf(t, nil)
	if i := must[*rest.Info](t)(c.Info(ctx)); i.HAState != "ACTIVE" || i.Release != "3.4.2" || i.Started != 1794729837477 {
		t.Errorf("info %+v", i)
	}
	m := must[*rest.Metrics](t)(c.Metrics(ctx))
	if m.Pending != 6 || m.Running != 4 || m.Memory != 8*model.GiB || m.Available != 0 || m.Active != 4 || m.ContainersPending != 9 {
		t.Errorf("metrics %+v", m)
	}
	nodes := must[[]rest.Node](t)(c.Nodes(ctx))
	if len(nodes) != 4 || nodes[0].Rack != "/rack2" || nodes[0].Host != "node4" || nodes[0].Total != (rest.Resource{Memory: 2 * model.GiB, VCores: 8}) || nodes[0].Utilization.CPU < 1.99 {
		t.Errorf("nodes %+v", nodes)
	}
	apps := must[[]rest.App](t)(c.Apps(ctx, rest.Filter{States: []rest.AppState{rest.StateAccepted, rest.StateRunning}}))
	if len(apps) == 0 || apps[0].ID != long1 || apps[0].Containers != 4 || apps[0].Allocated.Memory != 2*model.GiB || apps[0].Queue != "root.batch" {
		t.Errorf("apps %+v", apps)
	}
	a := must[*rest.App](t)(c.App(ctx, mid2))
	if a.State != rest.StateAccepted || a.Launched != 0 || !strings.Contains(a.Diagnostics, "User's AM resource limit exceeded") ||
		len(a.Requests) != 1 || a.Requests[0].Each.Memory != 512*model.MiB {
		t.Errorf("app %+v", a)
	}
	attempts := must[[]rest.Attempt](t)(c.Attempts(ctx, long1))
	if len(attempts) != 1 || attempts[0].Container != "container_1794729837477_0002_01_000001" {
		t.Fatalf("attempts %+v", attempts)
	}
	held := must[[]rest.Container](t)(c.Containers(ctx, long1, attempts[0].ID))
	if len(held) != 4 || held[1].Priority != 10 || held[1].Size.Memory != 512*model.MiB || held[1].Started != 1794730076368 {
		t.Errorf("containers %+v", held)
	}
}

// An empty list is no error.
func TestEmptyList(t *testing.T) {
	pairs := slices.DeleteFunc(recorded.Pairs(t, pairsFile), func(p recorded.Pair) bool { return p.Name != "apps-none" })
	pairs[0].Request.Path += "&deSelects=resourceRequests"
	c, err := rest.New(rest.Config{URLs: []string{recorded.Play(t, pairs).URL}})
	if err != nil {
		t.Fatal(err)
	}
	if apps, err := c.Apps(context.Background(), rest.Filter{States: []rest.AppState{rest.StateFailed}}); err != nil || len(apps) != 0 {
		t.Errorf("%v, %v", apps, err)
	}
}

func TestScheduler(t *testing.T) {
	s := must[*rest.Scheduler](t)(clientOf(t, nil).Scheduler(context.Background()))
	if s.Kind != rest.Capacity || len(s.Root.Children) != 2 || s.Root.Children[0].Path != "root.batch" {
		t.Fatalf("%+v", s)
	}
	q := s.Root.Find("root.prod")
	if q == nil || !q.Leaf() || q.AMShare != 0.2 || q.AMLimit.Memory != 1280*model.MiB || q.AMUsed.Memory != model.GiB ||
		q.ActiveApps != 2 || q.PendingApps != 3 || q.Order != "fifo" || q.UserLimitFactor != 2 {
		t.Errorf("%+v", q)
	}
	if len(q.Users) != 2 || q.Users[1].Name != "bob" || !q.Users[1].Active || q.Users[1].Limit.Memory != 5376*model.MiB {
		t.Errorf("%+v", q.Users)
	}
}

// The store is read and changed; the request is the recorded one, byte for byte.
func TestConf(t *testing.T) {
	ctx := context.Background()
	c := clientOf(t, rest.UserName("root"), "scheduler-conf", "scheduler-conf-version", "scheduler-conf-version-after",
		"put-am-percent-xml", "put-global", "put-bad-sum", "validate-good", "validate-bad", "put-unset")
	p, err := c.Conf(ctx)
	if err != nil || p["yarn.scheduler.capacity.root.prod.capacity"] != "60" {
		t.Errorf("%v, %v", p, err)
	}
	set := func(key, value string) *rest.Update {
		return &rest.Update{Queues: []rest.QueueParams{{Queue: "root.prod", Params: []rest.Param{{Key: key, Value: value}}}}}
	}
	const am = "maximum-am-resource-percent"
	v1 := must[int64](t)(c.ConfVersion(ctx))
	if err := c.PutConf(ctx, set(am, "0.45")); err != nil {
		t.Error(err)
	}
	if v2 := must[int64](t)(c.ConfVersion(ctx)); v1 != 1 || v2 != 2 {
		t.Errorf("versions %d, %d", v1, v2)
	}
	if err := c.PutConf(ctx, &rest.Update{Global: []rest.Param{{Key: "yarn.scheduler.capacity." + am, Value: "0.25"}}}); err != nil {
		t.Error(err)
	}
	if err := c.PutConf(ctx, set(am, "")); err != nil {
		t.Error(err)
	}
	if p, err := c.ValidateConf(ctx, set(am, "0.3")); err != nil || p["yarn.scheduler.capacity.root.prod.capacity"] != "50" {
		t.Errorf("%v, %v", p, err)
	}
	for _, err := range []error{c.PutConf(ctx, set("capacity", "90")), second(c.ValidateConf(ctx, set("capacity", "90")))} {
		var fault *rest.Error
		if !errors.As(err, &fault) || fault.Status != 400 || !strings.Contains(fault.Text, "Illegal capacity sum of 1.4") {
			t.Errorf("%v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestPriorityAndKill(t *testing.T) {
	ctx := context.Background()
	c := clientOf(t, rest.UserName("root"))
	if got := must[int](t)(c.SetPriority(ctx, mid4, 8)); got != 8 {
		t.Errorf("priority %d", got)
	}
	if got := must[int](t)(c.SetPriority(ctx, mid4, 99)); got != 10 { // the cluster's maximum
		t.Errorf("priority %d", got)
	}
	if got := must[int](t)(c.Priority(ctx, mid4)); got != 3 {
		t.Errorf("priority %d", got)
	}
	for app, want := range map[string]rest.AppState{"application_1794729837477_0017": rest.StateKilled, "application_1794729837477_0032": "KILLING"} {
		if got := must[rest.AppState](t)(c.Kill(ctx, app)); got != want {
			t.Errorf("%s: %s, want %s", app, got, want)
		}
	}
}

// A refusal names the request, the status and the server's words.
func TestRefusal(t *testing.T) {
	_, err := clientOf(t, nil).App(context.Background(), "application_1_0001")
	if err == nil || !strings.HasSuffix(err.Error(), "/ws/v1/cluster/apps/application_1_0001: 404 Not Found: app with id: application_1_0001 not found") {
		t.Errorf("%v", err)
	}
}
