package suite

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/aws/smithy-go"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/access"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/wire"
)

// Spec decides one claim.
type Spec struct{ Claim manifest.Claim }

// Observation collects what a check sees. Problems are collected, so that one
// run shows them all.
type Observation struct {
	claim    manifest.Claim
	session  *Session
	problems []evidence.Problem
	notes    []string
	// noted are those of the notes that tell of a difference which fails nothing.
	noted []string
	count int
	// otherwise says that a deployment chose otherwise than the contract, where the document leaves a choice.
	otherwise   bool
	invocations []string
	// weaker is set when something other than the engine answered.
	weaker evidence.Grade
	// evaluated says that no request could decide the claim, whatever was asked
	// besides: the project itself evaluated what was deployed.
	evaluated bool
	// rested are the grades of what the claim rests on beside its own requests:
	// other claims, citations, the requests in the ledger.
	rested []evidence.Grade
	// instead is set when the claim could not be decided, with the reason;
	// undecided counts how often.
	instead evidence.Verdict
	reason  string
	// declared is the target's declaration behind an instead of unsupported, and unanswered what to do about the request that was not
	// answered.
	declared   string
	unanswered string
	undecided  int
	// pattern, finding, guardrail, invariant and trialled are the particulars for reports.
	pattern   *evidence.Pattern
	finding   *evidence.Finding
	guardrail *evidence.Guardrail
	// compared are the properties of tables that were looked at, with what was expected of each and what was found.
	compared  []evidence.Compared
	invariant *evidence.Invariant
	trialled  []evidence.Trial
	// keptBy are the layers that were seen to keep the rule of a guardrail or an
	// invariant, in alphabetical order.
	keptBy []string
	// questions are what the policy simulator is asked about the claim, in order.
	questions []*question
	// pending are the demands on policies that were not decided here.
	pending []*demand
	// withheld says why the guard did not let the latest request of a trial
	// leave the process; empty when it was not asked to.
	withheld string
}

// saw counts one observation: something was looked at and could have failed.
func (o *Observation) saw() { o.count++ }

// fail reports a problem.
func (o *Observation) fail(where, expected, found string, do remedy) {
	if o.claim.Kind == manifest.KindPolicy && o.mayChoose() {
		o.choice(where, expected, found)
		return
	}
	if do == repairDeployment {
		do = o.deployed(expected, found)
	}
	o.problems = append(o.problems, evidence.Problem{Expected: expected, Found: found, Where: where, Cite: o.claim.Cite, Do: do.text})
}

// must counts an observation, and reports a problem where it is not as it must be. It returns
// whether it is.
func (o *Observation) must(be bool, where, expected, found string, do remedy) bool {
	o.saw()
	if !be {
		o.fail(where, expected, found, do)
	}
	return be
}

// equal compares two texts and reports a difference.
func (o *Observation) equal(where, expected, found string, do remedy) {
	if o.compare(where, expected, found) {
		o.fail(where, expected, found, do)
	}
}

// chosen is equal for a property that the document leaves open where the claim is chosen: who chose otherwise does not fail.
// What is no part of the choice, such as whether an index is there at all, is compared by equal and must.
func (o *Observation) chosen(where, expected, found string, do remedy) {
	switch differs := o.compare(where, expected, found); {
	case differs && o.mayChoose():
		o.choice(where, expected, found)
	case differs:
		o.fail(where, expected, found, do)
	}
}

// compare counts an observation of two texts, and returns whether they differ.
func (o *Observation) compare(where, expected, found string) bool {
	o.saw()
	if o.claim.Kind == manifest.KindSchema || o.claim.Kind == manifest.KindIndex {
		o.compared = append(o.compared, evidence.Compared{Where: where, Expected: expected, Found: found})
	}
	return expected != found
}

// choice notes that a deployment chose otherwise.
func (o *Observation) choice(where, expected, found string) {
	o.otherwise = true
	o.differs("the document leaves this open: %s: %s chosen here, %s deployed", where, expected, found)
}

// differs notes a difference that fails nothing.
func (o *Observation) differs(format string, args ...any) {
	o.note(format, args...)
	o.noted = append(o.noted, o.notes[len(o.notes)-1])
}

// note records an observation that does not decide the verdict.
func (o *Observation) note(format string, args ...any) {
	o.notes = append(o.notes, fmt.Sprintf(format, args...))
}

// cannot says that the claim cannot be decided. The first reason stays.
func (o *Observation) cannot(verdict evidence.Verdict, format string, args ...any) {
	o.undecided++
	if o.instead == "" {
		o.instead, o.reason = verdict, fmt.Sprintf(format, args...)
	}
}

// rests adds answers that other claims asked for to the evidence of this one.
func (o *Observation) rests(invocations []string) {
	o.invocations = append(o.invocations, invocations...)
}

// request reports an error of a request that should have succeeded: a refusal
// is a problem of the deployment, everything else means that nothing can be
// told.
func (o *Observation) request(where string, err error) {
	if unsent, ok := errors.AsType[flow.Unsendable](err); ok {
		o.saw()
		o.fail(where, "a request that fits the documented keys", unsent.Error(), keyOfPattern)
		return
	}
	if o.instead == "" {
		o.unanswered = unansweredRequests[classify(err)]
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			o.unanswered = stopped
		}
	}
	switch classify(err) {
	case refused:
		code, message := codeOf(err)
		o.saw()
		o.fail(where, "an answer", fmt.Sprintf("%s: %s", code, message), unlikeTable)
	case unknownOperation:
		declared, hint := o.session.declaresLacking(err), ""
		if declared == "" {
			hint = "; declare it by --unsupported where the engine is known to lack it"
		}
		o.unsupported(declared, "%s: %s%s", where, why(err), hint)
	case withheld:
		if unsafe, ok := errors.AsType[*safewrite.Refusal](err); ok {
			err = unsafe // the SDK's words around it say nothing more
		}
		o.unsupported(declaredExisting, "%s: %v", where, err)
	case broken:
		o.broken(where, err)
	default:
		o.cannot(evidence.Indeterminate, "%s: %s", where, why(err))
	}
}

// broken reports that the harness or the engine broke. What was not answered, or
// was stopped, is not broken.
func (o *Observation) broken(where string, err error) {
	var api smithy.APIError
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout(),
		errors.As(err, &api) && classify(err) != broken:
		o.cannot(evidence.Indeterminate, "%s: %s", where, why(err))
	default:
		o.cannot(evidence.Error, "%s: %v", where, err)
	}
}

// What a target declares beforehand that it cannot answer.
const (
	// declaredDocuments: the folder does not hold the document.
	declaredDocuments = "documents"
	// declaredExisting: on an existing stack nothing may touch the items of others.
	declaredExisting = "existing stack"
	// declaredStack: another tool than a stack made the tables, and tells no policies.
	declaredStack = "stack"
	// declaredOpen: the document leaves open whether policies are attached, and none is.
	declaredOpen = "policies"
	// declaredRaces: the engine mixes clients up.
	declaredRaces = "races"
	// declaredEncryption: an engine on this machine encrypts nothing.
	declaredEncryption = "encryption"
	// declaredCreation: the tables were made before the run, or by requests that it did not see.
	declaredCreation = "creation"
	// declaredMade: what nobody deployed.
	declaredMade = "settings of tables that are made from the contract"
	// declaredDeviation: the engine is known to do otherwise than AWS there.
	declaredDeviation = "known deviations of the engine"
	// declaredRegion: an engine on this machine has no region.
	declaredRegion = "region"
)

// declaresLacking returns the declaration by which the target lacks the operation
// that an error is about; empty when the target declares nothing of the kind.
func (s *Input) declaresLacking(err error) string {
	if operation := operationOfError(err); slices.Contains(s.Lacks, operation) {
		return "operation " + operation
	}
	return ""
}

// unsupported says that this target cannot answer, as it declared beforehand.
// Without a declaration nobody knew, and nothing can be told.
func (o *Observation) unsupported(declared, format string, args ...any) {
	if declared == "" {
		o.cannot(evidence.Indeterminate, format, args...)
		return
	}
	if o.instead == "" {
		o.declared = declared
	}
	o.cannot(evidence.Unsupported, format, args...)
}

// Run decides the claim. It never panics on a session that could not be opened:
// pass nil and the reason.
func (s Spec) Run(ctx context.Context, session *Session, failure error) evidence.Result {
	began := time.Now()
	o := &Observation{claim: s.Claim, session: session}
	if session == nil {
		o.broken("not checked", failure)
	} else if kind, known := kinds[s.Claim.Kind]; !known {
		o.cannot(evidence.Error, "no check for claims of kind %q", s.Claim.Kind)
	} else if s.Claim.Kind.Looks() == manifest.AtItems && session.unloaded != nil {
		o.cannot(evidence.Indeterminate, "not checked: %s", why(session.unloaded))
	} else {
		if s.Claim.Kind.Looks() == manifest.AtItems {
			waitingReader{session}.settle(ctx)
		}
		before := session.recorder.len()
		kind.check(withClaim(ctx, s.Claim.ID), session, o)
		for _, c := range session.recorder.since(before) {
			if strings.TrimSuffix(c.claim, lookingAfter) == s.Claim.ID {
				o.invocations = append(o.invocations, c.invocation)
			}
		}
		if s.Claim.Kind.Looks() == manifest.AtItems {
			o.sameTables(ctx)
		}
		if session.FromContract && (s.Claim.Kind == manifest.KindSchema || s.Claim.Kind == manifest.KindIndex) {
			o.weaker = evidence.Static
			o.note("the table was made from the contract itself, so this proves nothing about a deployment; `dynaproof audit` compares deployed tables, and --deploy lets your own tool make them")
		}
	}
	result := o.result()
	if session != nil && session.Deviates != nil && (result.Verdict == evidence.Fail || result.Verdict == evidence.Error) {
		if why := session.Deviates(result); why != "" {
			result.Verdict, result.Declared = evidence.Unsupported, declaredDeviation
			result.Problems = []evidence.Problem{{Expected: s.Claim.Title, Found: why, Where: s.Claim.ID, Cite: s.Claim.Cite}}
		}
	}
	result.Microseconds = time.Since(began).Microseconds()
	if session != nil {
		session.mu.Lock()
		session.decided[s.Claim.ID] = result
		session.mu.Unlock()
	}
	return result
}

// sameTables takes back what was observed on other tables than those that the items
// were loaded into, and where nobody says which tables they are.
func (o *Observation) sameTables(ctx context.Context) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	exchanged, unknown := loader{o.session}.exchanged(ctx, o.invocations)
	switch {
	case exchanged != nil:
		o.session.unloaded = exchanged
		o.problems, o.instead = nil, ""
		o.cannot(evidence.Indeterminate, "%v", exchanged)
	case unknown != nil:
		o.problems = nil
		o.cannot(evidence.Indeterminate, "whether the tables are still those that the items were loaded into: %s", why(unknown))
	}
}

func (o *Observation) result() evidence.Result {
	result := evidence.Result{
		ID: o.claim.ID, Design: o.claim.Design, Kind: string(o.claim.Kind), Title: o.claim.Title, Cite: o.claim.Cite,
		Basis: o.claim.Basis.String(), Because: o.claim.Because, Waiver: o.claim.Waiver, Notes: o.notes, Noted: o.noted, Observations: o.count, Problems: o.problems, Compared: o.compared,
		Pattern: o.pattern, Finding: o.finding, Guardrail: o.guardrail, Invariant: o.invariant, Trials: o.trialled,
	}
	result.Requests, result.Grade = o.grade()
	if o.session != nil && o.session.Design != nil {
		result.Departs = o.session.departs(o.claim.ID)
		if o.claim.Kind != manifest.KindFinding {
			for _, fact := range manifest.Says(o.session.Design, o.claim, "") {
				result.Says = append(result.Says, evidence.Fact(fact))
			}
		}
	}
	switch {
	case len(o.problems) > 0:
		result.Verdict = evidence.Fail
		if o.instead != "" {
			// What could not be told may be the cause of what failed.
			result.Notes = append(result.Notes, string(o.instead)+": "+o.reason)
		}
	case o.instead != "":
		result.Verdict, result.Declared = o.instead, o.declared
		result.Problems = []evidence.Problem{{
			Expected: o.claim.Title, Found: o.reason, Where: o.claim.ID, Cite: o.claim.Cite, Do: o.remedy(),
		}}
	case o.count == 0:
		result.Verdict = evidence.Indeterminate
		result.Problems = []evidence.Problem{{
			Expected: "at least one observation", Found: "none: nothing was looked at", Where: o.claim.ID, Cite: o.claim.Cite,
			Do: fixtureToLookAt.text,
		}}
	case o.expired() != "":
		result.Verdict = evidence.Fail
		result.Problems = []evidence.Problem{{
			Expected: "a waiver that holds", Found: o.expired(), Where: "waiver " + o.claim.Waiver, Cite: o.claim.Cite,
			Do: renewWaiver.text,
		}}
	case o.claim.Waiver != "", o.otherwise:
		result.Verdict = evidence.Waived
	case o.claim.Kind != manifest.KindFinding:
		result.Verdict = evidence.Pass
	case o.finding != nil && o.finding.Static != "":
		result.Verdict = evidence.Told
	default:
		result.Verdict = evidence.Shown
	}
	return result
}

// expired says that the waiver of the claim is over; "" when it holds, or there is none.
func (o *Observation) expired() string {
	if o.claim.Waiver == "" || o.session == nil || o.session.Design == nil {
		return ""
	}
	waiver, known := o.session.Design.Waiver(o.claim.Waiver)
	if !known || !waiver.Expired(time.Now()) {
		return ""
	}
	return "one of " + waiver.Owner + " that expired after " + waiver.Until
}

// mayChoose says whether what the claim says is the project's choice, and who deployed the tables may have chosen otherwise.
func (o *Observation) mayChoose() bool {
	if o.claim.Basis != accesspatterns.Chosen || o.session == nil || o.session.Strict || !o.session.ReadOnly && o.session.Existing == nil {
		return false
	}
	return o.claim.Kind != manifest.KindPolicy || o.session.attached == nil // who attaches policies has chosen to have all of them
}

// grade joins the claim's calls to the ledger and returns the entries and the
// strength of the evidence: the weakest grade of all that the claim rests on.
func (o *Observation) grade() ([]int, evidence.Grade) {
	grades := o.rested
	if o.weaker != "" {
		grades = append(grades, o.weaker)
	}
	if o.evaluated {
		grades = append(grades, evidence.Static)
	}
	var entries []int
	if o.session != nil && len(o.invocations) > 0 {
		slices.Sort(o.invocations)
		for _, id := range slices.Compact(o.invocations) {
			for _, entry := range o.session.Ledger.Find(id) {
				entries = append(entries, entry.Seq)
				grades = append(grades, o.session.gradeOf(entry))
			}
		}
	}
	slices.Sort(entries)
	return entries, evidence.Weakest(grades...)
}

// gradeOf is the grade of one answer.
func (s *Input) gradeOf(entry wire.Entry) evidence.Grade {
	if entry.Emulated {
		return evidence.Emulated
	}
	return s.Grade
}

// witnessedBy lets a claim about the ledger rest on the requests that it speaks
// of, without listing them all.
func (o *Observation) witnessedBy(requests []sentRequest) {
	for _, sent := range requests {
		o.rested = append(o.rested, o.session.gradeOf(sent.entry))
	}
}

// remedy says what to do about a claim that was not decided.
func (o *Observation) remedy() string {
	switch {
	case o.instead == evidence.Unsupported && strings.HasPrefix(o.declared, "operation "):
		return lackedOperation
	case o.instead == evidence.Unsupported && unanswerable[o.declared] != "":
		return unanswerable[o.declared]
	case o.unanswered != "":
		return o.unanswered
	}
	return undecidedClaims[o.instead]
}

// requestCheck is a check of requests that were sent for other claims.
type requestCheck struct{ *Observation }

// question is a simulation, and what this project's own evaluation says of each action and
// resource.
type question struct {
	access.Simulation
	context  string
	expected map[[2]string]*demand
}

// demand is what must be decided of a request, and what is.
type demand struct {
	where, expected string
	// want is Allowed, ExplicitDeny, or ImplicitDeny for any denial.
	want    policy.Decision
	outcome policy.Outcome
}

// sentRequest is a request of a pattern on the wire.
type sentRequest struct {
	claim, waiver string
	read          *accesspatterns.Read
	entry         wire.Entry
}
