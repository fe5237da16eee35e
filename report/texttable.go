// SPDX-License-Identifier: Apache-2.0

package report

// TextTable is a table of cells that are formatted already. Every row has as many as Head.
type TextTable struct {
	Title, Note string
	Head        []string
	Rows        [][]string
	Order       []int // columns of a page from left to right; as in Head if nil
}

// textView is a table as the templates show it.
type textView struct {
	Title, Note string
	Head        []string
	Rows        [][]textCell
}

// textCell is one cell with the head of its column, which a narrow page shows beside it.
type textCell struct {
	Head, Text string
	Class      string // colour of the queue that it names; "" for none
}

// newTextView lays a table out; queues are those with a colour.
func newTextView(t *TextTable, queues []string) *textView {
	order := t.Order
	if order == nil {
		for i := range t.Head {
			order = append(order, i)
		}
	}
	v := &textView{Title: t.Title, Note: t.Note}
	for _, i := range order {
		v.Head = append(v.Head, t.Head[i])
	}
	for _, row := range t.Rows {
		cells := make([]textCell, len(order))
		for k, i := range order {
			cells[k] = textCell{Head: t.Head[i], Text: row[i]}
			if t.Head[i] == "queue" {
				cells[k].Class = queueClass(queues, row[i])
			}
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}

func newTextViews(tables []TextTable, queues []string) (views []*textView) {
	for i := range tables {
		views = append(views, newTextView(&tables[i], queues))
	}
	return views
}
