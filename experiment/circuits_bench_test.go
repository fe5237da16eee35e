// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// batch is jobs that come together and send most of what their maps make to other racks. A flow of a large job is
// about 125 MB.
const batch = `
cluster: {room: containers, racks: 20, uplink: 30Gbps, classes: [{nodes: 600, containers: 20, link: 10Gbps}]}
hdfs: {block-size: 256MB}
durations: network
reference: false
network: {circuits: {rate: 100Gbps}}
shuffle: {source: rack}
jobs: {slow-start: 70%}
heartbeat: {interval: 1s}
workload:
  generate:
    jobs: 200
    arrivals: {process: poisson, interval: 1ms}
    classes:
      - {name: large, share: 1, input: 500GB, maps: 2000, reduces: 200, shuffle-ratio: 1, output-ratio: 1, map-length: 20s, reduce-length: 20s}
      - {name: small, share: 9, input: 20GB, maps: 80, reduces: 8, shuffle-ratio: 1, output-ratio: 0.2, map-length: 20s, reduce-length: 20s}
policy: fair
`

// batchWith returns the batch with a threshold of elephants.
func batchWith(t testing.TB, elephant string) *scenario.Scenario {
	s, err := scenario.Parse("batch.yaml", []byte(batch), []strict.Setting{{Path: "network.circuits.elephant", Value: elephant}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	allPackets   = "1000TB" // no flow is as large
	mostCircuits = "100MB"
)

// BenchmarkBatch simulates a batch whose flows all go by packets, and one whose large flows go over circuits.
func BenchmarkBatch(b *testing.B) {
	b.Run("packets", func(b *testing.B) { costs(b, batchWith(b, allPackets)) })
	b.Run("circuits", func(b *testing.B) { costs(b, batchWith(b, mostCircuits)) })
}
