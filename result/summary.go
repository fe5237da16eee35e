// SPDX-License-Identifier: Apache-2.0

package result

// Summary is summary.json of one run: every standard metric for all jobs and for each queue and
// class. Times are in seconds.
type Summary struct {
	Scenario string                        `json:"scenario"`
	Policy   string                        `json:"policy"`
	Seed     uint64                        `json:"seed"`
	Jobs     int                           `json:"jobs"`
	Tasks    int64                         `json:"tasks"`
	Killed   int64                         `json:"killed"`
	Flows    int64                         `json:"activities,omitempty"`
	Ticks    int64                         `json:"refreshes,omitempty"`
	Metrics  map[string]float64            `json:"metrics"`
	Blame    map[string]float64            `json:"blame"`
	Limits   map[string]float64            `json:"limits"`
	Queues   map[string]map[string]float64 `json:"queues"`
	Classes  map[string]map[string]float64 `json:"classes"`
}

// ComparisonSummary is summary.json of a comparison.
type ComparisonSummary struct {
	Scenario string                          `json:"scenario"`
	Policies []string                        `json:"policies"`
	Seeds    []uint64                        `json:"seeds"`
	Metrics  map[string][]ComparisonInterval `json:"metrics"`            // by metric, one for each policy
	Winners  map[string]string               `json:"winners"`            // by metric, where one is named
	Prices   string                          `json:"prices,omitempty"`   // what the compared clusters cost, if not all the same
	Changes  []ChangeRow                     `json:"changes,omitempty"`  // of every queue, user and class, where settings are compared
	Backtest []BacktestRow                   `json:"backtest,omitempty"` // of the first policy, where the workload is a history
}

// ComparisonInterval is a mean with its interval and, against the first policy, the relative paired
// difference with its own.
type ComparisonInterval struct {
	Policy     string      `json:"policy"`
	Mean       float64     `json:"mean"`
	Low        float64     `json:"low"`
	High       float64     `json:"high"`
	Difference *[3]float64 `json:"difference,omitempty"` // mean, low, high; 0.1 is 10 % more
	Values     []float64   `json:"values"`               // one for each seed
}

// ChangeRow is what one variant did to one group, against another.
type ChangeRow struct {
	By      string                  `json:"by"` // queue, user, class
	Name    string                  `json:"name"`
	Jobs    int                     `json:"jobs"`
	Variant string                  `json:"variant"`
	Against string                  `json:"against"`
	Metrics map[string]ChangeMetric `json:"metrics"`
	Limits  map[string][2]float64   `json:"limits"` // mean seconds held back by each: before, after
	Why     string                  `json:"why"`
}

// ChangeMetric is one metric before and after, with the paired difference.
type ChangeMetric struct {
	Before     float64    `json:"before"`
	After      float64    `json:"after"`
	Difference [3]float64 `json:"difference"` // after - before: mean, low, high
	Sure       bool       `json:"sure"`       // the interval excludes zero
}

// BacktestRow is how well one queue, or all jobs, were predicted. Times are in seconds.
type BacktestRow struct {
	Queue   string   `json:"queue"` // empty for all jobs
	Jobs    int      `json:"jobs"`
	Waiting Accuracy `json:"waiting"`
	Elapsed Accuracy `json:"elapsed"`
}

// Accuracy compares predictions with what happened.
type Accuracy struct {
	Actual    float64 `json:"actual"`    // mean
	Predicted float64 `json:"predicted"` // mean
	Median    float64 `json:"median_error"`
	Absolute  float64 `json:"mean_absolute_error"`
	Order     float64 `json:"rank_correlation"` // 1: jobs come in the order of what they really took
}

// PointSummary is the mean of every metric at one point, with its interval.
type PointSummary struct {
	Settings map[string]string     `json:"settings"`
	Metrics  map[string][3]float64 `json:"metrics"` // mean, low, high
}

// SearchSummary is summary.json of a search.
type SearchSummary struct {
	Scenario   string        `json:"scenario"`
	Objective  string        `json:"objective"` // in words
	Metric     string        `json:"metric"`    // of the objective: a key of the metrics of entries
	Rungs      []Rung        `json:"rungs"`
	Best       SearchEntry   `json:"best"`
	Neighbours []SearchEntry `json:"neighbours"`
	Seeds      []uint64      `json:"seeds"` // of best and neighbours
}

// SearchEntry is one point of a search in repetitions that the choice did not see.
type SearchEntry struct {
	Settings   map[string]string     `json:"settings"`
	Axis       string                `json:"axis,omitempty"`       // on which a neighbour differs
	Metrics    map[string][3]float64 `json:"metrics"`              // mean, low, high
	Difference *[3]float64           `json:"difference,omitempty"` // of the objective against the best: mean, low, high
	Feasible   bool                  `json:"feasible"`
}

// Rung is one step of a search by successive halving.
type Rung struct {
	Candidates int `json:"candidates"`
	Seeds      int `json:"seeds"` // repetitions by now
}
