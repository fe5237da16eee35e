// SPDX-License-Identifier: Apache-2.0

package look

import (
	"regexp"
	"strings"

	"github.com/yardmaster/yardmaster/live/rest"
)

// amounts are the numbers that the scheduler gives with a limit, with the words that we use for them.
var amounts = []struct {
	pattern *regexp.Regexp
	words   string
}{
	{regexp.MustCompile(`AM Resource Request = <memory:(\d+)`), "asks for $ MiB"},
	{regexp.MustCompile(`User AM Resource Limit of the queue = <memory:(\d+)`), "a user may have $ MiB"},
	{regexp.MustCompile(`Queue Resource Limit for AM = <memory:(\d+)`), "the queue may have $ MiB"},
	{regexp.MustCompile(`Queue AM Resource Usage = <memory:(\d+)`), "the queue has $ MiB"},
}

// limits are what the scheduler says of an application that waits, with the words that we use for it.
var limits = []struct{ says, words string }{
	{"User's AM resource limit exceeded", "the user's limit of masters"},
	{"Queue's AM resource limit exceeded", "the queue's limit of masters"},
	{"waiting for resources to be assigned for AM", "room for its master"},
	{"waiting for the AM container to be launched", "the launch of its master"},
	{"AM container is launched, waiting for AM container to Register", "its master to register"},
	{"max parallel", "the limit of parallel applications"},
}

// why says what an application waits for: the limit that the scheduler names, with its numbers.
func why(a *rest.App) string {
	if a.State == rest.StateRunning {
		return ""
	}
	text := a.Diagnostics
	if i := strings.Index(text, "] "); strings.HasPrefix(text, "[") && i > 0 { // a date
		text = text[i+2:]
	}
	found := ""
	for _, l := range limits {
		if strings.Contains(strings.ToLower(text), strings.ToLower(l.says)) {
			found = l.words
			break
		}
	}
	if found == "" {
		found, _, _ = strings.Cut(text, " Details :")
		if found = strings.TrimSpace(found); found == "" {
			return "not said"
		}
		return found
	}
	var numbers []string
	for _, n := range amounts {
		if m := n.pattern.FindStringSubmatch(text); m != nil {
			numbers = append(numbers, strings.ReplaceAll(n.words, "$", m[1]))
		}
	}
	if len(numbers) > 0 {
		found += ": " + strings.Join(numbers, ", ")
	}
	return found
}
