// SPDX-License-Identifier: Apache-2.0

package simtest

import (
	"flag"
	"os"
	"testing"
)

// The generated cases are the same in every run, so that a test fails because of a change and not by
// chance; make explore looks at new ones.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() == f.DefValue && os.Getenv("YARDMASTER_EXPLORE") == "" {
		if err := flag.Set("rapid.seed", "20150701"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
