// SPDX-License-Identifier: Apache-2.0

package twin

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/live/rest"
	"github.com/yardmaster/yardmaster/scenario"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/jobcsv"
)

// The files of a folder.
const (
	PastFile    = "jobs.csv"  // of the scenario: jobs that have ended
	PresentFile = "now.csv"   // applications that wait or run
	PresentName = "now.yaml"  // the scenario of these
	ConfFolder  = "conf"      // Hadoop's files
	notesFile   = "notes.txt" // what was assumed or left out
)

// Write makes a folder with a scenario for the past and one for the present, as far as there are jobs, and Hadoop's
// files. It returns the scenario that the folder stands for. A folder that is there must be empty.
func (t *Twin) Write(folder string) (*scenario.Scenario, error) {
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		return nil, &strict.InputError{Err: fmt.Errorf("%s is not empty; allowed: a new folder, or an empty one", folder)}
	}
	if len(t.Past)+len(t.Present) == 0 {
		return nil, &strict.InputError{Err: fmt.Errorf("no job has ended and none waits or runs: there is nothing to simulate; allowed: --history with a JobHistoryServer or a folder of history files that has jobs")}
	}
	if err := os.MkdirAll(filepath.Join(folder, ConfFolder), 0o777); err != nil {
		return nil, err
	}
	files := map[string][]byte{
		filepath.Join(ConfFolder, "yarn-site.xml"):          site(t.Properties, false),
		filepath.Join(ConfFolder, "capacity-scheduler.xml"): site(t.Properties, true),
		notesFile: []byte(strings.Join(append(t.Notes, ""), "\n")),
	}
	name := scenario.Label(filepath.Base(folder))
	main := scenario.FolderFile
	for _, part := range []struct {
		file, trace string
		jobs        []workload.Record
	}{{scenario.FolderFile, PastFile, t.Past}, {PresentName, PresentFile, t.Present}} {
		if len(part.jobs) == 0 {
			if part.file == main {
				main = PresentName
			}
			continue
		}
		var b bytes.Buffer
		if err := jobcsv.Write(&b, part.jobs); err != nil {
			return nil, err
		}
		files[part.trace] = b.Bytes()
		files[part.file] = t.scenario(name, part.trace, part.file == PresentName)
	}
	if main == PresentName { // the folder stands for what there is
		files[scenario.FolderFile] = files[PresentName]
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(folder, name), files[name], 0o666); err != nil {
			return nil, err
		}
	}
	s, _, err := scenario.LoadOrBuiltin(folder, nil)
	return s, err
}

// scenario writes the scenario file for a trace.
func (t *Twin) scenario(name, trace string, present bool) []byte {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# A cluster as its ResourceManager showed it, made by yardmaster live import.\n")
	p("name: %s\nseeds: 5\nreference: false\n", strconv.Quote(name))
	p("cluster: %s\n", strict.Encode(t.Cluster).JSON(""))
	p("hdfs: {replication: %d}\n", min(3, len(t.Cluster.Nodes)))
	p("workload: {trace: {file: %s}}\n", trace)
	if t.Kind != rest.Capacity {
		p("policy: %s # stands in for the %s, whose rules are not modelled\n", map[rest.Kind]string{rest.Fair: "fair", rest.FIFO: "fifo"}[t.Kind], t.Kind)
		return b.Bytes()
	}
	c := t.config()
	if present { // jobs say themselves how long their masters take to come
		c.MasterLaunch = 0
	}
	p("policy:\n  yarn-capacity:\n    am-launch: %s\n    am-start-up: %s\n    properties:\n", c.MasterLaunch, c.Start)
	for _, key := range slices.Sorted(maps.Keys(t.Properties)) {
		p("      %s: %s\n", strconv.Quote(key), strconv.Quote(t.Properties[key]))
	}
	return b.Bytes()
}

// site writes properties as Hadoop's files have them: those of the scheduler's queues, or the others.
func site(properties map[string]string, queues bool) []byte {
	var b bytes.Buffer
	b.WriteString("<configuration>\n")
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		if strings.HasPrefix(key, "yarn.scheduler.capacity.") != queues {
			continue
		}
		b.WriteString("<property><name>")
		_ = xml.EscapeText(&b, []byte(key)) // a buffer takes everything
		b.WriteString("</name><value>")
		_ = xml.EscapeText(&b, []byte(properties[key]))
		b.WriteString("</value></property>\n")
	}
	b.WriteString("</configuration>\n")
	return b.Bytes()
}
