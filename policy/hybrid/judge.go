// SPDX-License-Identifier: Apache-2.0

package hybrid

import (
	"errors"
	"math"

	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/internal/svm"
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
		if p.Monotone {
			return Cautious(env.Classifier, maps, reduces, shuffle, j.Recurring)
		}
		return env.Classifier.Decision(maps, reduces, shuffle)
	}
}

// Cautious is the less favourable of two answers of a classifier: that with the shuffle data as it is known, 0 if it is
// not, and that without it, or with what the reduces suggest.
func Cautious(c *svm.Classifier, maps, reduces, shuffle float64, known bool) float64 {
	other := 0.0
	if !known {
		other = reduces * perReduce
	}
	return min(c.Decision(maps, reduces, shuffle), c.Decision(maps, reduces, other))
}
