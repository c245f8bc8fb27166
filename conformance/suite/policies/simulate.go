package policies

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/iam/types"

	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/must"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/remedy"
)

// mostQuestions bounds what the simulator is asked about one claim: IAM answers about ten
// questions a second.
const mostQuestions = 600

// demands holds a request to a demand. What nobody here can decide is left to IAM's simulator.
func (o *policyCheck) demands(d demand, identity, table string, request policy.Request) {
	o.Saw()
	asked := &d
	if d.outcome.Decision == policy.Undecided {
		o.pending = append(o.pending, asked)
	} else {
		o.decided(d)
	}
	if !d.outcome.Outside {
		o.ask(identity, table, request, asked)
	}
}

// decided holds a decision to what it must be.
func (o *policyCheck) decided(d demand) {
	if d.outcome.Decision != d.want && !(d.want == policy.ImplicitDeny && d.outcome.Denied()) {
		o.Fail(d.where, d.expected, d.outcome.String(), remedy.RepairPolicy)
	}
}

// undecidedPolicies says what neither this project nor IAM's simulator has decided.
func (o *policyCheck) undecidedPolicies() {
	for _, d := range o.pending {
		if d.outcome.Decision == policy.Undecided {
			o.Cannot(evidence.Indeterminate, "%s: expected %s, which is %s; IAM's policy simulator did not decide it either", d.where, d.expected, d.outcome)
		}
	}
}

// ask notes a request that the simulator is to decide too. Requests that differ in action
// and resource alone are one question.
func (o *policyCheck) ask(identity, table string, request policy.Request, asked *demand) {
	if o.Session.Simulator == nil || o.Session.Unsimulated != nil {
		return
	}
	text := must.Have(json.Marshal(request.Context)) // sorts its keys; texts can always be written
	at := slices.IndexFunc(o.questions, func(q *question) bool {
		return q.context == string(text) && q.Identity == identity && q.Table == table
	})
	if at < 0 {
		at = len(o.questions)
		o.questions = append(o.questions, &question{
			Simulation: access.Simulation{Identity: identity, Table: table, Context: request.Context}, context: string(text), expected: map[[2]string][]*demand{},
		})
	}
	q := o.questions[at]
	q.Actions, q.Resources = lists.With(q.Actions, request.Action), lists.With(q.Resources, request.Resource)
	of := [2]string{request.Action, request.Resource}
	q.expected[of] = append(q.expected[of], asked)
}

// simulate lets IAM's simulator decide what was evaluated. Where it decides otherwise the
// claim fails, whatever this project's own evaluation said; where it decides everything
// alike, the claim rests on AWS's word and no longer on this project's alone.
func (o *policyCheck) simulate(ctx context.Context) {
	s := o.Session
	switch {
	case s.Simulator == nil || len(o.questions) == 0 || o.Instead != "":
		return
	case s.Unsimulated != nil:
		o.Note("IAM's policy simulator was not asked: %s", failures.Why(s.Unsimulated))
		return
	case len(o.questions) > mostQuestions:
		o.Note("IAM's policy simulator was not asked: it would be %d questions, and %d are asked at most", len(o.questions), mostQuestions)
		return
	}
	decided, other, silent := 0, 0, 0
	for _, q := range o.questions {
		decisions, err := s.Simulator(ctx, q.Simulation)
		if err != nil {
			s.Unsimulated = err
			o.Note("IAM's policy simulator did not answer: %s", failures.Why(err))
			return
		}
		for _, action := range q.Actions {
			for _, resource := range q.Resources {
				at := [2]string{action, resource}
				asked := q.expected[at]
				if len(asked) == 0 {
					continue
				}
				expected, found := asked[0].outcome.Decision, Simulated[decisions[at]] // of one request, which several may ask about
				if found == "" {
					silent++ // what an answer leaves out differs from nothing
					continue
				}
				decided++
				o.Saw()
				switch {
				case expected == policy.Undecided:
					for _, each := range asked {
						each.outcome = policy.Outcome{Decision: found, Statement: "IAM's policy simulator"}
						o.decided(*each)
					}
				case found != expected:
					if other++; other > problemsOfSimulator {
						continue
					}
					o.Fail("IAM's policy simulator, "+action+" on "+resource+", in the context "+q.context, string(expected)+", as evaluated here", string(found),
						remedy.UnlikeIAM)
				}
			}
		}
	}
	switch {
	case silent > 0:
		o.Note("IAM's policy simulator decided %d requests, and left out %d", decided, silent)
	case other == 0:
		o.Rested = []evidence.Grade{s.Grade}
		o.Note("IAM's policy simulator decided %d requests in the same way", decided)
	}
}

// problemsOfSimulator is how many differences from the simulator one claim writes out.
const problemsOfSimulator = 5

// Simulated says the simulator's decisions in the words of this project's evaluation.
var Simulated = map[types.PolicyEvaluationDecisionType]policy.Decision{
	types.PolicyEvaluationDecisionTypeAllowed:      policy.Allowed,
	types.PolicyEvaluationDecisionTypeExplicitDeny: policy.ExplicitDeny,
	types.PolicyEvaluationDecisionTypeImplicitDeny: policy.ImplicitDeny,
}

// question is a simulation, and what this project's own evaluation says of each action and
// resource.
type question struct {
	access.Simulation
	context  string
	expected map[[2]string][]*demand
}

// demand is what must be decided of a request, and what is.
type demand struct {
	where, expected string
	// want is Allowed, ExplicitDeny, or ImplicitDeny for any denial.
	want    policy.Decision
	outcome policy.Outcome
}
