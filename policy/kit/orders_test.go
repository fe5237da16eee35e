// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"pgregory.net/rapid"
)

// idle returns a cluster of the given jobs, all of them admitted.
func idle(top *model.Topology, jobs []model.Job) *policy.Env {
	for i := range jobs {
		jobs[i].ID = model.JobID(i)
	}
	s := cluster.New(top)
	for i := range jobs {
		s.AddJob(jobs[i].Submit, &jobs[i]).Admit()
	}
	return &policy.Env{Cluster: s}
}

func oneNode(m model.RoomModel, room model.Room) *model.Topology {
	return &model.Topology{Model: m, Racks: 1, Hosts: 1, Classes: []model.NodeClass{{Room: room, Speed: 1}}, Nodes: make([]model.Node, 1)}
}

// rank lists the jobs of an order.
func rank(o Order, pool int) []int32 {
	id := func(j *cluster.Job) int32 {
		if j == nil {
			return -1
		}
		return int32(j.ID)
	}
	ids := []int32{}
	for i := id(o.First(pool)); i >= 0; i = id(o.Next(pool)) {
		ids = append(ids, i)
	}
	return ids
}

func drawKey(t *rapid.T) keyed.Key {
	return keyed.Key{Major: rapid.Int64Range(-2, 3).Draw(t, "major"), Minor: rapid.Int64Range(0, 2).Draw(t, "minor")} // many ties
}

// KeyedOrder asks for a key when a job begins to want room and on Rekey, and at no other time; the
// pools are apart.
func TestKeyedOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := idle(oneNode(model.Slots, model.Room{9, 9}), make([]model.Job, 12))
		keys := make([]keyed.Key, 12)
		o := NewKeyedOrder(env, func(now model.Time, j *cluster.Job) keyed.Key {
			if now != 7 {
				t.Fatalf("asked at %d", now)
			}
			return keys[j.ID]
		})
		var twins [model.Kinds]map[int32]keyed.Key // what each pool's jobs had when they were asked for
		for pool := range twins {
			twins[pool] = map[int32]keyed.Key{}
		}
		job := func(t *rapid.T) *cluster.Job {
			return env.Cluster.Job(model.JobID(rapid.IntRange(0, 11).Draw(t, "job")))
		}
		t.Repeat(map[string]func(*rapid.T){
			"wants": func(t *rapid.T) {
				j, pool, wants := job(t), rapid.IntRange(0, 1).Draw(t, "pool"), rapid.Bool().Draw(t, "wants")
				o.Wants(7, j, pool, wants)
				delete(twins[pool], int32(j.ID))
				if wants {
					twins[pool][int32(j.ID)] = keys[j.ID]
				}
			},
			"key moves unseen": func(t *rapid.T) { keys[job(t).ID] = drawKey(t) },
			"rekey": func(t *rapid.T) {
				j := job(t)
				keys[j.ID] = drawKey(t)
				o.Rekey(7, j)
				for _, w := range twins {
					if _, in := w[int32(j.ID)]; in {
						w[int32(j.ID)] = keys[j.ID]
					}
				}
			},
			"": func(t *rapid.T) {
				for pool, w := range twins {
					want := slices.SortedFunc(maps.Keys(w), func(a, b int32) int {
						return cmp.Or(cmp.Compare(w[a].Major, w[b].Major), cmp.Compare(w[a].Minor, w[b].Minor), cmp.Compare(a, b))
					})
					if got := rank(o, pool); !slices.Equal(got, want) {
						t.Fatalf("pool %d: %v, the twin says %v", pool, got, want)
					}
				}
			},
		})
	})
}
