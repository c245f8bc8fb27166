package observe

import (
	"context"
	"slices"
	"strings"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/recorder"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// Check looks at what a claim is about, and tells the observation what it sees.
type Check func(context.Context, *session.Session, *Observation)

// Of is the check of claims about a part of the contract, which find finds by the claim's subject.
func Of[T any](part string, find func(*accesspatterns.Design, string) (T, bool), check func(context.Context, *session.Session, *Observation, T)) Check {
	return func(ctx context.Context, s *session.Session, o *Observation) {
		if found, known := find(s.Design, o.Claim.Subject); known {
			check(ctx, s, o, found)
			return
		}
		o.Cannot(evidence.Error, "no %s %s in the contract", part, o.Claim.Subject)
	}
}

// Decide runs the check of a claim. It never panics on a session that could not be opened:
// pass nil and the reason. A nil check is a kind that nobody knows.
func Decide(ctx context.Context, claim manifest.Claim, s *session.Session, failure error, check Check) evidence.Result {
	began := time.Now()
	o := &Observation{Claim: claim, Session: s}
	if s == nil {
		o.Broken("not checked", failure)
	} else if check == nil {
		o.Cannot(evidence.Error, "no check for claims of kind %q", claim.Kind)
	} else if why := s.Unloaded; claim.Kind.Looks() == manifest.AtItems && why != nil {
		o.Cannot(evidence.Indeterminate, "not checked: %s", failures.Why(why))
	} else {
		if claim.Kind.Looks() == manifest.AtItems {
			s.Settle(ctx)
		}
		before := s.Recorder.Len()
		check(recorder.WithClaim(ctx, claim.ID), s, o)
		for _, c := range s.Recorder.Since(before) {
			if strings.TrimSuffix(c.Claim, recorder.LookingAfter) == claim.ID {
				o.invocations = append(o.invocations, c.Invocation)
			}
		}
		if claim.Kind.Looks() == manifest.AtItems {
			o.sameTables(ctx)
		}
		if s.FromContract && (claim.Kind == manifest.KindSchema || claim.Kind == manifest.KindIndex) {
			o.Rested = append(o.Rested, evidence.Static)
			o.Note("the table was made from the contract itself, so this proves nothing about a deployment; `dynaproof audit` compares deployed tables, and --deploy lets your own tool make them")
		}
	}
	result := o.Result()
	if s != nil && s.Deviates != nil && (result.Verdict == evidence.Fail || result.Verdict == evidence.Error) {
		if why := s.Deviates(result); why != "" {
			result.Verdict, result.Declared = evidence.Unsupported, declaredDeviation
			result.Problems = []evidence.Problem{{Expected: claim.Title, Found: why, Where: claim.ID, Cite: claim.Cite}}
		}
	}
	result.Microseconds = time.Since(began).Microseconds()
	if s != nil {
		s.NoteDecided(result)
	}
	return result
}

// sameTables takes back what was observed on other tables than those that the items
// were loaded into, and where nobody says which tables they are; and beside the items of others what fails where somebody has taken items of the
// run away.
func (o *Observation) sameTables(ctx context.Context) {
	ctx, cancel := session.Afterwards(ctx)
	defer cancel()
	exchanged, unknown := session.Exchanged(ctx, o.Session, o.invocations)
	switch {
	case exchanged != nil:
		o.Session.Unloaded = exchanged
		o.Problems, o.Instead = nil, ""
		o.Cannot(evidence.Indeterminate, "%v", exchanged)
	case unknown != nil:
		o.Problems = nil
		o.Cannot(evidence.Indeterminate, "whether the tables are still those that the items were loaded into: %s", failures.Why(unknown))
	case len(o.Problems) > 0 && o.Session.Protection != nil:
		key, err := o.Session.Protection.Disturbed(ctx)
		if err == nil && key == "" {
			return
		}
		why := "somebody removed or changed the run's item " + key + " meanwhile"
		if err != nil {
			why = "whether the items of the run are still as it left them: " + failures.Why(err)
		}
		o.Problems, o.Instead = nil, ""
		o.Cannot(evidence.Indeterminate, "%s", why)
	}
}

// Result is the verdict, with all that was seen.
func (o *Observation) Result() evidence.Result {
	result := o.Report
	var design *accesspatterns.Design
	if o.Session != nil {
		design = o.Session.Design
	}
	result.Promise(design, o.Claim)
	result.Observations, result.Problems = o.Count, o.Problems
	result.Requests, result.Grade = o.grade()
	switch {
	case len(o.Problems) > 0:
		result.Verdict = evidence.Fail
		if o.Instead != "" {
			// What could not be told may be the cause of what failed.
			result.Notes = append(result.Notes, string(o.Instead)+": "+o.Reason)
		}
	case o.Instead != "":
		result.Verdict, result.Declared = o.Instead, o.declared
		result.Problems = []evidence.Problem{{
			Expected: o.Claim.Title, Found: o.Reason, Where: o.Claim.ID, Cite: o.Claim.Cite, Do: o.remedy(),
		}}
	case o.Count == 0:
		result.Verdict = evidence.Indeterminate
		result.Problems = []evidence.Problem{{
			Expected: "at least one observation", Found: "none: nothing was looked at", Where: o.Claim.ID, Cite: o.Claim.Cite,
			Do: remedy.FixtureToLookAt.String(),
		}}
	case o.expired() != "":
		result.Verdict = evidence.Fail
		result.Problems = []evidence.Problem{{
			Expected: "a waiver that holds", Found: o.expired(), Where: "waiver " + o.Claim.Waiver, Cite: o.Claim.Cite,
			Do: remedy.RenewWaiver.String(),
		}}
	case o.Claim.Waiver != "", o.otherwise:
		result.Verdict = evidence.Waived
	case o.Claim.Kind != manifest.KindFinding:
		result.Verdict = evidence.Pass
	case o.Report.Finding != nil && o.Report.Finding.Static != "":
		result.Verdict = evidence.Told
	default:
		result.Verdict = evidence.Shown
	}
	return result
}

// expired says that the waiver of the claim is over; "" when it holds, or there is none.
func (o *Observation) expired() string {
	if o.Claim.Waiver == "" || o.Session == nil || o.Session.Design == nil {
		return ""
	}
	waiver, known := o.Session.Design.Waiver(o.Claim.Waiver)
	if !known || !waiver.Expired(time.Now()) {
		return ""
	}
	return "one of " + waiver.Owner + " that expired after " + waiver.Until
}

// mayChoose says whether what the claim says is the project's choice, and who deployed the tables may have chosen otherwise.
func (o *Observation) mayChoose() bool {
	if o.Claim.Basis != accesspatterns.Chosen || o.Session == nil || o.Session.Strict || !o.Session.ReadOnly && o.Session.Existing == nil {
		return false
	}
	return o.Claim.Kind != manifest.KindPolicy || !o.Session.HasReadPolicies() // who attaches policies has chosen to have all of them
}

// grade joins the claim's calls to the ledger and returns the entries and the
// strength of the evidence: the weakest grade of all that the claim rests on.
func (o *Observation) grade() ([]int, evidence.Grade) {
	grades := o.Rested
	var entries []int
	if o.Session != nil {
		for _, id := range lists.Sorted(o.invocations) {
			for _, entry := range o.Session.Ledger.Find(id) {
				entries = append(entries, entry.Seq)
				grades = append(grades, o.Session.GradeOf(entry))
			}
		}
	}
	slices.Sort(entries)
	return entries, evidence.Weakest(grades...)
}

// remedy says what to do about a claim that was not decided.
func (o *Observation) remedy() string {
	switch {
	case o.Instead == evidence.Unsupported && strings.HasPrefix(o.declared, "operation "):
		return lackedOperation
	case o.Instead == evidence.Unsupported && unanswerable[o.declared] != "":
		return unanswerable[o.declared]
	case o.unanswered != "":
		return o.unanswered
	}
	return undecidedClaims[o.Instead]
}
