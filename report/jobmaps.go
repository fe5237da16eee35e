// SPDX-License-Identifier: Apache-2.0

package report

import "github.com/yardmaster/yardmaster/report/plot"

// mapsView is maps of jobs laid out for the template.
type mapsView struct {
	Drawings []plot.View
	Colours  [plot.Colours]struct{}
}

// newMapsView lays maps out; nil if there are none.
func newMapsView(maps []plot.Chart) *mapsView {
	if len(maps) == 0 {
		return nil
	}
	v := &mapsView{}
	for i := range maps {
		v.Drawings = append(v.Drawings, plot.NewView(&maps[i]))
	}
	return v
}
