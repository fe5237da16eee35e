// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/changed"
	"github.com/yardmaster/yardmaster/result"
)

// entry is one thing that the folder holds: a result or a scenario file.
type entry struct {
	Path     string   `json:"path"` // below the folder, with slashes
	Kind     string   `json:"kind"` // run, compare, ..., or scenario
	Name     string   `json:"name"` // of the scenario
	Command  string   `json:"command"`
	Policies []string `json:"policies"`
	Seeds    int      `json:"seeds"`
	Made     int64    `json:"made"` // seconds since 1970
	Page     bool     `json:"page"`
	Jobs     bool     `json:"jobs"`
}

const (
	mostEntries = 5000 // of a kind: results, and scenario files
	mostDepth   = 8
)

// listResults answers with everything below the folder.
func (b *Workbench) listResults(w http.ResponseWriter, _ *http.Request) {
	list, left, err := b.find()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	reply(w, map[string]any{"dir": b.dir, "entries": list, "left": left})
}

// find looks for result folders and scenario files, newest first. A folder in the making begins with a dot and is passed
// over, and so is what lies inside a result. Of more than mostEntries results, or scenario files, the oldest are left out;
// left is their number.
func (b *Workbench) find() (list []entry, left int, err error) {
	list = []entry{}
	var results, scenarios []entry
	err = fs.WalkDir(b.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return err
			}
			return fs.SkipDir // a folder that may not be read
		}
		if name != "." && strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") > mostDepth {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			if e, ok := b.result(name); ok {
				results = append(results, e)
				return fs.SkipDir
			}
			return nil
		}
		if ext := strings.ToLower(path.Ext(name)); ext == ".yaml" || ext == ".yml" {
			e := entry{Path: name, Kind: "scenario", Name: strings.TrimSuffix(d.Name(), path.Ext(name)), Policies: []string{}}
			if info, err := d.Info(); err == nil {
				e.Made = info.ModTime().Unix()
			}
			scenarios = append(scenarios, e)
		}
		return nil
	})
	for _, kind := range [][]entry{results, scenarios} {
		slices.SortFunc(kind, newer)
		n := min(len(kind), mostEntries)
		list, left = append(list, kind[:n]...), left+len(kind)-n
	}
	slices.SortFunc(list, newer)
	return list, left, err
}

// newer sorts by time, the newest first, then by path.
func newer(a, b entry) int {
	return cmp.Or(cmp.Compare(b.Made, a.Made), strings.Compare(a.Path, b.Path))
}

// result describes a result folder; it is none without a manifest that reads.
func (b *Workbench) result(name string) (entry, bool) {
	m, err := b.manifest(name)
	if err != nil {
		return entry{}, false
	}
	e := entry{Path: name, Kind: m.Kind, Command: m.Command, Policies: m.Policies, Seeds: len(m.Seeds)}
	if e.Policies == nil {
		e.Policies = []string{}
	}
	var s struct{ Name string }
	if json.Unmarshal(m.Scenario, &s) == nil {
		e.Name = s.Name
	}
	if info, err := b.root.Stat(path.Join(name, result.ManifestName)); err == nil {
		e.Made = info.ModTime().Unix()
	}
	e.Page = b.has(path.Join(name, result.PageName))
	e.Jobs = b.has(path.Join(name, b.jobsFolder(m, ""), result.JobsName))
	return e, true
}

// jobsFolder is where the files of a policy are below a result: a comparison has a folder for each.
func (b *Workbench) jobsFolder(m *result.Manifest, policy string) string {
	if m.Kind != "compare" || len(m.Policies) == 0 {
		return ""
	}
	if policy == "" {
		policy = m.Policies[0]
	}
	return policy
}

func (b *Workbench) has(name string) bool {
	info, err := b.root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (b *Workbench) manifest(name string) (*result.Manifest, error) {
	src, err := b.root.ReadFile(path.Join(name, result.ManifestName))
	if err != nil {
		return nil, err
	}
	m := &result.Manifest{}
	if err := json.Unmarshal(src, m); err != nil {
		return nil, err
	}
	if m.Yardmaster == "" {
		return nil, errors.New("no manifest")
	}
	return m, nil
}

// oneResult answers with the manifest, the summary and the names of the files of a result.
func (b *Workbench) oneResult(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("path")
	e, ok := b.result(name)
	if !ok {
		refuse(w, http.StatusNotFound, fmt.Errorf("%s is not a result folder", name))
		return
	}
	var summary json.RawMessage
	if src, err := b.root.ReadFile(path.Join(name, result.SummaryName)); err == nil && json.Valid(src) {
		summary = src
	}
	files := []string{}
	fs.WalkDir(b.root.FS(), name, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && len(files) < 200 && kinds[path.Ext(file)] != "" {
			files = append(files, strings.TrimPrefix(file, name+"/"))
		}
		return nil
	})
	written := []map[string]string{}
	for _, label := range changed.Labels(b.shell(name)) {
		args := []string{"capacity", "write", b.shell(name), "--policy", label, "--out", changed.FileName}
		written = append(written, map[string]string{"policy": label, "command": result.CommandLine(args)})
	}
	reply(w, map[string]any{"entry": e, "summary": summary, "files": files, "folder": b.shell(name), "written": written})
}

// changed sends the configuration file that a what-if tried, as capacity write writes it.
func (b *Workbench) changed(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("path")
	if _, ok := b.result(name); !ok {
		refuse(w, http.StatusNotFound, fmt.Errorf("%s is not a result folder", name))
		return
	}
	f, err := changed.Of(b.shell(name), r.URL.Query().Get("policy"))
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err)
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Disposition", `attachment; filename="`+changed.FileName+`"`)
	w.Write(f.Text)
}

// shell is the path as the command line names it.
func (b *Workbench) shell(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

// policyOfResult is what the page of a result may do: run its own scripts, without an origin, and save what it shows.
const policyOfResult = "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'self'"

// file sends a file of a result.
func (b *Workbench) file(w http.ResponseWriter, r *http.Request) {
	name := path.Clean(r.PathValue("path"))
	kind := kinds[path.Ext(name)]
	if kind == "" || strings.HasPrefix(path.Base(name), ".") || !b.inResult(name) {
		http.Error(w, "no such file of a result", http.StatusNotFound)
		return
	}
	f, err := b.root.Open(name)
	if err != nil {
		http.Error(w, "no such file of a result", http.StatusNotFound)
		return
	}
	defer f.Close()
	if path.Ext(name) == ".html" {
		w.Header().Set("Content-Security-Policy", policyOfResult)
	}
	w.Header().Set("Content-Type", kind)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		w.Header().Set("Content-Length", fmt.Sprint(info.Size()))
	}
	io.Copy(w, f)
}

// inResult reports whether a file lies in a result folder.
func (b *Workbench) inResult(name string) bool {
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if b.has(path.Join(dir, result.ManifestName)) {
			return true
		}
	}
	return b.has(result.ManifestName)
}
