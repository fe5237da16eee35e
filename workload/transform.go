// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"slices"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/rng"
)

// TraceConfig is a workload read from a file: one that is given by its path, or one that is found by its name.
type TraceConfig struct {
	File    string         `yaml:"file,omitempty" doc:"Trace file, relative to the scenario; gzip is recognised. Exactly one of file and name is given."`
	Name    string         `yaml:"name,omitempty" doc:"Trace in the folder that the environment variable YARDMASTER_TRACES says: FB-2009, FB-2010 or FB-2010-paths (SWIM's Facebook traces, the last with input paths), or the name of a file there."`
	Format  string         `yaml:"format,omitempty" doc:"Format of the file; recognised by its content if left out."`
	Repair  bool           `yaml:"repair,omitempty" doc:"Repair what can be repaired instead of refusing the file; every repair is listed."`
	From    model.Time     `yaml:"from,omitempty" min:"0" doc:"Jobs submitted before this time of the trace are left out; the slice then begins at 0."`
	To      model.Time     `yaml:"to,omitempty" min:"0" doc:"Jobs submitted at or after this time of the trace are left out; 0s means the end."`
	Thin    model.Fraction `yaml:"thin" above:"0" max:"1" doc:"Share of the jobs to keep, chosen at random but alike for every seed."`
	Stretch float64        `yaml:"stretch" above:"0" doc:"Factor on the gaps between jobs; 2 halves the load."`
	Load    model.Fraction `yaml:"load,omitempty" min:"0" doc:"Target system load of the busiest pool of room: gaps are scaled to it; 0 leaves them."`
	Spread  model.Time     `yaml:"spread,omitempty" min:"0" doc:"Submissions are drawn anew for each seed, uniformly between 0s and this time, in the order of the trace; 0s leaves them."`
}

// SetDefaults fills what a scenario leaves out.
func (c *TraceConfig) SetDefaults() { *c = TraceConfig{Thin: 1, Stretch: 1} }

// Validate returns the faults that the types cannot express.
func (c *TraceConfig) Validate() (problems []model.Problem) {
	switch {
	case c.File == "" && c.Name == "":
		problems = append(problems, model.Problem{Path: "file", Found: "neither file nor name", Allowed: "exactly one of them"})
	case c.File != "" && c.Name != "":
		problems = append(problems, model.Problem{Path: "name", Found: "both file and name", Allowed: "exactly one of them"})
	}
	if c.To != 0 && c.To <= c.From {
		problems = append(problems, model.Problem{Path: "to", Found: c.To.String(), Allowed: "a time after from, or 0s for the end"})
	}
	if c.Spread != 0 && (c.Load != 0 || c.Stretch != 1) {
		problems = append(problems, model.Problem{Path: "spread", Found: "spread beside load or stretch", Allowed: "one of load, stretch and spread"})
	}
	if c.Load != 0 && c.Stretch != 1 {
		problems = append(problems, model.Problem{Path: "load", Found: "both load and stretch", Allowed: "one of load and stretch"})
	}
	return problems
}

// Given returns the name of the field that says which trace it is.
func (c *TraceConfig) Given() string {
	if c.Name != "" {
		return "name"
	}
	return "file"
}

// Slice returns the jobs submitted in [from, to), with times from the beginning of the slice. A job
// that waits for another is kept if that one is. It returns the records themselves if all are kept, as mostly.
func Slice(records []Record, from, to model.Time) []Record {
	if to == 0 {
		to = model.Forever
	}
	if from == 0 && to == model.Forever && !anyWaits(records) {
		return records
	}
	kept := map[string]bool{}
	var out []Record
	for _, r := range records {
		in := r.Submit >= from && r.Submit < to
		if r.After != "" {
			in = kept[r.After]
		}
		if !in {
			continue
		}
		kept[r.Name] = true
		if r.After == "" {
			r.Submit -= from
		}
		out = append(out, r)
	}
	return out
}

// anyWaits reports whether a job waits for another.
func anyWaits(records []Record) bool {
	for i := range records {
		if records[i].After != "" {
			return true
		}
	}
	return false
}

// Thin keeps a share of the jobs, each by a draw keyed with its position. A job that waits for
// another goes with it.
func Thin(records []Record, share float64) []Record {
	if share >= 1 {
		return records
	}
	draws := rng.New(0, rng.Thin)
	kept := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(records), func(r Record) bool {
		keep := false
		if r.After != "" {
			keep = kept[r.After]
		} else {
			keep = float64(draws.Uint64(uint64(len(kept)), 0, 0)>>11)/(1<<53) < share
		}
		kept[r.Name] = keep
		return !keep
	})
}

// Stretch multiplies the gaps between submissions, and the time before the first; think times stay.
func Stretch(jobs []model.Job, factor float64) { stretchFrom(jobs, 0, factor) }

// stretchFrom multiplies the time from origin to each submission.
func stretchFrom(jobs []model.Job, origin model.Time, factor float64) {
	for i := range jobs {
		if jobs[i].After == model.None {
			jobs[i].Submit = origin + model.Time(float64(jobs[i].Submit-origin)*factor+0.5)
		}
	}
}

// Spread draws the submissions of jobs that wait for no other uniformly between 0 and a time.
func Spread(jobs []model.Job, over model.Time, seed uint64) {
	draws := rng.New(seed, rng.Spread)
	var times []model.Time
	for i := range jobs {
		if jobs[i].After == model.None {
			times = append(times, model.Time(float64(draws.Uint64(uint64(i), 0, 0)>>11)/(1<<53)*float64(over)))
		}
	}
	slices.Sort(times)
	for i := range jobs {
		if jobs[i].After == model.None {
			jobs[i].Submit, times = times[0], times[1:]
		}
	}
}

// SetReduces gives every job that has reduces n of them. The work of all its reduces together stays,
// and so does what they copy after the last map.
func SetReduces(jobs []model.Job, n int32) {
	for i := range jobs {
		j := &jobs[i]
		if j.Reduces == 0 || j.Reduces == n {
			continue
		}
		share := func(t model.Time) model.Time { return model.Time(float64(t)*float64(j.Reduces)/float64(n) + 0.5) }
		if len(j.ReduceLength.Fixed) > 0 {
			j.ReduceLength = model.Lengths{Mean: j.ReduceLength.Average()}
		}
		j.ReduceLength.Mean, j.ShuffleTail = share(j.ReduceLength.Mean), share(j.ShuffleTail)
		j.Reduces, j.Asks[model.Reduce] = n, nil
	}
}

// ScaleLoad scales the gaps so that the busiest pool of room has the load: the jobs' work over the
// room times the time from the first submission, which stays, to the last. It returns the factor.
func ScaleLoad(jobs []model.Job, site Site, load float64) (factor float64, err error) {
	first, last := submissions(jobs)
	if first >= last {
		return 0, fmt.Errorf("all jobs are submitted at once: their load cannot be scaled")
	}
	factor = float64(Span(jobs, site, load)) / float64(last-first)
	stretchFrom(jobs, first, factor)
	return factor, nil
}

// Rule assigns what a trace does not say to the jobs that it matches; the last rule that matches
// and says something wins.
type Rule struct {
	Class    string         `yaml:"class,omitempty" doc:"Matches jobs of this class."`
	Name     string         `yaml:"name,omitempty" doc:"Matches the job of this name."`
	MinMaps  int32          `yaml:"min-maps,omitempty" min:"0" doc:"Matches jobs with at least this many maps."`
	MaxMaps  int32          `yaml:"max-maps,omitempty" min:"0" doc:"Matches jobs with at most this many maps; 0 means any."`
	MinInput model.Bytes    `yaml:"min-input,omitempty" min:"0" doc:"Matches jobs with at least this much input."`
	MaxInput model.Bytes    `yaml:"max-input,omitempty" min:"0" doc:"Matches jobs with at most this much input; 0B means any."`
	Share    model.Fraction `yaml:"share" above:"0" max:"1" doc:"Matches only this share of those jobs, chosen at random but alike for every seed, unless per-seed says otherwise."`

	MinShuffle model.Bytes `yaml:"min-shuffle,omitempty" min:"0" doc:"Matches jobs with at least this much shuffle data."`
	MaxShuffle model.Bytes `yaml:"max-shuffle,omitempty" min:"0" doc:"Matches jobs with at most this much shuffle data; 0B means any."`
	PerSeed    bool        `yaml:"per-seed,omitempty" doc:"Draws the share and the users anew for each seed."`

	Queue    string          `yaml:"queue,omitempty" doc:"Queue to assign."`
	Users    int             `yaml:"users,omitempty" min:"0" doc:"Deals the jobs out to this many users."`
	Label    string          `yaml:"label,omitempty" doc:"Class to assign, for grouping in results."`
	Priority *model.Priority `yaml:"priority" doc:"Priority to assign."`
	Goal     model.Time      `yaml:"goal,omitempty" min:"0" doc:"Completion-time goal to assign, counted from submission."`
	Factor   float64         `yaml:"goal-factor,omitempty" min:"0" doc:"Completion-time goal to assign, as a multiple of the job's run time alone in the empty cluster."`
	Period   model.Time      `yaml:"period,omitempty" min:"0" doc:"Recurrence to assign."`
}

// Validate returns the faults that the types cannot express.
func (r *Rule) Validate() []model.Problem {
	problems := oneGoal("goal-factor", r.Goal, 0, r.Factor)
	if r.MaxShuffle > 0 && r.MaxShuffle < r.MinShuffle {
		problems = append(problems, model.Problem{Path: "max-shuffle", Found: fmt.Sprintf("%v, below min-shuffle", r.MaxShuffle), Allowed: "at least min-shuffle, " + r.MinShuffle.String() + ", or 0B for any"})
	}
	return problems
}

// SetDefaults fills what a scenario leaves out.
func (r *Rule) SetDefaults() { *r = Rule{Share: 1} }

// matches reports whether the rule is about the job.
func (r *Rule) matches(j *model.Job, draws *rng.Stream, rule int) bool {
	if r.Class != "" && r.Class != j.Class || r.Name != "" && r.Name != j.Name ||
		j.Maps < r.MinMaps || r.MaxMaps > 0 && j.Maps > r.MaxMaps ||
		j.Input < r.MinInput || r.MaxInput > 0 && j.Input > r.MaxInput ||
		j.Shuffle < r.MinShuffle || r.MaxShuffle > 0 && j.Shuffle > r.MaxShuffle {
		return false
	}
	return r.Share >= 1 || float64(draws.Uint64(uint64(j.ID), uint64(rule), 0)>>11)/(1<<53) < float64(r.Share)
}

// Assign applies the rules to the jobs of the run with this seed.
func Assign(jobs []model.Job, rules []Rule, seed uint64) {
	always, own := rng.New(0, rng.Assign), rng.New(seed, rng.Assign)
	for i := range jobs {
		for k := range rules {
			r, draws := &rules[k], always
			if r.PerSeed {
				draws = own
			}
			if r.matches(&jobs[i], draws, k) {
				r.apply(&jobs[i], draws, k)
			}
		}
	}
}

func (r *Rule) apply(j *model.Job, draws *rng.Stream, rule int) {
	if r.Queue != "" {
		j.Queue = r.Queue
	}
	if r.Users > 0 {
		j.User = fmt.Sprintf("user%d", rng.Below(draws.Uint64(uint64(j.ID), uint64(rule), 1), r.Users))
	}
	if r.Label != "" {
		j.Class = r.Label
	}
	if r.Priority != nil {
		j.Priority = *r.Priority
	}
	if r.Goal > 0 {
		j.Goal, j.GoalFactor = r.Goal, 0
	}
	if r.Factor > 0 {
		j.Goal, j.GoalFactor = 0, r.Factor
	}
	if r.Period > 0 {
		j.Period = r.Period
	}
}

// FromRecords turns a trace into jobs at the site: sliced, thinned, priced by the cost model and
// scaled. The records must be in order of submission, as formats.ReadAll returns them.
func FromRecords(records []Record, c *TraceConfig, cost *Cost, needs Needs, site Site) ([]model.Job, error) {
	records = Thin(Slice(records, c.From, c.To), float64(c.Thin))
	if len(records) == 0 {
		return nil, fmt.Errorf("no job is left after slicing and thinning")
	}
	jobs := make([]model.Job, len(records))
	ids := make(map[string]model.JobID, len(records))
	for i := range records {
		jobs[i] = cost.Apply(&records[i], site, needs)
		jobs[i].ID = model.JobID(i)
		if after := records[i].After; after != "" {
			jobs[i].After = ids[after]
		}
		ids[records[i].Name] = model.JobID(i)
	}
	Stretch(jobs, c.Stretch)
	if c.Spread > 0 {
		Spread(jobs, c.Spread, site.Seed)
	}
	if c.Load > 0 {
		if _, err := ScaleLoad(jobs, site, float64(c.Load)); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// ToRecord writes a job down as a trace would: with the lengths that its tasks have in the run with
// this seed.
func ToRecord(j *model.Job, jobs []model.Job, m model.RoomModel, seed uint64) Record {
	r := Record{Name: j.Name, User: j.User, Queue: j.Queue, Class: j.Class, Submit: j.Submit, Priority: j.Priority, Weight: j.Weight,
		Goal: j.Goal, Period: j.Period, Input: j.Input, Shuffle: j.Shuffle, Output: j.Output, Maps: j.Maps, Reduces: j.Reduces, ShuffleTail: j.ShuffleTail,
		InputFile: j.InputFile, Cycles: j.Cycles, Master: j.Master, Asks: j.Asks, Label: j.Label, ByClass: j.ByClass}
	if j.After != model.None {
		r.After = jobs[j.After].Name
	}
	if m == model.Yarn {
		for k, need := range j.Need {
			r.Memory[k], r.VCores[k] = model.Bytes(need[0])*model.MiB, need[1]
		}
	}
	draws := rng.NewLengths(seed)
	lengths := func(k model.Kind) []model.Time {
		sampler := draws.Of(j, k)
		out := make([]model.Time, j.Tasks(k))
		for i := range out {
			out[i] = sampler.Length(int32(i), 0)
		}
		return out
	}
	r.MapLengths, r.ReduceLengths = lengths(model.Map), lengths(model.Reduce)
	return r
}
