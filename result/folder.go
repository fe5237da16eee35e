// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
)

// Manifest is manifest.json: what a result folder was made from, and how to make it again.
type Manifest struct {
	Yardmaster string            `json:"yardmaster"` // version
	Kind       string            `json:"kind"`       // one of Kinds
	Command    string            `json:"command"`    // repeats it
	Scenario   json.RawMessage   `json:"scenario"`   // as resolved; a scenario file by itself
	Policies   []string          `json:"policies"`   // labels
	Seeds      []uint64          `json:"seeds"`
	Inputs     map[string]string `json:"inputs"` // sha256 of every file that was read
	Files      []string          `json:"files"`  // that the command wrote; Commit fills it in
	// Changes are the settings by which the scenario of a label differs from Scenario.
	Changes map[string][]strict.Setting `json:"changes,omitempty"`
	// Caveats say what the model leaves out of the configurations, and what in them has no effect.
	Caveats []string `json:"caveats,omitempty"`
}

// Kinds are the commands that write result folders.
var Kinds = []string{"run", "compare", "sweep", "search", "reproduce", "explain", "backtest", "lint", "goals"}

// CommandLine returns the command with these arguments as a person can paste it into a shell.
func CommandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		if strings.ContainsAny(a, " \t\"'$&;<>|*?()[]{}!\\`") || a == "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		quoted[i] = a
	}
	return "yardmaster " + strings.Join(quoted, " ")
}

// The files of a result folder. A comparison has jobs and series of each policy in a folder of its own.
const (
	ManifestName = "manifest.json" // makes a folder a result folder
	SummaryName  = "summary.json"
	JobsName     = "jobs.csv"
	SeriesName   = "series.csv"
	LinksName    = "links.csv"    // only where data went from rack to rack over links
	TrafficName  = "traffic.csv"  // the same
	CircuitsName = "circuits.csv" // only where circuits connected racks
	PlanName     = "plan.csv"     // only where a policy planned jobs
	SweepName    = "sweep.csv"
	TuningName   = "tuning.log"
	PageName     = "report.html"
	TasksName    = "tasks.csv"  // on request
	NodesName    = "nodes.html" // the same

	ExplanationName = "explanation.json" // of explain, and of the commands that answer a question
	BacktestName    = "backtest.json"
	LintName        = "lint.json"
	GoalsName       = "goals.json"
)

// resultNames are the names of files in folders whose manifest does not list them.
var resultNames = []string{ManifestName, SummaryName, JobsName, SeriesName, LinksName, TrafficName, CircuitsName, SweepName, TuningName, PageName, "findings.json"}

// Hash returns the SHA-256 of a file's content.
func Hash(src []byte) string {
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:])
}

// Folder is a result folder in the making. Files go to a temporary folder beside it, which takes its
// place in Commit: a reader sees the old results or the new ones, never a mixture. Files in the old folder that
// no command wrote are kept.
type Folder struct {
	path, temp string
	names      []string // written so far
}

// NewFolder begins a result folder. It refuses to replace what CheckFolder refuses.
func NewFolder(path string) (*Folder, error) {
	if err := CheckFolder(path); err != nil {
		return nil, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	parent := filepath.Dir(filepath.Clean(path))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, fmt.Errorf("result folder: %w", err)
	}
	temp, err := os.MkdirTemp(parent, "."+filepath.Base(path)+".part-")
	if err != nil {
		return nil, fmt.Errorf("result folder: %w", err)
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return nil, fmt.Errorf("result folder: %w", err)
	}
	return &Folder{path: path, temp: temp}, nil
}

// CheckFolder reports whether results may go to path: it is free, empty, or holds results. A sweep is never replaced, because its journal may be half a night's work.
func CheckFolder(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("result folder: %w", err)
	case len(entries) == 0:
		return nil
	}
	m, err := ReadManifest(path)
	if err != nil || m.Yardmaster == "" || m.Kind == "sweep" || !slices.Contains(Kinds, m.Kind) {
		return fmt.Errorf("result folder: %s holds something else than the results of a run; choose another with --out", path)
	}
	return nil
}

// Write makes one file of the folder; name may have folders in it.
func (f *Folder) Write(name string, write func(io.Writer) error) (err error) {
	path := filepath.Join(f.temp, name)
	f.names = append(f.names, filepath.ToSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	defer func() {
		if cerr := file.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("writing results: %w", cerr)
		}
	}()
	if err := write(file); err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// Commit puts the folder in its place.
func (f *Folder) Commit() error {
	err := CheckFolder(f.path)
	var kept []string
	if err == nil {
		kept, err = strangers(f.path)
	}
	if err == nil {
		err = f.list()
	}
	if err != nil {
		f.Discard()
		return err
	}
	// The old folder is moved aside first, so that a kill at any moment loses neither.
	old := f.temp + ".old"
	if err := os.Rename(f.path, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		f.Discard()
		return fmt.Errorf("result folder: %w", err)
	}
	if err := os.Rename(f.temp, f.path); err != nil {
		os.Rename(old, f.path)
		f.Discard()
		return fmt.Errorf("result folder: %w", err)
	}
	for _, name := range kept {
		if err := move(filepath.Join(old, name), filepath.Join(f.path, name)); err != nil {
			return fmt.Errorf("result folder: %w; the files that were there before are in %s", err, old)
		}
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("result folder: %w", err)
	}
	return nil
}

// list writes into the manifest which files the folder has.
func (f *Folder) list() error {
	m, err := ReadManifest(f.temp)
	if err != nil {
		return err
	}
	m.Files = slices.Sorted(slices.Values(f.names))
	var text bytes.Buffer
	if err := WriteJSON(&text, m); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.temp, ManifestName), text.Bytes(), 0o644)
}

// strangers returns the files of a result folder that no command wrote. A folder of a version that did not list
// its files is taken to have made everything that bears the name of a result.
func strangers(path string) (names []string, err error) {
	m, err := ReadManifest(path)
	if err != nil { // it is free or empty
		return nil, nil
	}
	own := func(name string) bool { return slices.Contains(m.Files, filepath.ToSlash(name)) }
	if m.Files == nil {
		own = func(name string) bool { return slices.Contains(resultNames, filepath.Base(name)) }
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(path, file)
		if err == nil && !own(name) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("result folder: %w", err)
	}
	return names, nil
}

// move puts a file where nothing of that name is.
func move(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s is a result now", to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Discard removes what was written.
func (f *Folder) Discard() { os.RemoveAll(f.temp) }

// ReadManifest reads the manifest of a result folder.
func ReadManifest(folder string) (*Manifest, error) {
	src, err := os.ReadFile(filepath.Join(folder, ManifestName))
	if err != nil {
		return nil, &strict.InputError{Err: fmt.Errorf("%s is not a result folder, which run --out FOLDER writes: %w", folder, err)}
	}
	m := &Manifest{}
	if err := json.Unmarshal(src, m); err != nil {
		return nil, &strict.InputError{Err: fmt.Errorf("%s: %w", filepath.Join(folder, ManifestName), err)}
	}
	return m, nil
}

// WriteFile replaces a file in one step: a reader sees the old content or the new. A file that exists keeps its mode;
// a symbolic link stays, and what it leads to is replaced. What exists and is no regular file, such as a pipe or a
// device, is written to.
func WriteFile(path string, content []byte) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = pour(path, content)
	case err == nil:
		err = replace(followed(path), content, info.Mode())
	case errors.Is(err, os.ErrNotExist):
		err = replace(followed(path), content, 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// followed returns where the symbolic links of a path lead, even if nothing is there. They must not lead in a circle.
func followed(path string) string {
	for {
		to, err := os.Readlink(path)
		if err != nil { // it is no link
			return path
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(path)
			to = dir + to // not cleaned: a/.. is another folder than . where a is a link
		}
		path = to
	}
}

// pour writes to what exists.
func pour(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// replace puts a new file in the place of path, which is no link.
func replace(path string, content []byte, mode fs.FileMode) error {
	dir, name := filepath.Split(path)
	temp, err := os.CreateTemp(cmp.Or(dir, "."), "."+name+".part-")
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(temp.Name(), mode)
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}
