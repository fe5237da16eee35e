// SPDX-License-Identifier: Apache-2.0

package svm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Classifier is a trained machine as it is stored: with the names of its features, how they are scaled, and what it was
// trained on.
type Classifier struct {
	Features []string `json:"features"`
	Positive string   `json:"positive"` // what the classes are called
	Negative string   `json:"negative"`
	Scaling  Scaling  `json:"scaling"`
	Machine  *Machine `json:"machine"`

	Trace     string  `json:"trace"` // SHA-256 of what it was trained on
	Points    int     `json:"points"`
	C         float64 `json:"c"`
	Validated float64 `json:"validated"` // accuracy in cross-validation
}

// Scaling takes features to where the kernel sees them: log(1 + v), because sizes span nine decades, then linearly so
// that the least of the training data is 0 and the largest 1.
type Scaling struct {
	Kind string    `json:"kind"` // always LogUnit
	Low  []float64 `json:"low"`  // log(1 + least), by feature
	High []float64 `json:"high"`
}

// LogUnit is the only kind of scaling there is.
const LogUnit = "log1p, then [0, 1]"

// FitScaling returns the scaling of raw points, whose features are not negative.
func FitScaling(points [][]float64) Scaling {
	s := Scaling{Kind: LogUnit}
	for i, p := range points {
		if i == 0 {
			s.Low, s.High = make([]float64, len(p)), make([]float64, len(p))
		}
		for k, v := range p {
			l := math.Log1p(v)
			if i == 0 || l < s.Low[k] {
				s.Low[k] = l
			}
			if i == 0 || l > s.High[k] {
				s.High[k] = l
			}
		}
	}
	return s
}

// Apply appends the scaled features of a raw point. A feature that is the same in all of the training data is 0.
func (s *Scaling) Apply(to, raw []float64) []float64 {
	for k, v := range raw {
		scaled := 0.0
		if span := s.High[k] - s.Low[k]; span > 0 {
			scaled = (math.Log1p(v) - s.Low[k]) / span
		}
		to = append(to, scaled)
	}
	return to
}

// Decision returns the decision value of a raw point.
func (c *Classifier) Decision(raw ...float64) float64 {
	var room [8]float64
	return c.Machine.Decision(c.Scaling.Apply(room[:0], raw))
}

// Encode writes the classifier for people and programs: one support vector per line.
func (c *Classifier) Encode() ([]byte, error) {
	m := *c.Machine
	head := *c
	head.Machine = &Machine{Gamma: m.Gamma, Bias: m.Bias, Support: [][]float64{}, Coefficients: []float64{}}
	text, err := json.MarshalIndent(&head, "", "  ")
	if err != nil {
		return nil, err
	}
	var support, coefficients []string
	for i, s := range m.Support {
		line, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		support = append(support, "      "+string(line))
		number, err := json.Marshal(m.Coefficients[i])
		if err != nil {
			return nil, err
		}
		coefficients = append(coefficients, "      "+string(number))
	}
	list := func(lines []string) string { return "[\n" + strings.Join(lines, ",\n") + "\n    ]" }
	out := strings.Replace(string(text), `"support": []`, `"support": `+list(support), 1)
	out = strings.Replace(out, `"coefficients": []`, `"coefficients": `+list(coefficients), 1)
	return append([]byte(out), '\n'), nil
}

// Decode reads a classifier that must have the given features in that order.
func Decode(text []byte, features ...string) (*Classifier, error) {
	c := &Classifier{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("not a model: %w", err)
	}
	switch {
	case !slices.Equal(c.Features, features):
		return nil, fmt.Errorf("features: found %s; allowed: %s; train it again", strings.Join(c.Features, ", "), strings.Join(features, ", "))
	case c.Scaling.Kind != LogUnit || len(c.Scaling.Low) != len(features) || len(c.Scaling.High) != len(features):
		return nil, fmt.Errorf("scaling: found %q of %d features; allowed: %q of %d; train it again", c.Scaling.Kind, len(c.Scaling.Low), LogUnit, len(features))
	case c.Machine == nil || len(c.Machine.Support) == 0 || len(c.Machine.Support) != len(c.Machine.Coefficients) || !(c.Machine.Gamma > 0):
		return nil, fmt.Errorf("machine: found none that is whole; allowed: gamma above 0 and a coefficient for each support vector")
	}
	for i, s := range c.Machine.Support {
		if len(s) != len(features) {
			return nil, fmt.Errorf("machine.support[%d]: found %d numbers; allowed: %d, one per feature", i, len(s), len(features))
		}
	}
	return c, nil
}
