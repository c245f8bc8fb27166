package policies

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/internal/policy"
	"dynaproof/conformance/suite/session"
)

// authoriser is what takes a session's requests apart as IAM does.
type authoriser struct{ *session.Session }

// The condition keys that requests carry.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
const (
	leadingKeys   = "dynamodb:LeadingKeys"
	attributesKey = "dynamodb:Attributes"
	returnKey     = "dynamodb:ReturnValues"
	selectKey     = "dynamodb:Select"
	enclosingKey  = "dynamodb:EnclosingOperation"
	fullTableScan = "dynamodb:FullTableScan"
	roleTag       = "aws:PrincipalTag/role"
	userTagPrefix = "aws:PrincipalTag/"

	// specific is the Select of a read that names its attributes.
	specific = string(types.SelectSpecificAttributes)
)

// authorisation is what IAM decides about a request: a transaction needs one for
// each of its actions. It is made from the SDK's own request.
type authorisation struct {
	policy.Request
	// table is the logical id of the table whose policy applies.
	table string
	// index is the index that is read, if any.
	index string
}

// attempt is one case of a pattern as IAM sees it: by step, all that the case
// would send.
type attempt struct {
	name  string
	steps map[string][]authorisation
}

// attempts compiles the cases of a pattern. Every step is compiled for every
// case that has the values for it, whether or not the flow would stop before:
// what a role may do does not depend on what the tables hold. A step for which
// no case has the values is an error.
func (s authoriser) attempts(pattern *accesspatterns.Pattern) ([]attempt, error) {
	var made []attempt
	reached := map[string]bool{}
	problems := map[string]error{}
	for _, c := range s.Fixtures.CasesOf(pattern.ID) {
		one := attempt{name: strings.TrimSpace(pattern.ID + " " + c.Name), steps: map[string][]authorisation{}}
		seen, err := s.Seen(pattern, &c)
		if err != nil {
			return nil, err
		}
		for _, step := range pattern.Steps {
			repetitions, err := step.Repetitions(c.Params, seen)
			if err != nil {
				problems[step.Name] = err
				continue
			}
			inputs, err := s.Compiled(&step, c.Items, repetitions)
			for _, input := range inputs {
				parts, untold := s.authorisationsOf(input)
				one.steps[step.Name], err = append(one.steps[step.Name], parts...), cmp.Or(err, untold)
			}
			if err != nil {
				delete(one.steps, step.Name)
				problems[step.Name] = err
			}
			reached[step.Name] = reached[step.Name] || len(one.steps[step.Name]) > 0
		}
		made = append(made, one)
	}
	for _, step := range pattern.Steps {
		if !reached[step.Name] {
			return nil, fmt.Errorf("pattern %s, step %s: no case has the values for a request: %w", pattern.ID, step.Name, cmp.Or(problems[step.Name], errNoItem))
		}
	}
	return made, nil
}

var errNoItem = errors.New("no case returns an item to repeat it for")

// authorisationsOf says what IAM decides about a request. There is no action for
// a transaction: each of its parts needs the permission of its own kind.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
func (s authoriser) authorisationsOf(input any) (all []authorisation, failed error) {
	operation := sdk.Operation(input)
	batch, transaction := strings.HasPrefix(operation, "Batch"), strings.HasPrefix(operation, "Transact")
	need := func(action, table, index string, key accesspatterns.Item, context policy.Context) {
		if batch {
			action = operation
		}
		if transaction {
			context[enclosingKey] = []string{operation}
		}
		one, err := s.authorise(action, table, index, key, context)
		failed = cmp.Or(failed, err)
		if last := len(all) - 1; batch && last >= 0 && all[last].table == one.table {
			all[last].join(one) // a batch needs one permission for each table, for all of its keys
			return
		}
		all = append(all, one)
	}
	lookups, unread := sdk.Lookups(input)
	for l := range lists.Each(lookups) {
		key := l.Key
		if query, is := input.(*dynamodb.QueryInput); is {
			key, unread = sdk.BoundKeys(query)
		}
		need(string(l.Operation), l.Table, aws.ToString(l.Index), key, policy.Context{
			selectKey:     {selected(l.Projection, l.Index)},
			attributesKey: attributes(l.Key, l.Names, l.KeyCondition, l.Filter, l.Projection),
		})
	}
	writes, unwritten := sdk.Writes(input)
	for w := range lists.Each(writes) {
		need(string(w.Kind)+"Item", w.Table, "", w.Place(), policy.Context{attributesKey: attributes(w.Place(), w.Names, w.Update, w.Condition)})
	}
	if err := cmp.Or(unread, unwritten); err != nil {
		return nil, fmt.Errorf("no way to tell what IAM decides about a %T: %w", input, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no way to tell what IAM decides about a %T: it reads and writes no item", input)
	}
	return all, failed
}

// join adds another key of the same batch.
func (a *authorisation) join(one authorisation) {
	for _, key := range []string{leadingKeys, attributesKey} {
		a.Context[key] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.Context[key], one.Context[key]))))
	}
}

// authorise adds what all requests have in common: the ARN and the leading key,
// which for an index is the value of the index's own partition key.
func (s authoriser) authorise(action, deployed, index string, key accesspatterns.Item, context policy.Context) (authorisation, error) {
	table, known := s.Deployed(deployed)
	if !known {
		return authorisation{}, fmt.Errorf("the contract and the deployment have no table %s", deployed)
	}
	a := authorisation{table: table.ID, index: index, Request: policy.Request{Action: "dynamodb:" + action, Resource: s.Deployment.TableARNs[table.ID], Context: context}}
	if a.Resource == "" {
		return a, fmt.Errorf("table %s: the deployment names no ARN", table.ID)
	}
	if a.index != "" {
		a.Resource += "/index/" + a.index
	}
	keys, known := table.KeysOf(a.index)
	if !known {
		return a, fmt.Errorf("no index %s of table %s in the contract", a.index, table.ID)
	}
	if value, has := key[keys[0].Attribute]; has {
		if kind := dynamo.TypeOf(value); kind != dynamo.String && kind != dynamo.Number {
			return a, fmt.Errorf("table %s, key %s: expected a String or a Number, found %s", table.ID, keys[0].Attribute, dynamo.Show(value))
		}
		a.Context[leadingKeys] = []string{dynamo.ScalarText(value)}
	}
	return a, nil
}

// selected is what a read asks for when it does not set Select itself.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
func selected(projection, index *string) string {
	switch {
	case projection != nil:
		return specific
	case index != nil:
		return string(types.SelectAllProjectedAttributes)
	}
	return string(types.SelectAllAttributes)
}

// attributes names the top-level attributes that a request speaks of: those of
// its key or item and those of its expressions.
func attributes(item accesspatterns.Item, names map[string]string, expressions ...*string) []string {
	return lists.Sorted(slices.AppendSeq(sdk.AttributesOf(names, expressions...), maps.Keys(item)))
}

// formOf returns the form of a partition key, from the entities that have one: the
// one with the longest literal text, with its parameters blanked. It is empty where no entity has a key like it.
func (s authoriser) formOf(table, index, key string) (form string) {
	of, known := s.Design.Table(table)
	if !known {
		return ""
	}
	for _, template := range session.FormsOf(s.Design, of, index, key) {
		if blank := template.Shape(); len(blank) > len(form) {
			form = blank
		}
	}
	return form
}

// anyKey is the form of a key that is an id and nothing else.
const anyKey = "{}"
