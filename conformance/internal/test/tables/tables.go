// Package tables makes a design's tables as its contract has them, for tests that
// need an engine and no Pulumi program.
package tables

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/target"
)

// Engine starts an engine for the time of a test, and returns its address. Where no engine has been built, the test is skipped.
func Engine(t *testing.T) string {
	t.Helper()
	engine, err := target.Embedded(t.Context(), target.EmbeddedOptions{})
	if errors.Is(err, target.ErrNoEngine) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return engine.URL()
}

// Create creates the tables of a design in an environment, and returns their names
// by logical id.
func Create(t *testing.T, endpoint, region, environment string, design *accesspatterns.Design) map[string]string {
	t.Helper()
	client := target.NewClient(endpoint, region)
	names := map[string]string{}
	for i := range design.Tables {
		table := &design.Tables[i]
		names[table.ID] = table.Name.In(environment)
		input := &dynamodb.CreateTableInput{
			TableName: aws.String(names[table.ID]), KeySchema: schemaOf(table.Keys()), BillingMode: types.BillingModePayPerRequest,
		}
		for name, kind := range table.AttributeDefinitions() {
			input.AttributeDefinitions = append(input.AttributeDefinitions, types.AttributeDefinition{
				AttributeName: aws.String(name), AttributeType: types.ScalarAttributeType(kind),
			})
		}
		for j := range table.Indexes {
			index := &table.Indexes[j]
			input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
				IndexName: aws.String(index.Name), KeySchema: schemaOf(index.Keys()),
				Projection: &types.Projection{ProjectionType: types.ProjectionType(index.Projection), NonKeyAttributes: index.NonKeyAttributes},
			})
		}
		if _, err := client.CreateTable(t.Context(), input); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func schemaOf(keys []accesspatterns.Key) []types.KeySchemaElement {
	roles := []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}
	var schema []types.KeySchemaElement
	for i, key := range keys {
		schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(key.Attribute), KeyType: roles[i]})
	}
	return schema
}
