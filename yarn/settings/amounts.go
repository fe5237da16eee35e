// SPDX-License-Identifier: Apache-2.0

package settings

import (
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/queue"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

// capacity reads a guarantee.
func (r *reader) capacity(name string) queue.Vector {
	text, set := r.p.Text(name)
	if !set || text == "" {
		return queue.All(queue.Percent, 0)
	}
	path := strings.TrimSuffix(strings.TrimPrefix(name, Prefix), ".capacity")
	if isVector(text) {
		return r.vector(name, text)
	}
	if w, ok := strings.CutSuffix(text, "w"); ok {
		weight := r.number(name, w)
		if weight == -1 {
			weight = 0 // as if it were not set
		}
		if weight < 0 || weight > 10000 {
			r.refuse(name, "IllegalArgumentException", "Illegal weight=%s for queue=%slabel=. Acceptable values: [0, 10000], -1 is same as not set", javaFloat(weight), path)
		}
		return queue.All(queue.Weight, weight)
	}
	percent := r.number(name, text)
	if percent < 0 || percent > 100 {
		r.refuse(name, "IllegalArgumentException", "Illegal capacity of %s for queue %s", javaFloat(percent), path)
	}
	return queue.All(queue.Percent, percent)
}

// maximum reads a maximum. Without one it is all that the parent may use.
func (r *reader) maximum(name string) queue.Vector {
	text, set := r.p.Text(name)
	if !set || text == "" {
		return queue.All(queue.Percent, 100)
	}
	if isVector(text) {
		return r.vector(name, text)
	}
	percent := r.number(name, text)
	if percent == -1 {
		percent = 100
	}
	return queue.All(queue.Percent, max(percent, 0))
}

func (r *reader) number(name, text string) float32 {
	v, ok := conf.ParseFloat(text, 32)
	if !ok {
		r.refuse(name, "NumberFormatException", "For input string: %q", text)
	}
	return float32(v)
}

func (r *reader) double(name, text string) float64 {
	v, ok := conf.ParseFloat(text, 64)
	if !ok {
		r.refuse(name, "NumberFormatException", "For input string: %q", text)
	}
	return v
}

// isVector reports whether a capacity is a list of amounts; anything else is read as a number.
func isVector(text string) bool {
	return len(text) > 2 && strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]")
}

// vector reads [memory=…,vcores=…], numbers, percentages and weights. Without vectors (legacy-queue-mode.enabled)
// percentages and weights in it are not understood, and the queue has nothing.
func (r *reader) vector(name, text string) queue.Vector {
	v := queue.All(queue.Absolute, 0)
	for item := range strings.SplitSeq(strings.Trim(text, "[]"), ",") {
		key, value, _ := strings.Cut(item, "=")
		a := queue.Amount{Unit: queue.Absolute}
		if p, ok := strings.CutSuffix(strings.TrimSpace(value), "%"); ok {
			a = queue.Amount{Unit: queue.Percent, Value: r.double(name, p)}
		} else if w, ok := strings.CutSuffix(strings.TrimSpace(value), "w"); ok {
			a = queue.Amount{Unit: queue.Weight, Value: r.double(name, w)}
		} else {
			a.Value = r.amount(name, value)
		}
		if a.Unit != queue.Absolute && !r.out.Vectors {
			return queue.All(queue.Percent, 0)
		}
		switch strings.TrimSpace(key) {
		case "memory", "memory-mb":
			v.Memory = a
		case "vcores":
			v.VCores = a
		}
	}
	if v.Memory.Value == 0 && !r.out.Vectors {
		return queue.All(queue.Percent, 0) // without memory it counts as not set
	}
	return v
}

// units are how many bytes the letters behind an amount of memory mean. Those of other letters are nothing here: a
// thousandth, or not known.
var units = map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50}

// amount reads a whole number, in MB if letters for its unit stand behind it.
func (r *reader) amount(name, text string) float64 {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	v, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case digits == "":
		r.refuse(name, "NumberFormatException", "empty String")
	case err != nil:
		r.refuse(name, "NumberFormatException", "For input string: %q", digits)
	case digits != text:
		return float64(int64(float64(v) * units[text[len(digits):]] / (1 << 20)))
	}
	return float64(v)
}
