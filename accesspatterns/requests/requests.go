// Package requests holds a guard to requests that were written from a document alone: what a service of the document sends
// without having read the contract, and what nobody may send.
package requests

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
)

// Asked is one request: what a service of the document sends without having read the contract (honest), or what
// nobody may send (never). In expressions names and literals stand as they are: SET version = version + 1, title = 'x'; a name
// with other characters than letters and digits stands in backticks.
type Asked struct {
	Honest, Never string
	Cite          string   // lines of the document
	As            string   // the roles, joined by +, and the user whom the client acts for
	Not           []string // who may not send an honest request: written as in As
	Told          string   // the finding that says why the guard decides otherwise
	Says          string   // the words of the finding that name this form
	// Of is a kind of items, by the table and the words in capitals of its key; such a row is no request, and says of
	// those who put such items: without each attribute of Without the request must be refused, and without each of Lacking it passes; with a
	// value of Refused in place of the own it must be refused, and with one of Passes it passes. Open are the attributes of which the
	// document gives no type, and Null those that may be NULL.
	Of                           string
	Without, Lacking, Open, Null []string
	Refused, Passes              map[string][]any
	action                       `yaml:",inline"`
	Transact                     []action
	Batch                        []action
}

// action is one operation, named by its table (or table/index for Query), with its key, item and expressions.
type action struct {
	Get, Query, Scan, Put, Update, Delete, Check string
	Statement                                    string   // of PartiQL
	Attributes                                   []string // AttributesToGet of a GetItem
	In                                           string   // another environment than the guard's
	Key, Item, Values                            map[string]any
	Where, Filter, Project, Do, If               string
	Limit                                        int32
	Count, Backwards, Consistent                 bool
}

// Parse reads a list of requests, strictly.
func Parse(text []byte) (all []Asked, err error) {
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	return all, strict.Decode(&all)
}

// Problems says of which requests the guard of a design decides otherwise than it should: an honest one is refused, or one that nobody may
// send is admitted, and no finding says so in its words. A request whose finding is not needed is a problem, too.
func Problems(design *accesspatterns.Design, all []Asked) (problems []string) {
	j := judge{design: design, guards: map[string]*guard.Guard{}}
	for i := range all {
		if all[i].Of != "" {
			continue
		}
		if problem := j.of(&all[i]); problem != "" {
			problems = append(problems, all[i].Honest+all[i].Never+" ("+all[i].Cite+"): "+problem)
		}
	}
	return problems
}

// judge keeps the guards of a design, by role and user.
type judge struct {
	design *accesspatterns.Design
	guards map[string]*guard.Guard
}

func (j *judge) guard(as string) (*guard.Guard, error) {
	if made, known := j.guards[as]; known {
		return made, nil
	}
	role, user, _ := strings.Cut(as, " ")
	options := []guard.Option{guard.ForRole(strings.Split(role, "+")...), guard.InEnvironment("test")}
	if user != "" {
		options = append(options, guard.ForUser(user))
	}
	made, err := guard.New(j.design, options...)
	if err == nil {
		j.guards[as] = made
	}
	return made, err
}

func (j *judge) of(a *Asked) (problem string) {
	g, err := j.guard(a.As)
	if err != nil {
		return err.Error()
	}
	input, err := a.Input(j.design)
	if err != nil {
		return err.Error()
	}
	for _, other := range a.Not {
		if refuses, err := j.guard(other); err != nil {
			return err.Error()
		} else if admission, refusal := refuses.Check(context.Background(), input); refusal == nil {
			return fmt.Sprintf("expected it refused to %s, found it admitted as %v", other, admission)
		}
	}
	admission, refusal := g.Check(context.Background(), input)
	asked := (refusal == nil) == (a.Honest != "")
	switch {
	case asked && a.Told != "":
		return "decided as asked, so no finding tells it otherwise; take told out"
	case !asked && a.Told == "" && refusal != nil:
		return fmt.Sprintf("expected to pass, found %v", refusal)
	case !asked && a.Told == "":
		return fmt.Sprintf("expected a refusal, found it admitted as %v", admission)
	case a.Told != "":
		f, known := j.design.Finding(a.Told)
		if !known {
			return "no finding " + a.Told
		}
		if a.Says == "" || !strings.Contains(f.Title+"\n"+f.Literal+"\n"+f.Resolved+"\n"+f.Instead, a.Says) {
			return fmt.Sprintf("finding %s does not say %q", a.Told, a.Says)
		}
	}
	return ""
}

// Input is the request as the AWS SDK takes it, on the tables of a design.
func (a *Asked) Input(design *accesspatterns.Design) (any, error) {
	if a.Transact != nil {
		in := &dynamodb.TransactWriteItemsInput{}
		for i := range a.Transact {
			one, err := a.Transact[i].input(design)
			if err != nil {
				return nil, err
			}
			if check, is := one.(*types.ConditionCheck); is {
				in.TransactItems = append(in.TransactItems, types.TransactWriteItem{ConditionCheck: check})
				continue
			}
			writes, err := sdk.Writes(one)
			if err != nil || len(writes) != 1 {
				return nil, fmt.Errorf("a transaction of a %T", one)
			}
			in.TransactItems = append(in.TransactItems, writes[0].Element())
		}
		return in, nil
	}
	if a.Batch != nil {
		in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}}
		for i := range a.Batch {
			one, err := a.Batch[i].input(design)
			if err != nil {
				return nil, err
			}
			switch one := one.(type) {
			case *dynamodb.PutItemInput:
				in.RequestItems[*one.TableName] = append(in.RequestItems[*one.TableName], types.WriteRequest{PutRequest: &types.PutRequest{Item: one.Item}})
			case *dynamodb.DeleteItemInput:
				in.RequestItems[*one.TableName] = append(in.RequestItems[*one.TableName], types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: one.Key}})
			default:
				return nil, fmt.Errorf("a batch of a %T", one)
			}
		}
		return in, nil
	}
	return a.action.input(design)
}

func (a *action) input(design *accesspatterns.Design) (any, error) {
	names, values := map[string]string{}, map[string]types.AttributeValue{}
	for name, value := range a.Values {
		values[":"+name] = attributeValue(value)
	}
	key, item := attributeValues(a.Key), attributeValues(a.Item)
	where, filter, project, do, condition := sent(a.Where, names, values), sent(a.Filter, names, values), sent(a.Project, names, values), sent(a.Do, names, values), sent(a.If, names, values)
	if len(names) == 0 {
		names = nil
	}
	if len(values) == 0 {
		values = nil
	}
	if a.Statement != "" {
		return &dynamodb.ExecuteStatementInput{Statement: &a.Statement}, nil
	}
	id, index, _ := strings.Cut(a.Get+a.Query+a.Scan+a.Put+a.Update+a.Delete+a.Check, "/")
	i := slices.IndexFunc(design.Tables, func(table accesspatterns.Table) bool { return table.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("no table %q", id)
	}
	table := aws.String(design.Tables[i].Name.In(cmp.Or(a.In, "test")))
	switch {
	case a.Get != "":
		return &dynamodb.GetItemInput{TableName: table, Key: key, ProjectionExpression: project, ExpressionAttributeNames: names, AttributesToGet: a.Attributes}, nil
	case a.Query != "":
		in := &dynamodb.QueryInput{TableName: table, KeyConditionExpression: where, FilterExpression: filter, ProjectionExpression: project, ExpressionAttributeNames: names, ExpressionAttributeValues: values}
		if index != "" {
			in.IndexName = &index
		}
		if a.Limit > 0 {
			in.Limit = &a.Limit
		}
		if a.Backwards {
			in.ScanIndexForward = aws.Bool(false)
		}
		if a.Consistent {
			in.ConsistentRead = aws.Bool(true)
		}
		if a.Count {
			in.Select = types.SelectCount
		}
		return in, nil
	case a.Scan != "":
		in := &dynamodb.ScanInput{TableName: table, FilterExpression: filter, ProjectionExpression: project, ExpressionAttributeNames: names, ExpressionAttributeValues: values}
		if index != "" {
			in.IndexName = &index
		}
		if a.Limit > 0 {
			in.Limit = &a.Limit
		}
		return in, nil
	case a.Put != "":
		return &dynamodb.PutItemInput{TableName: table, Item: item, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values}, nil
	case a.Update != "":
		return &dynamodb.UpdateItemInput{TableName: table, Key: key, UpdateExpression: do, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values}, nil
	case a.Delete != "":
		return &dynamodb.DeleteItemInput{TableName: table, Key: key, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values}, nil
	}
	return &types.ConditionCheck{TableName: table, Key: key, ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values}, nil
}

var (
	tokens  = regexp.MustCompile("`[^`]+`|\\[\\d+\\]|'[^']*'|:\\w+|-?\\d[\\d.]*|\\w+\\s*\\(|\\w+|[^\\w':`[]+")
	word    = regexp.MustCompile(`^\w`)
	keyword = regexp.MustCompile(`^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|BETWEEN|IN)$`)
)

// sent writes an expression as it is sent: each name and each literal as a placeholder.
func sent(text string, names map[string]string, values map[string]types.AttributeValue) *string {
	if text == "" {
		return nil
	}
	literal := func(value types.AttributeValue) string {
		name := fmt.Sprintf(":literal%d", len(values))
		values[name] = value
		return name
	}
	out := tokens.ReplaceAllStringFunc(text, func(token string) string {
		switch first := token[0]; {
		case first == '`':
			name := fmt.Sprintf("#name%d", len(names))
			names[name] = strings.Trim(token, "`")
			return name
		case first == '\'':
			return literal(&types.AttributeValueMemberS{Value: token[1 : len(token)-1]})
		case first >= '0' && first <= '9' || first == '-' && len(token) > 1 && token[1] != ' ':
			return literal(&types.AttributeValueMemberN{Value: token})
		case token == "true" || token == "false":
			return literal(&types.AttributeValueMemberBOOL{Value: token == "true"})
		case first == ':' || keyword.MatchString(token) || strings.HasSuffix(token, "(") || !word.MatchString(token):
			return token
		}
		names["#"+token] = token
		return "#" + token
	})
	return &out
}

func attributeValues(from map[string]any) map[string]types.AttributeValue {
	if from == nil {
		return nil
	}
	values := map[string]types.AttributeValue{}
	for name, value := range from {
		values[name] = attributeValue(value)
	}
	return values
}

// attributeValue is a value of YAML: {SS: [a, b]} is a String Set.
func attributeValue(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case int:
		return &types.AttributeValueMemberN{Value: fmt.Sprint(v)}
	case float64:
		return &types.AttributeValueMemberN{Value: strconv.FormatFloat(v, 'f', -1, 64)}
	case []any:
		list := &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
		for _, one := range v {
			list.Value = append(list.Value, attributeValue(one))
		}
		return list
	case map[string]any:
		if set, is := v["SS"].([]any); is && len(v) == 1 {
			members := &types.AttributeValueMemberSS{}
			for _, one := range set {
				members.Value = append(members.Value, fmt.Sprint(one))
			}
			return members
		}
		return &types.AttributeValueMemberM{Value: attributeValues(v)}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}
