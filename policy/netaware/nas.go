// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"fmt"
	"math"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// NASParams configures NAS.
type NASParams struct {
	PredictorParams `yaml:",inline"`

	Congestion model.Fraction `yaml:"congestion" above:"0" max:"1" doc:"Share of a rack's up or down link in use from which on the rack is congested."`

	MTS     bool        `yaml:"mts" doc:"Map task scheduling: maps are chosen so that what a node's maps make stays below a threshold."`
	Traffic bool        `yaml:"limit-traffic" doc:"With mts: the threshold on what the maps of a node make; false: any map qualifies."`
	Limit   model.Bytes `yaml:"traffic-threshold" min:"0" doc:"That threshold; 0: containers of a node x shuffle data of all jobs / maps of all jobs, worked out again every period."`
	Period  model.Time  `yaml:"period" min:"1ms" doc:"How often the threshold is worked out."`
	Small   model.Bytes `yaml:"small-input" min:"0" doc:"A job with less input goes before others when a user has waited long enough for local data."`

	CARTS    bool           `yaml:"ca-rts" doc:"Congestion-avoiding scheduling of reduces: a job's reduces go to racks by their share of its map output, heavy jobs first."`
	Adaptive bool           `yaml:"adaptive" doc:"With ca-rts: jobs with little shuffle data start their reduces later; false: all after min-maps."`
	MinMaps  model.Fraction `yaml:"min-maps" min:"0" max:"1" doc:"Share of its maps after which the job with most shuffle data starts reduces."`
	MaxMaps  model.Fraction `yaml:"max-maps" min:"0" max:"1" doc:"Share of its maps after which the job with least shuffle data starts reduces."`
	Scale    string         `yaml:"scale" oneof:"linear,log" doc:"With adaptive: the share falls with the shuffle size, or with its logarithm."`

	CRRTS bool   `yaml:"cr-rts" doc:"Congestion-reducing scheduling of reduces: while a rack is congested only jobs with little shuffle data start there."`
	Stop  string `yaml:"stop-maps" oneof:"all,skips,early,none" doc:"With cr-rts: whose maps a congested rack does not start. all: those of jobs with more than little shuffle data (§3.2.5: CR-RTS stops scheduling the map tasks of shuffle-heavy and shuffle-medium jobs); skips: the same, until the user has been skipped for long enough (§3.3.1: a user cannot be skipped more than 5 seconds to launch tasks); early: of these only the jobs whose reduces may not start yet (the reason that §3.2.5 gives: then the map completion threshold cannot be reached); none: nobody's."`

	MapSkips    int32      `yaml:"map-skips" min:"0" doc:"How many offers a user is skipped for while waiting for a qualified local map; 0: no limit by count; with map-wait 0s too: never skipped."`
	MapWait     model.Time `yaml:"map-wait" min:"0" doc:"How long a user is skipped for it; 0s: no limit by time."`
	ReduceSkips int32      `yaml:"reduce-skips" min:"0" doc:"How many offers in congested racks a user is skipped for while having no reduce of a light job; 0: no limit by count."`
	ReduceWait  model.Time `yaml:"reduce-wait" min:"0" doc:"How long a user is skipped for it; 0s: no limit by time."`
	Reset       string     `yaml:"reset" oneof:"local,any" doc:"What sets the count of skipped offers back: a qualified local map (algorithm 2), or any start (its text)."`
}

// DefaultNASParams returns §3.3.1's parameters.
func DefaultNASParams() NASParams {
	return NASParams{PredictorParams: PredictorParams{Known: "none"}, Congestion: 0.8,
		MTS: true, Traffic: true, Period: model.Second, Small: 10 * model.MiB,
		CARTS: true, Adaptive: true, MinMaps: 0.2, MaxMaps: 0.5, Scale: "linear", CRRTS: true, Stop: "all",
		MapSkips: 135, ReduceSkips: 135, Reset: "local"}
}

// Validate implements policy.Validator.
func (p *NASParams) Validate() (problems []model.Problem) {
	if p.MinMaps > p.MaxMaps {
		problems = append(problems, model.Problem{Path: "min-maps", Found: fmt.Sprintf("%v, above max-maps of %v", p.MinMaps, p.MaxMaps), Allowed: "at most max-maps"})
	}
	return problems
}

// NAS is the place role of the network-aware scheduler (§3.2). The order says whose turn it is; among the jobs
// of one user it chooses a reduce, else a map: maps by MTS (algorithm 2), reduces by CA-RTS (algorithm 3)
// where the rack is not congested and by CR-RTS (algorithm 4) where it is.
type NAS struct {
	mts
	congestion
	params NASParams
	users  []*nasUser // by sharer
	jobs   *policy.PerJob[nasJob]
}

// nasUser is a sharer of the order.
type nasUser struct {
	jobs     int32     // in the cluster
	mapping  weighed   // jobs with pending maps: [0] those that a congested rack may start, [1] the others
	far      apart     // the same jobs
	reducing weighed   // jobs with pending reduces that are past their threshold
	fresh    []listing // those of reducing that are not light and that CR-RTS has not made wait
	maps     skips
	reduces  skips
}

// skips counts how often, and since when, a user was skipped.
type skips struct {
	count int32
	since model.Time
}

// over reports whether a user has been skipped for long enough.
func (s *skips) over(now model.Time, count int32, wait model.Time) bool {
	return count == 0 && wait == 0 || count > 0 && s.count >= count || wait > 0 && s.count > 0 && now-s.since >= wait
}

// skip counts one more, and returns when the wait is over: at that time, or, with a limit by count alone,
// when idle nodes come back to be counted.
func (s *skips) skip(now model.Time, wait model.Time) (again model.Time) {
	if s.count == 0 {
		s.since = now
	}
	s.count++
	if wait > 0 {
		return s.since + wait
	}
	return now + model.Second
}

// nasJob is what NAS keeps about a job.
type nasJob struct {
	asked    bool    // the driver has asked for its threshold
	released bool    // it is past its threshold
	delayed  bool    // CR-RTS made its reduces wait
	inRack   []int32 // reduces started by rack
	mapping  place   // in its user's lists of that name, and among the maps from afar
	reducing place
	fresh    bool
}

var (
	_ kit.Repeater           = (*NAS)(nil)
	_ policy.JobObserver     = (*NAS)(nil)
	_ policy.AttemptObserver = (*NAS)(nil)
	_ policy.DoubleObserver  = (*NAS)(nil)
	_ policy.OutputObserver  = (*NAS)(nil)
	_ policy.LinkObserver    = (*NAS)(nil)
	_ policy.SlowStarter     = (*NAS)(nil)
	_ policy.MapDelayer      = (*NAS)(nil)
	_ policy.Ticker          = (*NAS)(nil)
)

// NewNAS returns the role for the environment.
func NewNAS(env *policy.Env, p NASParams) *NAS {
	n := &NAS{params: p, jobs: policy.NewPerJob[nasJob](env)}
	n.congestion = congestion{params: &n.params, links: env.Links, racks: make([]bool, env.Cluster.Topology.Racks)}
	n.mts = mts{Predictor: NewPredictor(env, p.PredictorParams), params: &n.params, env: env, running: make([][]*cluster.Job, len(env.Cluster.Nodes))}
	n.checked.of(&n.mts, n.stops)
	return n
}

// Sharers implements kit.Chooser.
func (n *NAS) Sharers(of func(*cluster.Job) int32) { n.sharer = of }

// Choose implements kit.Place; a Chooser is not asked.
func (n *NAS) Choose(*policy.Offer, *cluster.Job, model.Kind) (int32, model.Time) {
	return model.None, 0
}

// user returns the user of that number.
func (n *NAS) user(id int32) *nasUser {
	for int(id) >= len(n.users) {
		n.users = append(n.users, &nasUser{})
	}
	return n.users[id]
}

// ChooseOf implements kit.Chooser: algorithm 1, a reduce before a map.
func (n *NAS) ChooseOf(o *policy.Offer, sharer int32, may func(*cluster.Job, model.Kind) bool) (kit.Choice, model.Time) {
	u := n.user(sharer)
	j, again := n.reduceOf(o, u, n.relieves(o.Rack), may)
	if j != nil {
		return kit.Choice{Job: j, Kind: model.Reduce, Index: j.First(model.Reduce)}, 0
	}
	c := &n.checked
	c.offer, c.congested, c.may = o, n.stopping(o.Rack) && !u.waited(o.Now, &n.params), may
	j, index, later := n.mapOf(o, u, sharer)
	if j != nil {
		return kit.Choice{Job: j, Kind: model.Map, Index: index}, 0
	}
	if again == 0 || later > 0 && later < again {
		again = later
	}
	return kit.Choice{}, again
}

// reduceOf is CA-RTS or, where the rack is congested, CR-RTS: the user's next reduce, or none and when to ask
// again.
func (n *NAS) reduceOf(o *policy.Offer, u *nasUser, congested bool, may func(*cluster.Job, model.Kind) bool) (*cluster.Job, model.Time) {
	if u.reducing.empty() {
		return nil, 0
	}
	all := !congested || u.reduces.over(o.Now, n.params.ReduceSkips, n.params.ReduceWait)
	best, rank := n.firstReduce(o, u.reducing[0], may)
	if all {
		if j, r := n.firstReduce(o, u.reducing[1], may); j != nil && (best == nil || r < rank || r == rank && j.ID < best.ID) {
			best = j
		}
	} else if held := n.hold(u, may); best == nil && held != nil {
		return nil, n.refuse(o, refusal{held, model.LimitCongestion, &u.reduces, n.params.ReduceSkips, n.params.ReduceWait})
	}
	if best != nil && congested && (n.class(best) == model.ShuffleLight || n.params.Reset == "any") {
		u.reduces.count = 0
	}
	return best, 0
}

// firstReduce returns the first of the jobs in the order of algorithm 3 that may start a reduce, and its rank.
func (n *NAS) firstReduce(o *policy.Offer, jobs []listing, may func(*cluster.Job, model.Kind) bool) (best *cluster.Job, rank int) {
	for _, e := range jobs {
		if best != nil && e.atLeast(o.Rack) >= rank || e.job.Wants(model.Reduce) <= 0 || !may(e.job, model.Reduce) {
			continue
		}
		if r := n.rank(o, e.job); best == nil || r < rank {
			best, rank = e.job, r
		}
	}
	return best, rank
}

// hold tags the user's jobs that are not light and could start a reduce as delayed, and returns the last of
// them, or nil.
func (n *NAS) hold(u *nasUser, may func(*cluster.Job, model.Kind) bool) *cluster.Job {
	for i := 0; i < len(u.fresh); {
		if j := u.fresh[i].job; j.Wants(model.Reduce) > 0 && may(j, model.Reduce) {
			n.jobs.Of(j).delayed = true
			n.listed(j) // not in fresh
		} else {
			i++
		}
	}
	for _, e := range slices.Backward(u.reducing[1]) {
		if e.job.Wants(model.Reduce) > 0 && may(e.job, model.Reduce) {
			return e.job
		}
	}
	return nil
}

// rank is the place of a job's reduces in algorithm 3, smaller first: the six categories, within one the jobs
// that were delayed, then those whose maps are all done. Without CA-RTS all are alike.
func (n *NAS) rank(o *policy.Offer, j *cluster.Job) int {
	if !n.params.CARTS {
		return 0
	}
	own := n.jobs.Of(j)
	placed := int32(0)
	if own.inRack != nil {
		placed = own.inRack[o.Rack]
	}
	if float64(placed) < float64(j.Total[model.Reduce])*n.portion(j, o.Rack) {
		return n.bestRank(j)
	}
	return reached(n.bestRank(j))
}

// reached is the rank of a job where its ReduceNum is reached, by its best rank: light, medium, heavy.
func reached(best int) int {
	return best%4 + 4*(model.ShuffleClasses+int(model.ShuffleHeavy)-best/4)
}

// bestRank is the rank of a job where its ReduceNum (eq. 3.4) is not reached: heavy, medium, light.
func (n *NAS) bestRank(j *cluster.Job) int {
	if !n.params.CARTS {
		return 0
	}
	rank := 4 * int(model.ShuffleHeavy-n.class(j))
	if !n.jobs.Of(j).delayed {
		rank += 2
	}
	if !j.MapsDone() {
		rank++
	}
	return rank
}

// JobAdmitted implements policy.JobObserver.
func (n *NAS) JobAdmitted(_ model.Time, j *cluster.Job) {
	n.come(j)
	n.user(n.sharer(j)).jobs++
	n.listed(j)
	n.mapsCome(j)
}

// JobEnded implements policy.JobObserver. A sharer without jobs does not wait: its counts begin anew, for a
// sharer may be a job whose number is given to another.
func (n *NAS) JobEnded(_ model.Time, j *cluster.Job) {
	n.unshelve(j, *n.Predictor.jobs.Of(j))
	n.leave(j)
	n.listed(j)
	u := n.user(n.sharer(j))
	if u.jobs--; u.jobs == 0 {
		u.maps, u.reduces = skips{}, skips{}
	}
}

// AttemptStarted implements policy.AttemptObserver.
func (n *NAS) AttemptStarted(_ model.Time, j *cluster.Job, t model.Task, node model.NodeID) {
	if t.Kind == model.Map {
		n.mapStarted(j, node)
		if j.Pending(model.Map) == 0 {
			n.listed(j)
		}
		return
	}
	if j.Pending(model.Reduce) == 0 {
		n.listed(j)
	}
	own := n.jobs.Of(j)
	if own.inRack == nil {
		own.inRack = make([]int32, n.env.Cluster.Topology.Racks)
	}
	own.inRack[n.env.Cluster.Nodes[node].Rack]++
}

// AttemptEnded implements policy.AttemptObserver. A map that must run again is findable by its data again.
func (n *NAS) AttemptEnded(_ model.Time, j *cluster.Job, t model.Task, node model.NodeID, _ model.Time, done bool) {
	n.listed(j)
	if t.Kind == model.Map {
		n.mapEnded(j, node)
	}
	if done {
		return
	}
	if t.Kind == model.Map {
		n.reshelve(j, t.Index)
		return
	}
	n.jobs.Of(j).inRack[n.env.Cluster.Nodes[node].Rack]--
}

// TaskDoubled implements policy.DoubleObserver: the task is findable again.
func (n *NAS) TaskDoubled(_ model.Time, j *cluster.Job, t model.Task) {
	n.listed(j)
	if t.Kind == model.Map {
		n.reshelve(j, t.Index)
	}
}

// MapMade implements policy.OutputObserver: what the others will make may be known better now.
func (n *NAS) MapMade(_ model.Time, j *cluster.Job, _ int32, node model.NodeID, output model.Bytes) {
	n.update(j, node, output, 1)
}

// MapLost implements policy.OutputObserver.
func (n *NAS) MapLost(_ model.Time, j *cluster.Job, index int32, node model.NodeID, output model.Bytes) {
	n.update(j, node, output, -1)
	n.listed(j)
	n.reshelve(j, index)
}

func (n *NAS) update(j *cluster.Job, node model.NodeID, output model.Bytes, sign int32) {
	old := *n.Predictor.jobs.Of(j)
	news := n.made(j, node, output, sign)
	if news || n.Predictor.jobs.Of(j).racks != old.racks {
		n.listed(j)
	}
	if !news {
		return
	}
	n.unshelve(j, old)
	if j.Pending(model.Map) > 0 {
		n.shelve(j, *n.Predictor.jobs.Of(j))
	}
}

// Tick implements policy.Ticker: the threshold is worked out again.
func (n *NAS) Tick(now model.Time) model.Time {
	if n.env.Cluster.Len() == 0 {
		return model.Forever
	}
	n.average = n.total / float64(max(n.maps, 1))
	return now + n.params.Period
}

// waited reports whether the user has been skipped for so long that a congested rack starts all their maps.
func (u *nasUser) waited(now model.Time, p *NASParams) bool {
	return p.Stop == "skips" && u.maps.over(now, p.MapSkips, p.MapWait)
}

// stops reports whether a congested rack starts no maps of the job.
func (n *NAS) stops(j *cluster.Job) bool {
	return n.params.Stop != "none" && n.class(j) != model.ShuffleLight && (n.params.Stop != "early" || !n.jobs.Of(j).released)
}

// DelaysMaps implements policy.MapDelayer.
func (n *NAS) DelaysMaps(j *cluster.Job, rack model.RackID) bool {
	return n.relieves(rack) && n.stops(j)
}

// SlowStart implements policy.SlowStarter. A job that is past its threshold may start reduces from now on.
func (n *NAS) SlowStart(j *cluster.Job) model.Fraction {
	share, own := n.threshold(j), n.jobs.Of(j)
	if released := j.Done[model.Map] >= share.CeilOf(j.Total[model.Map]); !own.asked || released && !own.released {
		own.asked, own.released = true, released
		n.listed(j)
	}
	return share
}

// threshold is the map completion threshold of a job (eq. 3.5). Where all jobs are of one size it is the
// smallest.
func (n *NAS) threshold(j *cluster.Job) model.Fraction {
	p := &n.params
	if !p.CARTS || !p.Adaptive {
		return p.MinMaps
	}
	scale := func(v float64) float64 { return v }
	if p.Scale == "log" {
		scale = math.Log1p
	}
	least, most := n.extremes()
	low, high := scale(least), scale(most)
	if high <= low {
		return p.MinMaps
	}
	at := (scale(n.size(j)) - low) / (high - low)
	return p.MaxMaps - (p.MaxMaps-p.MinMaps)*model.Fraction(at)
}
