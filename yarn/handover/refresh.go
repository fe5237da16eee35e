// SPDX-License-Identifier: Apache-2.0

package handover

import (
	"fmt"

	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/yarn/settings"
)

// Change is settings that act from a time on.
type Change struct {
	At       model.Time
	Settings *settings.Scheduler
}

// refresh lets changed settings act. What the release would refuse, and so leave as it is, ends the run.
func (f *Floor) refresh(c *Change) {
	settings := c.Settings
	if f.masterShare != nil {
		settings = settings.WithMasterShare(*f.masterShare)
	}
	if err := f.rm.RefreshQueues(settings); err != nil {
		f.Fail(fmt.Errorf("the refresh at %v: %w", c.At, err))
		return
	}
	f.Settings = settings
	f.watcher.configure()
	for id := range f.nodes {
		f.mark(model.NodeID(id)) // the smallest container may be another
	}
}

// SetMasterShare changes maximum-am-resource-percent of all queues; it stays when other settings are refreshed. The error
// says why the release keeps the old settings.
func (f *Floor) SetMasterShare(now model.Time, share float32) error {
	f.set(now)
	settings := f.Settings.WithMasterShare(share)
	if err := f.rm.RefreshQueues(settings); err != nil {
		return err
	}
	f.Settings, f.masterShare = settings, &share
	f.plan()
	return nil
}
