// SPDX-License-Identifier: Apache-2.0

package streaming

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/scenario"
)

// jar finds the jar of Hadoop Streaming.
func (c *Cluster) jar() (string, error) {
	if c.StreamingJar != "" {
		return c.StreamingJar, nil
	}
	homes := []string{os.Getenv("HADOOP_HOME"), os.Getenv("HADOOP_MAPRED_HOME")}
	if command, err := exec.LookPath(c.Hadoop); err == nil {
		if real, err := filepath.EvalSymlinks(command); err == nil {
			homes = append(homes, filepath.Dir(filepath.Dir(real)))
		}
	}
	for _, home := range homes {
		if home == "" {
			continue
		}
		found, _ := filepath.Glob(filepath.Join(home, "share/hadoop/tools/lib/hadoop-streaming-*.jar")) // the pattern is good
		if len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", &strict.InputError{Err: errors.New("--on hadoop: hadoop-streaming.jar is not where it usually is; allowed: --streaming-jar FILE")}
}

// binary returns what is shipped: a program that needs nothing of the machine that it runs on.
func (c *Cluster) binary() (string, error) {
	file := c.Binary
	if file == "" {
		own, err := os.Executable()
		if err != nil {
			return "", err
		}
		file = own
	}
	f, err := elf.Open(file)
	if err != nil {
		return "", &strict.InputError{Err: fmt.Errorf("--on hadoop: %s is no program for Linux (%w); allowed: --binary FILE", file, err)}
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return "", &strict.InputError{Err: fmt.Errorf("--on hadoop: %s needs libraries that the cluster's machines may not have; allowed: --binary FILE, built with CGO_ENABLED=0", file)}
		}
	}
	return filepath.Abs(file)
}

// file is a file to be shipped, and its name there.
type file struct{ path, name string }

// pack writes the task and the files that it reads into an archive.
func pack(archive string, task Task, files []file) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name string, content []byte) error {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	}
	text, err := json.MarshalIndent(task, "", " ")
	if err != nil {
		return err
	}
	if err := add("task.json", text); err != nil {
		return err
	}
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err == nil {
			err = add(f.name, content)
		}
		if err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(archive, b.Bytes(), 0o600)
}

// tracesFolder is where a map finds the traces that scenarios have by name, in place of the folder that the environment
// says.
const tracesFolder = "named-traces"

// shipment collects files to be shipped, each once.
type shipment []file

// add adds a file, or the files of a folder. Names are those relative to base, below the folder under.
func (s *shipment) add(path, base, under string) error {
	base, err := filepath.Abs(base)
	if err != nil {
		return err
	}
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(base, full)
		if err != nil || !filepath.IsLocal(name) {
			return &strict.InputError{Err: fmt.Errorf("--on hadoop: the scenario reads %s; allowed: files in its folder or below", path)}
		}
		if f := (file{full, filepath.ToSlash(filepath.Join(under, name))}); !slices.Contains(*s, f) {
			*s = append(*s, f)
		}
		return nil
	})
}

// traces adds the traces that the scenario has by name.
func (s *shipment) traces(of *scenario.Scenario) error {
	for ; of != nil; of = of.Machines() {
		if path := of.NamedTrace(); path != "" {
			if err := s.add(path, filepath.Dir(path), tracesFolder); err != nil {
				return err
			}
		}
	}
	return nil
}
