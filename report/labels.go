// SPDX-License-Identifier: Apache-2.0

package report

import "github.com/yardmaster/yardmaster/metrics"

// label is what people read for a part or a limit: a short name and a sentence.
type label struct {
	Key  string `json:"key"` // its name in results, and in those of the style sheet
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// labelsOf returns the labels of all parts or all limits, in their order.
func labelsOf(choices []metrics.Choice) []label {
	list := make([]label, len(choices))
	for i, c := range choices {
		list[i] = label{c.Name, c.Label, c.Text}
	}
	return list
}
