package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// planned explains what the plan of the claim sends about items.
func (e *explainer) planned() error {
	runs, err := e.Plan(e.claim)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.Trial != nil && run.Trial.Bulk != nil {
			e.fact(run.Where, "%d generated items are loaded into %s first", run.Trial.Bulk.Count, run.Trial.Bulk.Table)
		}
		for i := range run.Steps {
			if err := e.step(&run, &run.Steps[i]); err != nil {
				return fmt.Errorf("%s: %w", run.Where, err)
			}
		}
		if run.Case != nil {
			e.comesTo(run.Where, run.Case)
		}
	}
	return nil
}

// comesTo says what a case comes to, beyond the answers to its requests.
func (e *explainer) comesTo(where string, c *fixtures.Case) {
	pattern, _ := e.Design.Pattern(e.claim.Subject)
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
}

// step adds the requests of a step.
func (e *explainer) step(run *session.Run, step *session.Step) error {
	where := run.Where
	if run.Case != nil && step.Step != nil {
		if pattern, _ := e.Design.Pattern(e.claim.Subject); len(pattern.Steps) > 1 {
			where += ", step " + step.Name
		}
		if len(step.Beside) > 0 {
			where += ", after another client deleted " + strings.Join(run.Case.Interfere.Delete, ", ")
		}
	}
	if step.Stored != "" {
		where = "item " + step.Stored
	}
	for i, input := range step.Requests {
		request := Request{Where: where, Expect: step.Expect, Ordered: step.Ordered, Outcome: step.Outcome, Why: step.Why}
		if len(step.Requests) > 1 && len(step.Requests) == len(step.Repetitions) {
			request.Where += repetition(step.Step, step.Repetitions[i])
		}
		if step.Step != nil && step.Read != nil && run.Case != nil && i < len(step.Requests)-1 {
			request.Expect, request.Outcome = nil, "together with the requests that follow, the items named there"
		}
		if err := e.send(step.Step, input, request); err != nil {
			return err
		}
	}
	if run.Case == nil || step.Step == nil || step.Read == nil || !step.Read.Interprets() {
		return nil
	}
	if run.Case.ReaderError != "" {
		e.fact(where+" is refused by the reader", "%s", run.Case.ReaderError)
		return nil
	}
	e.fact(where+" as the reader sees it", "%s", orNothing(step.Sees))
	e.named = append(e.named, step.Sees...)
	return nil
}

// send adds a request, which is of a step of a pattern or of none.
func (e *explainer) send(step *accesspatterns.Step, input any, request Request) error {
	lookups, _ := sdk.Lookups(input) // what reads nothing has none
	request.onePage = slices.ContainsFunc(lookups, func(l sdk.Lookup) bool { return l.Limit != nil })
	if step != nil && step.Read != nil {
		read := step.Read
		request.onePage = read.Limit > 0 || read.InspectBudget > 0
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
			names = append(names, lists.Map(each.Bind, func(binding accesspatterns.Binding) string { return binding.Parameter })...)
		}
	}
	text := ""
	for _, name := range names {
		text += fmt.Sprintf(", %s = %s", name, params[name])
	}
	return text
}
