// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/yardmaster/yardmaster/cluster"
	"github.com/yardmaster/yardmaster/model"
)

// Kinds tells a policy when jobs may want other kinds of tasks than before.
type Kinds struct {
	to     []KindObserver
	driver *Driver
}

// Look is called whenever what a job wants may have changed, after Wants.
func (k *Kinds) Look(now model.Time, j *cluster.Job) {
	k.driver.before("KindsWanted", now)
	for _, o := range k.to {
		o.KindsWanted(now, j)
	}
	k.driver.after("KindsWanted", now)
}
