// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// LoadSite reads what a command simulates: workload is a scenario file or its folder, or a trace that runs on the
// cluster of the scenario on, if that is empty on the one that a setting gives, or else on the built-in one. A cluster of its
// own takes nothing else of the built-in scenario either: what that assumes of its jobs is not so of those of the trace.
func LoadSite(workload, on string, settings []strict.Setting) (*Scenario, []byte, error) {
	if workload == "" || isScenario(workload) {
		if workload == "" {
			workload = on
		} else if on != "" {
			return nil, nil, &strict.InputError{Err: fmt.Errorf("--on %s: allowed only with a trace; %s has its own cluster", on, workload)}
		}
		return LoadOrBuiltin(workload, settings)
	}
	file, src := BuiltinFile, facebookLike
	if slices.ContainsFunc(settings, func(set strict.Setting) bool { return set.Path == "cluster" }) {
		src = []byte("{}")
	}
	full, err := filepath.Abs(workload)
	if err == nil && on != "" {
		file = on
		src, err = ReadInput(on)
	}
	if err != nil {
		return nil, nil, &strict.InputError{Err: err}
	}
	node, errs := strict.Parse(file, src) // its own workload, if it has one, does not matter
	if node == nil {
		return nil, nil, &strict.InputError{Err: errs}
	}
	node.Drop("warmup")
	if w := node.Get("workload"); w != nil {
		w.Drop("jobs", "generate", "trace", "else", "assign")
	}
	errs = append(errs, strict.Set(node, "workload.trace.file", strconv.Quote(full), workload)...)
	errs = append(errs, strict.Set(node, "name", strconv.Quote(Label(filepath.Base(workload))), workload)...)
	s, err := decode(file, node, errs, settings)
	return s, src, err
}

func isScenario(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".yaml" || ext == ".yml" || IsFolder(path)
}
