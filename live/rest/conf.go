// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"net/http"

	"github.com/yardmaster/yardmaster/yarn/conf"
)

// Param is a setting of the scheduler. An empty value unsets it.
type Param struct{ Key, Value string }

// QueueParams are settings of one queue.
type QueueParams struct {
	Queue  string  // full path
	Params []Param // keys behind the queue's path, such as capacity
}

// Update is a change of the scheduler's configuration, which is applied whole or not at all.
type Update struct {
	Queues []QueueParams
	Global []Param // keys written in full
}

// xml writes the change as the interface reads it.
func (u *Update) xml() []byte {
	var b bytes.Buffer
	text := func(s string) { _ = xml.EscapeText(&b, []byte(s)) } // a buffer takes everything
	entries := func(params []Param) {
		for _, p := range params {
			b.WriteString("<entry><key>")
			text(p.Key)
			b.WriteString("</key><value>")
			text(p.Value)
			b.WriteString("</value></entry>")
		}
	}
	b.WriteString("<sched-conf>")
	for _, q := range u.Queues {
		b.WriteString("<update-queue><queue-name>")
		text(q.Queue)
		b.WriteString("</queue-name><params>")
		entries(q.Params)
		b.WriteString("</params></update-queue>")
	}
	if len(u.Global) > 0 {
		b.WriteString("<global-updates>")
		entries(u.Global)
		b.WriteString("</global-updates>")
	}
	b.WriteString("</sched-conf>")
	return b.Bytes()
}

// properties is a configuration as the interface writes it.
type properties struct {
	Property list[struct{ Name, Value string }]
}

func (p *properties) read() conf.Properties {
	out := conf.Properties{}
	for _, x := range p.Property {
		out[x.Name] = x.Value
	}
	return out
}

// Conf returns the configuration that stands in the scheduler's store. Only the Capacity Scheduler has one.
func (c *Client) Conf(ctx context.Context) (conf.Properties, error) {
	var out properties
	if err := c.t.get(ctx, "/scheduler-conf", &out); err != nil {
		return nil, err
	}
	return out.read(), nil
}

// ConfVersion returns a number that grows with each change of the store.
func (c *Client) ConfVersion(ctx context.Context) (int64, error) {
	var out struct{ VersionID *number }
	err := c.t.get(ctx, "/scheduler-conf/version", &out)
	v, err := found(out.VersionID, err, "versionID")
	if err != nil {
		return 0, err
	}
	return int64(*v), nil
}

// PutConf changes the configuration. That it returns no error does not mean that the change acts: compare Scheduler.
func (c *Client) PutConf(ctx context.Context, u *Update) error {
	_, err := c.t.do(ctx, &request{method: http.MethodPut, path: "/scheduler-conf", kind: "application/xml", body: u.xml()}, nil)
	return err
}

// ValidateConf returns the configuration as the change would leave it, or why the scheduler would refuse it. Nothing
// is changed.
func (c *Client) ValidateConf(ctx context.Context, u *Update) (conf.Properties, error) {
	a, err := c.t.do(ctx, &request{method: http.MethodPost, path: "/scheduler-conf/validate", kind: "application/xml", body: u.xml()}, nil)
	if err != nil {
		return nil, err
	}
	var out properties
	if err := a.decode(&out); err != nil {
		return nil, fmt.Errorf("validation: %w", err)
	}
	return out.read(), nil
}
