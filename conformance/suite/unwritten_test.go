package suite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/fixtures"
)

// A table that nobody writes: its claim holds while the items are as they were loaded,
// and fails when one of them was changed or deleted, or another one written, also where
// that was put back.
func TestUnwritten(t *testing.T) {
	_, design, session := opened(t, replay.Options{
		Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient,
		Amend: func(d *accesspatterns.Design, _ *fixtures.Set) {
			d.Patterns = slices.DeleteFunc(d.Patterns, func(p accesspatterns.Pattern) bool {
				return slices.ContainsFunc(p.Steps, func(s accesspatterns.Step) bool { return len(s.Write) > 0 })
			})
			d.Tables[0].ReadOnly = &accesspatterns.Promise{Cite: d.Tables[0].Cite}
		},
	})
	decided := func() evidence.Result { return verdictOn(t, design, session, "ledger/unwritten/"+design.Tables[0].ID) }
	if result := decided(); result.Verdict != evidence.Pass || result.Grade != evidence.Library {
		t.Fatalf("expected a pass that rests on the guard, found %s of grade %s: %v", result.Verdict, result.Grade, result.Problems)
	}
	name, err := session.TableName(design.Tables[0].ID)
	require.NoError(t, err)
	added := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "added"}, "SK": &types.AttributeValueMemberS{Value: "added"}}
	_, err = session.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: added})
	require.NoError(t, err)
	_, err = session.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: added})
	require.NoError(t, err)
	if result := decided(); result.Verdict != evidence.Fail || len(result.Problems) != 2 || !strings.Contains(result.Problems[0].Found, "PutItem") || !strings.Contains(result.Problems[1].Found, "DeleteItem") {
		t.Errorf("expected failures that name the put and the deletion of an item that was not loaded, found %s: %v", result.Verdict, result.Problems)
	}
	at := slices.IndexFunc(session.Fixtures.Items, func(i fixtures.Item) bool { return !i.Held && i.Entity != "" })
	item := &session.Fixtures.Items[at]
	key := map[string]types.AttributeValue{"PK": item.Item["PK"], "SK": item.Item["SK"]}
	_, err = session.Client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &name, Key: key, UpdateExpression: aws.String("SET colour = :c"), ExpressionAttributeValues: map[string]types.AttributeValue{":c": &types.AttributeValueMemberS{Value: "red"}},
	})
	require.NoError(t, err)
	if result := decided(); result.Verdict != evidence.Fail || !strings.Contains(result.Problems[0].Where, item.Name) || !strings.Contains(result.Problems[0].Found, "colour") {
		t.Errorf("expected a failure that names item %s and the attribute colour, found %s: %v", item.Name, result.Verdict, result.Problems)
	}
	_, err = session.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: key})
	require.NoError(t, err)
	if result := decided(); result.Verdict != evidence.Fail {
		t.Errorf("expected a failure without item %s, found %s", item.Name, result.Verdict)
	}
}
