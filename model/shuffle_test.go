// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

func TestShuffleClass(t *testing.T) {
	for shuffle, want := range map[Bytes]string{0: "light", MiB - 1: "light", MiB: "medium", 100 * MiB: "medium", 100*MiB + 1: "heavy"} {
		if got := ShuffleClassOf(float64(shuffle)).String(); got != want {
			t.Errorf("%v is %s, want %s", shuffle, got, want)
		}
	}
}
