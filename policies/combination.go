// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yardmaster/yardmaster/internal/table"
	"github.com/yardmaster/yardmaster/model"
	"github.com/yardmaster/yardmaster/policy"
	"github.com/yardmaster/yardmaster/policy/hybrid"
	"github.com/yardmaster/yardmaster/policy/kit"
)

// Combination is a policy given by its roles: {order: {capacity: {…}}, place: {delay: {…}}}. A role
// without a name is played by the default of its table; the order must have one.
//
// It is read with the package strict, which refuses roles that make no sense together. Entry gives what an
// engine runs: an entry and parameters, which are validated as those of any policy are.
type Combination struct {
	Order, Place, Partition, Admit, Data Choice
}

// Choice names what plays a role, and sets its parameters.
type Choice = table.Choice

// play returns the choice of a role with its parameters.
func play(name string, params any) Choice { return Choice{Name: name, Params: params} }

// choices returns the choices in the order of Tables.
func (c *Combination) choices() [len(Tables)]*Choice {
	return [...]*Choice{&c.Order, &c.Place, &c.Partition, &c.Admit, &c.Data}
}

// chosen returns what plays each role, in the order of Tables, with its parameters; a nil role for a name
// that is not in the table.
func (c *Combination) chosen() (roles [len(Tables)]*Role, params [len(Tables)]any) {
	for i, choice := range c.choices() {
		name := choice.Name
		if name == "" {
			name = Tables[i].Default
		}
		role, ok := Tables[i].Find(name)
		if !ok {
			continue
		}
		roles[i] = role
		if params[i] = choice.Params; params[i] == nil {
			params[i] = role.Defaults()
		}
	}
	return roles, params
}

// NoGoalTasks implements policy.Narrower.
func (c *Combination) NoGoalTasks() int32 {
	_, params := c.chosen()
	if n, ok := params[0].(policy.Narrower); ok { // the order
		return n.NoGoalTasks()
	}
	return 0
}

// Hybrid returns the parameters of the order hybrid, nil if another plays the role.
func (c *Combination) Hybrid() *hybrid.Params {
	_, params := c.chosen()
	if p, ok := params[orderRole].(*hybridOrderParams); ok {
		return p.Hybrid()
	}
	return nil
}

// Name lists what plays the roles that are not at their defaults: capacity+delay.
func (c *Combination) Name() string {
	var names []string
	for i, choice := range c.choices() {
		if choice.Name != "" && choice.Name != Tables[i].Default {
			names = append(names, choice.Name)
		}
	}
	return strings.Join(names, "+")
}

// Entry returns the entry and the parameters with which an engine runs the combination.
func (c Combination) Entry() (*policy.Entry, any) {
	var params any = &c
	if _, divided := c.parts(); divided {
		params = &dividedCombination{c}
	}
	e := &policy.Entry{Name: c.Name(), Summary: "A combination of roles.", Source: "own",
		Needs: c.needs(), Can: c.can(), Promises: c.promises(),
		Params: func() any { return params },
		New:    func(env *policy.Env, _ any) (policy.Policy, error) { return c.build(env) }}
	roles, _ := c.chosen()
	for i, role := range roles {
		if role != nil {
			e.Rules = append(e.Rules, policy.Rule{Text: Tables[i].Role + " " + role.Name + ": " + role.Summary, Source: role.Source})
		}
	}
	return e, params
}

// needs returns what the roles need to be told, whatever their parameters.
func (c *Combination) needs() (needs policy.Need) {
	roles, _ := c.chosen()
	for _, role := range roles {
		if role != nil {
			needs |= role.Needs
		}
	}
	return needs
}

func (c *Combination) can() (can policy.Can) {
	roles, _ := c.chosen()
	for _, role := range roles {
		if role != nil {
			can |= role.Can
		}
	}
	return can
}

func (c *Combination) promises() policy.Promise {
	promises := anyPromise
	roles, _ := c.chosen()
	for _, role := range roles {
		if role != nil {
			promises &= role.Promises
		}
	}
	return promises
}

// build puts the policy together.
func (c *Combination) build(env *policy.Env) (policy.Policy, error) {
	if problems := c.Validate(); len(problems) > 0 {
		return nil, fmt.Errorf("%s: found %s; allowed: %s", problems[0].Path, problems[0].Found, problems[0].Allowed)
	}
	roles, params := c.chosen()
	a := &assembly{env: env, from: c}
	for _, i := range [...]int{partitionRole, orderRole, placeRole, admitRole, dataRole} {
		if err := roles[i].add(a, params[i]); err != nil {
			return nil, err
		}
	}
	return kit.Compose(env, a.Roles), nil
}

// The places of the roles in Tables.
const (
	orderRole = iota
	placeRole
	partitionRole
	admitRole
	dataRole
)

var (
	_ policy.Validator        = (*Combination)(nil)
	_ policy.SiteValidator    = (*Combination)(nil)
	_ policy.ReplicaValidator = (*Combination)(nil)
	_ policy.QueueValidator   = (*Combination)(nil)
	_ policy.Needer           = (*Combination)(nil)
	_ policy.Divider          = (*dividedCombination)(nil)
)

// Validate implements policy.Validator: names that are in no table, roles that make no sense together, and
// the faults of their parameters.
func (c *Combination) Validate() (problems []model.Problem) {
	roles, params := c.chosen()
	for i, role := range roles {
		t := &Tables[i]
		if role == nil {
			problems = append(problems, model.Problem{Path: t.Role, Found: fmt.Sprintf("%q", c.choices()[i].Name),
				Allowed: "one of " + strings.Join(t.Names(), ", ")})
			continue
		}
		if v, ok := params[i].(policy.Validator); ok {
			problems = append(problems, under(t, role, v.Validate())...)
		}
	}
	if problems != nil {
		return problems
	}
	return c.pairs(roles, params)
}

// under puts problems with the parameters of a role where they stand in the combination.
func under(t *Table, role *Role, problems []model.Problem) []model.Problem {
	for i := range problems {
		problems[i].Path = strings.TrimSuffix(t.Role+"."+role.Name+"."+problems[i].Path, ".")
	}
	return problems
}

// pairs returns which roles make no sense beside the order.
func (c *Combination) pairs(roles [len(Tables)]*Role, params [len(Tables)]any) (problems []model.Problem) {
	order := roles[orderRole]
	for i, role := range roles {
		if role.Orders != nil && (!slices.Contains(role.Orders, order.Name) || plansNothing(params[orderRole])) {
			others := strings.Join(role.Orders, ", ")
			if slices.Contains(role.Orders, order.Name) {
				others = order.Name + " that plans, by order: corral"
			}
			problems = append(problems, model.Problem{Path: Tables[i].Role,
				Found:   fmt.Sprintf("%s with the order %s, %s", role.Name, order.Name, role.Why),
				Allowed: fmt.Sprintf("%s: %s, or %s with an order of %s", Tables[i].Role, Tables[i].Default, role.Name, others)})
		}
	}
	if problems != nil {
		return problems
	}
	if parts, ok := c.parts(); ok {
		queues := params[orderRole].(interface{ levels() int }).levels()
		if n := len(parts.Capacities); n != queues {
			problems = []model.Problem{{Path: "capacities", Found: fmt.Sprintf("%d capacities for %d queues of the order %s", n, queues, order.Name), Allowed: "one capacity for each queue"}}
		} else {
			problems = parts.Problems(queues)
		}
		problems = under(&Tables[partitionRole], roles[partitionRole], problems)
	}
	return problems
}

// plansNothing reports whether an order that can plan racks is told not to.
func plansNothing(order any) bool {
	p, ok := order.(interface{ plansRacks() bool })
	return ok && !p.plansRacks()
}

// parts returns the parameters of the parts, if the cluster is divided.
func (c *Combination) parts() (*kit.PartsParams, bool) {
	_, params := c.chosen()
	p, ok := params[partitionRole].(*kit.PartsParams)
	return p, ok
}

// ValidateOn implements policy.SiteValidator: every job may come to every part, or to every kind of machine.
func (c *Combination) ValidateOn(t *model.Topology, jobs []model.Job) (problems []model.Problem) {
	roles, params := c.chosen()
	if v, ok := params[orderRole].(policy.SiteValidator); ok {
		problems = under(&Tables[orderRole], roles[orderRole], v.ValidateOn(t, jobs))
	}
	if parts, ok := c.parts(); ok {
		problems = append(problems, under(&Tables[partitionRole], roles[partitionRole], parts.ProblemsOn(t, jobs))...)
	}
	return problems
}

// ValidateReplicas implements policy.ReplicaValidator.
func (c *Combination) ValidateReplicas(t *model.Topology, replicas int) []model.Problem {
	roles, params := c.chosen()
	if v, ok := params[dataRole].(policy.ReplicaValidator); ok {
		return under(&Tables[dataRole], roles[dataRole], v.ValidateReplicas(t, replicas))
	}
	return nil
}

// ValidateQueues implements policy.QueueValidator.
func (c *Combination) ValidateQueues(named []string) []model.Problem {
	roles, params := c.chosen()
	if v, ok := params[orderRole].(policy.QueueValidator); ok {
		return under(&Tables[orderRole], roles[orderRole], v.ValidateQueues(named))
	}
	return nil
}

// Needs implements policy.Needer.
func (c *Combination) Needs() (needs policy.Need) {
	_, params := c.chosen()
	for _, p := range params {
		if n, ok := p.(policy.Needer); ok {
			needs |= n.Needs()
		}
	}
	return needs
}

// dividedCombination is a combination whose partition divides the cluster.
type dividedCombination struct{ Combination }

// NodeParts implements policy.Divider.
func (c *dividedCombination) NodeParts(t *model.Topology) []int {
	parts, _ := c.parts()
	return parts.NodeParts(t)
}
