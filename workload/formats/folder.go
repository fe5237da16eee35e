// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/hadoop"
	"github.com/yardmaster/yardmaster/workload/jhist"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

var jobConf = regexp.MustCompile(`^(job_\d+_\d+)_conf\.xml$`)

// ReadFolder reads a folder of job histories, such as the done tree of a history server: every file below it that ends
// in .jhist or .jhist.gz, in whatever order. Where a file job_…_conf.xml lies anywhere below it, the sizes of that job's containers, its slow
// start and the size of its master come from there. name is that of the folder, for messages. Records come as ReadAll
// returns them, in order of submission; times begin with the first one.
func ReadFolder(name string, folder fs.FS, mend bool) ([]workload.Record, *workload.Log, error) {
	log := &workload.Log{File: name, Mend: mend}
	histories, confs, err := findHistories(folder)
	if err != nil {
		return nil, log, fmt.Errorf("%s: %w", name, err)
	}
	if len(histories) == 0 {
		log.Refuse("folder", "files", "no file that ends in .jhist", "at least one job history")
	}
	var records []workload.Record
	var reader jhist.Histories
	for _, file := range histories {
		src, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, log, fmt.Errorf("%s: %w", name, err)
		}
		own, before := &workload.Log{Mend: mend}, len(records)
		unpacked := unpack(bytes.NewReader(src), maxUnpacked)
		err = reader.Read(unpacked, own, func(r *workload.Record) error {
			r.Where = file + ", " + r.Where
			records = append(records, *r)
			return nil
		})
		if f := unpacked.fault; f != nil {
			own.Refuse(f.Where, f.Field, f.Found, f.Allowed)
		} else if err != nil {
			return nil, log, fmt.Errorf("%s: %s: %w", name, file, err)
		} else if len(records) == before && len(own.Faults)+len(own.Repaired) == 0 { // nor does the log tell of a job
			own.Mendable("line 1", "file", "no jobs", "at least one job", "dropped")
		}
		log.Take(own, file)
	}
	for i := range records {
		configure(&records[i], folder, confs, log)
	}
	slices.SortStableFunc(records, func(a, b workload.Record) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), strings.Compare(a.Name, b.Name))
	})
	if len(records) > 0 {
		first := records[0].Submit
		for i := range records {
			records[i].Submit -= first
		}
	}
	records = check(records, log)
	if err := log.Err(); err != nil {
		return nil, log, err
	}
	return records, log, nil
}

// findHistories returns the histories below a folder in the order of their names, and the configurations of jobs.
func findHistories(folder fs.FS) (histories []string, confs map[string]string, err error) {
	confs = map[string]string{}
	err = fs.WalkDir(folder, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		base := path.Base(file)
		if strings.HasPrefix(base, ".") { // checksums and files that are being written
			return nil
		}
		if strings.HasSuffix(base, ".jhist") || strings.HasSuffix(base, ".jhist.gz") {
			histories = append(histories, file)
		}
		if m := jobConf.FindStringSubmatch(base); m != nil {
			confs[m[1]] = file
		}
		return nil
	})
	return histories, confs, err
}

// configure takes over the configuration of a job, if there is one.
func configure(r *workload.Record, folder fs.FS, confs map[string]string, log *workload.Log) {
	file, ok := confs[r.Name]
	if !ok {
		return
	}
	site, err := conf.ReadSite(func(name string) ([]byte, error) { return fs.ReadFile(folder, name) }, file)
	if err != nil {
		log.Refuse(file, "configuration", err.Error(), "the configuration of "+r.Name)
		return
	}
	hadoop.Configure(r, site.Properties, log)
}
