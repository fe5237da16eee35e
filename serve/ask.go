// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/result"
	"github.com/yardmaster/yardmaster/scenario"
)

// question is what the page asks for.
type question struct {
	Ask    string `json:"ask"`  // what-if, explain
	Base   string `json:"base"` // scenario file or result below the folder; empty for the built-in scenario
	Policy string `json:"policy"`
	// of what-if
	Changes []strict.Setting `json:"changes"`
	Seeds   int              `json:"seeds"`
	Name    string           `json:"name"` // of the result folder
	// of explain
	Job string `json:"job"`
}

// start begins a run, or says what is wrong with the question.
func (b *Workbench) start(w http.ResponseWriter, r *http.Request) {
	var q question
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	args, folder, faults := b.args(&q)
	if len(faults) > 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		json.NewEncoder(w).Encode(map[string]any{"faults": faults})
		return
	}
	shown := result.CommandLine(args)
	reply(w, map[string]any{"id": b.runs.begin(args, shown, folder), "command": shown, "result": folder})
}

// args makes the command line of a question, and the folder below the workbench's that it writes.
func (b *Workbench) args(q *question) (args []string, folder string, faults []fault) {
	base := ""
	if q.Base != "" {
		if _, err := b.root.Stat(q.Base); err != nil {
			return nil, "", []fault{{Path: "base", Text: err.Error()}}
		}
		base = b.shell(q.Base)
	}
	switch q.Ask {
	case "what-if":
		return b.whatIf(q, base)
	case "explain":
		if base == "" || q.Job == "" || strings.HasPrefix(q.Job, "-") {
			return nil, "", []fault{{Path: "job", Text: "a result and a job of it are needed"}}
		}
		folder = q.Base + "-explain-" + scenario.Label(q.Job)
		if q.Policy != "" {
			folder += "-" + scenario.Label(q.Policy)
		}
		args = []string{"explain", base, q.Job, "--out", b.shell(folder)}
		if q.Policy != "" {
			args = append(args, "--policy", q.Policy)
		}
		return args, folder, nil
	}
	return nil, "", []fault{{Text: fmt.Sprintf("ask: found %q; allowed: what-if, explain", q.Ask)}}
}

func (b *Workbench) whatIf(q *question, base string) (args []string, folder string, faults []fault) {
	if q.Name == "" || scenario.Label(q.Name) != q.Name || strings.HasPrefix(q.Name, ".") {
		faults = append(faults, fault{Path: "name", Text: fmt.Sprintf("name: found %q; allowed: the name of a folder", q.Name)})
	} else if _, err := b.root.Stat(q.Name); err == nil {
		faults = append(faults, fault{Path: "name", Text: fmt.Sprintf("name: found %q, which there is already; allowed: a new name", q.Name)})
	}
	if q.Seeds < 1 || q.Seeds > 10000 {
		faults = append(faults, fault{Path: "seeds", Text: fmt.Sprintf("seeds: found %d; allowed: 1 to 10000", q.Seeds)})
	}
	if len(q.Changes) == 0 {
		faults = append(faults, fault{Text: "nothing is changed: give at least one setting another value"})
	}
	var parts []string
	for _, c := range q.Changes {
		switch {
		case strings.TrimSpace(c.Value) == "":
			faults = append(faults, fault{Path: c.Path, Text: c.Path + `: no value; allowed: a value ("" for an empty text)`})
		case strings.Contains(c.Path+c.Value, ";"):
			faults = append(faults, fault{Path: c.Path, Text: c.Path + ": found a semicolon, which parts settings; allowed: a value without one"})
		case strings.Contains(c.Path, "="):
			faults = append(faults, fault{Path: c.Path, Text: c.Path + ": allowed: a path without ="})
		}
		parts = append(parts, c.Path+"="+c.Value)
	}
	if len(faults) > 0 {
		return nil, "", faults
	}
	args = []string{"compare"}
	if base != "" {
		args = append(args, base)
	}
	if q.Policy != "" {
		args = append(args, "--policies", q.Policy)
	}
	args = append(args, "--what-if", strings.Join(parts, "; "), "--seeds", strconv.Itoa(q.Seeds), "--out", b.shell(q.Name))
	return args, path.Clean(q.Name), nil
}
