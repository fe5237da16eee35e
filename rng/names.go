// SPDX-License-Identifier: Apache-2.0

package rng

import "github.com/yardmaster/yardmaster/model"

// Purpose names a family of draws. All purposes are listed here. A purpose is part of the key of every
// draw, so none is ever reused or renamed: results would change.
type Purpose string

// What a run draws.
const (
	mapLength       Purpose = "map-length" // see Lengths
	reduceLength    Purpose = "reduce-length"
	Straggler       Purpose = "straggler"
	NodeLoss        Purpose = "node-loss"
	HeartbeatOffset Purpose = "heartbeat-offset"
	BlockPlacement  Purpose = "block-placement"
	ReadSource      Purpose = "read-source"
	OutputPlacement Purpose = "output-placement"
	DiskRate        Purpose = "disk-rate"
	StepNoise       Purpose = "step-noise"
	ReloadPhase     Purpose = "reload-phase"
	MasterStart     Purpose = "master-start"
)

// What policies and tuners draw.
const (
	InitPoller Purpose = "init-poller"
	SizeError  Purpose = "size-error"

	ShuffleError Purpose = "shuffle-error"

	SubBatches      Purpose = "sub-batches"
	PlannedBlocks   Purpose = "planned-blocks"
	ForecastSize    Purpose = "forecast-size"
	ForecastArrival Purpose = "forecast-arrival"

	CBTwATThresholds Purpose = "cbtwat-thresholds"
	CBTwATEpsilon    Purpose = "cbtwat-epsilon"
	CBTwATPick       Purpose = "cbtwat-pick"
)

// What clients of a real cluster draw.
const (
	RetryJitter Purpose = "retry-jitter"
)

// What makers of workloads draw.
const (
	Thin              Purpose = "thin"
	Assign            Purpose = "assign"
	Jitter            Purpose = "jitter"
	Sample            Purpose = "sample"
	Arrive            Purpose = "arrive"
	Fold              Purpose = "fold"
	Spread            Purpose = "spread"
	JobClass          Purpose = "job-class"
	JobShape          Purpose = "job-shape"
	StratifiedClass   Purpose = "stratified-class"
	StratifiedShape   Purpose = "stratified-shape"
	FacebookOrder     Purpose = "facebook-order"
	FacebookMapLength Purpose = "facebook-map-length"
	FacebookTask      Purpose = "facebook-task"
	Vary              Purpose = "vary"
	ArrivalGap        Purpose = "arrival-gap"
	Deadline2010      Purpose = "deadline-2010"
	FB2010Kind        Purpose = "fb-2010-kind"
	FB2010Lead        Purpose = "fb-2010-lead"
	FB2010Shape       Purpose = "fb-2010-shape"
)

// Lengths is the lengths of all tasks of a run, by kind.
type Lengths [model.Kinds]*Stream

// NewLengths returns the lengths of the tasks of the run with this seed.
func NewLengths(seed uint64) Lengths {
	return Lengths{model.Map: New(seed, mapLength), model.Reduce: New(seed, reduceLength)}
}

// Of returns the sampler of the job's tasks of kind k.
func (l *Lengths) Of(j *model.Job, k model.Kind) Sampler { return NewSampler(l[k], j.ID, j.Lengths(k)) }
