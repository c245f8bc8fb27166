// Package requests holds a guard to requests that were written from a document alone: what a service of the document sends
// without having read the contract, and what nobody may send.
package requests

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/cliinput"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/lists"
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
	// value of Refused in place of the own it must be refused, with one of Tied, too, and an item may have it, and with one of Passes it passes. Open are the attributes of which the
	// document gives no type, and Null those that may be NULL. A kind that nobody puts has an item in the row, as a put.
	// A row of TABLE * says of all kinds of a table without which attributes, and with which values in or beside their own, they must be refused.
	Of                           string
	Without, Lacking, Open, Null []string
	Refused, Tied, Passes        map[string][]any
	action                       `yaml:",inline"`
	Transact                     []action
	Batch                        []action
	Free                         []string // ids that another action of the transaction has, too, and need not have; filter: a request without it is another honest one
	By                           []string // the patterns as which the request is admitted, in the order of their names
}

// action is one operation, named by its table (or table/index for Query), with its key, item and expressions.
type action struct {
	Get, Query, Scan, Put, Update, Delete, Check string
	Statement                                    string // of PartiQL
	In                                           string // another environment than the guard's
	Key, Item, Values                            map[string]any
	Where, Filter, Project, Do, If               string
	Limit                                        int32
	Backwards, Consistent                        bool
	With                                         map[string]any // further members of the input, or others in place of those above, as the AWS CLI takes them
}

// Parse reads a list of requests, strictly.
func Parse(text []byte) (all []Asked, err error) {
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true)
	return all, strict.Decode(&all)
}

// Judge holds requests to the guards of a design, by role and user. The design must not be changed.
type Judge struct {
	design *accesspatterns.Design
	guards map[string]*guard.Guard
}

// NewJudge is the judge of a design. It makes each guard once.
func NewJudge(design *accesspatterns.Design) *Judge {
	return &Judge{design, map[string]*guard.Guard{}}
}

// Problems says of which requests the guard of a design decides otherwise than it should: an honest one is refused, or one that nobody may
// send is admitted, and no finding says so in its words. A request whose finding is not needed is a problem, too.
func (j *Judge) Problems(all []Asked) (problems []string) {
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

func (j *Judge) guard(as string) (*guard.Guard, error) {
	if made, known := j.guards[as]; known {
		return made, nil
	}
	role, user, _ := strings.Cut(as, " ")
	// A part of a design may have no pattern of some of the roles.
	roles := strings.Split(role, "+")
	if played := slices.DeleteFunc(slices.Clone(roles), j.idle); len(played) > 0 {
		roles = played
	}
	options := []guard.Option{guard.ForRole(roles...), guard.InEnvironment("test")}
	if user != "" {
		options = append(options, guard.ForUser(user))
	}
	made, err := guard.New(j.design, options...)
	if err == nil {
		j.guards[as] = made
	}
	return made, err
}

// idle reports whether a role of the design has no pattern.
func (j *Judge) idle(role string) bool {
	_, known := j.design.Role(role)
	return known && !slices.ContainsFunc(j.design.Patterns, func(p accesspatterns.Pattern) bool { return slices.Contains(p.Roles, role) })
}

func (j *Judge) of(a *Asked) (problem string) {
	g, err := j.guard(a.As)
	if err != nil {
		return err.Error()
	}
	input, err := a.Input(j.design)
	if err != nil {
		return err.Error()
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
	by := lists.Sorted(lists.Map(admission.All, func(as guard.Admission) string { return as.Pattern }))
	if a.By != nil && !slices.Equal(by, a.By) {
		return fmt.Sprintf("expected it admitted as %v, found %v", a.By, by)
	}
	for _, other := range a.Not {
		if refuses, err := j.guard(other); err != nil {
			return err.Error()
		} else if admission, refusal := refuses.Check(context.Background(), input); refusal == nil {
			return fmt.Sprintf("expected it refused to %s, found it admitted as %v", other, admission)
		}
	}
	return ""
}

// Input is the request as the AWS SDK takes it, on the tables of a design: reads of a transaction or a batch are TransactGetItems and
// BatchGetItem, its writes TransactWriteItems and BatchWriteItem, its statements ExecuteTransaction and BatchExecuteStatement.
func (a *Asked) Input(design *accesspatterns.Design) (any, error) {
	if a.Transact == nil && a.Batch == nil {
		return a.alone(design)
	}
	var in any
	all := a.actions()
	if len(all) == 0 {
		return nil, errors.New("expected an action in a transaction or a batch, found none")
	}
	for i := range all {
		verb, table, err := all[i].on(design)
		if err == nil {
			in, err = all[i].join(in, verb, table, a.Batch != nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return in, with(in, a.With)
}

// join adds an action to a transaction or a batch; nil stands for one of nothing.
func (a *action) join(to any, verb string, table *string, batch bool) (any, error) {
	var in any = &dynamodb.TransactWriteItemsInput{}
	list, part := "TransactItems", verb
	switch {
	case verb == "Statement" && batch:
		in, list, part = &dynamodb.BatchExecuteStatementInput{}, "Statements", ""
	case verb == "Statement":
		in, list, part = &dynamodb.ExecuteTransactionInput{}, "TransactStatements", ""
	case verb == "Get" && batch:
		in = &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}}
	case verb == "Get":
		in = &dynamodb.TransactGetItemsInput{}
	case batch:
		in, part = &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{}}, verb+"Request"
	}
	if to != nil && reflect.TypeOf(to) != reflect.TypeOf(in) {
		return nil, errors.New("a transaction or a batch of several kinds")
	} else if to != nil {
		in = to
	}
	switch in := in.(type) {
	case *dynamodb.BatchGetItemInput:
		together := in.RequestItems[*table]
		err := a.fill(&together, table)
		together.Keys = append(together.Keys, attributeValues(a.Key))
		in.RequestItems[*table] = together
		return in, err
	case *dynamodb.BatchWriteItemInput:
		element := types.WriteRequest{}
		err := a.element(&element, part, table)
		in.RequestItems[*table] = append(in.RequestItems[*table], element)
		return in, err
	}
	all := reflect.ValueOf(in).Elem().FieldByName(list)
	element := reflect.New(all.Type().Elem())
	err := a.element(element.Interface(), part, table)
	all.Set(reflect.Append(all, element.Elem()))
	return in, err
}

// on returns what an action does and the name of its table.
func (a *action) on(design *accesspatterns.Design) (verb string, table *string, err error) {
	if a.Statement != "" {
		return "Statement", nil, nil
	}
	id, _, _ := strings.Cut(a.Get+a.Query+a.Scan+a.Put+a.Update+a.Delete+a.Check, "/")
	i := slices.IndexFunc(design.Tables, func(table accesspatterns.Table) bool { return table.ID == id })
	if i < 0 {
		return "", nil, fmt.Errorf("no table %q", id)
	}
	verb = sdk.Used("Get", a.Get != "", "Query", a.Query != "", "Scan", a.Scan != "", "Put", a.Put != "", "Update", a.Update != "", "Delete", a.Delete != "", "ConditionCheck", a.Check != "")
	return verb, aws.String(design.Tables[i].Name.In(cmp.Or(a.In, "test"))), nil
}

// alone is the action as a request of its own; a condition check, which is none, stands in a transaction.
func (a *action) alone(design *accesspatterns.Design) (any, error) {
	verb, table, err := a.on(design)
	if err != nil {
		return nil, err
	}
	in := map[string]any{"Get": &dynamodb.GetItemInput{}, "Query": &dynamodb.QueryInput{}, "Scan": &dynamodb.ScanInput{}, "Put": &dynamodb.PutItemInput{},
		"Update": &dynamodb.UpdateItemInput{}, "Delete": &dynamodb.DeleteItemInput{}, "Statement": &dynamodb.ExecuteStatementInput{}}[verb]
	if in == nil {
		return nil, fmt.Errorf("a %s alone", verb)
	}
	return in, a.fill(in, table)
}

// element fills the field of an element that holds the action, or where that is empty the element.
func (a *action) element(of any, field string, table *string) error {
	if field == "" {
		return a.fill(of, table)
	}
	holds := reflect.ValueOf(of).Elem().FieldByName(field)
	if !holds.IsValid() {
		return fmt.Errorf("a %T of a %s", of, field)
	}
	holds.Set(reflect.New(holds.Type().Elem()))
	return a.fill(holds.Interface(), table)
}

// fill sets those fields of an input of the SDK, or of an element of one, that the action has.
func (a *action) fill(in any, table *string) error {
	names, values := map[string]string{}, map[string]types.AttributeValue{}
	for name, value := range a.Values {
		values[":"+name] = attributeValue(value)
	}
	fields := map[string]any{"TableName": table}
	for _, of := range [][2]string{{"KeyConditionExpression", a.Where}, {"FilterExpression", a.Filter}, {"ProjectionExpression", a.Project}, {"UpdateExpression", a.Do}, {"ConditionExpression", a.If}} {
		if of[1] != "" {
			fields[of[0]] = sent(of[1], names, values)
		}
	}
	set := func(name string, value any, is bool) {
		if is {
			fields[name] = value
		}
	}
	_, index, _ := strings.Cut(a.Query+a.Scan, "/")
	set("IndexName", &index, index != "")
	set("Statement", &a.Statement, a.Statement != "")
	set("Key", attributeValues(a.Key), a.Key != nil)
	set("Item", attributeValues(a.Item), a.Item != nil)
	set("Limit", &a.Limit, a.Limit > 0)
	set("ScanIndexForward", aws.Bool(false), a.Backwards)
	set("ConsistentRead", aws.Bool(true), a.Consistent)
	set("ExpressionAttributeNames", names, len(names) > 0)
	set("ExpressionAttributeValues", values, len(values) > 0)
	of := reflect.ValueOf(in).Elem()
	for name, value := range fields {
		if field := of.FieldByName(name); field.IsValid() {
			field.Set(reflect.ValueOf(value))
		}
	}
	return with(in, a.With)
}

// with sets further members of an input of the SDK, or of an element of one.
func with(in any, members map[string]any) error {
	if len(members) == 0 {
		return nil
	}
	text, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return cliinput.Decoder{}.Fill(in, text)
}

var (
	tokens  = regexp.MustCompile("`[^`]+`|\\[\\d+\\]|'[^']*'|:\\w+|-?\\d[\\d.]*|\\w+\\s*\\(|\\w+|[^\\w':`[]+")
	word    = regexp.MustCompile(`^\w`)
	keyword = regexp.MustCompile(`^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|BETWEEN|IN)$`)
)

// sent writes an expression as it is sent: each name and each literal as a placeholder.
func sent(text string, names map[string]string, values map[string]types.AttributeValue) *string {
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

// attributeValue is a value of YAML, {SS: [a, b]} a String Set, or one that is of DynamoDB already.
func attributeValue(v any) types.AttributeValue {
	switch v := v.(type) {
	case types.AttributeValue:
		return v
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
		list.Value = append(list.Value, lists.Map(v, attributeValue)...)
		return list
	case map[string]any:
		if set, is := v["SS"].([]any); is && len(v) == 1 {
			return &types.AttributeValueMemberSS{Value: lists.Map(set, func(one any) string { return fmt.Sprint(one) })}
		}
		return &types.AttributeValueMemberM{Value: attributeValues(v)}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}
