// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// stat is a statistic over the jobs of a group.
var stat = &key{placeholder: "STAT", read: isPercentile, choices: []Choice{
	{"mean", "mean", "mean"},
	{"median", "median", "median"},
	{"min", "min", "least"},
	{"max", "max", "greatest"},
	{"cv", "cv", "coefficient of variation: standard deviation over mean"},
	{"scv", "scv", "its square"},
	{"p95", "pNN", "percentile, from p0 to p100, with decimals if wanted; it interpolates linearly between order statistics"},
	{"v95", "vNN", "variability: that percentile over the median (slowdown-2015, equation 1)"},
}}

// percentile reads p95, p99.9 and v95.
func percentile(text string) (float64, bool) {
	if len(text) < 2 || text[0] != 'p' && text[0] != 'v' {
		return 0, false
	}
	q, err := strconv.ParseFloat(text[1:], 64)
	return q, err == nil && q >= 0 && q <= 100 && strings.Trim(text[1:], "0123456789.") == ""
}

func isPercentile(text string) bool {
	_, ok := percentile(text)
	return ok
}

// hasNoUnit reports whether a statistic is a plain ratio, whatever it is of.
func hasNoUnit(statistic string) bool {
	return statistic == "cv" || statistic == "scv" || statistic[0] == 'v'
}

// partKey is a part of a job's elapsed time.
var partKey = &key{placeholder: "PART", choices: []Choice{
	NotAdmitted:    {"not_admitted", "not admitted", "submitted, but not yet allowed to run"},
	AMStarting:     {"am_starting", "master starting", "its application master was starting"},
	FirstContainer: {"first_container", "waiting for first container", "allowed to run, but no task had started yet"},
	MapsStarved:    {"maps_starved", "maps waiting for room", "the share of its maps that had no room, while maps were unfinished"},
	MapsRunning:    {"maps_running", "maps running", "the share of its maps at work, while maps were unfinished"},
	ShuffleTail:    {"shuffle_tail", "shuffle tail", "the share of its reduces that still copied data after the last map"},
	ReducesStarved: {"reduces_starved", "reduces waiting for room", "the share of its reduces that had no room after the last map"},
	ReducesRunning: {"reduces_running", "reduces running", "the share of its reduces at work after the last map"},
}}

// String returns the name of the part in results.
func (p Part) String() string { return partKey.choices[p].Name }

// Metric returns the name of the metric that is the mean of the part over jobs.
func (p Part) Metric() string { return "blame_" + p.String() }

// PartChoices returns the names and texts of the parts, in their order. The caller does not change them.
func PartChoices() []Choice { return partKey.choices }

// limitKey is a limit that held a job back. The names are those of model.Limit.
var limitKey = &key{placeholder: "LIMIT", choices: limits([model.Limits]Choice{
	model.LimitRoom:        {Label: "no free room", Text: "there was no free room that it could use"},
	model.LimitPriority:    {Label: "priority", Text: "jobs of higher priority went first"},
	model.LimitQueueMax:    {Label: "queue maximum", Text: "its queue had reached its maximum capacity"},
	model.LimitUser:        {Label: "user limit", Text: "its user had reached the user limit of the queue"},
	model.LimitInit:        {Label: "initialisation", Text: "it waited to be initialised, or too many jobs of the queue or user were there already"},
	model.LimitAMShare:     {Label: "master share", Text: "application masters had used up their share of the cluster"},
	model.LimitPartition:   {Label: "partition", Text: "there was room, but not in the partition that the job may use"},
	model.LimitLocality:    {Label: "locality delay", Text: "it waited for a node that holds its data"},
	model.LimitShare:       {Label: "share", Text: "it had all of the share that the policy gave it"},
	model.LimitCongestion:  {Label: "congestion", Text: "its reduces or maps waited because the rack's links were congested"},
	model.LimitHeartbeat:   {Label: "heartbeat", Text: "there was room, but no node that has it had asked for work yet, or could be given more at a time"},
	model.LimitParentMax:   {Label: "maximum of a parent queue", Text: "a queue above its own had reached its maximum capacity (YARN)"},
	model.LimitUserAMShare: {Label: "master share of the user", Text: "application masters of its user had used up their share of the queue (YARN)"},
	model.LimitHandOver:    {Label: "hand-over", Text: "it had been given containers, or had yet to ask for them: heartbeats and starts of processes"},
})}

func limits(choices [model.Limits]Choice) []Choice {
	for l := range choices {
		choices[l].Name = model.Limit(l).String()
	}
	return choices[:]
}

// LimitMetric returns the name of the metric that is the mean time for which the limit held jobs back.
func LimitMetric(l model.Limit) string { return "limit_" + l.String() }

// LimitChoices returns the names and texts of the limits, in their order. The caller does not change them.
func LimitChoices() []Choice { return limitKey.choices }

// pool is a pool of room, of any room model.
var pool = &key{placeholder: "POOL", choices: func() (choices []Choice) {
	for m, name := range [...]string{model.Slots: "slots", model.Containers: "containers", model.Yarn: "yarn"} {
		for p := range model.RoomModel(m).Measures() {
			pool := model.RoomModel(m).MeasureName(p)
			choices = append(choices, Choice{pool, pool, "with `cluster.room: " + name + "`"})
		}
	}
	return choices
}()}

// window is a span of the run, in seconds.
var window = &key{placeholder: "FROM_TO", choices: []Choice{{"60_600", "60_600", "any two times of the run, in seconds, FROM before TO"}},
	read: func(text string) bool {
		_, _, ok := parseWindow(text)
		return ok
	}}

func parseWindow(text string) (from, to float64, ok bool) {
	a, b, _ := strings.Cut(text, "_")
	from, err1 := strconv.ParseFloat(a, 64)
	to, err2 := strconv.ParseFloat(b, 64)
	return from, to, err1 == nil && err2 == nil && from >= 0 && to > from && to < 1e12 && strings.Trim(text, "0123456789._") == ""
}
