// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/policies"
)

// The page of policies has every policy and every role with all its parameters.
func TestPoliciesAreComplete(t *testing.T) {
	var b bytes.Buffer
	Policies(&b)
	page := b.String()
	has := func(text string) {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	for _, e := range policies.All {
		has("\n## " + e.Name + "\n")
		for _, r := range e.Rules {
			has(r.Text)
		}
	}
	for i := range policies.Tables {
		has("\n## " + policies.Tables[i].Role + "\n")
		for _, r := range policies.Tables[i].Table {
			has("| `" + r.Name + "` |")
			if r.Params != nil {
				for _, f := range strict.Fields(r.Params()) {
					has("| `" + f.Path + "` |")
				}
			}
		}
	}
}
