// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// A job in a queue that a policy does not know is the input's fault, with its place, but only if that
// policy runs: a scenario may have settings for other workloads.
func TestUnknownQueue(t *testing.T) {
	s, err := scenario.Parse("s.yaml", []byte(`
cluster: {classes: [{nodes: 1, map-slots: 1}]}
hdfs: {replication: 1}
workload:
  jobs:
    - {name: a, queue: prod, maps: 1, map-length: 10s}
    - {name: b, queue: dev, maps: 1, map-length: 10s}
policies:
  - {as: both, capacity: {queues: [{name: prod, capacity: 60}, {name: dev, capacity: 40}]}}
  - {as: one, capacity: {queues: [{name: prod, capacity: 100}]}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Compare(context.Background(), s, s.Policies[:1], 1, nil, experiment.Options{}); err != nil {
		t.Errorf("both queues are configured: %v", err)
	}
	_, err = experiment.Compare(context.Background(), s, s.Policies, 1, nil, experiment.Options{})
	var input *strict.InputError
	if want := `s.yaml:10:34: policies[1].capacity.queues: impossible value; found a job in the queue "dev"`; !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an InputError with %s", err, want)
	}
}
