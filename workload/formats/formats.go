// SPDX-License-Identifier: Apache-2.0

// Package formats knows every format of traces: it recognises them by content, reads them, compressed
// or not, and checks what no single job can tell.
//
// To add a format, write a package with a workload.Reader and add a line to All.
package formats

import (
	"errors"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/workload"
	"github.com/yardmaster/yardmaster/workload/jhist"
	"github.com/yardmaster/yardmaster/workload/jobcsv"
	"github.com/yardmaster/yardmaster/workload/rumen"
	"github.com/yardmaster/yardmaster/workload/sls"
	"github.com/yardmaster/yardmaster/workload/slssynth"
	"github.com/yardmaster/yardmaster/workload/swim"
)

// Format is one format of traces.
type Format struct {
	Name string
	Doc  string // half a sentence: what it is
	Read workload.Reader
	// Sniff reports whether a file that begins with head may be of this format, so that its reader
	// gives the best message if it is not. head holds the first 64 KiB, or the whole file.
	Sniff func(head []byte) bool
}

// All is the table of formats. Where the content fits several, the first is taken.
var All = []Format{
	{"jhist", "Hadoop job history, .jhist in either form", jhist.Read, sniffJHist},
	{"sls", "JSON of Hadoop's Scheduler Load Simulator", sls.Read, sniffSLS},
	{"sls-synth", "description of synthetic jobs for Hadoop's Scheduler Load Simulator", slssynth.Read, sniffSynth},
	{"rumen", "JSON that Hadoop's Rumen made of job histories", rumen.Read, sniffRumen},
	{"jobcsv", "Yardmaster's own CSV", jobcsv.Read, sniffJobCSV},
	{"swim", "SWIM's tab-separated text", swim.Read, sniffSWIM},
}

// Names returns the names of all formats, in the order of the table.
func Names() []string {
	names := make([]string, len(All))
	for i := range All {
		names[i] = All[i].Name
	}
	return names
}

// Detect returns the format of a file that begins with head, its first 64 KiB or the whole file. The
// error lists the formats that are known.
func Detect(head []byte) (*Format, error) {
	for i := range All {
		if All[i].Sniff(head) {
			return &All[i], nil
		}
	}
	found, allowed := unrecognised(head)
	return nil, errors.New("format: found " + found + "; allowed: " + allowed)
}

// unrecognised describes a file that no format fits, and lists those that are known.
func unrecognised(head []byte) (found, allowed string) {
	const shown = 20
	list := make([]string, len(All))
	for i := range All {
		list[i] = All[i].Name + " (" + All[i].Doc + ")"
	}
	return "an unknown format that begins with " + strconv.Quote(string(head[:min(len(head), shown)])), strings.Join(list, ", ")
}

// byName returns the format of the name. The error names the nearest one.
func byName(name string) (*Format, error) {
	for i := range All {
		if All[i].Name == name {
			return &All[i], nil
		}
	}
	text := "format: found " + strconv.Quote(name) + "; allowed: " + strings.Join(Names(), ", ")
	if near := strict.Nearest(name, Names()); near != "" {
		text += "; did you mean " + strconv.Quote(near) + "?"
	}
	return nil, errors.New(text)
}
