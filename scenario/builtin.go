// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"os"
	"path/filepath"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"

	_ "embed"
)

//go:embed facebook-like.yaml
var facebookLike []byte

// BuiltinFile is the name under which the scenario without a file appears in messages.
const BuiltinFile = "facebook-like.yaml"

// LoadOrBuiltin reads the file, or the built-in scenario if file is empty, and returns the source. The scenario of a
// result folder is the one that the results are of.
func LoadOrBuiltin(file string, settings []strict.Setting) (*Scenario, []byte, error) {
	if file == "" {
		s, err := Parse(BuiltinFile, facebookLike, settings)
		return s, facebookLike, err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		m, err := result.ReadManifest(file)
		if err != nil {
			return nil, nil, err
		}
		s, err := Parse(filepath.Join(file, result.ManifestName), m.Scenario, settings)
		return s, m.Scenario, err
	}
	src, err := ReadInput(file)
	if err != nil {
		return nil, nil, err
	}
	s, err := Parse(file, src, settings)
	return s, src, err
}
