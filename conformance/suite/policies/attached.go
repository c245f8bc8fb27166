package policies

import (
	"context"
	"maps"
	"slices"

	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/session"
)

// foundAttached reads which policies are attached, and reports whether they are to be
// judged.
func (o *policyCheck) foundAttached(ctx context.Context) bool {
	s := o.Session
	answer := s.AttachedPolicies(ctx)
	o.Rests(answer.Invocations)
	if answer.Err != nil {
		o.Request("the policies that are attached", answer.Err)
		return false
	}
	found := append(slices.Sorted(maps.Keys(answer.Value.Roles)), slices.Sorted(maps.Keys(answer.Value.Tables))...)
	if len(found) == 0 && !s.Design.Policies.Enforced && !s.MustEnforce {
		o.Unsupported(observe.DeclaredOpen, "the document leaves open whether policies are attached, and none is; --guardrails enforce demands them")
		return false
	}
	o.Note("judged are the policies that are attached: %s", observe.ShowNames(found))
	return true
}

// policiesFrom says where policy documents were looked for.
func policiesFrom(s *session.Session) string {
	if !s.HasReadPolicies() {
		return "in the stack's outputs"
	}
	return "is attached; looked at were the tables, and " + s.Policies.Where()
}

// policyCheck is a check of policies that are attached.
type policyCheck struct {
	*observe.Observation
	// questions are what the policy simulator is asked about the claim, in order.
	questions []*question
	// pending are the demands on policies that were not decided here.
	pending []*demand
}
