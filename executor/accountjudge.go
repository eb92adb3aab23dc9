package executor

import (
	"slices"
	"strings"
)

// ownGrants are what an account has without any role.
type ownGrants struct {
	mariadb bool
	name    string // `app`@`%`
	grants  []grant
	roles   []string // granted to it
	graph   []roleEdge
}

// judgeOwn reads the lines of an account and finds what goes beyond reading.
func judgeOwn(lines []string, f flavour) (ownGrants, []excess) {
	own := ownGrants{mariadb: f.mariadb}
	grants, found := parseGrants(lines)
	if len(lines) == 0 {
		found = append(found, unseen("there are none at all"))
	}
	for _, g := range grants {
		if g.account && own.name == "" {
			own.name = g.to
		}
		if g.account {
			own.roles = append(own.roles, g.roles...)
		}
		found = append(found, own.judge(g)...)
	}
	own.grants = grants
	return own, found
}

func parseGrants(lines []string) ([]grant, []excess) {
	var grants []grant
	var found []excess
	for _, line := range lines {
		g, err := parseGrant(line)
		if err != nil {
			found = append(found, unseen("a line of SHOW GRANTS isn't understood: %q", masked(line)))
			continue
		}
		grants = append(grants, g)
	}
	return grants, found
}

// judge finds what goes beyond reading in one grant, to whomever it is.
func (o ownGrants) judge(g grant) []excess {
	who := holder(g)
	if len(g.roles) > 0 {
		if !g.option {
			return nil
		}
		var found []excess
		for _, role := range g.roles {
			found = append(found, o.adminOption(who, role, g.to))
		}
		return found
	}
	var found []excess
	if beyond := g.beyondReading(); len(beyond) > 0 {
		what := privilegeList(beyond) + " ON " + g.object
		found = append(found, excess{who: who, what: what, mend: []string{"REVOKE " + what + " FROM " + g.to}})
	}
	// Without a PROXY its option is gone too, and can't be named alone.
	if g.option && !slices.ContainsFunc(g.privileges, func(p privilege) bool { return p.name == "PROXY" }) {
		what := "GRANT OPTION ON " + g.object
		found = append(found, excess{who: who, what: what, mend: []string{"REVOKE " + what + " FROM " + g.to}})
	}
	return found
}

func (g grant) beyondReading() []privilege {
	return slices.DeleteFunc(slices.Clone(g.privileges), privilege.reads)
}

func privilegeList(privileges []privilege) string {
	out := make([]string, len(privileges))
	for i, p := range privileges {
		out[i] = p.String()
	}
	return strings.Join(out, ", ")
}

func holder(g grant) string {
	switch {
	case g.account:
		return "the account " + g.to
	case strings.EqualFold(g.to, "PUBLIC"):
		return "everybody (PUBLIC)"
	}
	return "the role " + g.to
}

// adminOption is the right to give a role to others.
func (o ownGrants) adminOption(who, role, to string) excess {
	x := excess{who: who, what: "the role " + role + " WITH ADMIN OPTION"}
	if o.mariadb {
		x.mend = []string{"REVOKE ADMIN OPTION FOR " + role + " FROM " + to}
	} else { // the option goes only with the role
		x.mend = []string{"REVOKE " + role + " FROM " + to, "GRANT " + role + " TO " + to}
	}
	return x
}

// judgeRole finds what the account has with the role and hasn't without.
func (o ownGrants) judgeRole(role string, lines []string) []excess {
	grants, found := parseGrants(lines)
	for _, g := range grants {
		if len(g.roles) > 0 && g.to == o.name {
			continue // the account's roles, which were judged
		}
		for _, x := range o.judge(g.without(o.grants)) {
			if !o.mariadb {
				o.fromRole(&x, role)
			}
			found = append(found, x)
		}
	}
	return found
}

// fromRole says that what MySQL prints as the account's comes from its role.
func (o ownGrants) fromRole(x *excess, role string) {
	x.who = "the account's role " + role
	remedy := "REVOKE " + role + " FROM " + o.name
	if o.mandatory(role) {
		x.who = "the mandatory role " + role
		remedy = "take " + role + " out of mandatory_roles"
	}
	if inner := o.inside(role); len(inner) > 0 {
		x.who += " or a role in it (" + strings.Join(inner, ", ") + ")"
		x.mend = nil // MySQL doesn't show from which of them it comes
	} else {
		for i := range x.mend {
			x.mend[i] = strings.TrimSuffix(x.mend[i], o.name) + role
		}
	}
	switch {
	case o.mandatory(role):
		x.instead = remedy
	case len(x.mend) == 0:
		x.mend = []string{remedy}
	default:
		x.instead = "without the role: " + remedy
	}
}

func (o ownGrants) mandatory(role string) bool {
	return slices.ContainsFunc(o.graph, func(e roleEdge) bool { return e.role == role && e.mandatory })
}

// inside lists the roles that are granted to the role, directly or through
// others.
func (o ownGrants) inside(role string) []string {
	var out []string
	for todo := []string{role}; len(todo) > 0; todo = todo[1:] {
		for _, e := range o.graph {
			if e.to == todo[0] && e.role != role && !slices.Contains(out, e.role) {
				out, todo = append(out, e.role), append(todo, e.role)
			}
		}
	}
	return out
}

// handedOn finds the roles in roles that the account could give to others; its
// own lines don't show them.
func (o ownGrants) handedOn() []excess {
	var found []excess
	for _, e := range o.graph {
		if e.grantable && e.to != o.name {
			found = append(found, o.adminOption("the role "+e.to, e.role, e.to))
		}
	}
	return found
}

// distinct drops what several roles lead to.
func distinct(found []excess) []excess {
	var out []excess
	for _, x := range found {
		if !slices.ContainsFunc(out, func(y excess) bool { return y.String() == x.String() }) {
			out = append(out, x)
		}
	}
	return out
}

// without is the grant less what others grant to the same on the same object.
func (g grant) without(others []grant) grant {
	for _, other := range others {
		if len(g.roles) > 0 || other.to != g.to || other.object != g.object {
			continue
		}
		g.option = g.option && !other.option
		var left []privilege
		for _, p := range g.privileges {
			if p, some := p.without(other.privileges); some {
				left = append(left, p)
			}
		}
		g.privileges = left
	}
	return g
}

func (p privilege) without(others []privilege) (privilege, bool) {
	for _, other := range others {
		switch {
		case other.name != p.name:
		case len(other.columns) == 0:
			return p, false
		case len(p.columns) > 0:
			p.columns = slices.DeleteFunc(slices.Clone(p.columns), func(c string) bool { return slices.Contains(other.columns, c) })
			if len(p.columns) == 0 {
				return p, false
			}
		}
	}
	return p, true
}
