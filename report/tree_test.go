// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"strings"
	"testing"
)

// A tree is drawn with its shares: bars from 0 to 100, curves from the bottom (60) to the top (0).
func TestQueueTree(t *testing.T) {
	p := &QueuePage{Title: "Queues of <site>", Caveats: []string{"not modelled: <labels>"}, Trees: []QueueTree{{Name: "site", Width: 10, Queues: []TreeQueue{
		{Name: "root", Guarantee: 1, Maximum: 1, Use: []float64{0.5, 0.25}},
		{Name: "prod", Depth: 1, Guarantee: 0.6, Maximum: 0.8, Rules: "masters 10 %", Use: []float64{0.5, 0}},
	}}}, Texts: []TextTable{{Title: "Users", Head: []string{"user"}, Rows: [][]string{{"ann"}}}}}
	var b bytes.Buffer
	if err := WriteQueues(&b, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Queues of &lt;site&gt;", "not modelled: &lt;labels&gt;", "1 remark on", "prod", "padding-left: 38px", "60 %", "80 %", "masters 10 %", "ann",
		"<td>25.0 %</td><td>50.0 %</td>", // mean and most use of prod
		`points="0,60.0 0.0,30.0 300.0,30.0 300.0,60.0 600.0,60.0 600.0,60.0"`, `y1="24.0" y2="24.0"`, `y1="12.0" y2="12.0"`, "over 20 s",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(b.String(), "http://") || strings.Contains(b.String(), "<script") {
		t.Error("the page asks for something outside, or runs a script")
	}
}
