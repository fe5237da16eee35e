// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"github.com/yardmaster/yardmaster/internal/strict"

	_ "embed"
)

//go:embed facebook-like.yaml
var facebookLike []byte

// BuiltinFile is the name under which the scenario without a file appears in messages.
const BuiltinFile = "facebook-like.yaml"

// LoadOrBuiltin reads the file, or the built-in scenario if file is empty, and returns the source.
func LoadOrBuiltin(file string, settings []strict.Setting) (*Scenario, []byte, error) {
	if file == "" {
		s, err := Parse(BuiltinFile, facebookLike, settings)
		return s, facebookLike, err
	}
	src, err := ReadInput(file)
	if err != nil {
		return nil, nil, err
	}
	s, err := Parse(file, src, settings)
	return s, src, err
}
