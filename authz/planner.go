package authz

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"mysqlevidence/validator"
)

// A Planner remembers plans of texts that agents send again and again. Both
// numbers together bound what it holds to some ten megabytes.
const (
	maxPlans       = 512
	maxPlannedText = 4 << 10 // bytes; a text that is longer, or twice that in canonical SQL, is planned anew each time
)

// Planner turns texts into plans under one validator and one policy: it
// validates, authorizes, and remembers the plan. It holds no parameter and no
// result, and a change of policy takes a new Planner, so no plan outlives the
// policy that authorized it. It is safe for concurrent use.
type Planner struct {
	validator *validator.Validator
	policy    *Policy
	plans     *lru.Cache[string, Plan] // by the exact text
}

// NewPlanner makes a planner for one data source.
func NewPlanner(v *validator.Validator, p *Policy) *Planner {
	plans, err := lru.New[string, Plan](maxPlans)
	if err != nil { // only a size below one is an error
		panic("authz: " + err.Error())
	}
	return &Planner{validator: v, policy: p, plans: plans}
}

// Plan validates and authorizes a text. The error is a *refusal.Refusal of the
// stage validate or authorize, its hint complete.
func (p *Planner) Plan(sql string) (Plan, error) {
	if known, ok := p.plans.Get(sql); ok {
		return known, nil
	}
	// The plan keeps parts of its text, which may itself be a part of a larger
	// message.
	sql = strings.Clone(sql)
	q, err := p.validator.Validate(sql)
	if err != nil {
		return Plan{}, p.policy.advise(err)
	}
	plan, err := p.policy.Authorize(q)
	if err != nil {
		return Plan{}, err
	}
	if len(sql) <= maxPlannedText && len(plan.p.body) <= 2*maxPlannedText {
		p.plans.Add(sql, plan)
	}
	return plan, nil
}
