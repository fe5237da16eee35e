// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// twin is NAS worked out from scratch at each offer: it loops over all jobs, blocks and attempts, and keeps
// nothing but what happened, the skips, and what is refreshed at stated times.
type twin struct {
	params  NASParams
	env     *policy.Env
	sharer  func(*cluster.Job) int32
	outputs []output                // that are there
	told    map[model.JobID]float64 // what one map makes, as last seen
	running []cluster.Attempt
	reduces []cluster.Attempt // that run or have ended
	delayed map[model.JobID]bool
	past    map[model.JobID]bool // that reached their threshold
	skips   map[int32]*[model.Kinds]skips
	average float64
	loads   []float64 // by rack, as last sampled
}

type output struct {
	job   model.JobID
	index int32
	rack  model.RackID
	bytes model.Bytes
}

var (
	_ kit.Chooser            = (*twin)(nil)
	_ policy.JobObserver     = (*twin)(nil)
	_ policy.AttemptObserver = (*twin)(nil)
	_ policy.OutputObserver  = (*twin)(nil)
	_ policy.LinkObserver    = (*twin)(nil)
	_ policy.SlowStarter     = (*twin)(nil)
	_ policy.Ticker          = (*twin)(nil)
)

func newTwin(env *policy.Env, p NASParams) *twin {
	return &twin{params: p, env: env, told: map[model.JobID]float64{}, delayed: map[model.JobID]bool{}, past: map[model.JobID]bool{},
		skips: map[int32]*[model.Kinds]skips{}, loads: make([]float64, env.Cluster.Topology.Racks)}
}

func (w *twin) Sharers(of func(*cluster.Job) int32) { w.sharer = of }

func (w *twin) Choose(*policy.Offer, *cluster.Job, model.Kind) (int32, model.Time) {
	return model.None, 0
}

// there returns the jobs in the cluster, in order of their IDs.
func (w *twin) there() (jobs []*cluster.Job) {
	for _, j := range w.env.Cluster.Jobs() {
		if j.Phase == cluster.Admitted {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// foretold is equation 3.1.
func (w *twin) foretold(j *cluster.Job) (each float64, predicted bool) {
	maps := float64(max(j.Total[model.Map], 1))
	if w.params.Known == "all" || w.params.Known == "recurring" && j.Recurring {
		return float64(w.env.Shuffles.Shuffle(j.ID)) / maps, true
	}
	if j.Total[model.Reduce] == 0 {
		return 0, true
	}
	if each, seen := w.told[j.ID]; seen {
		return each, true
	}
	return float64(j.Input) / maps, false
}

func (w *twin) size(j *cluster.Job) float64 {
	each, _ := w.foretold(j)
	return each * float64(j.Total[model.Map])
}

func (w *twin) class(j *cluster.Job) model.ShuffleClass {
	switch size := w.size(j); {
	case size < 1<<20:
		return model.ShuffleLight
	case size <= 100<<20:
		return model.ShuffleMedium
	}
	return model.ShuffleHeavy
}

// made notes what ended maps of the job made on average.
func (w *twin) made(j *cluster.Job) {
	sum, n := model.Bytes(0), 0
	for _, o := range w.outputs {
		if o.job == j.ID {
			sum += o.bytes
			n++
		}
	}
	if n > 0 {
		w.told[j.ID] = float64(sum) / float64(n)
	}
}

// measure is what a map makes on average, over all jobs.
func (w *twin) measure() {
	total, maps := 0.0, int32(0)
	for _, j := range w.there() {
		total += w.size(j)
		maps += j.Total[model.Map]
	}
	w.average = total / float64(max(maps, 1))
}

func (w *twin) Tick(now model.Time) model.Time {
	if w.env.Cluster.Len() == 0 {
		return model.Forever
	}
	w.measure()
	return now + w.params.Period
}

func (w *twin) JobAdmitted(model.Time, *cluster.Job) {
	if w.average == 0 {
		w.measure()
	}
}

func (w *twin) JobEnded(_ model.Time, j *cluster.Job) {
	gone := func(a cluster.Attempt) bool { return a.Task.Job == j.ID }
	w.reduces = slices.DeleteFunc(w.reduces, gone)
	w.outputs = slices.DeleteFunc(w.outputs, func(o output) bool { return o.job == j.ID })
	for _, other := range w.there() {
		if w.sharer(other) == w.sharer(j) {
			return
		}
	}
	delete(w.skips, w.sharer(j))
}

func (w *twin) AttemptStarted(_ model.Time, _ *cluster.Job, t model.Task, node model.NodeID) {
	a := cluster.Attempt{Task: t, Node: node}
	w.running = append(w.running, a)
	if t.Kind == model.Reduce {
		w.reduces = append(w.reduces, a)
	}
}

func (w *twin) AttemptEnded(_ model.Time, _ *cluster.Job, t model.Task, node model.NodeID, _ model.Time, done bool) {
	a := cluster.Attempt{Task: t, Node: node}
	i := slices.Index(w.running, a)
	w.running = slices.Delete(w.running, i, i+1)
	if t.Kind == model.Reduce && !done {
		i := slices.Index(w.reduces, a)
		w.reduces = slices.Delete(w.reduces, i, i+1)
	}
}

func (w *twin) MapMade(_ model.Time, j *cluster.Job, index int32, node model.NodeID, bytes model.Bytes) {
	w.outputs = append(w.outputs, output{j.ID, index, w.env.Cluster.Nodes[node].Rack, bytes})
	w.made(j)
}

func (w *twin) MapLost(_ model.Time, j *cluster.Job, index int32, _ model.NodeID, _ model.Bytes) {
	w.outputs = slices.DeleteFunc(w.outputs, func(o output) bool { return o.job == j.ID && o.index == index })
	w.made(j)
}

func (w *twin) LinksSampled(model.Time) (changed bool) {
	for r := range w.loads {
		was := w.congested(model.RackID(r))
		w.loads[r] = max(w.env.Links.Shares[2*r], w.env.Links.Shares[2*r+1])
		changed = changed || was != w.congested(model.RackID(r))
	}
	return changed
}

func (w *twin) congested(r model.RackID) bool {
	return w.params.CRRTS && len(w.loads) > 1 && w.loads[r] >= float64(w.params.Congestion)
}

func (w *twin) SlowStart(j *cluster.Job) model.Fraction {
	share := w.threshold(j)
	w.past[j.ID] = w.past[j.ID] || j.Done[model.Map] >= share.CeilOf(j.Total[model.Map])
	return share
}

// stops reports whether a congested rack starts no maps of the job.
func (w *twin) stops(j *cluster.Job) bool {
	switch w.params.Stop {
	case "all", "skips":
		return w.class(j) != model.ShuffleLight
	case "early":
		return w.class(j) != model.ShuffleLight && !w.past[j.ID]
	}
	return false
}

// threshold is equation 3.5.
func (w *twin) threshold(j *cluster.Job) model.Fraction {
	low, high := math.Inf(1), 0.0
	for _, other := range w.there() {
		low, high = min(low, w.size(other)), max(high, w.size(other))
	}
	if !w.params.CARTS || !w.params.Adaptive || low >= high {
		return w.params.MinMaps
	}
	at := (w.size(j) - low) / (high - low)
	return w.params.MaxMaps - (w.params.MaxMaps-w.params.MinMaps)*model.Fraction(at)
}

// ChooseOf is algorithm 1.
func (w *twin) ChooseOf(o *policy.Offer, sharer int32, may func(*cluster.Job, model.Kind) bool) (kit.Choice, model.Time) {
	if w.skips[sharer] == nil {
		w.skips[sharer] = &[model.Kinds]skips{}
	}
	var jobs []*cluster.Job
	for _, j := range w.there() {
		if w.sharer(j) == sharer {
			jobs = append(jobs, j)
		}
	}
	j, again := w.reduceOf(o, jobs, &w.skips[sharer][model.Reduce], may)
	if j != nil {
		return kit.Choice{Job: j, Kind: model.Reduce, Index: j.First(model.Reduce)}, 0
	}
	j, later := w.mapOf(o, jobs, &w.skips[sharer][model.Map], may)
	if j != nil {
		return kit.Choice{Job: j, Kind: model.Map, Index: w.nearest(o, j)}, 0
	}
	if again == 0 || later > 0 && later < again {
		again = later
	}
	return kit.Choice{}, again
}

// reduceOf is algorithms 3 and 4.
func (w *twin) reduceOf(o *policy.Offer, jobs []*cluster.Job, s *skips, may func(*cluster.Job, model.Kind) bool) (*cluster.Job, model.Time) {
	strict := w.congested(o.Rack) && !s.over(o.Now, w.params.ReduceSkips, w.params.ReduceWait)
	var best, held *cluster.Job
	var bestRank [3]int
	for _, j := range jobs {
		if !may(j, model.Reduce) {
			continue
		}
		if strict && w.class(j) != model.ShuffleLight {
			w.delayed[j.ID], held = true, j
		} else if r := w.rank(o, j); best == nil || slices.Compare(r[:], bestRank[:]) < 0 {
			best, bestRank = j, r
		}
	}
	if best == nil && held != nil {
		o.Blocked(held, model.LimitCongestion)
		return nil, s.skip(o.Now, w.params.ReduceWait)
	}
	if best != nil && w.congested(o.Rack) && (w.params.Reset == "any" || w.class(best) == model.ShuffleLight) {
		s.count = 0
	}
	return best, 0
}

// rank is the category, then delayed jobs, then those whose maps have ended.
func (w *twin) rank(o *policy.Offer, j *cluster.Job) (rank [3]int) {
	if !w.params.CARTS {
		return rank
	}
	here, all := model.Bytes(0), model.Bytes(0)
	for _, out := range w.outputs {
		if out.job == j.ID {
			all += out.bytes
			if out.rack == o.Rack {
				here += out.bytes
			}
		}
	}
	placed := 0
	for _, a := range w.reduces {
		if a.Task.Job == j.ID && w.env.Cluster.Nodes[a.Node].Rack == o.Rack {
			placed++
		}
	}
	num := 0.0 // equation 3.4
	if all > 0 {
		num = float64(j.Total[model.Reduce]) * (float64(here) / float64(all))
	}
	reached := float64(placed) >= num
	rank[0] = map[bool][3]int{false: {3, 2, 1}, true: {4, 5, 6}}[reached][w.class(j)]
	if !w.delayed[j.ID] {
		rank[1] = 1
	}
	if j.Done[model.Map] < j.Total[model.Map] {
		rank[2] = 1
	}
	return rank
}

// mapOf is algorithm 2.
func (w *twin) mapOf(o *policy.Offer, jobs []*cluster.Job, s *skips, may func(*cluster.Job, model.Kind) bool) (*cluster.Job, model.Time) {
	space := w.space(o.Node)
	var all, local, qualified, both []*cluster.Job
	var held *cluster.Job
	over := s.over(o.Now, w.params.MapSkips, w.params.MapWait)
	for _, j := range jobs {
		if !may(j, model.Map) {
			continue
		}
		if w.congested(o.Rack) && w.stops(j) && !(w.params.Stop == "skips" && over) {
			if held == nil {
				held = j
			}
			continue
		}
		each, _ := w.foretold(j)
		all = append(all, j)
		if w.near(o, j) == 0 {
			local = append(local, j)
		}
		if each <= space {
			qualified = append(qualified, j)
		}
		if w.near(o, j) == 0 && each <= space {
			both = append(both, j)
		}
	}
	if len(both) > 0 {
		s.count = 0
		return w.best(both, func(j *cluster.Job) []float64 {
			each, predicted := w.foretold(j)
			return []float64{flag(predicted), -each, flag(!w.placed(j))}
		}), 0
	}
	if len(all) > 0 && !over {
		o.Blocked(all[0], model.LimitLocality)
		return nil, s.skip(o.Now, w.params.MapWait)
	}
	if len(all) == 0 {
		if held != nil {
			o.Blocked(held, model.LimitCongestion)
			if w.params.Stop == "skips" {
				return nil, s.skip(o.Now, w.params.MapWait)
			}
		}
		return nil, 0
	}
	if w.params.Reset == "any" {
		s.count = 0
	}
	least := func(j *cluster.Job) []float64 {
		each, _ := w.foretold(j)
		return []float64{each}
	}
	switch {
	case len(qualified) > 0:
		return w.best(qualified, func(j *cluster.Job) []float64 {
			each, predicted := w.foretold(j)
			size := float64(j.Input) / float64(j.Total[model.Map])
			large, known := flag(j.Input >= w.params.Small), flag(predicted)
			if !w.params.MTS {
				large, known = 0, 0
			}
			return []float64{large, known, float64(w.near(o, j)) * size, -each}
		}), 0
	case len(local) > 0:
		return w.best(local, least), 0
	}
	return w.best(all, least), 0
}

// best returns the first job with the least key.
func (w *twin) best(jobs []*cluster.Job, key func(*cluster.Job) []float64) *cluster.Job {
	return slices.MinFunc(jobs, func(a, b *cluster.Job) int { return slices.Compare(key(a), key(b)) })
}

func flag(b bool) float64 { return float64(row(b)) }

func (w *twin) placed(j *cluster.Job) bool { return j.Input > 0 && w.env.Blocks.Replicated() }

// near returns how far the nearest pending map is: 0 on the node, 1 in the rack, 2 elsewhere.
func (w *twin) near(o *policy.Offer, j *cluster.Job) int {
	if !w.placed(j) {
		return 0
	}
	index, far := w.env.Blocks.Index(j.ID, j.Total[model.Map]), 2
	for b := range j.Total[model.Map] {
		if j.Started(model.Map)[b>>6]>>(b&63)&1 != 0 {
			continue
		}
		for _, holder := range index.Block(b) {
			if holder == o.Node {
				return 0
			}
			if w.env.Cluster.Nodes[holder].Rack == o.Rack {
				far = 1
			}
		}
	}
	return far
}

// nearest returns the nearest pending map; which of several, the blocks' index says.
func (w *twin) nearest(o *policy.Offer, j *cluster.Job) int32 {
	if w.placed(j) {
		index := w.env.Blocks.Index(j.ID, j.Total[model.Map])
		switch w.near(o, j) {
		case 0:
			return index.OnNode(o.Node, j.Started(model.Map))
		case 1:
			return index.InRack(o.Rack, j.Started(model.Map))
		}
	}
	return j.First(model.Map)
}

// space is equation 3.3 less what runs on the node.
func (w *twin) space(node model.NodeID) float64 {
	if !w.params.MTS || !w.params.Traffic {
		return math.Inf(1)
	}
	space := float64(w.params.Limit)
	if space == 0 {
		space = float64(w.env.Cluster.Nodes[node].Room[0]) * w.average
	}
	for _, a := range w.running {
		if a.Node == node && a.Task.Kind == model.Map {
			each, _ := w.foretold(w.env.Cluster.Job(a.Task.Job))
			space -= each
		}
	}
	return max(space, 0)
}

// twins is NAS and its twin at one desk, and a random history of it.
type twins struct {
	*desk
	t    *rapid.T
	nas  *NAS
	twin *twin
	done []cluster.Attempt // maps whose output is there
}

// TestTwin holds NAS against its twin: equal decisions, reasons, thresholds and skip counts.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newTwins(t)
		actions := []func(){h.jobComes, h.offered, h.offered, h.offered, h.offered, h.attemptEnds, h.attemptEnds, h.nodeFails, h.linksChange, h.timePasses, h.doubled, h.ramped, h.offeredAll, h.offeredAll}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			actions[rapid.IntRange(0, len(actions)-1).Draw(t, "action")]()
			h.compare()
		}
	})
}

func newTwins(t *rapid.T) *twins {
	p := DefaultNASParams()
	p.Known = rapid.SampledFrom([]string{"none", "recurring", "all"}).Draw(t, "known")
	p.MTS, p.Traffic = rapid.IntRange(0, 4).Draw(t, "mts") > 0, rapid.IntRange(0, 4).Draw(t, "limit-traffic") > 0
	p.Limit = rapid.SampledFrom([]model.Bytes{0, 0, model.MiB, 100 * model.MiB}).Draw(t, "limit")
	p.CARTS, p.CRRTS = rapid.IntRange(0, 4).Draw(t, "ca-rts") > 0, rapid.IntRange(0, 4).Draw(t, "cr-rts") > 0
	p.Adaptive = rapid.Bool().Draw(t, "adaptive")
	p.MinMaps = rapid.SampledFrom([]model.Fraction{0, 0.2, 0.5}).Draw(t, "min-maps")
	p.MapSkips, p.ReduceSkips = rapid.Int32Range(0, 3).Draw(t, "map-skips"), rapid.Int32Range(0, 3).Draw(t, "reduce-skips")
	p.MapWait = rapid.SampledFrom([]model.Time{0, 2 * model.Second}).Draw(t, "map-wait")
	p.ReduceWait = rapid.SampledFrom([]model.Time{0, 2 * model.Second}).Draw(t, "reduce-wait")
	p.Stop = rapid.SampledFrom([]string{"all", "skips", "early", "none"}).Draw(t, "stop-maps")
	p.Reset = rapid.SampledFrom([]string{"local", "any"}).Draw(t, "reset")
	h := &twins{t: t, desk: newDesk(t, rapid.IntRange(1, 4).Draw(t, "racks"), 2, 3, rapid.IntRange(0, 2).Draw(t, "replication"))}
	h.uneven = true
	by := rapid.SampledFrom([]string{"user", "user", "job"}).Draw(t, "by")
	h.drive(by, func(env *policy.Env) kit.Place { h.nas = NewNAS(env, p); return h.nas })
	h.drive(by, func(env *policy.Env) kit.Place { h.twin = newTwin(env, p); return h.twin })
	return h
}

func (h *twins) node(label string) model.NodeID {
	return model.NodeID(rapid.IntRange(0, len(h.state.Nodes)-1).Draw(h.t, label))
}

// jobComes admits a job. Averages of what its maps read and make are whole numbers, so that sums are exact.
func (h *twins) jobComes() {
	unit := rapid.SampledFrom([]model.Bytes{12, 12 << 14, 12 << 20, 12 << 23})
	spec := model.Job{User: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(h.t, "user"), Queue: "q",
		Maps: rapid.Int32Range(0, 4).Draw(h.t, "maps"), Reduces: rapid.Int32Range(0, 4).Draw(h.t, "reduces"), Shuffle: unit.Draw(h.t, "shuffle")}
	if spec.Maps > 0 && rapid.IntRange(0, 4).Draw(h.t, "input") > 0 {
		spec.Input = unit.Draw(h.t, "size")
	}
	if rapid.Bool().Draw(h.t, "alike") { // maps of jobs of any size read and make the same
		spec.Input, spec.Shuffle = spec.Input*model.Bytes(spec.Maps), spec.Shuffle*model.Bytes(spec.Maps)
	}
	if rapid.Bool().Draw(h.t, "recurs") {
		spec.Period = model.Hour
	}
	blocks := make([][]model.NodeID, max(spec.Maps, 1))
	for b := range blocks {
		first := h.node("replica")
		blocks[b] = []model.NodeID{first, (first + 1 + model.NodeID(rapid.IntRange(0, len(h.state.Nodes)-2).Draw(h.t, "other"))) % model.NodeID(len(h.state.Nodes))}
	}
	h.comeWith(spec, blocks)
}

func (h *twins) offered() {
	node := h.node("offer")
	if h.state.Nodes[node].Free[0] == 0 {
		return
	}
	if d := h.offer(node); d.Task.Job != model.None {
		h.start(d.Task, node)
	}
}

// offeredAll offers all nodes, as heartbeats do.
func (h *twins) offeredAll() {
	for node := range model.NodeID(len(h.state.Nodes)) {
		if h.state.Nodes[node].Free[0] > 0 {
			if d := h.offer(node); d.Task.Job != model.None {
				h.start(d.Task, node)
			}
		}
		h.compare()
	}
}

// ramped lets more or fewer reduces of a job start that has reached its threshold. Nobody is told.
func (h *twins) ramped() {
	for _, j := range h.state.Jobs() {
		if j.Phase == cluster.Admitted && !h.slowed[j.ID] && j.Wants(model.Map) > 0 {
			begun := min(j.Running[model.Reduce]+j.Done[model.Reduce], j.Total[model.Reduce]) // second attempts are no others
			h.state.Let(j, model.Reduce, rapid.Int32Range(begun, j.Total[model.Reduce]).Draw(h.t, "eligible"))
		}
	}
}

func (h *twins) attemptEnds() {
	if len(h.running) == 0 {
		return
	}
	a := h.running[rapid.IntRange(0, len(h.running)-1).Draw(h.t, "attempt")]
	done := rapid.IntRange(0, 4).Draw(h.t, "done") > 0
	// A reduce cannot end before the maps.
	done = done && (a.Task.Kind == model.Map || h.state.Job(a.Task.Job).MapsDone())
	h.end(a.Task, a.Node, done)
	if done && a.Task.Kind == model.Map {
		h.done = append(h.done, a)
	}
}

// nodeFails kills what runs on a node and loses the output of maps that ended there.
func (h *twins) nodeFails() {
	if rapid.IntRange(0, 3).Draw(h.t, "fails") > 0 {
		return
	}
	node := h.node("failed")
	for _, a := range slices.Clone(h.running) {
		if a.Node == node {
			h.end(a.Task, a.Node, false)
		}
	}
	h.done = slices.DeleteFunc(h.done, func(a cluster.Attempt) bool {
		j := h.state.Job(a.Task.Job)
		if j == nil {
			return true
		}
		lost := a.Node == node && j.Done[model.Reduce] < j.Total[model.Reduce]
		if lost {
			h.lose(a.Task, a.Node)
		}
		return lost
	})
}

func (h *twins) linksChange() {
	rack := rapid.IntRange(0, len(h.links.Shares)/2-1).Draw(h.t, "rack")
	h.links.Shares[2*rack+1] = rapid.SampledFrom([]float64{0, 0.5, 0.8}).Draw(h.t, "down")
	h.load(model.RackID(rack), rapid.SampledFrom([]float64{0, 0.79, 1}).Draw(h.t, "up"))
}

func (h *twins) timePasses() {
	h.pass(model.Time(rapid.IntRange(1, 2500).Draw(h.t, "time")) * model.Millisecond)
}

// doubled asks for a second attempt of a task, if its job has nothing else to start.
func (h *twins) doubled() {
	if len(h.running) == 0 {
		return
	}
	t := h.running[rapid.IntRange(0, len(h.running)-1).Draw(h.t, "doubled")].Task
	if _, is := h.seconds[t]; !is && h.state.Job(t.Job).Pending(t.Kind) == 0 {
		h.double(t)
	}
}

// compare holds what both keep against each other.
func (h *twins) compare() {
	for s := range int32(len(h.nas.users)) {
		own := h.twin.skips[s]
		if own == nil {
			own = &[model.Kinds]skips{}
		}
		for k, got := range [model.Kinds]skips{h.nas.users[s].maps, h.nas.users[s].reduces} {
			if want := own[k]; got.count != want.count || got.count > 0 && got.since != want.since {
				h.Fatalf("sharer %d, %v: skips %+v, expected %+v", s, model.Kind(k), got, want)
			}
		}
	}
	for _, j := range h.twin.there() {
		each, predicted := h.twin.foretold(j)
		if f := h.nas.Predictor.jobs.Of(j); f.each != each || f.predicted != predicted {
			h.Fatalf("job %d: predicted %t, %v; expected %t, %v", j.ID, f.predicted, f.each, predicted, each)
		}
		if h.nas.jobs.Of(j).delayed != h.twin.delayed[j.ID] {
			h.Fatalf("job %d is delayed: %t", j.ID, h.nas.jobs.Of(j).delayed)
		}
	}
	if h.nas.average != h.twin.average {
		h.Fatalf("a map makes %v on average, expected %v", h.nas.average, h.twin.average)
	}
}
