// SPDX-License-Identifier: Apache-2.0

package deadline

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
)

// moves is what does not stand in the heaps where it belongs, for a while.
type moves struct {
	passed []placed // jobs that the iteration has left behind: taken out of a heap

	// A job that ceased to be held when one of its tasks ended, and stands where it stood. Mostly it is served next, and held again.
	risen placed
	until model.Time // when its patience ends, if it has no goal
}

// placed is a job with the key that it has in a pool. The zero value is none.
type placed struct {
	pool *needsPool
	job  *cluster.Job
	key  keyed.Key
}

// pass takes the first job of a pool out of its heap until restore.
func (m *moves) pass(p *needsPool) {
	slot, key := p.order.Top()
	j := p.order.Cluster.At(slot)
	p.order.Remove(j)
	m.passed = append(m.passed, placed{p, j, key})
}

// restore ends an iteration.
func (m *moves) restore() {
	if len(m.passed) > 0 {
		m.putBack()
	}
}

func (m *moves) putBack() {
	for i := range m.passed {
		m.passed[i].stand()
	}
	m.passed = m.passed[:0]
}

// raise puts the job that has risen where it belongs.
func (m *moves) raise() {
	if m.risen.job != nil {
		m.standRisen()
	}
}

func (m *moves) standRisen() {
	m.risen.stand()
	if j, p := m.risen.job, m.risen.pool; j.Goal == model.Forever {
		p.stays(j, p.of(j))
		p.freed = append(p.freed, j)
	}
	m.risen = placed{}
}

// stand puts the job where it belongs.
func (j *placed) stand() { j.pool.order.Set(j.job, j.key) }
