package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/fixtures"
)

// Run is what a claim sends before any of it is sent: one request after the other, from the items as they were loaded.
type Run struct {
	// Where names the case, the trial or the item that it is of.
	Where string
	// Case and Trial are what it replays; nil where it replays none.
	Case  *fixtures.Case
	Trial *fixtures.Trial
	Steps []Step
}

// Step is a part of a run: what is sent, and what must come of it.
type Step struct {
	// Step is that of a pattern; nil where no pattern sends it.
	*accesspatterns.Step
	Repetitions []accesspatterns.Params
	// Beside are requests that come first and decide nothing by themselves: those of another client, generated items, and looks at what was
	// left. Requests are those of the step.
	Beside, Requests []any
	// Expect names the items that the step must return, in order where Ordered, and Sees those that its reader must see, where it has rules.
	Expect, Sees []string
	Ordered      bool
	// Outcome says in words what must come where it is not a list of items, and Why what that shows.
	Outcome, Why string
	// Refused says that the requests must be refused, so that nothing is written, and Unsent that the guard refuses them first.
	Refused, Unsent bool
	// Stored names the loaded item that is read back, and nothing else.
	Stored string
}

// planner plans the runs of claims by what a run is given.
type planner struct{ *Input }

// Plan returns what a claim sends about items; nothing where it looks at descriptions alone, or races. A run ends where its next request cannot
// be made, and those behind it are planned all the same: the error is the first.
func (s *Input) Plan(claim manifest.Claim) (runs []Run, first error) {
	by := planner{s}
	add := func(run Run, err error) { runs, first = append(runs, run), cmp.Or(first, err) }
	switch claim.Kind {
	case manifest.KindExample:
		add(by.exampleRun(claim.Subject))
	case manifest.KindEntity, manifest.KindAttribute, manifest.KindRule:
		add(by.storedRun(claim.Subject, false))
	case manifest.KindPattern:
		pattern, known := s.Design.Pattern(claim.Subject)
		if !known {
			return nil, nil
		}
		for _, c := range s.Fixtures.CasesOf(pattern.ID) {
			add(by.caseRun(pattern, &c))
		}
	case manifest.KindFinding, manifest.KindGuardrail:
		for i, trial := range s.Fixtures.TrialsOf(strings.TrimPrefix(claim.ID, s.Design.Name+"/")) {
			add(by.trialRun(fmt.Sprintf("trial %d (%s)", i+1, trial.Form), &trial))
		}
		if finding, known := s.Design.Finding(claim.Subject); known && claim.Kind == manifest.KindFinding {
			for _, lack := range finding.Lacks {
				entity, _, _ := strings.Cut(lack, ".")
				add(by.storedRun(entity, true))
			}
		}
	}
	return runs, first
}

func (s planner) exampleRun(name string) (Run, error) {
	run := Run{Where: "item " + name}
	put, err := s.PutOf(name)
	if err != nil {
		return run, err
	}
	get, err := s.GetOf(name)
	run.Steps = []Step{{Requests: []any{put}, Outcome: "success"}, {Requests: []any{get}, Expect: []string{name}, Outcome: "every attribute as it was put"}}
	return run, err
}

// storedRun reads back the loaded items of an entity; beside says that this decides nothing by itself.
func (s planner) storedRun(entity string, beside bool) (run Run, err error) {
	for item := range lists.Each(s.Fixtures.Items) {
		if item.Entity != entity || item.Held {
			continue
		}
		get, err := s.GetOf(item.Name)
		if err != nil {
			return run, err
		}
		step := Step{Stored: item.Name, Expect: []string{item.Name}, Requests: []any{get}}
		if beside {
			step.Beside, step.Requests = step.Requests, nil
		}
		run.Steps = append(run.Steps, step)
	}
	return run, nil
}

// trialRun sends the raw requests of a trial, and its read with a budget.
func (s planner) trialRun(where string, trial *fixtures.Trial) (Run, error) {
	run := Run{Where: where, Trial: trial}
	failed := func(err error) (Run, error) { return run, fmt.Errorf("%s: %w", where, err) }
	if trial.Bulk != nil {
		name, err := s.TableName(trial.Bulk.Table)
		if err != nil {
			return failed(err)
		}
		generated := lists.Map(trial.Bulk.Items(), func(item accesspatterns.Item) any {
			return &dynamodb.PutItemInput{TableName: &name, Item: item}
		})
		run.Steps = append(run.Steps, Step{Beside: generated})
	}
	for i := range trial.Requests {
		input, err := trial.Requests[i].Decode(s.TableName, s.FixtureItem)
		if err != nil {
			return failed(err)
		}
		want := &trial.Requests[i].Expect
		run.Steps = append(run.Steps, Step{
			Requests: []any{input}, Expect: want.Items, Ordered: want.Ordered, Outcome: want.Words(), Why: trial.Why, Refused: want.Error != "", Unsent: want.Refused != "",
		})
	}
	if trial.Pattern == "" {
		return run, nil
	}
	pattern, known := s.Design.Pattern(trial.Pattern)
	if !known || pattern.OnlyRead() == nil {
		return failed(fmt.Errorf("the contract has no access pattern %q of one read", trial.Pattern))
	}
	budgeted := Step{Step: &pattern.Steps[0], Outcome: fmt.Sprintf("%d items inspected over all pages", trial.Inspected), Why: trial.Why}
	if trial.Cut {
		budgeted.Outcome += ", and said to be cut"
	}
	var err error
	if budgeted.Requests, err = s.Compiled(budgeted.Step, nil, []accesspatterns.Params{trial.Params}); err != nil {
		return failed(err)
	}
	run.Steps = append(run.Steps, budgeted)
	return run, nil
}

// Seen returns what the readers of a pattern's steps must see in a case, by step.
func (s *Input) Seen(pattern *accesspatterns.Pattern, c *fixtures.Case) (map[string][]accesspatterns.Item, error) {
	seen := map[string][]accesspatterns.Item{}
	for _, step := range pattern.Steps {
		names := c.Steps[step.Name]
		if step.Read != nil && step.Read.Interprets() {
			names = c.Sees[step.Name]
		}
		for _, name := range names {
			item, err := s.FixtureItem(name)
			if err != nil {
				return nil, err
			}
			seen[step.Name] = append(seen[step.Name], item)
		}
	}
	return seen, nil
}

// caseRun sends the steps of a case in their order, as far as the flow goes when each comes to what the case says of it, and looks at what they
// leave.
func (s planner) caseRun(pattern *accesspatterns.Pattern, c *fixtures.Case) (Run, error) {
	run := Run{Where: strings.TrimSpace("case " + c.Name), Case: c}
	seen, err := s.Seen(pattern, c)
	if err == nil {
		var ended error
		_, ended = pattern.Walk(c.Params, map[string][]accesspatterns.Item{}, func(step *accesspatterns.Step, repetitions []accesspatterns.Params, failed error) (saw []accesspatterns.Item, goesOn bool) {
			if _, reached := c.Steps[step.Name]; step.Read != nil && !reached {
				return nil, false
			}
			var planned Step
			if planned, err = s.stepOf(c, step, repetitions); cmp.Or(failed, err) != nil {
				err = cmp.Or(failed, err)
				return nil, false
			}
			run.Steps = append(run.Steps, planned)
			if step.Read == nil {
				return nil, !planned.Refused || step.MayFail
			}
			return seen[step.Name], c.ReaderError == "" || !step.Read.Interprets()
		})
		err = cmp.Or(err, ended)
	}
	if err != nil {
		return run, fmt.Errorf("case %s: %w", c.Name, err)
	}
	var looks []any
	for _, name := range slices.Concat(c.Present, c.Absent) {
		if get, err := s.GetOf(name); err == nil { // the check reports it
			looks = append(looks, get)
		}
	}
	run.Steps = append(run.Steps, Step{Beside: looks})
	return run, nil
}

// stepOf is one step of a case.
func (s planner) stepOf(c *fixtures.Case, step *accesspatterns.Step, repetitions []accesspatterns.Params) (planned Step, err error) {
	planned = Step{Step: step, Repetitions: repetitions, Expect: c.Steps[step.Name], Sees: c.Sees[step.Name]}
	code := c.ErrorAt(step.Name)
	switch {
	case step.Read != nil:
		planned.Ordered = step.Read.Order != accesspatterns.AnyOrder
		if len(planned.Expect) == 0 {
			planned.Outcome = "no item"
		}
	case code == "":
		planned.Outcome = "success"
	default:
		planned.Refused, planned.Outcome = true, "refused: "+code
		if len(c.Reasons) > 0 {
			planned.Outcome += ", reasons " + strings.Join(c.Reasons, ", ")
		}
		if step.MayFail {
			planned.Outcome += ", and the flow goes on"
		}
	}
	if planned.Beside, err = s.Interfering(c, step.Name); err == nil {
		planned.Requests, err = s.Compiled(step, c.Items, repetitions)
	}
	return planned, err
}

// Interfering returns the requests by which another client deletes and puts items before a step of a case.
func (s *Input) Interfering(c *fixtures.Case, step string) (requests []any, err error) {
	if c.Interfere == nil || c.Interfere.Before != step {
		return nil, nil
	}
	for _, name := range c.Interfere.Delete {
		get, err := s.GetOf(name)
		if err != nil {
			return nil, err
		}
		requests = append(requests, &dynamodb.DeleteItemInput{TableName: get.TableName, Key: get.Key})
	}
	for _, name := range c.Interfere.Put {
		put, err := s.PutOf(name)
		if err != nil {
			return nil, err
		}
		requests = append(requests, put)
	}
	return requests, nil
}

// PutOf returns the request that writes a fixture item.
func (s *Input) PutOf(name string) (*dynamodb.PutItemInput, error) {
	item, table, err := s.Fixture(name)
	if err != nil {
		return nil, err
	}
	deployed, err := s.TableName(table.ID)
	return &dynamodb.PutItemInput{TableName: &deployed, Item: item}, err
}

// GetOf returns the request that reads what stands under the key of a fixture item.
func (s *Input) GetOf(name string) (*dynamodb.GetItemInput, error) {
	item, table, err := s.Fixture(name)
	if err != nil {
		return nil, err
	}
	return s.get(table, table.KeyOf(item))
}

// get returns the consistent read of a key.
func (s *Input) get(table *accesspatterns.Table, key accesspatterns.Item) (*dynamodb.GetItemInput, error) {
	name, err := s.TableName(table.ID)
	return &dynamodb.GetItemInput{TableName: &name, Key: key, ConsistentRead: aws.Bool(true)}, err
}
