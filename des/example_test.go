// SPDX-License-Identifier: Apache-2.0

package des_test

import (
	"fmt"

	"github.com/yardmaster/yardmaster/des"
	"github.com/yardmaster/yardmaster/model"
)

// A clock with two trains that arrive as planned, each of which leaves two minutes later unless its
// departure is called off.
func Example() {
	var q des.Queue[string]
	q.Load([]des.Timed[string]{
		{Time: 1 * model.Minute, Payload: "express arrives"},
		{Time: 3 * model.Minute, Payload: "freight arrives"},
	})
	var departure des.Handle
	for {
		now, what, ok := q.Pop()
		if !ok {
			break
		}
		fmt.Println(now, what)
		switch what {
		case "express arrives":
			departure = q.Push(now+2*model.Minute, "express leaves")
		case "freight arrives": // comes first at 180s: arrivals precede pushed events of equal time
			q.Cancel(departure)
			q.Push(now+2*model.Minute, "freight leaves")
		}
	}
	// Output:
	// 60s express arrives
	// 180s freight arrives
	// 300s freight leaves
}
