// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/yardmaster/yardmaster/model"
)

// Exchange is one observation and the advice that followed it.
type Exchange struct {
	Line        int // of the observation in its file
	Observation Observation
	Advice      Advice
	Refused     string // why the advice was not carried out, or empty
}

// Recording is a log, read back.
type Recording struct {
	Tuner     string
	Params    string // one line of YAML
	Seed      uint64
	Exchanges []Exchange
}

// ReadLog reads what Log wrote. It reports all faults at once, each with its file and line.
func ReadLog(name string, r io.Reader) (*Recording, error) {
	p := &logParser{rec: &Recording{}}
	var faults []error
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<24)
	version := false
	for line := 1; in.Scan(); line++ {
		text := strings.TrimSpace(in.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		var err error
		if !version {
			version = true
			if text != fmt.Sprintf("tuner-log %d", LogVersion) {
				err = fmt.Errorf("found %q; allowed: tuner-log %d, the version of the format", text, LogVersion)
			}
		} else {
			err = p.line(line, text)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, line, err))
		}
	}
	if err := in.Err(); err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", name, err))
	}
	if !version {
		faults = append(faults, fmt.Errorf("%s: empty; the first line is tuner-log %d", name, LogVersion))
	}
	if p.open {
		faults = append(faults, fmt.Errorf("%s: the last observation has no advice", name))
	}
	return p.rec, errors.Join(faults...)
}

type logParser struct {
	rec  *Recording
	open bool // an observation waits for its advice
}

func (p *logParser) line(number int, text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "tuner":
		p.rec.Tuner = rest
		return nil
	case "params":
		p.rec.Params = rest
		return nil
	case "seed":
		return parse(&p.rec.Seed, rest, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
	case "at":
		if p.open {
			return errors.New("two observations without advice between them")
		}
		p.open = true
		p.rec.Exchanges = append(p.rec.Exchanges, Exchange{Line: number})
		return parseObservation(&p.last().Observation, strings.Fields(rest))
	case "->":
		if !p.open {
			return errors.New("advice without an observation before it")
		}
		p.open = false
		return parseAdvice(&p.last().Advice, rest)
	case "!!":
		if p.open || len(p.rec.Exchanges) == 0 {
			return errors.New("a refusal without advice before it")
		}
		p.last().Refused = rest
		return nil
	}
	return fmt.Errorf("found %q; allowed: the words tuner, params, seed, at, -> and !! at the head of a line", word)
}

func (p *logParser) last() *Exchange { return &p.rec.Exchanges[len(p.rec.Exchanges)-1] }

func parseObservation(o *Observation, words []string) error {
	if len(words) == 0 {
		return errors.New("the time is missing")
	}
	if err := parse(&o.Time, words[0], readText[model.Time]); err != nil {
		return err
	}
	for words = words[1:]; len(words) > 0; words = words[2:] {
		if words[0] == "apps" {
			return parseApps(o, words[1:])
		}
		if len(words) == 1 {
			return fmt.Errorf("%s has no value", words[0])
		}
		if err := parseWord(o, words[0], words[1]); err != nil {
			return fmt.Errorf("%s: %w", words[0], err)
		}
	}
	return nil
}

func parseWord(o *Observation, name, text string) error {
	switch name {
	case "idle":
		return known(&o.Idle, text, readFloat)
	case "disk":
		return known(&o.Disk, text, readFloat)
	case "pending":
		return known(&o.Pending, text, strconv.Atoi)
	case "running":
		return known(&o.Running, text, strconv.Atoi)
	case "share":
		return known(&o.Share, text, readFloat)
	case "written":
		return known(&o.Written, text, readFloat)
	case "latency":
		return known(&o.Latency, text, readText[model.Time])
	case "am":
		return known(&o.AM, text, readText[model.Bytes])
	case "container":
		return known(&o.Container, text, readText[model.Bytes])
	case "memory":
		return known(&o.Memory, text, readText[model.Bytes])
	case "available":
		return known(&o.Available, text, readText[model.Bytes])
	}
	return errors.New("unknown word; allowed: idle, disk, pending, running, share, written, latency, am, container, memory, available, apps")
}

func parseApps(o *Observation, words []string) error {
	o.AppsKnown = true
	for _, w := range words {
		parts := strings.Split(w, ":")
		if len(parts) != 3 && len(parts) != 5 {
			return fmt.Errorf("found %q; allowed: ID:state:progress or ID:state:progress:memory:containers", w)
		}
		a := App{ID: parts[0], State: appStates}
		for s := range AppState(appStates) {
			if parts[1] == s.String() {
				a.State = s
			}
		}
		if a.State == appStates {
			return fmt.Errorf("found state %q; allowed: %s", parts[1], strings.Join(appStateNames[:], ", "))
		}
		err := known(&a.Progress, parts[2], readFloat)
		if len(parts) == 5 {
			err = errors.Join(err, known(&a.Memory, parts[3], readText[model.Bytes]), known(&a.Containers, parts[4], strconv.Atoi))
		}
		if err != nil {
			return fmt.Errorf("application %s: %w", a.ID, err)
		}
		o.Apps = append(o.Apps, a)
	}
	return nil
}

func parseAdvice(a *Advice, text string) error {
	share, rest, _ := strings.Cut(text, " ")
	if err := parse(&a.Share, share, readFloat); err != nil {
		return err
	}
	word, rest, _ := strings.Cut(rest, " ")
	switch word {
	case "done":
		a.Done, a.Next = true, model.Forever
	case "next":
		var next string
		next, rest, _ = strings.Cut(rest, " ")
		if err := parse(&a.Next, next, readText[model.Time]); err != nil {
			return err
		}
	default:
		return fmt.Errorf("found %q; allowed: next and a time, or done", word)
	}
	a.Reason = rest
	return nil
}

func parse[T any](dst *T, text string, read func(string) (T, error)) error {
	v, err := read(text)
	if err != nil {
		return fmt.Errorf("found %q: %w", text, err)
	}
	*dst = v
	return nil
}

// known reads a value; "-" leaves it unknown.
func known[T any](dst *Reading[T], text string, read func(string) (T, error)) error {
	if text == "-" {
		return nil
	}
	dst.Known = true
	return parse(&dst.Value, text, read)
}

func readFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

func readText[T any, P interface {
	*T
	UnmarshalText([]byte) error
}](s string) (v T, err error) {
	err = P(&v).UnmarshalText([]byte(s))
	return v, err
}

// Mismatch is advice that differs from the recorded one.
type Mismatch struct {
	Line      int // of the observation
	Want, Got Advice
}

// String shows both.
func (m Mismatch) String() string {
	return fmt.Sprintf("line %d:\n  recorded %s\n  now      %s", m.Line, formatAdvice(m.Want), formatAdvice(m.Got))
}

// Replay feeds the recorded observations to the tuner and returns where its advice differs from the
// recorded one in share, next call or end. The reasons are words for people and are not compared.
func Replay(t Tuner, rec *Recording) []Mismatch {
	var out []Mismatch
	for i := range rec.Exchanges {
		x := &rec.Exchanges[i]
		o := x.Observation
		got := t.Step(&o)
		if got.Share != x.Advice.Share || got.Next != x.Advice.Next || got.Done != x.Advice.Done {
			out = append(out, Mismatch{Line: x.Line, Want: x.Advice, Got: got})
		}
	}
	return out
}
