// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"

	"github.com/yardmaster/yardmaster/report/packed"
)

// Numbers of the data of a page.
type (
	num      = packed.Num
	nums     = packed.Nums
	coarse   = packed.Coarse
	instants = packed.Instants
)

// embedJSON encodes v so that it can stand inside a script element: the result holds none of the
// characters <, > and & nor the two line separators that scripts know, whatever v's strings hold.
func embedJSON(v any) (template.JS, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(true)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return template.JS(bytes.TrimSpace(b.Bytes())), nil
}

// Span writes seconds for people.
func Span(s float64) string {
	switch {
	case s >= 2*3600:
		return fmt.Sprintf("%.1f h", s/3600)
	case s >= 600:
		return fmt.Sprintf("%.1f min", s/60)
	}
	return fmt.Sprintf("%.1f s", s)
}
