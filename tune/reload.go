// SPDX-License-Identifier: Apache-2.0

package tune

import "github.com/yardmaster/yardmaster/model"

// Reload is how a scheduler follows its configuration file.
type Reload struct {
	Every model.Time `yaml:"reload-every" min:"0" doc:"How often the scheduler looks whether its configuration was changed; 0s means that it looks all the time, so that a change acts as soon as it is reload-wait old."`
	Wait  model.Time `yaml:"reload-wait" min:"0" doc:"How old a change must be when the scheduler looks, for it to be read."`
}

// FairReload returns what the Fair Scheduler does.
func FairReload() Reload { return Reload{Every: 10 * model.Second, Wait: 5 * model.Second} }

// Latency is how long a change may take to act.
func (r *Reload) Latency() model.Time { return r.Wait + r.Every }
