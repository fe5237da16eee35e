// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"

	"github.com/yardmaster/yardmaster/metrics"
	"github.com/yardmaster/yardmaster/model"
)

// label is what people read for a part or a limit: a short name and a sentence.
type label struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// labels are by the names that parts and limits have in results; one that is missing here is
// shown by that name.
var labels = map[string]label{
	"not_admitted":    {"not admitted", "submitted, but not yet allowed to run"},
	"am_starting":     {"master starting", "its application master was starting"},
	"first_container": {"waiting for first container", "allowed to run, but no task had started yet"},
	"launching":       {"containers launching", "containers were given, tasks not yet at work"},
	"maps_starved":    {"maps waiting for room", "the share of its maps that had no room, while maps were unfinished"},
	"maps_running":    {"maps running", "the share of its maps at work, while maps were unfinished"},
	"shuffle_tail":    {"shuffle tail", "the share of its reduces that still copied data after the last map"},
	"reduces_starved": {"reduces waiting for room", "the share of its reduces that had no room after the last map"},
	"reduces_running": {"reduces running", "the share of its reduces at work after the last map"},

	"room":           {"no free room", "other jobs used the room"},
	"priority":       {"priority", "jobs of higher priority went first"},
	"queue_maximum":  {"queue maximum", "its queue had reached its maximum capacity"},
	"user_limit":     {"user limit", "its user had reached the user limit of the queue"},
	"initialisation": {"initialisation limit", "too many jobs of the queue or user were initialised already"},
	"am_share":       {"master share", "application masters had used up their share of the cluster"},
	"partition":      {"partition", "there was room, but not in the partition that the job may use"},
	"locality":       {"locality delay", "it waited for a node that holds its data"},
	"ramp_up":        {"reduce ramp-up", "reduces were held back to leave room for maps"},
	"share":          {"share", "it had all of the share that the policy gave it"},
}

func labelOf(name string) label {
	if l, ok := labels[name]; ok {
		return l
	}
	return label{Name: strings.ReplaceAll(name, "_", " ")}
}

// partLabels returns the labels of all parts, in their order.
func partLabels() []label {
	list := make([]label, metrics.Parts)
	for i := range list {
		list[i] = labelOf(metrics.Part(i).String())
	}
	return list
}

// limitLabels returns the labels of all limits, in their order.
func limitLabels() []label {
	list := make([]label, model.Limits)
	for i := range list {
		list[i] = labelOf(model.Limit(i).String())
	}
	return list
}
