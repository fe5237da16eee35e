// SPDX-License-Identifier: Apache-2.0

package metrics

import "github.com/yardmaster/yardmaster/model"

// Heartbeats makes the collector tell the wait for a node's heartbeat from the wait for room. It is called before a run
// in which nodes ask for work at intervals. named says that who gives room names these waits itself, as YARN's resource
// manager does; elsewhere they are what no policy names a limit for.
func (c *Collector) Heartbeats(named bool) {
	c.room.Watch(len(c.jobs))
	c.named = named
}

// accountBeats is account where nodes ask for work at intervals: what no other limit is to blame for is divided.
func (c *Collector) accountBeats(l *live, now model.Time) {
	m := c.topology.Model
	mark := c.room.Mark(now)
	held := l.held()
	before := *held
	if l.waitsForNodes(c.named) {
		share := mark.Share(&l.mark, now-l.last, l.phase >= Mapping, m.Pool(l.wants()))
		l.account(now)
		waited := *held - before
		*held = before
		*l.of(model.LimitHeartbeat) += waited * share
		l.room += waited * (1 - share)
	} else {
		l.account(now)
	}
	l.mark = mark
}

// waitsForNodes reports whether nothing but a node with room is known to be waited for.
func (l *life) waitsForNodes(named bool) bool {
	return l.limit == model.LimitHeartbeat || l.limit == model.LimitRoom && !named && l.phase >= Admitted
}

// wants returns the kind of task that the job waits for.
func (l *life) wants() model.Kind {
	if l.phase == Reducing || l.pending[model.Map] == 0 {
		return model.Reduce
	}
	return model.Map
}
