// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"os"
	"testing"

	"github.com/yardmaster/yardmaster/engine"
	"github.com/yardmaster/yardmaster/experiment"
	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/scenario"
)

// BenchmarkNetworkAware is a quarter of an hour of FB-2010 on 600 nodes (its generator where YARDMASTER_TRACES names
// no trace) under the policies that see links and under those that they are compared with.
func BenchmarkNetworkAware(b *testing.B) {
	const file = "../../papers/diverse-2018/simulator/slice.yaml"
	src, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	for _, policy := range []string{"{fair: {by: user}}", "{delay: {by: user, node-skips: 135, rack-skips: 135, node-wait: 0s, rack-wait: 0s}}", "shufflewatcher", "nas"} {
		s, err := scenario.Parse(file, src, []strict.Setting{{Path: "policies", Value: "[]"}, {Path: "policy", Value: policy}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(s.Policy.Name, func(b *testing.B) {
			e, params := find(s.Policy.Name)
			if s.Policy.Params != nil {
				params = s.Policy.Params
			}
			topology := s.Cluster.Topology()
			jobs, err := experiment.Jobs(b.Context(), s, s.Seed)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				r, err := engine.Run(&engine.Input{Topology: topology, Jobs: jobs, Config: s.Config, Replication: s.HDFS.Replication,
					Policy: e, Params: params, Seed: s.Seed, Recorder: metrics.NewCollector(topology, jobs)})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Offers)/float64(r.Started), "offers/task")
			}
		})
	}
}
