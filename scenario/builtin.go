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

// FolderFile is the scenario that a folder stands for.
const FolderFile = "scenario.yaml"

// IsFolder reports whether the path is a folder that stands for a scenario.
func IsFolder(path string) bool {
	dir, err := os.Stat(path)
	if err != nil || !dir.IsDir() {
		return false
	}
	file, err := os.Stat(filepath.Join(path, FolderFile))
	return err == nil && !file.IsDir()
}

// LoadOrBuiltin reads the file, or the built-in scenario if file is empty, and returns the source. A folder stands for the
// scenario.yaml in it or, if it holds results, for the scenario that they are of.
func LoadOrBuiltin(file string, settings []strict.Setting) (*Scenario, []byte, error) {
	if file == "" {
		s, err := Parse(BuiltinFile, facebookLike, settings)
		return s, facebookLike, err
	}
	if IsFolder(file) {
		file = filepath.Join(file, FolderFile)
	} else if info, err := os.Stat(file); err == nil && info.IsDir() {
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
