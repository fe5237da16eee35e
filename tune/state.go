// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Save writes what the tuner remembers, so that Load can continue it elsewhere.
func Save(t Tuner) ([]byte, error) { return json.Marshal(t.State()) }

// Load gives a new tuner, built with the same parameters and seed, the memory that Save wrote.
func Load(t Tuner, data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(t.State()); err != nil {
		return fmt.Errorf("state of a tuner: %w", err)
	}
	return nil
}
