// SPDX-License-Identifier: Apache-2.0

package netaware

import (
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/keyed"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/rng"
)

// PredictorParams configures Predictor.
type PredictorParams struct {
	Known string  `yaml:"known" oneof:"none,recurring,all" doc:"Whose shuffle size is known when the job comes: nobody's, that of jobs that recur, everybody's."`
	Error float64 `yaml:"known-error" min:"0" doc:"Coefficient of variation of the error of known sizes."`
}

// Needs implements policy.Needer.
func (p *PredictorParams) Needs() policy.Need {
	if p.Known != "none" {
		return policy.LinkLoads | policy.KnownShuffle
	}
	return policy.LinkLoads
}

// Predictor is the shuffle data size predictor of §3.2.1: a map makes as much of its input as the ended maps
// of its job made on average (eq. 3.1), and as much as it reads before the first has ended. The maps of a
// job read equal shares of its input. A job without input is taken to make nothing until a map has ended.
//
// It also keeps sums over the jobs in the cluster, and where their map output lies.
type Predictor struct {
	params   PredictorParams
	shuffles policy.Shuffles
	errors   *rng.Stream
	cluster  *cluster.State
	jobs     *policy.PerJob[forecast]
	total    float64 // predicted output of all jobs in the cluster
	maps     int64   // of all jobs in the cluster
	smallest keyed.Heap
	largest  keyed.Heap
}

// forecast is what is known of the map output of one job.
type forecast struct {
	present   bool
	predicted bool    // its ratio is known
	each      float64 // what one map makes, as far as is known
	ended     int32   // maps whose output is known
	made      model.Bytes
	inRack    []model.Bytes // made by rack; nil before the first map has ended
	racks     uint64        // bit r%64 is set if some was made in rack r
}

// NewPredictor returns the predictor for the environment.
func NewPredictor(env *policy.Env, p PredictorParams) *Predictor {
	return &Predictor{params: p, shuffles: env.Shuffles, errors: rng.New(env.Seed, rng.ShuffleError), cluster: env.Cluster,
		jobs: policy.NewPerJob[forecast](env)}
}

// come takes in a job that is admitted.
func (p *Predictor) come(j *cluster.Job) {
	f := p.jobs.Of(j)
	f.present = true
	switch {
	case p.known(j):
		f.predicted = true
		f.each = float64(p.shuffles.Shuffle(j.ID)) * p.error(j) / float64(max(j.Total[model.Map], 1))
	case j.Total[model.Reduce] == 0: // what its maps make is output
		f.predicted = true
	default:
		f.each = float64(j.Input) / float64(max(j.Total[model.Map], 1))
	}
	p.maps += int64(j.Total[model.Map])
	p.add(j, f.each)
}

// known reports whether the size of the job was known when it came.
func (p *Predictor) known(j *cluster.Job) bool {
	return p.params.Known == "all" || p.params.Known == "recurring" && j.Recurring
}

// error is the factor by which a known size is wrong.
func (p *Predictor) error(j *cluster.Job) float64 {
	if p.params.Error == 0 {
		return 1
	}
	v := math.Log1p(p.params.Error * p.params.Error)
	return math.Exp(math.Sqrt(v)*p.errors.At(uint64(uint32(j.ID)), 0, 0).NormFloat64() - v/2)
}

// add puts a job where its size belongs.
func (p *Predictor) add(j *cluster.Job, each float64) {
	size := each * float64(j.Total[model.Map])
	p.total += size
	bits := int64(math.Float64bits(size)) // orders like the size, which is not negative
	p.smallest.SetTied(j.Slot, int32(j.ID), keyed.Key{Major: bits})
	p.largest.SetTied(j.Slot, int32(j.ID), keyed.Key{Major: -bits})
}

// leave forgets a job that has ended.
func (p *Predictor) leave(j *cluster.Job) {
	f := p.jobs.Of(j)
	p.total -= f.each * float64(j.Total[model.Map])
	p.maps -= int64(j.Total[model.Map])
	p.smallest.Remove(j.Slot)
	p.largest.Remove(j.Slot)
	f.present = false
	if p.maps == 0 {
		p.total = 0 // no rounding is carried on
	}
}

// made takes in the output of an ended map (sign 1), or takes it back (-1), and reports whether what is
// predicted of the others has changed.
func (p *Predictor) made(j *cluster.Job, node model.NodeID, output model.Bytes, sign int32) bool {
	f := p.jobs.Of(j)
	if f.inRack == nil {
		f.inRack = make([]model.Bytes, p.cluster.Topology.Racks)
	}
	rack := p.cluster.Nodes[node].Rack
	f.inRack[rack] += model.Bytes(sign) * output
	f.racks |= 1 << (rack % 64)
	f.made += model.Bytes(sign) * output
	f.ended += sign
	if f.ended == 0 || p.known(j) {
		return false
	}
	each := float64(f.made) / float64(f.ended)
	// The maps of a job may differ by a byte: that is no news.
	if f.predicted && math.Abs(each-f.each) < 1 {
		return false
	}
	p.total -= f.each * float64(j.Total[model.Map])
	f.predicted, f.each = true, each
	p.add(j, each)
	return true
}

// size returns the predicted shuffle size of a job.
func (p *Predictor) size(j *cluster.Job) float64 {
	return p.jobs.Of(j).each * float64(j.Total[model.Map])
}

// portion returns the share of the job's map output so far that lies in a rack.
func (p *Predictor) portion(j *cluster.Job, rack model.RackID) float64 {
	f := p.jobs.Of(j)
	if f.made == 0 {
		return 0
	}
	return float64(f.inRack[rack]) / float64(f.made)
}

// extremes returns the smallest and the largest predicted size of the jobs in the cluster.
func (p *Predictor) extremes() (least, most float64) {
	if p.smallest.Len() == 0 {
		return 0, 0
	}
	_, low := p.smallest.Top()
	_, high := p.largest.Top()
	return math.Float64frombits(uint64(low.Major)), math.Float64frombits(uint64(-high.Major))
}

// class is how heavy the shuffle of a job is predicted to be.
func (p *Predictor) class(j *cluster.Job) model.ShuffleClass { return model.ShuffleClassOf(p.size(j)) }
