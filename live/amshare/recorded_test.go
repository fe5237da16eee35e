// SPDX-License-Identifier: Apache-2.0

package amshare

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/tune"
)

// TestRecordedLive: what live tune wrote down while it steered a real Hadoop 3.4.2 cluster gives the same advice
// step by step. The first run was made on a machine with far more work than cores, the others on a quiet one; under marp-auto
// the same batch took 87 and 83 s.
func TestRecordedLive(t *testing.T) {
	for _, log := range []struct {
		tuner, file string
		least       int // exchanges
	}{{"cbt", "cbt", 100}, {"cbt", "cbt-quiet", 55}, {"marp-auto", "marp-auto", 45}, {"marp-auto", "marp-auto-again", 45}} {
		name, want := log.tuner, log.least
		f, err := os.Open(filepath.Join("testdata", log.file+".log.gz"))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := tune.ReadLog(name, z)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if len(rec.Exchanges) < want || rec.Tuner != name {
			t.Errorf("%s: %d exchanges of %s", name, len(rec.Exchanges), rec.Tuner)
		}
		e, _ := tune.All.Find(rec.Tuner)
		params := e.Defaults()
		if rec.Params != "" {
			node, errs := strict.Parse(name, []byte(rec.Params))
			if len(errs) == 0 {
				errs = strict.Decode(node, params)
			}
			if len(errs) > 0 {
				t.Fatal(errs)
			}
		}
		tuner, err := e.New(tune.Env{Seed: rec.Seed}, params)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tune.Replay(tuner, rec) {
			t.Errorf("%s: %v", name, m)
		}
		shares := map[float64]bool{}
		for i := range rec.Exchanges {
			shares[rec.Exchanges[i].Observation.Share.Value] = true
		}
		if len(shares) < 4 {
			t.Errorf("%s: the cluster applied only the shares %v", name, shares)
		}
	}
}
