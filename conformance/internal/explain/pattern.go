package explain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// pattern explains an access pattern: the requests of each case, step by step.
func (e *explainer) pattern() error {
	pattern, _ := e.Design.Pattern(e.claim.Subject)
	for _, c := range e.Fixtures.CasesOf(pattern.ID) {
		if err := e.oneCase(pattern, c); err != nil {
			return fmt.Errorf("case %s: %w", c.Name, err)
		}
	}
	return nil
}

func (e *explainer) oneCase(pattern *accesspatterns.Pattern, c fixtures.Case) error {
	where := strings.TrimSpace("case " + c.Name)
	err := e.Steps(pattern, &c, func(step *session.Step) error {
		at := where
		if len(pattern.Steps) > 1 {
			at += ", step " + step.Name
		}
		if len(step.Interfering) > 0 {
			at += ", after another client deleted " + strings.Join(c.Interfere.Delete, ", ")
		}
		return e.step(&c, step, at)
	})
	if err != nil {
		return err
	}
	for i := range pattern.Views {
		if held, said := c.Views[pattern.Views[i].Name]; said {
			e.fact(where+", view "+pattern.Views[i].Name, "%s", orNothing(held))
			e.named = append(e.named, held...)
		}
	}
	for _, decoy := range c.Decoys {
		e.out.Decoys = append(e.out.Decoys, Decoy{where, decoy.Item, decoy.Why})
		e.named = append(e.named, decoy.Item)
	}
	add := func(name string, items []string) {
		e.fact(where+" "+name, "%s", strings.Join(items, ", "))
		e.named = append(e.named, items...)
	}
	add("leaves", c.Present)
	add("leaves no", c.Absent)
	e.fact(where+" never shows", "%s", strings.Join(c.NotReturned, ", "))
	return nil
}

// step adds the requests of a step.
func (e *explainer) step(c *fixtures.Case, step *session.Step, where string) error {
	for i, input := range step.Requests {
		request := Request{Where: where}
		if len(step.Requests) > 1 && len(step.Requests) == len(step.Repetitions) {
			request.Where += repetition(step.Step, step.Repetitions[i])
		}
		switch {
		case step.Read == nil && step.Refused == "":
			request.Outcome = "success"
		case step.Read == nil:
			request.Outcome = "refused: " + step.Refused
			if len(c.Reasons) > 0 {
				request.Outcome += ", reasons " + strings.Join(c.Reasons, ", ")
			}
			if step.MayFail {
				request.Outcome += ", and the flow goes on"
			}
		case i < len(step.Requests)-1:
			request.Outcome = "together with the requests that follow, the items named there"
		case len(step.Expect) > 0:
			request.Expect = step.Expect
		default:
			request.Outcome = "no item"
		}
		if err := e.send(step.Read, input, request); err != nil {
			return err
		}
	}
	if step.Read == nil || !step.Read.Interprets() {
		return nil
	}
	if c.ReaderError != "" {
		e.fact(where+" is refused by the reader", "%s", c.ReaderError)
		return nil
	}
	e.fact(where+" as the reader sees it", "%s", orNothing(step.Sees))
	e.named = append(e.named, step.Sees...)
	return nil
}

// send adds a request of a step; read is nil where the step writes.
func (e *explainer) send(read *accesspatterns.Read, input any, request Request) error {
	if read != nil {
		request.Ordered, request.onePage = read.Order != accesspatterns.AnyOrder, read.Limit > 0 || read.InspectBudget > 0
		if query, ok := input.(*dynamodb.QueryInput); ok && read.InspectBudget > 0 && (query.Limit == nil || *query.Limit > read.InspectBudget) {
			query.Limit = aws.Int32(read.InspectBudget) // of the first page; further pages get what is left
		}
	}
	return e.ask(input, request)
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "no item"
	}
	return strings.Join(names, ", ")
}

// repetition says for which values a step is repeated.
func repetition(step *accesspatterns.Step, params accesspatterns.Params) string {
	names := []string{step.ForEach.Parameter}
	if step.ForEach.Step != "" {
		names = nil
		for each := step.ForEach; each != nil; each = each.And {
			for _, binding := range each.Bind {
				names = append(names, binding.Parameter)
			}
		}
	}
	text := ""
	for _, name := range names {
		text += fmt.Sprintf(", %s = %s", name, params[name])
	}
	return text
}

// trials adds the raw requests that show a finding or try a guardrail.
func (e *explainer) trials(claim string) error {
	for i, trial := range e.Fixtures.TrialsOf(claim) {
		where := fmt.Sprintf("trial %d (%s)", i+1, trial.Form)
		if trial.Bulk != nil {
			e.fact(where, "%d generated items are loaded into %s first", trial.Bulk.Count, trial.Bulk.Table)
		}
		for n := range trial.Requests {
			request := &trial.Requests[n]
			input, err := request.Decode(e.TableName, e.FixtureItem)
			if err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			expected := Request{Where: where, Expect: request.Expect.Items, Ordered: request.Expect.Ordered, Outcome: request.Expect.Words(), Why: trial.Why, onePage: limited(input)}
			if err := e.ask(input, expected); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
		}
		if trial.Pattern == "" {
			continue
		}
		pattern, known := e.Design.Pattern(trial.Pattern)
		if !known || pattern.OnlyRead() == nil {
			return fmt.Errorf("%s: the contract has no access pattern %q of one read", where, trial.Pattern)
		}
		request := Request{Where: where, Why: trial.Why, Outcome: fmt.Sprintf("%d items inspected over all pages", trial.Inspected)}
		if trial.Cut {
			request.Outcome += ", and said to be cut"
		}
		inputs, err := e.Compiled(&pattern.Steps[0], nil, []accesspatterns.Params{trial.Params})
		for _, input := range inputs {
			err = errors.Join(err, e.send(pattern.OnlyRead(), input, request))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}
