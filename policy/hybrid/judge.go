// SPDX-License-Identifier: Apache-2.0

package hybrid

import (
	"errors"
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
)

// Features are what a classifier of jobs is trained on (diverse-2018 §5.2.2).
var Features = []string{"maps", "reduces", "shuffle"}

// judge says how small a job is: above 0 for a job that belongs on a scale-up machine, and the further from 0, the more
// clearly so.
type judge func(j *cluster.Job) float64

func newJudge(env *policy.Env, p *Params, class string) (judge, error) {
	switch {
	case !p.Placement:
		return func(*cluster.Job) float64 { return -1 }, nil
	case p.Classify == "oracle":
		return func(j *cluster.Job) float64 {
			if env.Labels.Label(j.ID) == class {
				return 1
			}
			return -1
		}, nil
	case p.Classify == "svm":
		if env.Classifier == nil {
			return nil, errors.New("classify: svm without a classifier; allowed: workload.classifier with the file of one")
		}
		return bySVM(env, p), nil
	}
	return func(j *cluster.Job) float64 { return math.Log(float64(p.Limit)) - math.Log1p(float64(j.Input)) }, nil
}

// perReduce is the shuffle data that a reduce suggests, that of the usual cost model.
const perReduce = float64(model.GiB)

// bySVM judges by maps, reduces and shuffle data: what is predicted of a job that has run before, 0 of others.
func bySVM(env *policy.Env, p *Params) judge {
	return func(j *cluster.Job) float64 {
		maps, reduces, shuffle := float64(j.Total[model.Map]), float64(j.Total[model.Reduce]), 0.0
		if j.Recurring {
			shuffle = float64(env.Shuffles.Shuffle(j.ID)) * (1 + p.ShuffleError)
		}
		value := env.Classifier.Decision(maps, reduces, shuffle)
		if p.Monotone {
			other := 0.0
			if !j.Recurring {
				other = reduces * perReduce
			}
			value = min(value, env.Classifier.Decision(maps, reduces, other))
		}
		return value
	}
}
