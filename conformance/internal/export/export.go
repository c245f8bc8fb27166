// Package export writes a design in the notations of other tools, so that people can
// open it there: NoSQL Workbench, and dynamodb_data_model.json of AWS's modelling tools.
// What a notation has no room for is told beside it.
package export

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/cliinput"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Formats are the notations by name.
var Formats = map[string]func(design *accesspatterns.Design, set *fixtures.Set, environment string) (model any, left []string, err error){
	"data-model": dataModel, "workbench": workbench,
}

type attributeType struct{ AttributeName, AttributeType string }

type keyElement struct{ AttributeName, KeyType string }

type projection struct {
	ProjectionType   string
	NonKeyAttributes []string `json:",omitempty"`
}

// loaded are the items of a table that are there before anything is written.
func loaded(design *accesspatterns.Design, set *fixtures.Set, table string) (items []*fixtures.Item, err error) {
	for item := range lists.Each(set.Items) {
		of, err := set.TableOf(design, item)
		if err != nil {
			return nil, err
		}
		if !item.Held && of.ID == table {
			items = append(items, item)
		}
	}
	return items, nil
}

func shown(item *fixtures.Item) json.RawMessage { return json.RawMessage(dynamo.ShowItem(item.Item)) }

// leftOf lists what no table of these notations can say, and what one of them cannot beside that.
func leftOf(design *accesspatterns.Design, also ...string) (all []string) {
	for table := range lists.Each(design.Tables) {
		for what, is := range map[string]bool{
			"point-in-time recovery": table.PITR != nil, "region": table.Region != nil, "encryption": table.Encryption != nil, "tags": len(table.Tags) > 0,
			"time to live": table.TTL != nil, "stream": table.Stream != nil, "deletion protection": table.Protection != nil, "table class": table.Class != nil, "billing mode": table.Billing == dynamo.Provisioned,
		} {
			if is && slices.Contains(append(also, "point-in-time recovery", "region", "encryption", "tags"), what) {
				all = append(all, table.ID+": "+what)
			}
		}
	}
	slices.Sort(all)
	return all
}

type modelIndex struct {
	IndexName  string
	KeySchema  []keyElement
	Projection projection

	ProvisionedThroughput *types.ProvisionedThroughput `json:",omitempty"`
}

type modelTable struct {
	TableName              string
	AttributeDefinitions   []attributeType
	KeySchema              []keyElement
	GlobalSecondaryIndexes []modelIndex `json:",omitempty"`
	LocalSecondaryIndexes  []modelIndex `json:",omitempty"`
	BillingMode            string       `json:",omitempty"`

	ProvisionedThroughput     *types.ProvisionedThroughput   `json:",omitempty"`
	StreamSpecification       *types.StreamSpecification     `json:",omitempty"`
	DeletionProtectionEnabled bool                           `json:",omitempty"`
	TableClass                string                         `json:",omitempty"`
	TimeToLiveSpecification   *types.TimeToLiveSpecification `json:",omitempty"`
}

type modelPattern struct {
	Pattern        string `json:"pattern"`
	Description    string `json:"description"`
	Table          string `json:"table"`
	Index          string `json:"index,omitempty"`
	Operation      string `json:"dynamodb_operation"`
	Implementation string `json:"implementation"`
}

// dataModel is a design as dynamodb_data_model.json. Patterns of one step have the
// command line of a case; of the others the steps are named.
func dataModel(design *accesspatterns.Design, set *fixtures.Set, environment string) (any, []string, error) {
	type put struct {
		PutRequest struct{ Item json.RawMessage }
	}
	model := struct {
		Tables   []modelTable     `json:"tables"`
		Items    map[string][]put `json:"items"`
		Patterns []*modelPattern  `json:"access_patterns"`
	}{Tables: []modelTable{}, Items: map[string][]put{}, Patterns: []*modelPattern{}}
	left := leftOf(design)
	for table := range lists.Each(design.Tables) {
		of := modelTable{TableName: table.Name.In(environment), KeySchema: schemaOf(table.Keys()[:1], table.Keys()[1:]), BillingMode: string(table.Billing)}
		definitions := table.AttributeDefinitions()
		for _, name := range slices.Sorted(maps.Keys(definitions)) {
			of.AttributeDefinitions = append(of.AttributeDefinitions, attributeType{name, string(definitions[name])})
		}
		if units := table.Units; units != nil {
			of.ProvisionedThroughput = &types.ProvisionedThroughput{ReadCapacityUnits: &units.ReadUnits, WriteCapacityUnits: &units.WriteUnits}
		}
		if table.TTL != nil {
			of.TimeToLiveSpecification = &types.TimeToLiveSpecification{AttributeName: &table.TTL.Attribute, Enabled: aws.Bool(true)}
			left = append(left, table.ID+": time to live, which generate_resources takes, and dynamodb_data_model_validation refuses with its table")
		}
		if of.BillingMode == "" || table.Billing == dynamo.Provisioned && table.Units == nil {
			left = append(left, table.ID+": billing mode and capacity, which the contract leaves open, and without which create_table makes no table")
		}
		if table.Stream != nil {
			of.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(table.Stream.View)}
		}
		if of.DeletionProtectionEnabled = table.Protection != nil; table.Class != nil {
			of.TableClass = table.Class.Class
		}
		for index := range lists.Each(table.Indexes) {
			into, units := &of.GlobalSecondaryIndexes, of.ProvisionedThroughput
			if index.Local {
				into, units = &of.LocalSecondaryIndexes, nil
			}
			if units != nil {
				left = append(left, table.ID+": capacity of index "+index.Name+", which the contract leaves open, and which is that of the table")
			}
			*into = append(*into, modelIndex{index.Name, schemaOf(index.AllKeys()), projection{string(index.Projection), index.NonKeyAttributes}, units})
		}
		model.Tables = append(model.Tables, of)
		items, err := loaded(design, set, table.ID)
		if err != nil {
			return nil, nil, err
		}
		for _, item := range items {
			var one put
			one.PutRequest.Item = shown(item)
			model.Items[of.TableName] = append(model.Items[of.TableName], one)
		}
	}
	named := session.InEnvironment(design, set, environment)
	for i := range design.Patterns {
		pattern, err := modelPatternOf(&named, &design.Patterns[i])
		if err != nil {
			return nil, nil, err
		}
		pattern.Pattern = fmt.Sprint(i + 1)
		model.Patterns = append(model.Patterns, pattern)
	}
	return model, left, nil
}

func schemaOf(partition, sort []accesspatterns.Key) (schema []keyElement) {
	for i, key := range slices.Concat(partition, sort) {
		schema = append(schema, keyElement{key.Attribute, map[bool]string{true: "HASH", false: "RANGE"}[i < len(partition)]})
	}
	return schema
}

// modelPatternOf gives a pattern of one request the command line of a case: the first, or where it writes the first that nothing disturbs.
func modelPatternOf(named *session.Input, pattern *accesspatterns.Pattern) (*modelPattern, error) {
	of := &modelPattern{Description: pattern.Title, Operation: "several"}
	cases := named.Fixtures.CasesOf(pattern.ID)
	at := slices.IndexFunc(cases, func(c fixtures.Case) bool {
		return pattern.OnlyRead() != nil || c.Error == "" && c.Interfere == nil && len(c.Idle) == 0
	})
	if len(pattern.Steps) != 1 || pattern.Steps[0].ForEach != nil || at < 0 {
		var words []string
		for _, step := range pattern.Steps {
			operations := lists.Texts(step.WriteOperations())
			if step.Read != nil {
				operations = []string{string(step.Read.Sends())}
			}
			words = append(words, step.Name+" ("+strings.Join(operations, " or ")+")")
		}
		of.Implementation = "steps: " + strings.Join(words, ", ")
		return of, nil
	}
	step := &pattern.Steps[0]
	requests, err := named.Compiled(step, cases[at].Items, []accesspatterns.Params{cases[at].Params})
	if err == nil && len(requests) == 0 {
		err = errors.New("expected a request, found none")
	}
	if err != nil {
		return of, fmt.Errorf("pattern %s: %w", pattern.ID, err)
	}
	if of.Operation = sdk.Operation(requests[0]); step.Read != nil {
		of.Table, of.Index = named.Deployment.Tables[step.Read.Table], step.Read.Index
	} else if writes, _ := sdk.Writes(requests[0]); len(writes) > 0 {
		of.Table = writes[0].Table
	}
	of.Implementation, err = commandLine(requests[0])
	return of, err
}

// first are the members that a line begins with, the last of them before all others.
var first = []string{"IndexName", "TableName"}

// howSent are members that say how this project sends its requests, and nothing of the pattern.
var howSent = []string{"ConsistentRead", "ReturnConsumedCapacity", "ClientRequestToken"}

// commandLine is a request as a line of the AWS CLI, an option for each member of its body.
func commandLine(request any) (string, error) {
	body, err := sdk.Body(request)
	if err != nil {
		return "", err
	}
	var members map[string]json.RawMessage
	if err := input.Exactly(body, &members); err != nil {
		return "", err
	}
	var words []string
	names := slices.Sorted(maps.Keys(members))
	slices.SortStableFunc(names, func(a, b string) int { return slices.Index(first, b) - slices.Index(first, a) })
	for _, name := range names {
		var text string
		value := string(members[name])
		switch {
		case slices.Contains(howSent, name):
		case value == "true":
			words = append(words, "--"+cliinput.CLIName(name))
		case value == "false":
			words = append(words, "--no-"+cliinput.CLIName(name))
		case input.Exactly(members[name], &text) == nil:
			words = append(words, "--"+cliinput.CLIName(name), text)
		default:
			words = append(words, "--"+cliinput.CLIName(name), value)
		}
	}
	return cliinput.CommandLine(sdk.Operation(request), "", words...), nil
}

type workbenchKey struct {
	PartitionKey attributeType
	SortKey      *attributeType `json:",omitempty"`
}

type workbenchIndex struct {
	IndexName     string
	KeyAttributes workbenchKey
	Projection    projection
}

type workbenchFacet struct {
	FacetName         string
	KeyAttributeAlias map[string]string
	TableData         []json.RawMessage
	NonKeyAttributes  []string
	DataAccess        map[string]any
}

type workbenchTable struct {
	TableName              string
	KeyAttributes          workbenchKey
	NonKeyAttributes       []attributeType  `json:",omitempty"`
	TableFacets            []workbenchFacet `json:",omitempty"`
	GlobalSecondaryIndexes []workbenchIndex `json:",omitempty"`
	TableData              []json.RawMessage
	DataAccess             map[string]any
	BillingMode            string `json:",omitempty"`

	ProvisionedCapacitySettings *capacitySettings `json:",omitempty"`
}

type capacitySettings struct{ ProvisionedThroughput types.ProvisionedThroughput }

// workbench is a design as a model of NoSQL Workbench: a facet for each entity. It has
// no room for access patterns.
func workbench(design *accesspatterns.Design, set *fixtures.Set, environment string) (any, []string, error) {
	model := struct {
		ModelName     string
		ModelMetadata map[string]string
		DataModel     []workbenchTable
	}{DataModel: []workbenchTable{}, ModelName: design.Name, ModelMetadata: map[string]string{
		"Author": "", "Description": design.Title, "AWSService": "Amazon DynamoDB", "Version": "3.0", "DateCreated": "", "DateLastModified": "",
	}}
	access := map[string]any{"MySql": map[string]any{}}
	lost := leftOf(design, "time to live", "stream", "deletion protection", "table class")
	for table := range lists.Each(design.Tables) {
		of := workbenchTable{TableName: table.Name.In(environment), KeyAttributes: workbenchKeyOf(table.Keys()), DataAccess: access, BillingMode: string(table.Billing), TableData: []json.RawMessage{}}
		if units := table.Units; units != nil {
			of.ProvisionedCapacitySettings = &capacitySettings{types.ProvisionedThroughput{ReadCapacityUnits: &units.ReadUnits, WriteCapacityUnits: &units.WriteUnits}}
		}
		for index := range lists.Each(table.Indexes) {
			if index.Local {
				lost = append(lost, table.ID+": local index "+index.Name)
				continue
			}
			if index.Composite() {
				lost = append(lost, table.ID+": index "+index.Name+", all but the first attribute of each key")
			}
			of.GlobalSecondaryIndexes = append(of.GlobalSecondaryIndexes, workbenchIndex{index.Name, workbenchKeyOf(index.Keys()), projection{string(index.Projection), index.NonKeyAttributes}})
		}
		items, err := loaded(design, set, table.ID)
		if err != nil {
			return nil, nil, err
		}
		of.TableData = append(of.TableData, lists.Map(items, shown)...)
		others := map[string]string{}
		for index := range lists.Each(table.Indexes) {
			for _, key := range index.Keys() {
				if !index.Local && !table.Keys().Has(key.Attribute) {
					others[key.Attribute] = string(key.Type)
				}
			}
		}
		for entity := range lists.Each(design.Entities) {
			if entity.Table != table.ID {
				continue
			}
			facet := workbenchFacet{FacetName: entity.ID, KeyAttributeAlias: map[string]string{"PartitionKeyAlias": table.PartitionKey.Attribute}, TableData: []json.RawMessage{}, DataAccess: access}
			if table.SortKey != nil {
				facet.KeyAttributeAlias["SortKeyAlias"] = table.SortKey.Attribute
			}
			its := lists.Where(items, func(item *fixtures.Item) bool { return item.Entity == entity.ID })
			facet.TableData = append(facet.TableData, lists.Map(its, shown)...)
			note := func(name, kind string) {
				key := table.Keys().Has(name)
				if !key && !strings.ContainsAny(name, ".[*") && !slices.Contains(facet.NonKeyAttributes, name) {
					facet.NonKeyAttributes = append(facet.NonKeyAttributes, name)
					if others[name] = cmp.Or(others[name], kind); kind != "" && others[name] != kind {
						lost = append(lost, fmt.Sprintf("%s: attribute %s of %s is of type %s, which is written as %s", table.ID, name, entity.ID, kind, others[name]))
					}
				}
			}
			for _, key := range entity.Keys {
				note(key.Attribute, string(key.ValueType()))
			}
			for _, attribute := range entity.Attributes {
				note(attribute.Name, string(attribute.Type))
			}
			of.TableFacets = append(of.TableFacets, facet)
		}
		for _, name := range slices.Sorted(maps.Keys(others)) {
			of.NonKeyAttributes = append(of.NonKeyAttributes, attributeType{name, cmp.Or(others[name], typeIn(items, name), string(dynamo.String))})
		}
		model.DataModel = append(model.DataModel, of)
	}
	if len(design.Patterns) > 0 {
		lost = append(lost, fmt.Sprintf("%d access patterns", len(design.Patterns)))
	}
	slices.Sort(lost)
	return model, lost, nil
}

// typeIn is the type that an attribute has in items, where the contract leaves it open.
func typeIn(items []*fixtures.Item, name string) string {
	kinds := lists.Map(items, func(item *fixtures.Item) dynamo.Type { return dynamo.TypeOf(item.Item[name]) })
	return string(cmp.Or(lists.Where(kinds, func(kind dynamo.Type) bool { return kind != dynamo.Null })...))
}

func workbenchKeyOf(keys []accesspatterns.Key) workbenchKey {
	of := workbenchKey{PartitionKey: attributeType{keys[0].Attribute, string(keys[0].Type)}}
	if len(keys) > 1 {
		of.SortKey = &attributeType{keys[1].Attribute, string(keys[1].Type)}
	}
	return of
}
