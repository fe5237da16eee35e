// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"cmp"
	"slices"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// ShuffleWatcherParams configures ShuffleWatcher.
type ShuffleWatcherParams struct {
	PredictorParams `yaml:",inline"`
	kit.DelayParams `yaml:",inline"`

	Congestion model.Fraction `yaml:"congestion" above:"0" max:"1" doc:"Share of a rack's link in use from which on the rack is congested."`
	Link       string         `yaml:"link" oneof:"down,either" doc:"The link that congests a rack: that by which its reduces fetch, or either of the two. Maps that are started in place of reduces add to the other."`
	Racks      bool           `yaml:"few-racks" doc:"A job's tasks start in the racks in which input and shuffle data cross racks least, until it has been skipped for long enough."`
	Shares     bool           `yaml:"by-output" doc:"A job's reduces go to racks by their share of its map output, until it has been skipped for long enough."`
	MapsFirst  bool           `yaml:"maps-first" doc:"While a rack is congested its nodes are given maps in place of any reduce, as long as maps wait."`
}

// DefaultShuffleWatcherParams returns §3.3.1's parameters.
func DefaultShuffleWatcherParams() ShuffleWatcherParams {
	return ShuffleWatcherParams{PredictorParams: PredictorParams{Known: "none"}, DelayParams: kit.DelayParams{NodeSkips: 135, RackSkips: 135},
		Congestion: 0.8, Link: "down", Racks: true, Shares: true, MapsFirst: true}
}

// ShuffleWatcher is the place role of the scheduler of that name, as far as diverse-2018 tells it (§1.2.1, §3.1).
// A job gets a set of racks when it is admitted; maps start there, local ones first as with Delay; reduces
// follow the map output; and where a rack is congested reduces wait while there are maps to start instead.
type ShuffleWatcher struct {
	*Predictor
	delay  *kit.Delay
	params ShuffleWatcherParams
	env    *policy.Env
	jobs   *policy.PerJob[watched]
	was    []bool // congested, by rack
	maps   int    // jobs with maps that wait
	had    bool   // such jobs, when links were last sampled
}

// watched is what ShuffleWatcher keeps about a job.
type watched struct {
	racks  []bool // its set; nil: all
	waits  bool   // maps of it wait
	inRack []int32
	skips  [model.Kinds]skips
}

var (
	_ kit.BothKinds          = (*ShuffleWatcher)(nil)
	_ policy.JobObserver     = (*ShuffleWatcher)(nil)
	_ policy.WantObserver    = (*ShuffleWatcher)(nil)
	_ policy.AttemptObserver = (*ShuffleWatcher)(nil)
	_ policy.OutputObserver  = (*ShuffleWatcher)(nil)
	_ policy.LinkObserver    = (*ShuffleWatcher)(nil)
	_ policy.MapDelayer      = (*ShuffleWatcher)(nil)
)

// NewShuffleWatcher returns the role for the environment.
func NewShuffleWatcher(env *policy.Env, p ShuffleWatcherParams) *ShuffleWatcher {
	return &ShuffleWatcher{Predictor: NewPredictor(env, p.PredictorParams), delay: kit.NewDelay(env, p.DelayParams), params: p, env: env,
		jobs: policy.NewPerJob[watched](env), was: make([]bool, env.Cluster.Topology.Racks)}
}

// BothKinds implements kit.BothKinds.
func (*ShuffleWatcher) BothKinds() {}

// congested reports whether a rack is; a single rack never is. "The cross-rack network is congested" (§1.2.1) names
// no link. A reduce that is put off spares the link by which its rack receives, and the maps that start instead
// send by the other: where that one counted as well, a rack that sends too much would be given what sends more.
func (w *ShuffleWatcher) congested(r model.RackID) bool {
	switch {
	case len(w.was) == 1:
		return false
	case w.params.Link == "down":
		return w.env.Links.Down(r) >= float64(w.params.Congestion)
	}
	return w.env.Links.Load(r) >= float64(w.params.Congestion)
}

// Choose implements kit.Place.
func (w *ShuffleWatcher) Choose(o *policy.Offer, j *cluster.Job, k model.Kind) (int32, model.Time) {
	own := w.jobs.Of(j)
	if k == model.Reduce && w.params.MapsFirst && w.maps > 0 && w.congested(o.Rack) {
		o.Blocked(j, model.LimitCongestion)
		return model.None, 0
	}
	s := &own.skips[k]
	if !w.suits(o, j, k, own) && !s.over(o.Now, w.params.NodeSkips, w.params.NodeWait) {
		o.Blocked(j, model.LimitLocality)
		return model.None, s.skip(o.Now, w.params.NodeWait)
	}
	if k == model.Reduce {
		return j.First(k), 0
	}
	index, again := w.delay.Choose(o, j, k)
	if index < 0 {
		o.Blocked(j, model.LimitLocality)
	}
	return index, again
}

// suits reports whether the rack of the offer is one for the job's tasks of the kind. Reduces of a job whose maps
// have made nothing follow no output.
func (w *ShuffleWatcher) suits(o *policy.Offer, j *cluster.Job, k model.Kind, own *watched) bool {
	if own.racks != nil && !own.racks[o.Rack] {
		return false
	}
	if k == model.Map || !w.params.Shares || w.Predictor.jobs.Of(j).made == 0 {
		return true
	}
	placed := int32(0)
	if own.inRack != nil {
		placed = own.inRack[o.Rack]
	}
	return float64(placed) < float64(j.Total[model.Reduce])*w.portion(j, o.Rack)
}

// JobAdmitted implements policy.JobObserver.
func (w *ShuffleWatcher) JobAdmitted(_ model.Time, j *cluster.Job) {
	w.come(j)
	if w.params.Racks {
		w.jobs.Of(j).racks = w.set(j)
	}
}

// JobEnded implements policy.JobObserver.
func (w *ShuffleWatcher) JobEnded(_ model.Time, j *cluster.Job) {
	w.count(j)
	w.leave(j)
}

// Wants implements policy.WantObserver.
func (w *ShuffleWatcher) Wants(_ model.Time, j *cluster.Job, _ int, _ bool) { w.count(j) }

// count keeps count of the jobs with maps that wait.
func (w *ShuffleWatcher) count(j *cluster.Job) {
	own := w.jobs.Of(j)
	switch waits := j.Phase == cluster.Admitted && j.Wants(model.Map) > 0; {
	case waits && !own.waits:
		w.maps++
		own.waits = true
	case !waits && own.waits:
		w.maps--
		own.waits = false
	}
}

// set returns the job's racks: the first k of those with most of its input, k being that with the least data
// across racks: input without a replica in them, and shuffle data, of which each rack keeps its own share.
// Of equal ones it is the largest. nil is all racks.
func (w *ShuffleWatcher) set(j *cluster.Job) []bool {
	n, maps := w.env.Cluster.Topology.Racks, j.Total[model.Map]
	order, blocks := make([]model.RackID, n), make([][]int32, n)
	if j.Reads && w.env.Blocks.Replicated() {
		index := w.env.Blocks.Index(j.ID, maps)
		for b := range maps {
			for _, node := range index.Block(b) {
				r := w.env.Cluster.Nodes[node].Rack
				if held := blocks[r]; len(held) == 0 || held[len(held)-1] != b {
					blocks[r] = append(held, b)
				}
			}
		}
	}
	for r := range order { // racks that hold equally much take turns
		order[r] = model.RackID((r + int(j.ID)) % n)
	}
	slices.SortStableFunc(order, func(a, b model.RackID) int { return cmp.Compare(len(blocks[b]), len(blocks[a])) })
	covered, left := make([]bool, maps), float64(maps)
	perMap, shuffle := float64(j.Input)/float64(max(maps, 1)), w.size(j)
	best, cost := 0, 0.0
	for k, r := range order {
		for _, b := range blocks[r] {
			if !covered[b] {
				covered[b] = true
				left--
			}
		}
		c := left*perMap + shuffle*float64(k)/float64(k+1)
		if k == 0 || c <= cost {
			best, cost = k+1, c
		}
	}
	if best == n {
		return nil
	}
	set := make([]bool, n)
	for _, r := range order[:best] {
		set[r] = true
	}
	return set
}

// AttemptStarted implements policy.AttemptObserver: a start where the job belongs ends its waiting.
func (w *ShuffleWatcher) AttemptStarted(_ model.Time, j *cluster.Job, t model.Task, node model.NodeID) {
	w.count(j)
	own, rack := w.jobs.Of(j), w.env.Cluster.Nodes[node].Rack
	if own.racks == nil || own.racks[rack] {
		own.skips[t.Kind].count = 0
	}
	if t.Kind == model.Reduce {
		if own.inRack == nil {
			own.inRack = make([]int32, len(w.was))
		}
		own.inRack[rack]++
	}
}

// AttemptEnded implements policy.AttemptObserver.
func (w *ShuffleWatcher) AttemptEnded(_ model.Time, j *cluster.Job, t model.Task, node model.NodeID, _ model.Time, done bool) {
	w.count(j)
	if t.Kind == model.Reduce && !done {
		w.jobs.Of(j).inRack[w.env.Cluster.Nodes[node].Rack]--
	}
}

// MapMade implements policy.OutputObserver.
func (w *ShuffleWatcher) MapMade(_ model.Time, j *cluster.Job, _ int32, node model.NodeID, output model.Bytes) {
	w.made(j, node, output, 1)
}

// MapLost implements policy.OutputObserver.
func (w *ShuffleWatcher) MapLost(_ model.Time, j *cluster.Job, _ int32, node model.NodeID, output model.Bytes) {
	w.count(j)
	w.made(j, node, output, -1)
}

// LinksSampled implements policy.LinkObserver.
func (w *ShuffleWatcher) LinksSampled(model.Time) (changed bool) {
	for r := range w.was {
		now := w.congested(model.RackID(r))
		changed = changed || now != w.was[r]
		w.was[r] = now
	}
	changed = changed || w.had != (w.maps > 0)
	w.had = w.maps > 0
	return changed && w.params.MapsFirst
}

// DelaysMaps implements policy.MapDelayer: maps of a job that is being skipped wait for its racks.
func (w *ShuffleWatcher) DelaysMaps(j *cluster.Job, rack model.RackID) bool {
	own := w.jobs.Of(j)
	s := &own.skips[model.Map]
	return s.count > 0 && s.count < w.params.NodeSkips && own.racks != nil && !own.racks[rack]
}
