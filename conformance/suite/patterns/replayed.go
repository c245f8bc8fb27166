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
	r := &demonstration{s: s, o: o, where: "counterexample of " + strings.Join(shortest.Patterns, ", "), after: evaluate.Tables{}}
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
	// before are the items of the counterexample, after those of all keys as they must be in the end, by deployed table.
	before []accesspatterns.Item
	after  evaluate.Tables
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
		r.after[name] = map[string]accesspatterns.Item{}
		for _, item := range items {
			if _, err := r.s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(name), Item: item}); err != nil {
				return err
			}
			r.before, r.after[name][evaluate.KeyText(table, item)] = append(r.before, item), item
		}
	}
	return nil
}

// send sends the requests: none is refused, a read returns items of the counterexample, and in the end the items are as the exploration
// has them.
func (r *demonstration) send(ctx context.Context, c *explore.Counterexample) error {
	for i, input := range r.inputs {
		here := fmt.Sprintf("%s, request %d of %d", r.where, i+1, len(r.inputs))
		answer, err := send(ctx, r.s.Client, input)
		if failures.Classify(err) == failures.Refused {
			code, _ := failures.CodeOf(err)
			r.o.Must(false, here, "an answer, as in memory", code, remedy.NotAsReplayed)
			return nil
		}
		if err != nil {
			return err
		}
		writes, err := sdk.Writes(input)
		if err == nil {
			if err := r.after.Apply(r.s.Deployed, writes); err != nil {
				return err
			}
			continue
		}
		if i < len(r.inputs)-1 {
			continue // a step before the one that discloses
		}
		seen := slices.ContainsFunc(answer.Items, func(found accesspatterns.Item) bool {
			return slices.ContainsFunc(r.before, func(item accesspatterns.Item) bool { return len(found) > 0 && dynamo.PartOf(found, item) })
		})
		r.o.Must(seen, here, "an item of the counterexample", fmt.Sprintf("%d other items", len(answer.Items)), remedy.NotAsReplayed)
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
		expected := r.after[name][evaluate.KeyText(touched.Table, touched.Key)]
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

// deployedInput is a request with the names of tables in place of their ids.
func deployedInput(s *session.Session, input any) (any, error) {
	body, err := sdk.Body(input)
	if err != nil {
		return nil, err
	}
	request := fixtures.Request{Operation: sdk.Operation(input), Input: body}
	return request.Decode(s.TableName, s.FixtureItem)
}
