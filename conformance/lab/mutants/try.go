package mutants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/own"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/internal/tables"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// orders bounds the orders of two racing clients that a mutant is tried with; most
// flows have fewer, and a mutant is killed by the first that shows it.
const orders = 10

// start starts an engine of its own with a design deployed on it, by whatever makes the tables; nil for what deploys the design.
func (r *runner) start(ctx context.Context, design *accesspatterns.Design, tool *replay.Tool) (*replay.Replay, session.Deployment, error) {
	options := replay.Options{Designs: []string{design.Name}, Documents: r.Documents, Bounds: impatient, Tool: tool, Orders: orders}
	if own.FromContract(design.Name) {
		options.Tool = &replay.Tool{Make: func(ctx context.Context, client *dynamodb.Client, design *accesspatterns.Design, names map[string]string) error {
			return tables.MakeAll(ctx, client, design, replay.DefaultEnvironment, names)
		}}
	}
	run, err := replay.Start(ctx, options)
	if err != nil {
		return nil, session.Deployment{}, err
	}
	deployment, err := run.Deploy(ctx, design)
	if err != nil {
		return nil, session.Deployment{}, errors.Join(err, run.Close(context.WithoutCancel(ctx)))
	}
	return run, deployment, nil
}

// hold keeps items from being loaded at which no claim of a mutant looks: claims about policies look at none.
func hold(set *fixtures.Set, unseen func(*fixtures.Item) bool) {
	for i := range set.Items {
		item := &set.Items[i]
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

// whole checks that the claims about deployments pass.
func (r *runner) whole(ctx context.Context, run *replay.Replay, design *accesspatterns.Design, deployment session.Deployment, when string) error {
	session, err := run.Examine(ctx, design, nil, deployment)
	if err == nil {
		r.control(ctx, session, when, describes)
	}
	return err
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

// deployed tries wrong deployments one after the other on one engine, and checks that the claims about deployments pass with nothing broken
// before the first and after the last: only then do they say anything about what is.
func (r *runner) deployed(ctx context.Context, s *subject, mutants []Mutant) (err error) {
	design, _, err := r.load(s)
	if err != nil {
		return err
	}
	var by *program // nil where tables are broken behind what deploys them
	var tool *replay.Tool
	if mutants[0].Kind == Deployments {
		by = &program{}
		if by.asked, err = inputsOf(ctx, design, deploy.Off); err != nil {
			return err
		}
		tool = &replay.Tool{Make: by.make}
	}
	run, deployment, err := r.start(ctx, design, tool)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Close(context.WithoutCancel(ctx))) }()
	r.AnsweredBy(run.Engine())
	// Through the wire, which answers what the engine lacks and is the witness of the region.
	operator := tables.At(run.Endpoint(), deployment.Region)
	whole, err := operator.All(ctx)
	if err != nil {
		return err
	}
	changed := "" // the table
	restores := func() error {
		if by != nil {
			return operator.Restore(ctx, nil, "")
		}
		return operator.Restore(ctx, whole, changed)
	}
	breaks := func(m *Mutant) (session.Deployment, error) {
		if by != nil {
			by.wrong = m
			return run.Deploy(ctx, design)
		}
		changed = deployment.Tables[m.table]
		return deployment, operator.Change(ctx, changed, m.change)
	}
	if err := r.whole(ctx, run, design, deployment, "before anything is broken"); err != nil {
		return err
	}
	for _, m := range mutants {
		began := time.Now()
		if err := restores(); err != nil {
			return err
		}
		wrong, failure := breaks(&m)
		var results []evidence.Result
		if failure == nil {
			session, err := run.Examine(ctx, design, nil, wrong)
			if err != nil {
				return err
			}
			results = examine(ctx, session, m.selects)
		}
		if ctx.Err() != nil {
			return nil
		}
		r.conclude(m, began, results, failure)
	}
	if err := restores(); err != nil {
		return err
	}
	if by != nil {
		by.wrong = nil
		if deployment, err = run.Deploy(ctx, design); err != nil {
			return err
		}
	}
	return r.whole(ctx, run, design, deployment, "after the mutants were undone")
}

// conclude records what became of a mutant by the verdicts of the claims.
func (r *runner) conclude(m Mutant, began time.Time, results []evidence.Result, failure error) {
	record := m.record()
	m.conclude(&record, results, failure)
	record.Microseconds = time.Since(began).Microseconds()
	r.Excuse(&record, nil)
	r.Add(record)
}

// program makes the tables that a design's program asks for, with the one that a mutant changes: what a wrong program would deploy.
type program struct {
	asked *deploy.Inputs
	wrong *Mutant
}

func (p *program) make(ctx context.Context, client *dynamodb.Client, _ *accesspatterns.Design, _ map[string]string) error {
	for id, inputs := range p.asked.Tables {
		want := tables.Asked(inputs)
		if p.wrong != nil && id == p.wrong.table {
			p.wrong.change(want)
			want.Settle()
		}
		if err := (&tables.Operator{Client: client}).MakeAsked(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

// loaded tries mutants one after the other on one engine, and checks that the
// claims pass with nothing broken before the first and after the last.
func (r *runner) loaded(ctx context.Context, s *subject, mutants []Mutant) (err error) {
	design, set, err := r.load(s)
	if err != nil {
		return err
	}
	hold(set, func(*fixtures.Item) bool { return mutants[0].policy != nil })
	run, deployment, err := r.start(ctx, design, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Close(context.WithoutCancel(ctx))) }()
	base, err := run.Examine(ctx, design, set, deployment)
	if err != nil {
		return err
	}
	touched := func(claim manifest.Claim) bool {
		// The claim of a guardrail passes on the word of the claims that show it.
		return slices.ContainsFunc(mutants, func(m Mutant) bool { return m.selects(claim) || m.lenient != "" })
	}
	r.control(ctx, base.Again(design, set), "before anything is broken", touched)
	for _, m := range mutants {
		if ctx.Err() != nil {
			return nil
		}
		if err := r.amended(ctx, s, m, run, base); err != nil {
			return err
		}
	}
	after, err := run.Examine(ctx, design, set, base.Deployment)
	if err == nil {
		r.control(ctx, after, "after the mutants were undone", touched)
	}
	return err
}

// amended tries one wrong contract or item on a loaded engine.
func (r *runner) amended(ctx context.Context, s *subject, m Mutant, run *replay.Replay, base *session.Session) (err error) {
	began := time.Now()
	if m.needsDocument && base.Source == nil {
		record := m.record()
		record.Fate, record.Reason = evidence.Untried, "only the document can show it: "+base.SourceProblem.Error()
		r.Add(record)
		return nil
	}
	design, set := base.Design, base.Fixtures.Clone()
	if m.amend != nil {
		if design, _, err = r.load(s); err != nil {
			return err
		}
		m.amend(design)
	}
	if m.refit != nil {
		m.refit(set)
	}
	hold(set, func(item *fixtures.Item) bool { return m.policy != nil || m.items != nil && !m.items(item) })
	session := base.Again(design, set)
	if m.lenient != "" {
		session.AroundGuard = lacking(m.lenient)
	}
	if m.undocumented {
		session.HeldTo = base.Design
	}
	undo := func(context.Context) error { return nil }
	if m.items != nil {
		session, err = run.Examine(ctx, design, set, base.Deployment)
	} else if m.policy != nil {
		undo, err = m.policy.in(ctx, session, tables.At(run.Endpoint(), base.Deployment.Region))
	}
	if err != nil {
		return err
	}
	if m.denied != "" {
		run.Inject(denying(design.Name, m.denied))
	}
	results := examine(ctx, session, m.selects)
	run.Inject(nil)
	if m.items != nil {
		err = remove(ctx, session)
	} else {
		err = undo(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	r.conclude(m, began, results, nil)
	return nil
}

// remove deletes every item that a session has loaded, so that an item under a
// wrong key is not there for the next mutant. The others are loaded anew.
func remove(ctx context.Context, session *session.Session) error {
	for i := range session.Fixtures.Items {
		item := &session.Fixtures.Items[i]
		if item.Held {
			continue
		}
		if err := removeItem(ctx, session, item); err != nil && ctx.Err() == nil {
			return fmt.Errorf("removing item %s: %w", item.Name, err)
		}
	}
	return nil
}

func removeItem(ctx context.Context, session *session.Session, item *fixtures.Item) error {
	table, name, err := session.Placed(item)
	if err != nil {
		return err
	}
	if !table.Keys().In(item.Item) {
		return nil // no such item can be stored
	}
	_, err = session.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(name), Key: table.KeyOf(item.Item)})
	return err
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
