// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"fmt"
	"math"
	"testing"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// foretell makes the role predict what the maps of a job make, through what it is told of ended maps.
func foretell(n *NAS, j *cluster.Job, each model.Bytes) {
	n.update(j, 0, each, 1)
	n.update(j, 0, each, -1)
}

// §3.2.3: of three jobs, each with data on a tenth of the nodes and qualified half of the time, one starts a
// local and qualified map within 10 skips with a probability of 78.5 %, within 40 of 99.8 %. Node i holds data
// of the jobs whose bits i has.
func TestChanceOfQualifiedMap(t *testing.T) {
	const trials = 20000
	for _, c := range []struct {
		skips int
		want  float64
	}{{10, 0.785}, {40, 0.998}} {
		p := mapsAlone()
		p.MapSkips = int32(c.skips)
		d, n := nasDesk(t, p, 2, 4, 4)
		var jobs [3]*cluster.Job
		for b := range jobs {
			var nodes []model.NodeID
			for i := range model.NodeID(8) {
				if i>>b&1 != 0 {
					nodes = append(nodes, i)
				}
			}
			jobs[b] = d.come(job("u", 4, 400, 0), nodes...)
		}
		started := 0
		for trial := range trials {
			n.users[0].maps = skips{}
			r := rng.New(uint64(c.skips), "nas-test").At(uint64(trial), 0, 0)
			found := false
			for skip := 0; skip < c.skips && !found; skip++ {
				node := model.NodeID(0)
				for b, j := range jobs {
					if r.Float64() < 0.1 {
						node |= 1 << b
					}
					foretell(n, j, 50+100*model.Bytes(r.IntN(2)))
				}
				found = d.offer(node).Task.Job != model.None
			}
			if found {
				started++
			} else if d.offer(0).Task.Job == model.None {
				t.Fatalf("after %d skips nothing starts", c.skips)
			}
		}
		got := float64(started) / trials
		if noise := math.Sqrt(c.want * (1 - c.want) / trials); math.Abs(got-c.want) > 4*noise+0.0005 {
			t.Errorf("within %d skips a map starts in %.2f %% of %d trials, expected %.1f %%", c.skips, 100*got, trials, 100*c.want)
		}
	}
}

// §3.2.5: with one job for each user, light with a probability of 68.7 %, one of the first three users has a
// reduce to start in a congested rack with a probability of 97 %, one of the first five of 99.7 %.
func TestChanceOfLightReduce(t *testing.T) {
	const trials = 20000
	for _, c := range []struct {
		users int
		want  float64
	}{{3, 0.97}, {5, 0.997}} {
		p := atHalf()
		p.ReduceSkips = trials + 1
		d, n := nasDesk(t, p, 2, 2, 4)
		var jobs []*cluster.Job
		for u := range c.users {
			jobs = append(jobs, d.mapped(job(fmt.Sprint("u", u), 1, heavySize, heavySize), 0))
		}
		d.load(0, 1)
		started := 0
		for trial := range trials {
			r := rng.New(uint64(c.users), "nas-test").At(uint64(trial), 0, 0)
			for _, j := range jobs {
				size := heavySize
				if r.Float64() < 0.687 {
					size = lightSize
				}
				n.update(j, 0, heavySize, -1)
				n.update(j, 0, size, 1)
				n.update(j, 0, size, -1)
				n.Predictor.jobs.Of(j).ended, n.Predictor.jobs.Of(j).made = 1, heavySize
			}
			if d.offer(0).Task.Job != model.None {
				started++
			}
		}
		got := float64(started) / trials
		if noise := math.Sqrt(c.want * (1 - c.want) / trials); math.Abs(got-c.want) > 4*noise+0.0015 {
			t.Errorf("of %d users one has a light job in %.2f %% of %d trials, expected %.1f %%", c.users, 100*got, trials, 100*c.want)
		}
	}
}
