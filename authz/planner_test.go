package authz_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/internal/refusal"
)

func (p pipeline) planner() *authz.Planner { return authz.NewPlanner(p.validator, p.policy) }

func mustPlan(t *testing.T, planner *authz.Planner, sql string) authz.Plan {
	t.Helper()
	plan, err := planner.Plan(sql)
	if err != nil {
		t.Fatalf("%q: %v", sql, err)
	}
	return plan
}

func TestAKnownTextIsPlannedOnce(t *testing.T) {
	planner := newPipeline(t, shop).planner()
	const sql = "SELECT id FROM orders WHERE id = ?"
	first := mustPlan(t, planner, sql)
	if mustPlan(t, planner, sql) != first {
		t.Error("the same text was planned twice")
	}
	if mustPlan(t, planner, sql+" ") == first {
		t.Error("another text got the plan")
	}
	if mustPlan(t, newPipeline(t, shop).planner(), sql) == first {
		t.Error("another planner got the plan")
	}
}

func TestAPlannerForgetsTheOldestAndNeverKeepsALongText(t *testing.T) {
	planner := newPipeline(t, shop).planner()
	first := mustPlan(t, planner, "SELECT id FROM orders")
	for i := range 512 {
		mustPlan(t, planner, fmt.Sprint("SELECT id FROM orders LIMIT ", i))
	}
	if mustPlan(t, planner, "SELECT id FROM orders") == first {
		t.Error("512 later texts didn't push the first out")
	}
	long := "SELECT id FROM orders" + strings.Repeat(" ", 4<<10)
	once := mustPlan(t, planner, long)
	if mustPlan(t, planner, long) == once {
		t.Error("a long text was kept")
	}
}

// A policy that allows less must refuse at once what one before it allowed.
func TestNoPlanOutlivesItsPolicy(t *testing.T) {
	const sql = "SELECT id, tier FROM customers"
	before := mustPlan(t, newPipeline(t, shop).planner(), sql)
	after := newPipeline(t, strings.Replace(shop, ", tier]", "]", 1))
	_, err := after.planner().Plan(sql)
	var r *refusal.Refusal
	if !errors.As(err, &r) || r.Reason != refusal.UnknownColumn {
		t.Errorf("after the change: %v", err)
	}
	if before.PolicyHash() == after.policy.Hash() {
		t.Error("both policies have one hash")
	}
}
