// SPDX-License-Identifier: Apache-2.0

package hadoop1

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
)

// merging goes through the jobs of a queue that want room, in order, and can leave out all
// others of a user. Users come from their heap by their first job; those whose first job was passed
// over stand in ahead with their next one.
type merging struct {
	b     *Book
	queue *queueState
	pool  int
	begun bool  // the heaps have been asked for more than their first
	user  int32 // next user of the heap, -1 at its end
	asked bool  // the heap has been asked for that user
	ahead []ahead
	at    int32 // account of the job last returned
}

// ahead is the next job of a user who was passed over.
type ahead struct {
	account int32
	job     *cluster.Job
}

// first returns the first job of a queue, which has one. Mostly it is served, so no iteration begins.
func (m *merging) first(q *queueState, pool int) *cluster.Job {
	m.queue, m.pool, m.begun, m.at = q, pool, false, q.pools[pool].first
	return q.pools[pool].head
}

// begin starts the iteration at the job that first returned.
func (m *merging) begin() {
	if m.begun {
		return
	}
	m.begun, m.asked, m.ahead = true, false, m.ahead[:0]
	m.queue.pools[m.pool].users.First()
	m.b.accounts[m.at].pools[m.pool].wanting.First()
}

// next returns the job after the last one, whose user may have others.
func (m *merging) next() *cluster.Job {
	m.begin()
	if j := m.b.accounts[m.at].pools[m.pool].wanting.Next(); j != nil {
		m.ahead = append(m.ahead, ahead{m.at, j})
	}
	return m.take()
}

// nextUser returns the first job after the last one that belongs to another user.
func (m *merging) nextUser() *cluster.Job {
	m.begin()
	return m.take()
}

// take returns the least of the heads. The next user is asked for when it matters.
func (m *merging) take() (best *cluster.Job) {
	if !m.asked {
		m.user, m.asked = m.queue.pools[m.pool].users.Next(), true
	}
	if m.user >= 0 && len(m.ahead) == 0 {
		m.at, m.asked = m.queue.accounts[m.user], false
		return m.b.accounts[m.at].pools[m.pool].wanting.First()
	}
	chosen := -1
	var key keyed.Key
	consider := func(account int32, j *cluster.Job, from int) {
		if k := m.b.jobs.Of(j).key; best == nil || k.Major < key.Major || k.Major == key.Major && k.Minor < key.Minor {
			best, key, chosen = j, k, from
			m.at = account
		}
	}
	for i, a := range m.ahead {
		consider(a.account, a.job, i)
	}
	if m.user >= 0 {
		account := m.queue.accounts[m.user]
		consider(account, m.b.accounts[account].pools[m.pool].wanting.Head(), -1)
	}
	switch {
	case best == nil:
	case chosen >= 0:
		last := len(m.ahead) - 1
		m.ahead[chosen] = m.ahead[last]
		m.ahead = m.ahead[:last]
	default:
		m.b.accounts[m.at].pools[m.pool].wanting.First() // its iteration begins
		m.asked = false
	}
	return best
}
