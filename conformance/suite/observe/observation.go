// Package observe collects what the check of one claim sees, and makes its verdict.
package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/aws/smithy-go"

	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// Observation collects what a check sees. Problems are collected, so that one
// run shows them all.
type Observation struct {
	Claim    manifest.Claim
	Session  *session.Session
	Problems []evidence.Problem
	// Report holds the notes and the particulars for reports. Its Noted are those of the notes that
	// tell of a difference which fails nothing.
	Report evidence.Result
	Count  int
	// otherwise says that a deployment chose otherwise than the contract, where the document leaves a choice.
	otherwise   bool
	invocations []string
	// Rested are the grades of what the claim rests on beside its own requests: other claims, citations, the requests in the ledger,
	// what is no answer of the engine, and what the project itself evaluated.
	Rested []evidence.Grade
	// Instead is set when the claim could not be decided, with the reason;
	// Undecided counts how often.
	Instead evidence.Verdict
	Reason  string
	// declared is the target's declaration behind an Instead of unsupported, and unanswered what to do about the request that was not
	// answered.
	declared   string
	unanswered string
	Undecided  int
	// KeptBy are the layers that were seen to keep the rule of a guardrail or an
	// invariant, in alphabetical order.
	KeptBy []string
}

// Saw counts one observation: something was looked at and could have failed.
func (o *Observation) Saw() { o.Count++ }

// Fail reports a problem.
func (o *Observation) Fail(where, expected, found string, do remedy.Advice) {
	if o.Claim.Kind == manifest.KindPolicy && o.mayChoose() {
		o.choice(where, expected, found)
		return
	}
	if do == remedy.RepairDeployment {
		do = remedy.Deployed(o.Claim, o.Session != nil && o.Session.ReadOnly, expected, found)
	}
	o.Problems = append(o.Problems, evidence.Problem{Expected: expected, Found: found, Where: where, Cite: o.Claim.Cite, Do: do.String()})
}

// Must counts an observation, and reports a problem where it is not as it must be. It returns
// whether it is.
func (o *Observation) Must(be bool, where, expected, found string, do remedy.Advice) bool {
	o.Saw()
	if !be {
		o.Fail(where, expected, found, do)
	}
	return be
}

// Refute counts an observation that is not as it must be, and reports the problem.
func (o *Observation) Refute(where, expected, found string, do remedy.Advice) {
	o.Saw()
	o.Fail(where, expected, found, do)
}

// Equal compares two texts and reports a difference.
func (o *Observation) Equal(where, expected, found string, do remedy.Advice) {
	if o.compare(where, expected, found) {
		o.Fail(where, expected, found, do)
	}
}

// Chosen is Equal for a property that the document leaves open where the claim is chosen: who chose otherwise does not fail.
// What is no part of the choice, such as whether an index is there at all, is compared by Equal and Must.
func (o *Observation) Chosen(where, expected, found string, do remedy.Advice) {
	switch differs := o.compare(where, expected, found); {
	case differs && o.mayChoose():
		o.choice(where, expected, found)
	case differs:
		o.Fail(where, expected, found, do)
	}
}

// compare counts an observation of two texts, and returns whether they differ.
func (o *Observation) compare(where, expected, found string) bool {
	o.Saw()
	if o.Claim.Kind == manifest.KindSchema || o.Claim.Kind == manifest.KindIndex {
		o.Report.Compared = append(o.Report.Compared, evidence.Compared{Where: where, Expected: expected, Found: found})
	}
	return expected != found
}

// choice notes that a deployment chose otherwise.
func (o *Observation) choice(where, expected, found string) {
	o.otherwise = true
	o.Differs("the document leaves this open: %s: %s chosen here, %s deployed", where, expected, found)
}

// Differs notes a difference that fails nothing.
func (o *Observation) Differs(format string, args ...any) {
	o.Note(format, args...)
	o.Report.Noted = append(o.Report.Noted, o.Report.Notes[len(o.Report.Notes)-1])
}

// Note records an observation that does not decide the verdict.
func (o *Observation) Note(format string, args ...any) {
	o.Report.Notes = append(o.Report.Notes, fmt.Sprintf(format, args...))
}

// Cannot says that the claim cannot be decided. The first reason stays.
func (o *Observation) Cannot(verdict evidence.Verdict, format string, args ...any) {
	o.Undecided++
	if o.Instead == "" {
		o.Instead, o.Reason = verdict, fmt.Sprintf(format, args...)
	}
}

// Rests adds answers that other claims asked for to the evidence of this one.
func (o *Observation) Rests(invocations []string) {
	o.invocations = append(o.invocations, invocations...)
}

// Request reports an error of a request that should have succeeded: a refusal
// is a problem of the deployment, everything else means that nothing can be
// told.
func (o *Observation) Request(where string, err error) {
	if unsent, ok := errors.AsType[flow.Unsendable](err); ok {
		o.Refute(where, "a request that fits the documented keys", unsent.Error(), remedy.KeyOfPattern)
		return
	}
	if o.Instead == "" {
		o.unanswered = unansweredRequests[failures.Classify(err)]
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			o.unanswered = stopped
		}
	}
	switch failures.Classify(err) {
	case failures.Refused:
		code, message := failures.CodeOf(err)
		o.Refute(where, "an answer", fmt.Sprintf("%s: %s", code, message), remedy.UnlikeTable)
	case failures.UnknownOperation:
		declared, hint := o.Session.DeclaresLacking(err), ""
		if declared == "" {
			hint = "; declare it by --unsupported where the engine is known to lack it"
		}
		o.Unsupported(declared, "%s: %s%s", where, failures.Why(err), hint)
	case failures.Withheld:
		if unsafe, ok := errors.AsType[*safewrite.Refusal](err); ok {
			err = unsafe // the SDK's words around it say nothing more
		}
		o.Unsupported(DeclaredExisting, "%s: %v", where, err)
	case failures.Broken, failures.Local:
		o.Broken(where, err)
	default:
		o.Cannot(evidence.Indeterminate, "%s: %s", where, failures.Why(err))
	}
}

// Broken reports that the harness or the engine broke. What was not answered, or
// was stopped, is not broken.
func (o *Observation) Broken(where string, err error) {
	var api smithy.APIError
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout(),
		errors.As(err, &api) && failures.Classify(err) != failures.Broken:
		o.Cannot(evidence.Indeterminate, "%s: %s", where, failures.Why(err))
	default:
		o.Cannot(evidence.Error, "%s: %v", where, err)
	}
}

// Unsupported says that this target cannot answer, as it declared beforehand.
// Without a declaration nobody knew, and nothing can be told.
func (o *Observation) Unsupported(declared, format string, args ...any) {
	if declared == "" {
		o.Cannot(evidence.Indeterminate, format, args...)
		return
	}
	if o.Instead == "" {
		o.declared = declared
	}
	o.Cannot(evidence.Unsupported, format, args...)
}

// WitnessedBy lets a claim about the ledger rest on the requests that it speaks
// of, without listing them all.
func (o *Observation) WitnessedBy(requests []session.SentRequest) {
	o.Rested = append(o.Rested, lists.Map(requests, func(sent session.SentRequest) evidence.Grade { return o.Session.GradeOf(sent.Entry) })...)
}

// ShowNames writes a list, in which none stands for no names.
func ShowNames(names []string) string { return cmp.Or(strings.Join(names, ", "), "none") }

// ShowSet is ShowNames where the order says nothing.
func ShowSet(names []string) string { return ShowNames(slices.Sorted(slices.Values(names))) }
