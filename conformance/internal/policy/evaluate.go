package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Context holds the values of condition keys, by key.
type Context map[string][]string

// values returns the values of a key, whose name is compared without regard to case. An empty list is an absent key.
func (c Context) values(key string) []string {
	for name, values := range c {
		if strings.EqualFold(name, key) {
			return values
		}
	}
	return nil
}

// Request is a request as IAM sees it.
type Request struct {
	// Action is the action that is authorised: dynamodb:Query.
	Action string
	// Resource is the ARN of the table or index.
	Resource string
	Context  Context
}

// Decision is the outcome of an evaluation.
type Decision string

// The decisions.
const (
	// Allowed: a statement allows the request, and none denies it.
	Allowed Decision = "allowed"
	// ExplicitDeny: a statement denies the request, whatever allows it.
	ExplicitDeny Decision = "denied explicitly"
	// ImplicitDeny: no statement speaks of the request.
	ImplicitDeny Decision = "denied because nothing allows it"
)

// Outcome is a decision and the statement that made it; none made an ImplicitDeny.
type Outcome struct {
	Decision  Decision
	Statement string
}

// Denied reports whether the request is denied, explicitly or not.
func (o Outcome) Denied() bool { return o.Decision != Allowed }

// String says the outcome in words.
func (o Outcome) String() string {
	if o.Statement == "" {
		return string(o.Decision)
	}
	return string(o.Decision) + " by " + o.Statement
}

// Evaluate decides a request by all policies that apply to it within one account: those of the principal, and that of
// the table. The error names a condition key of the request that is not known.
func Evaluate(request Request, documents ...*Document) (Outcome, error) {
	for key := range request.Context {
		if _, err := keyOf(key); err != nil {
			return Outcome{}, fmt.Errorf("request %s: %w", request.Action, err)
		}
	}
	outcome := Outcome{Decision: ImplicitDeny}
	action, parts := strings.ToLower(request.Action), strings.SplitN(request.Resource, ":", arnSegments)
	for _, document := range documents {
		for _, s := range document.statements {
			switch {
			case !s.applies(action, parts, request.Context):
			case s.deny:
				return Outcome{ExplicitDeny, s.sid}, nil
			case outcome.Decision == ImplicitDeny:
				outcome = Outcome{Allowed, s.sid}
			}
		}
	}
	return outcome, nil
}

// applies reports whether the statement speaks of a request: its action in lower case,
// the parts of its resource's ARN, and its context.
func (s statement) applies(action string, resource []string, context Context) bool {
	return s.about(action, resource) && !slices.ContainsFunc(s.conditions, func(c condition) bool { return !c.holds(context) })
}
