package guard_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/rollmodel"
)

// A coach may list an athlete's entries with the documented projection alone. The
// query without it is the athlete's own: it would return the private text, and is
// not sent.
func ExampleEnforce() {
	cfg := config(answering(`{}`)) // config.LoadDefaultConfig in a program

	client := dynamodb.NewFromConfig(cfg, guard.Enforce(rollmodel.Design(), guard.ForRole("coach")))
	_, err := client.Query(context.Background(), &dynamodb.QueryInput{
		TableName:              aws.String("RollModel"),
		KeyConditionExpression: aws.String("PK = :pk AND begins_with(SK, :sk)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": &types.AttributeValueMemberS{Value: "USER#athlete-1"},
			":sk": &types.AttributeValueMemberS{Value: "ENTRY#"},
		},
	})
	if refusal := (*guard.Refusal)(nil); errors.As(err, &refusal) {
		fmt.Println(refusal.Rule, refusal.Pattern, refusal.Cite)
	}
	// Output: role list-own-entries roll-model.md:199
}
