// SPDX-License-Identifier: Apache-2.0

// Package decide replays a scenario, a configuration, nodes and timed steps, through the resource manager and
// prints every decision. The formats are those of the oracle, which does the same with the resource manager of
// the release; its README describes them.
package decide

import (
	"errors"
	"fmt"

	"github.com/yardmaster/yardmaster/internal/strict"
	"github.com/yardmaster/yardmaster/yarn/conf"
)

// scenario is a file of steps.
type scenario struct {
	Scheduler string           `yaml:"scheduler" oneof:"capacity"`
	Name      string           `yaml:"name"`
	Conf      map[string]*text `yaml:"conf"`
	ConfFiles []string         `yaml:"confFiles"`
	Nodes     []node           `yaml:"nodes"`
	Steps     []step           `yaml:"steps"`
}

type node struct {
	Name string `yaml:"name" required:"true"`
	Rack string `yaml:"rack"`
	Mem  int64  `yaml:"mem" required:"true" min:"1" max:"1099511627776"` // MiB, so at most an exbibyte
	VC   int64  `yaml:"vc" min:"1" max:"1000000000"`
	Late bool   `yaml:"late"`
}

// SetDefaults implements strict.Defaulter.
func (n *node) SetDefaults() { n.Rack, n.VC = "/default-rack", 1 }

// text is the value of a property, quoted or not.
type text string

// UnmarshalNode implements strict.Unmarshaler.
func (t *text) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	if n.Kind != strict.Scalar {
		d.Bad(n, "wrong type", "a string, a number, true, false or null")
		return
	}
	*t = text(n.Text)
}

type step struct {
	Op string `yaml:"op" required:"true" oneof:"submit,register,registerAll,ask,hb,finish,end,kill,node,lost,refresh,preempt,clock,dump"`
	T  *int64 `yaml:"t" min:"0" max:"10000000000000"` // ms; three centuries

	App      *int   `yaml:"app" min:"1"`
	Queue    string `yaml:"queue"`
	User     string `yaml:"user"`
	Prio     int    `yaml:"prio"`
	Mem      int64  `yaml:"mem" min:"0" max:"1099511627776"`
	VC       int64  `yaml:"vc" min:"0" max:"1000000000"`
	Attempts int    `yaml:"attempts" min:"0"`

	Reqs    []request `yaml:"reqs"`
	Release []int     `yaml:"release"`
	Defer   bool      `yaml:"defer"`
	Show    bool      `yaml:"show"`

	Node string     `yaml:"node"`
	Done []selector `yaml:"done"`
	C    *number    `yaml:"c"`
	Pick int        `yaml:"pick" min:"0"`
	Exit int        `yaml:"exit"`

	Conf      map[string]*text `yaml:"conf"`
	ConfFiles []string         `yaml:"confFiles"`
}

// SetDefaults implements strict.Defaulter.
func (s *step) SetDefaults() { s.Queue, s.User, s.Mem, s.VC = "default", "u", 1024, 1 }

type request struct {
	Prio  int    `yaml:"prio" min:"0"`
	At    string `yaml:"at"`
	Mem   int64  `yaml:"mem" required:"true" min:"0" max:"1099511627776"`
	VC    int64  `yaml:"vc" min:"0" max:"1000000000"`
	N     int    `yaml:"n" required:"true" min:"0" max:"10000000"`
	Relax bool   `yaml:"relax"`
}

// SetDefaults implements strict.Defaulter.
func (r *request) SetDefaults() { r.Prio, r.At, r.VC, r.Relax = 1, "*", 1, true }

// selector names a container.
type selector struct {
	App  *int    `yaml:"app" required:"true" min:"1"`
	C    *number `yaml:"c"`
	Pick int     `yaml:"pick" min:"0"`
	Exit int     `yaml:"exit"`
}

// number is the number of a container, or am for that of the master.
type number struct {
	am bool
	n  int
}

// UnmarshalNode implements strict.Unmarshaler.
func (c *number) UnmarshalNode(n *strict.Node, d *strict.Decoder) {
	if n.Kind == strict.Scalar && n.Text == "am" {
		c.am = true
		return
	}
	d.Sub("", n, &c.n)
}

// read decodes a scenario and checks what the steps refer to.
func read(file string, src []byte) (*scenario, error) {
	n, errs := parse(file, src)
	var sc scenario
	errs = append(errs, strict.Decode(n, &sc)...)
	if len(errs) == 0 {
		errs = sc.check(n)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return &sc, nil
}

// check refuses steps that name what there is not.
func (sc *scenario) check(n *strict.Node) strict.Errors {
	var errs strict.Errors
	bad := func(path, problem, found, allowed string) {
		pos, _ := n.Find(path)
		errs = append(errs, strict.Error{Pos: pos, Path: path, Problem: problem, Found: found, Allowed: allowed})
	}
	names := map[string]bool{}
	for i := range sc.Nodes {
		if names[sc.Nodes[i].Name] {
			bad(fmt.Sprintf("nodes[%d].name", i), "duplicate name", sc.Nodes[i].Name, "each name once")
		}
		names[sc.Nodes[i].Name] = true
	}
	now := int64(0)
	for i := range sc.Steps {
		s := &sc.Steps[i]
		path := fmt.Sprintf("steps[%d]", i)
		if s.T != nil {
			if *s.T < now {
				bad(path+".t", "out of bounds", fmt.Sprint(*s.T), fmt.Sprintf("at least %d, the time of an earlier step", now))
			}
			now = max(now, *s.T)
		}
		switch s.Op {
		case "submit", "register", "ask", "finish", "end", "kill":
			if s.App == nil {
				bad(path+".app", "missing field", "", "the number of an application")
			}
		case "hb", "node", "lost":
			if !names[s.Node] {
				bad(path+".node", "unknown node", fmt.Sprintf("%q", s.Node), "a name of the list nodes")
			}
		}
	}
	return errs
}

// errNoFiles is returned where no files can be read.
var errNoFiles = errors.New("configuration files cannot be read here")

// merge puts properties over those that are there; null takes one away.
func merge(p conf.Properties, over map[string]*text) {
	for name, value := range over {
		if value == nil {
			delete(p, name)
		} else {
			p[name] = string(*value)
		}
	}
}
