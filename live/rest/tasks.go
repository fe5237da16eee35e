// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"net/url"
)

// Tasks counts the tasks of one kind.
type Tasks struct{ Total, Done, Running int }

// TasksOf asks the master of a running MapReduce application, by way of the ResourceManager, for its tasks.
func (c *Client) TasksOf(ctx context.Context, app string) (maps, reduces Tasks, err error) {
	var out struct {
		Jobs *struct {
			Job list[struct {
				MapsTotal, MapsCompleted, MapsRunning          int
				ReducesTotal, ReducesCompleted, ReducesRunning int
			}]
		}
	}
	if err := c.proxy.get(ctx, "/"+url.PathEscape(app)+"/ws/v1/mapreduce/jobs", &out); err != nil {
		return maps, reduces, err
	}
	if out.Jobs == nil || len(out.Jobs.Job) != 1 {
		return maps, reduces, errors.New("the master of " + app + " tells of no job")
	}
	j := &out.Jobs.Job[0]
	return Tasks{j.MapsTotal, j.MapsCompleted, j.MapsRunning}, Tasks{j.ReducesTotal, j.ReducesCompleted, j.ReducesRunning}, nil
}
