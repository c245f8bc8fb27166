package patterns

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/suite/failures"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// replayShortest sends the shortest counterexample of an exploration, and compares what the engine makes of it with what the exploration says. Items
// that the run has loaded under its keys are out of the way meanwhile.
func replayShortest(ctx context.Context, o *observe.Observation, law *explore.Law) {
	s := o.Session
	if len(law.Broken) == 0 || s.Protection != nil {
		return // nothing to see, or tables that hold more than this run's items
	}
	shortest := slices.MinFunc(law.Broken, func(a, b explore.Counterexample) int { return len(a.Requests) - len(b.Requests) })
	r := &demonstration{s: s, o: o, where: "counterexample of " + strings.Join(shortest.Patterns, ", "), now: evaluate.Tables{}}
	err := r.prepare(ctx, &shortest)
	if err == nil {
		err = r.send(ctx, &shortest)
	}
	if declared := s.DeclaresLacking(err); err != nil && declared != "" {
		o.Note("%s is not sent: this engine lacks %s, as declared", r.where, declared)
	} else if err != nil {
		o.Request(r.where, err)
	}
	if err := s.Restore(ctx, r.touched); err != nil {
		o.Broken(r.where, err)
	}
}

// demonstration is a counterexample that is sent to the engine.
type demonstration struct {
	s       *session.Session
	o       *observe.Observation
	where   string
	touched []session.TouchedKey
	inputs  []any
	// now are the items that the exploration has, by deployed table: those that the counterexample begins with, and in the end what its writes leave.
	now evaluate.Tables
}

// prepare makes the items under all keys of the counterexample those that it begins with.
func (r *demonstration) prepare(ctx context.Context, c *explore.Counterexample) error {
	for i := range c.Requests {
		input, err := deployedInput(r.s, c.Requests[i].Input)
		if err != nil {
			return err
		}
		r.inputs = append(r.inputs, input)
		r.s.Addressed(input, func(_ accesspatterns.ActionKind, table *accesspatterns.Table, item accesspatterns.Item) {
			r.touched = append(r.touched, session.TouchedKey{Table: table, Key: table.KeyOf(item)})
		})
	}
	for id, items := range c.Items {
		table, _ := r.s.Design.Table(id)
		for _, item := range items {
			r.touched = append(r.touched, session.TouchedKey{Table: table, Key: table.KeyOf(item)})
		}
	}
	for _, touched := range r.touched {
		name, err := r.s.TableName(touched.Table.ID)
		if err != nil {
			return err
		}
		if _, err := r.s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(name), Key: touched.Key}); err != nil {
			return err
		}
	}
	for id, items := range c.Items {
		name, err := r.s.TableName(id)
		if err != nil {
			return err
		}
		table, _ := r.s.Design.Table(id)
		r.now[name] = map[string]accesspatterns.Item{}
		for _, item := range items {
			if _, err := r.s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(name), Item: item}); err != nil {
				return err
			}
			r.now[name][evaluate.KeyText(table, item)] = item
		}
	}
	return nil
}

// send sends the requests: none is refused, a read at the end returns an item that the exploration has, and in the end the items are as the
// exploration has them.
func (r *demonstration) send(ctx context.Context, c *explore.Counterexample) error {
	for i, input := range r.inputs {
		here := fmt.Sprintf("%s, request %d of %d", r.where, i+1, len(r.inputs))
		writes, err := sdk.Writes(input)
		if err != nil {
			return err
		}
		discloses := len(writes) == 0 && i == len(r.inputs)-1
		answer, err := r.s.AwaitedUntil(ctx, 1, func() (*session.Answer, error) { return r.ask(ctx, input) }, func(last *session.Answer) bool {
			return !discloses || r.has(last.Items)
		})
		if failures.Classify(err) == failures.Refused {
			code, _ := failures.CodeOf(err)
			r.o.Must(false, here, "an answer, as in memory", code, remedy.NotAsReplayed)
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.now.Apply(r.s.Deployed, writes); err != nil {
			return err
		}
		if discloses && !r.o.Must(r.has(answer.Items), here, "an item of the counterexample", fmt.Sprintf("%d other items", len(answer.Items)), remedy.NotAsReplayed) {
			return nil
		}
	}
	for _, touched := range r.touched {
		name, err := r.s.TableName(touched.Table.ID)
		if err != nil {
			return err
		}
		found, err := r.s.Get(ctx, touched.Table, touched.Key)
		if err != nil {
			return err
		}
		expected := r.now[name][evaluate.KeyText(touched.Table, touched.Key)]
		if !r.o.Must(dynamo.EqualItems(expected, found), r.where, dynamo.ShowItem(expected), dynamo.ShowItem(found), remedy.NotAsReplayed) {
			return nil
		}
	}
	requests := "the request"
	if len(r.inputs) > 1 {
		requests = fmt.Sprintf("the %d requests", len(r.inputs))
	}
	r.o.Note("seen on the engine: %s by which %s does not keep the claim; the items afterwards are those of the exploration", requests, strings.Join(c.Patterns, ", "))
	return nil
}

// ask sends a request. Of a query it asks for every page: items that the run has loaded may stand before those of the counterexample.
func (r *demonstration) ask(ctx context.Context, input any) (*session.Answer, error) {
	query, is := input.(*dynamodb.QueryInput)
	if !is {
		return send(ctx, r.s.Client, input)
	}
	all := &session.Answer{}
	err := session.Pages(ctx, r.s.Client, query, func(items []accesspatterns.Item) bool {
		all.Items = append(all.Items, items...)
		return true
	})
	return all, err
}

// has reports whether some of the items are items of the exploration, or parts of them.
func (r *demonstration) has(items []accesspatterns.Item) bool {
	for _, table := range r.now {
		for _, item := range table {
			if slices.ContainsFunc(items, func(found accesspatterns.Item) bool { return len(found) > 0 && dynamo.PartOf(found, item) }) {
				return true
			}
		}
	}
	return false
}

// deployedInput is a request with the names of tables in place of their ids.
func deployedInput(s *session.Session, input any) (any, error) {
	body, err := sdk.Body(input)
	if err != nil {
		return nil, err
	}
	request := fixtures.Request{Operation: sdk.Operation(input), Input: body}
	return request.Decode(s.TableName, s.FixtureItem)
}
