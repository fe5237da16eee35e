// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/yarn/conf"
)

// Client asks a ResourceManager.
type Client struct {
	t     *transport
	proxy *transport // to the masters of applications
	site  *transport // what lies outside of the REST interface
}

// New returns a client of the ResourceManagers at the configuration's addresses. It asks nothing yet.
func New(c Config) (*Client, error) {
	t, err := newTransport(c, "/ws/v1/cluster")
	if err != nil {
		return nil, fmt.Errorf("ResourceManager: %w", err)
	}
	proxy, err := newTransport(c, "/proxy")
	if err != nil {
		return nil, fmt.Errorf("ResourceManager: %w", err)
	}
	site, err := newTransport(c, "")
	return &Client{t, proxy, site}, err
}

// Site returns the properties that the ResourceManager runs with, those of its scheduler's own file not among them. They
// may hold secrets. Where the cluster does not show them to everybody, it takes an administrator to ask.
func (c *Client) Site(ctx context.Context) (conf.Properties, error) {
	var out struct {
		Properties list[struct{ Key, Value string }]
	}
	if err := c.site.get(ctx, "/conf?format=json", &out); err != nil {
		return nil, err
	}
	p := conf.Properties{}
	for _, x := range out.Properties {
		p[x.Key] = x.Value
	}
	return p, nil
}

// Info returns what the ResourceManager says of itself. A standby answers too.
func (c *Client) Info(ctx context.Context) (*Info, error) {
	var out struct{ ClusterInfo *Info }
	err := c.t.get(ctx, "/info", &out)
	return found(out.ClusterInfo, err, "clusterInfo")
}

// Metrics returns the counts of the whole cluster.
func (c *Client) Metrics(ctx context.Context) (*Metrics, error) {
	var out struct{ ClusterMetrics *Metrics }
	err := c.t.get(ctx, "/metrics", &out)
	return found(out.ClusterMetrics, err, "clusterMetrics")
}

// Nodes returns the nodes in the order in which they come; with states, only those in one of them.
func (c *Client) Nodes(ctx context.Context, states ...string) ([]Node, error) {
	q := url.Values{}
	if len(states) > 0 {
		q.Set("states", strings.Join(states, ","))
	}
	var out struct {
		Nodes *struct{ Node list[Node] }
	}
	if err := c.t.get(ctx, "/nodes"+query(q), &out); err != nil || out.Nodes == nil {
		return nil, err
	}
	return out.Nodes.Node, nil
}

// Filter says which applications are wanted. The zero value wants all.
type Filter struct {
	States   []AppState
	User     string
	Queue    string // of unfinished applications only
	Finished Moment // ended at this moment or later
	Requests bool   // with what they ask for, which makes answers long
}

// Apps returns applications in the order of their submission, those of one moment by their IDs.
func (c *Client) Apps(ctx context.Context, f Filter) ([]App, error) {
	q := url.Values{}
	if len(f.States) > 0 {
		names := make([]string, len(f.States))
		for i, s := range f.States {
			names[i] = string(s)
		}
		q.Set("states", strings.Join(names, ","))
	}
	for key, v := range map[string]string{"user": f.User, "queue": f.Queue} {
		if v != "" {
			q.Set(key, v)
		}
	}
	if f.Finished > 0 {
		q.Set("finishedTimeBegin", strconv.FormatInt(int64(f.Finished), 10))
	}
	if !f.Requests {
		q.Set("deSelects", "resourceRequests")
	}
	var out struct {
		Apps *struct{ App list[App] }
	}
	if err := c.t.get(ctx, "/apps"+query(q), &out); err != nil || out.Apps == nil {
		return nil, err
	}
	sortApps(out.Apps.App)
	return out.Apps.App, nil
}

// App returns one application with what it asks for.
func (c *Client) App(ctx context.Context, id string) (*App, error) {
	var out struct{ App *App }
	err := c.t.get(ctx, "/apps/"+url.PathEscape(id), &out)
	return found(out.App, err, "app")
}

// Attempts returns the attempts of an application.
func (c *Client) Attempts(ctx context.Context, app string) ([]Attempt, error) {
	var out struct {
		AppAttempts *struct{ AppAttempt list[Attempt] }
	}
	if err := c.t.get(ctx, "/apps/"+url.PathEscape(app)+"/appattempts", &out); err != nil || out.AppAttempts == nil {
		return nil, err
	}
	return out.AppAttempts.AppAttempt, nil
}

// Containers returns the containers that an attempt holds now.
func (c *Client) Containers(ctx context.Context, app, attempt string) ([]Container, error) {
	var out struct{ Container list[Container] }
	err := c.t.get(ctx, "/apps/"+url.PathEscape(app)+"/appattempts/"+url.PathEscape(attempt)+"/containers", &out)
	return out.Container, err
}

// Priority returns an application's priority.
func (c *Client) Priority(ctx context.Context, app string) (int, error) {
	var out struct{ Priority *int }
	err := c.t.get(ctx, "/apps/"+url.PathEscape(app)+"/priority", &out)
	p, err := found(out.Priority, err, "priority")
	if err != nil {
		return 0, err
	}
	return *p, nil
}

// SetPriority sets an application's priority and returns the one that stands, which the cluster's maximum may cut.
func (c *Client) SetPriority(ctx context.Context, app string, priority int) (int, error) {
	var out struct{ Priority *int }
	err := c.put(ctx, "/apps/"+url.PathEscape(app)+"/priority", map[string]int{"priority": priority}, &out)
	p, err := found(out.Priority, err, "priority")
	if err != nil {
		return 0, err
	}
	return *p, nil
}

// Kill ends an application and returns the state that it is in, KILLING if its end takes a while.
func (c *Client) Kill(ctx context.Context, app string) (AppState, error) {
	var out struct{ State AppState }
	err := c.put(ctx, "/apps/"+url.PathEscape(app)+"/state", map[string]AppState{"state": StateKilled}, &out)
	return out.State, err
}

// put sends JSON and reads JSON.
func (c *Client) put(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	a, err := c.t.do(ctx, &request{method: http.MethodPut, path: path, kind: "application/json", body: body}, nil)
	if err != nil {
		return err
	}
	if err := a.decode(out); err != nil {
		return fmt.Errorf("%s was accepted, but: %w", path, err)
	}
	return nil
}

// found turns an answer without its object into an error.
func found[T any](v *T, err error, name string) (*T, error) {
	if err == nil && v == nil {
		err = errors.New("an answer without " + name)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// query writes parameters behind a question mark, commas plain.
func query(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	return "?" + strings.ReplaceAll(q.Encode(), "%2C", ",")
}
