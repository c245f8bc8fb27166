package explain

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/fixtures"
)

// pattern explains an access pattern: the requests of each case, step by step.
func (e *explainer) pattern() error {
	pattern, known := e.design.Pattern(e.claim.Subject)
	if !known {
		return fmt.Errorf("the contract has no access pattern %q", e.claim.Subject)
	}
	for _, c := range e.set.CasesOf(pattern.ID) {
		if err := e.oneCase(pattern, c); err != nil {
			return fmt.Errorf("case %s: %w", c.Name, err)
		}
	}
	return nil
}

func (e *explainer) oneCase(pattern *accesspatterns.Pattern, c fixtures.Case) error {
	where := strings.TrimSpace("case " + c.Name)
	var problem error
	_, err := pattern.Walk(c.Params, map[string][]accesspatterns.Item{}, func(step *accesspatterns.Step, repetitions []accesspatterns.Params, err error) (saw []accesspatterns.Item, goesOn bool) {
		at := where
		if len(pattern.Steps) > 1 {
			at += ", step " + step.Name
		}
		if c.Interfere != nil && c.Interfere.Before == step.Name {
			at += ", after another client deleted " + strings.Join(c.Interfere.Delete, ", ")
		}
		if _, reached := c.Steps[step.Name]; step.Read != nil && !reached {
			return nil, false
		}
		switch {
		case err != nil:
		case step.Read == nil:
			goesOn, err = c.ErrorAt(step.Name) == "" || step.MayFail, e.write(c, *step, at, repetitions)
		default:
			saw, goesOn, err = e.step(c, *step, at, repetitions)
		}
		problem = err
		return saw, goesOn && err == nil
	})
	if err = cmp.Or(problem, err); err != nil {
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

// step adds the requests of a step that reads, and returns what its reader sees, and whether the flow goes on.
func (e *explainer) step(c fixtures.Case, step accesspatterns.Step, where string, repetitions []accesspatterns.Params) (saw []accesspatterns.Item, goesOn bool, err error) {
	expect := c.Steps[step.Name]
	asked := repetitions
	if step.Read.Together != "" {
		asked = repetitions[:min(1, len(repetitions))] // one request for all of them
	}
	for i, params := range asked {
		request := Request{Where: where, Ordered: step.Read.Order != accesspatterns.AnyOrder}
		if len(asked) > 1 {
			request.Where += repetition(step, params)
		}
		switch {
		case i < len(asked)-1:
			request.Outcome = "together with the requests that follow, the items named there"
		case len(expect) > 0:
			request.Expect = expect
		default:
			request.Outcome = "no item"
		}
		if err := e.read(step.Read, params, repetitions, request); err != nil {
			return nil, false, err
		}
	}
	if step.Read.Interprets() {
		if c.ReaderError != "" {
			e.fact(where+" is refused by the reader", "%s", c.ReaderError)
			return nil, false, nil
		}
		expect = c.Sees[step.Name]
		e.fact(where+" as the reader sees it", "%s", orNothing(expect))
		e.named = append(e.named, expect...)
	}
	for _, name := range expect {
		item, err := e.item(name)
		if err != nil {
			return nil, false, err
		}
		saw = append(saw, item)
	}
	return saw, true, nil
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "no item"
	}
	return strings.Join(names, ", ")
}

func (e *explainer) read(read *accesspatterns.Read, params accesspatterns.Params, repetitions []accesspatterns.Params, request Request) error {
	table, name, err := e.table(read.Table)
	if err != nil {
		return err
	}
	if read.Together != "" {
		inputs, err := sdk.Reads(read, table, name, repetitions)
		for _, input := range inputs {
			err = errors.Join(err, e.ask(input, []string{read.Table}, request))
		}
		return err
	}
	input, err := sdk.Read(read, table, name, params)
	if err != nil {
		return err
	}
	if query, ok := input.(*dynamodb.QueryInput); ok && read.InspectBudget > 0 && (query.Limit == nil || *query.Limit > read.InspectBudget) {
		query.Limit = aws.Int32(read.InspectBudget) // of the first page; further pages get what is left
	}
	request.onePage = read.Limit > 0 || read.InspectBudget > 0
	return e.ask(input, []string{read.Table}, request)
}

func (e *explainer) write(c fixtures.Case, step accesspatterns.Step, where string, repetitions []accesspatterns.Params) error {
	var tables []string
	for _, action := range step.Write {
		tables = append(tables, action.Table)
	}
	inputs, err := sdk.StepWrites(&step, sdk.Names{Table: e.tableName, Items: e.set.Playing(c.Items)}, repetitions)
	if err != nil {
		return err
	}
	outcome := "success"
	if code := c.ErrorAt(step.Name); code != "" {
		outcome = "refused: " + code
		if len(c.Reasons) > 0 {
			outcome += ", reasons " + strings.Join(c.Reasons, ", ")
		}
		if step.MayFail {
			outcome += ", and the flow goes on"
		}
	}
	for i, input := range inputs {
		request := Request{Where: where, Outcome: outcome}
		if len(inputs) > 1 && len(inputs) == len(repetitions) {
			request.Where += repetition(step, repetitions[i])
		}
		if err := e.ask(input, tables, request); err != nil {
			return err
		}
	}
	return nil
}

// repetition says for which values a step is repeated.
func repetition(step accesspatterns.Step, params accesspatterns.Params) string {
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
	for i, trial := range e.set.TrialsOf(claim) {
		where := fmt.Sprintf("trial %d (%s)", i+1, trial.Form)
		if trial.Bulk != nil {
			e.fact(where, "%d generated items are loaded into %s first", trial.Bulk.Count, trial.Bulk.Table)
		}
		for n := range trial.Requests {
			request := &trial.Requests[n]
			input, err := request.Decode(e.tableName, e.item)
			if err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			expected := Request{Where: where, Expect: request.Expect.Items, Ordered: request.Expect.Ordered, Outcome: request.Expect.Words(), Why: trial.Why, onePage: limited(input)}
			if err := e.ask(input, e.tablesOf(request), expected); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
		}
		if trial.Pattern == "" {
			continue
		}
		pattern, known := e.design.Pattern(trial.Pattern)
		if !known || pattern.OnlyRead() == nil {
			return fmt.Errorf("%s: the contract has no access pattern %q of one read", where, trial.Pattern)
		}
		request := Request{Where: where, Why: trial.Why, Outcome: fmt.Sprintf("%d items inspected over all pages", trial.Inspected)}
		if trial.Cut {
			request.Outcome += ", and said to be cut"
		}
		if err := e.read(pattern.OnlyRead(), trial.Params, []accesspatterns.Params{trial.Params}, request); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

// tablesOf returns the logical ids of the tables that a raw request names.
func (e *explainer) tablesOf(request *fixtures.Request) []string {
	var ids []string
	for i := range e.design.Tables {
		if strings.Contains(string(request.Input), `"`+e.design.Tables[i].ID+`"`) {
			ids = append(ids, e.design.Tables[i].ID)
		}
	}
	return ids
}
