package mutants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/tables"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// orders bounds the orders of two racing clients that a mutant is tried with; most
// flows have fewer, and a mutant is killed by the first that shows it.
const orders = 10

// stage is an engine of its own with a design deployed on it, on which mutants are tried one after the other.
type stage struct {
	*runner
	subject *subject
	run     *replay.Replay
	// base is the session with nothing broken. It sends nothing itself.
	base *session.Session
	// operator breaks the tables, which were whole.
	operator *tables.Operator
	whole    []*tables.Spec
}

// open starts an engine, and deploys and loads on it what some mutants are tried on.
func (r *runner) open(ctx context.Context, s *subject, some []Mutant) (on *stage, err error) {
	on = &stage{runner: r, subject: s}
	design, set, err := r.load(s)
	if err != nil {
		return nil, err
	}
	options := replay.Options{Designs: []string{design.Name}, Documents: r.Documents, Bounds: impatient, Orders: orders}
	switch {
	case deploy.FromContract(design.Name):
		options.Tool = &replay.Tool{Make: func(ctx context.Context, client *dynamodb.Client, design *ap.Design, names map[string]string) error {
			return tables.MakeAll(ctx, client, design, replay.DefaultEnvironment, names)
		}}
	case some[0].Kind == Deployments:
		asked, err := inputsOf(ctx, design, deploy.Off)
		if err != nil {
			return nil, err
		}
		options.Tool = &replay.Tool{Make: func(ctx context.Context, client *dynamodb.Client, _ *ap.Design, _ map[string]string) error {
			for _, inputs := range asked.Tables {
				if err := (&tables.Operator{Client: client}).MakeAsked(ctx, tables.Asked(inputs)); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	changed := some[0].change != nil
	switch {
	case changed: // claims about tables look at no item
		set = nil
	case some[0].policy != nil: // nor do those about policies
		hold(set, func(*fixtures.Item) bool { return true })
	}
	if on.run, err = replay.Start(ctx, options); err != nil {
		return nil, err
	}
	r.AnsweredBy(on.run.Engine())
	deployment, err := on.run.Deploy(ctx, design)
	// Through the wire, which answers what the engine lacks and is the witness of the region.
	on.operator = tables.At(on.run.Endpoint(), deployment.Region)
	if err == nil && changed {
		on.whole, err = on.operator.All(ctx)
	}
	if err == nil {
		on.base, err = on.run.Examine(ctx, design, set, deployment)
	}
	if err != nil {
		return nil, errors.Join(err, on.run.Close(context.WithoutCancel(ctx)))
	}
	return on, nil
}

// try tries mutants one after the other on one engine, and checks that the claims which they can touch pass with nothing broken before the
// first and after the last: only then do they say anything about what is.
func (r *runner) try(ctx context.Context, s *subject, some []Mutant) (err error) {
	on, err := r.open(ctx, s, some)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, on.run.Close(context.WithoutCancel(ctx))) }()
	base := on.base
	touched := func(claim manifest.Claim) bool {
		// The claim of a guardrail passes on the word of the claims that show it.
		return slices.ContainsFunc(some, func(m Mutant) bool { return m.selects(claim) || m.lenient != "" })
	}
	r.control(ctx, base.Again(base.Design, base.Fixtures), "before anything is broken", touched)
	for i := range some {
		if err := on.attempt(ctx, &some[i]); err != nil || ctx.Err() != nil {
			return err
		}
	}
	after, err := on.run.Examine(ctx, base.Design, base.Fixtures, base.Deployment)
	if err == nil {
		r.control(ctx, after, "after the mutants were undone", touched)
	}
	return err
}

// unbrokenError says why a mutant cannot be broken. Every other error, one of mending too, is of the harness and ends the run.
type unbrokenError struct{ error }

// attempt tries one mutant, and records what became of it unless the run is interrupted.
func (on *stage) attempt(ctx context.Context, m *Mutant) error {
	began, record := time.Now(), m.record()
	if m.needsDocument && on.base.Source == nil {
		record.Fate, record.Reason = evidence.Untried, "only the document can show it: "+on.base.SourceProblem.Error()
		on.Add(record)
		return nil
	}
	var results []evidence.Result
	var unmended error
	seen, mend, failure := on.breaks(ctx, m)
	if failure == nil {
		results = examine(ctx, seen, m.selects)
	}
	if mend != nil {
		unmended = mend(ctx)
	}
	if unmended != nil || ctx.Err() != nil {
		return unmended
	}
	if failure != nil && !errors.As(failure, new(unbrokenError)) {
		return failure
	}
	m.conclude(&record, results, failure)
	record.Microseconds = time.Since(began).Microseconds()
	on.Excuse(&record, nil)
	on.Add(record)
	return nil
}

// breaks breaks one thing, and returns a session that sees it, and what mends it, behind an error too; nil where nothing is to be mended.
func (on *stage) breaks(ctx context.Context, m *Mutant) (seen *session.Session, mend func(context.Context) error, err error) {
	design, deployment := on.base.Design, on.base.Deployment
	if m.change != nil {
		changed := deployment.Tables[m.table]
		mend = func(ctx context.Context) error { return on.operator.Restore(ctx, on.whole, changed) }
		if err = on.operator.Change(ctx, changed, m.change); err != nil {
			return nil, mend, unbrokenError{err}
		}
		seen, err = on.run.Examine(ctx, design, nil, deployment)
		return seen, mend, err
	}
	if m.amend != nil {
		if design, _, err = on.load(on.subject); err != nil {
			return nil, nil, err
		}
		m.amend(design)
	}
	set := on.base.Fixtures.Clone()
	if m.refit != nil {
		m.refit(set)
	}
	if m.items != nil {
		hold(set, func(item *fixtures.Item) bool { return !m.items(item) })
		if seen, err = on.run.Examine(ctx, design, set, deployment); err == nil {
			mend = func(ctx context.Context) error { return unload(ctx, seen) }
		}
		return seen, mend, err
	}
	seen = on.base.Again(design, set)
	if m.undocumented {
		seen.HeldTo = on.base.Design
	}
	switch {
	case m.lenient != "":
		seen.AroundGuard = lacking(m.lenient)
	case m.denied != "":
		on.run.Inject(denying(design.Name, m.denied))
		mend = func(context.Context) error {
			on.run.Inject(nil)
			return nil
		}
	case m.policy != nil:
		mend, err = m.policy.in(ctx, seen, on.operator)
	}
	return seen, mend, err
}

// unload deletes every item that a session has loaded, so that an item under a wrong key is not there for the next mutant. The others are
// loaded anew.
func unload(ctx context.Context, seen *session.Session) error {
	clear(seen.Loaded) // nothing is to be put back
	var all []session.TouchedKey
	for item := range lists.Each(seen.Fixtures.Items) {
		if item.Held || seen.LoadErrs[item.Name] != nil {
			continue
		}
		table, _, err := seen.Placed(item)
		if err != nil {
			return err
		}
		all = append(all, session.TouchedKey{Table: table, Key: table.KeyOf(ap.Item(item.Item))})
	}
	return seen.Restore(ctx, all)
}

// hold keeps items from being loaded at which no claim of a mutant looks.
func hold(set *fixtures.Set, unseen func(*fixtures.Item) bool) {
	for item := range lists.Each(set.Items) {
		item.Held = item.Held || unseen(item)
	}
}

// control runs claims with nothing broken, and reports those that do not pass.
func (r *runner) control(ctx context.Context, session *session.Session, when string, chosen func(manifest.Claim) bool) {
	for _, result := range examine(ctx, session, chosen) {
		if session.Source == nil && result.Verdict == evidence.Unsupported {
			continue // it rests on the document, which is not here: its mutants are untried
		}
		if !result.Verdict.Held() && ctx.Err() == nil {
			r.Problem("%s: expected it to pass %s, found %s", result.ID, when, firstProblem(result))
		}
	}
}

// examine runs the suite's own specs for the chosen claims.
func examine(ctx context.Context, session *session.Session, chosen func(manifest.Claim) bool) []evidence.Result {
	var results []evidence.Result
	for _, claim := range manifest.InOrder(session.Design) {
		if chosen(claim) {
			results = append(results, suite.Decide(ctx, claim, session, nil))
		}
	}
	return results
}

func firstProblem(result evidence.Result) string {
	message, _, _ := strings.Cut(suite.Message(result), "\n  document")
	return strings.Join(strings.Fields(message), " ")
}

// conclude decides the mutant's fate from the verdicts of the claims.
func (m *Mutant) conclude(record *evidence.Mutant, results []evidence.Result, failure error) {
	if failure != nil {
		record.Fate, record.Reason = evidence.Unbroken, strings.Join(strings.Fields(failure.Error()), " ")
		return
	}
	if m.denied != "" {
		m.concludeDenied(record, results)
		return
	}
	want := cmp.Or(m.verdict, evidence.Fail)
	record.Fate, record.Examined = evidence.Survived, len(results)
	for _, result := range results {
		if result.Verdict == evidence.Fail {
			record.Failed = append(record.Failed, result.ID)
		}
		if !slices.Contains(m.Expect, result.ID) || record.Fate == evidence.Killed {
			continue
		}
		switch message, root := rootProblem(result); {
		case (result.Verdict == want || m.orError && result.Verdict == evidence.Error) && root:
			record.Fate, record.Killer, record.Message, record.Reason = evidence.Killed, result.ID, message, ""
		case !result.Verdict.Held() && result.Verdict != evidence.Fail:
			record.Fate, record.Reason = evidence.Unbroken, firstProblem(result)
		}
	}
	if record.Fate == evidence.Survived {
		record.Needs = m.needs
	}
}

// rootProblem writes the first problem of a result that does not merely point at
// another claim.
func rootProblem(result evidence.Result) (string, bool) {
	for _, problem := range result.Problems {
		if !strings.HasPrefix(problem.Where, "claim ") {
			return fmt.Sprintf("%s: expected %s, found %s", problem.Where, problem.Expected, problem.Found), true
		}
	}
	return "", false
}
