package guard_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/rollmodel"
)

// A refusal of a write says the form that passes.
func TestRefusalsSayTheForm(t *testing.T) {
	design := tagged()
	first := &design.Patterns[0].Steps[0].Write[0]
	first.Condition = []ap.Condition{{Attribute: "PK", Operator: "attribute_exists"}, {Any: []ap.Condition{
		{Attribute: "title", Operator: "<>", Value: designtest.Text("{title}")}, {Attribute: "owner", Operator: "attribute_not_exists"}}}}
	g, err := guard.New(design, guard.ForRole("user"))
	require.NoError(t, err)
	_, err = g.Check(t.Context(), &dynamodb.UpdateItemInput{TableName: aws.String("Notes"), Key: values{"PK": text("USER#u"), "SK": text("NOTE#1")},
		UpdateExpression: aws.String("SET changedAt = :now"), ExpressionAttributeValues: values{":now": text("9")}})
	const want = "as step write (Update of note: SET changedAt = {now}, createdAt = if_not_exists(createdAt, {now}), with SET or REMOVE of any of body, title" +
		" if attribute_exists(PK) AND (title <> {title} OR attribute_not_exists(owner));" +
		" Put of tag any number of times with owner = {userId}, SK = NOTE#{noteId};" +
		" Delete of tag any number of times;" +
		" Update of shelf at most once: SET seen = {now}), found"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("expected %q, found %v", want, err)
	}
}

// A refusal names the steps that the guard cannot hold a client to.
func TestRefusalsNameStepsBefore(t *testing.T) {
	g, err := guard.New(rollmodel.Design(), guard.ForRole("user"))
	require.NoError(t, err)
	_, err = g.Check(t.Context(), query("RollModel", prefix, "AI_THREAD#h", "MSG#", func(q *dynamodb.QueryInput) { q.FilterExpression = aws.String("attribute_exists(PK)") }))
	var refusal *guard.Refusal
	if !errors.As(err, &refusal) || !slices.Equal(refusal.Before, []string{"step thread"}) || !strings.Contains(err.Error(), "first finds something by step thread, which the guard cannot see") {
		t.Errorf("expected the thread's read to be named, found %v", err)
	}
}
