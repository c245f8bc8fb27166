package policy

import (
	"cmp"
	"strings"

	"dynaproof/accesspatterns/lists"
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
	// Undecided: a part of a statement that is not known here decides.
	Undecided Decision = "not decided here"
)

// Outcome is a decision and the statement that made it; none made an ImplicitDeny.
type Outcome struct {
	Decision  Decision
	Statement string
	// Unknown says what an Undecided request turns on.
	Unknown string
	// Outside says that an Undecided request turns on a condition key that no request here carries.
	Outside bool
}

// Denied reports whether the request is denied, explicitly or not.
func (o Outcome) Denied() bool { return o.Decision == ImplicitDeny || o.Decision == ExplicitDeny }

// String says the outcome in words.
func (o Outcome) String() string {
	if o.Decision == Undecided {
		return string(o.Decision) + ": " + o.Statement + ": " + o.Unknown
	}
	if o.Statement == "" {
		return string(o.Decision)
	}
	return string(o.Decision) + " by " + o.Statement
}

// truth says whether something holds.
type truth int

const (
	no truth = iota
	maybe
	yes
)

func truthOf(holds bool) truth {
	if holds {
		return yes
	}
	return no
}

// Evaluate decides a request by all policies that apply to it within one account: those of the principal, and that of
// the table. What is not known in a policy leaves the requests undecided that turn on it, and no others.
func Evaluate(request Request, documents ...*Document) Outcome {
	var allows, denies [yes + 1]*statement // the first that does, by whether it does
	action, parts := strings.ToLower(request.Action), strings.SplitN(request.Resource, ":", arnSegments)
	for _, document := range documents {
		for s := range lists.Each(document.statements) {
			by := &allows
			if s.deny {
				by = &denies
			}
			if applies := s.applies(action, parts, request.Context); by[applies] == nil {
				by[applies] = s
			}
		}
	}
	switch {
	case denies[yes] != nil:
		return Outcome{Decision: ExplicitDeny, Statement: denies[yes].sid}
	case allows[yes] == nil && allows[maybe] == nil:
		return Outcome{Decision: ImplicitDeny}
	case denies[maybe] != nil:
		return denies[maybe].undecided(request.Context)
	case allows[yes] == nil:
		return allows[maybe].undecided(request.Context)
	}
	return Outcome{Decision: Allowed, Statement: allows[yes].sid}
}

// applies reports whether the statement speaks of a request: its action in lower case,
// the parts of its resource's ARN, and its context.
func (s *statement) applies(action string, resource []string, context Context) truth {
	found := s.about(action, resource)
	for i := 0; i < len(s.conditions) && found != no; i++ {
		found = min(found, s.conditions[i].holds(context))
	}
	return found
}

// undecided is the outcome of a request that the statement may or may not speak of.
func (s *statement) undecided(context Context) Outcome {
	outcome := Outcome{Decision: Undecided, Statement: s.sid, Unknown: s.unknown}
	for _, r := range s.resources {
		outcome.Unknown = cmp.Or(outcome.Unknown, r.unknown)
	}
	for _, c := range s.conditions {
		outcome.Unknown, outcome.Outside = cmp.Or(outcome.Unknown, c.unknown, c.unresolved(context)), outcome.Outside || c.outside
	}
	return outcome
}
