package guard_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/commitcollect"
	"dynaproof/accesspatterns/guard"
)

// A version only rises, whatever the condition says of the one that was read.
func TestNumbersRise(t *testing.T) {
	g, err := guard.New(commitcollect.Design(), guard.ForRole("user"))
	require.NoError(t, err)
	for _, row := range []struct {
		read, written string
		allowed       bool
	}{
		{"1", "2", true}, {"9", "10", true}, {"1", "7", true}, {"1", "1", false}, {"2", "1", false}, {"10", "9", false},
	} {
		_, err := g.Check(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("CommitCollect"), Key: keyOf("USER#u", "MILESTONE#m"),
			UpdateExpression: aws.String("SET version = :next"), ConditionExpression: aws.String("version = :read"),
			ExpressionAttributeValues: values{":read": number(row.read), ":next": number(row.written)},
		})
		if (err == nil) != row.allowed {
			t.Errorf("from %s to %s: expected allowed %t, found %v", row.read, row.written, row.allowed, err)
		}
	}
}
