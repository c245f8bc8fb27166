package accesspatterns_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/cliinput"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
)

// Two who send one transaction each send a request of their own: DynamoDB answers the second of two with one token, and changes nothing.
func TestBodyLeavesItsInputAlone(t *testing.T) {
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
	input := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Delete: &types.Delete{TableName: aws.String("Tickets"), Key: key}}}}
	body, err := sdk.Body(input)
	want := `{"TransactItems":[{"Delete":{"Key":{"pk":{"S":"a"}},"TableName":"Tickets"}}]}`
	assert.True(t, err == nil && string(body) == want, "expected %s, found %s, %v", want, body, err)
	if input.ClientRequestToken != nil {
		t.Errorf("expected an input without a token, found %s", *input.ClientRequestToken)
	}
}

// Values that a shell would change, were they not quoted.
func TestCommandLineQuotesForAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell to paste into")
	}
	const nasty = "it's $HOME `id` \"x\" \\n \\ ; & | * ~ !! #\n\t<é>"
	body, err := sdk.Body(&dynamodb.GetItemInput{TableName: aws.String("T"), Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: nasty}}})
	require.NoError(t, err)
	line := cliinput.CommandLine("GetItem", "eu-west-1", "--no-paginate", "--cli-input-json", string(body))
	out := tabletest.Must(exec.CommandContext(t.Context(), shell, "-c", "aws() { printf '%s\\0' \"$@\"; }\n"+line).Output())(t)
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	assert.Equal(t, "dynamodb get-item --region eu-west-1 --no-paginate --cli-input-json", strings.Join(words[:len(words)-1], " "))
	var found struct {
		Key struct{ ID struct{ S string } }
	}
	require.NoError(t, json.Unmarshal([]byte(words[len(words)-1]), &found))
	assert.Equal(t, nasty, found.Key.ID.S)
	assert.Equal(t, "aws dynamodb list-tables", cliinput.CommandLine("ListTables", ""), "expected no region where none is given")
}

func TestBodyRefusesWhatIsNeverSent(t *testing.T) {
	_, err := sdk.Body(&dynamodb.DeleteTableInput{TableName: aws.String("T")})
	assert.ErrorContains(t, err, "no request is sent with *dynamodb.DeleteTableInput", "expected the request to be refused")
	_, err = sdk.Body(&dynamodb.GetItemInput{})
	assert.ErrorContains(t, err, "TableName", "expected the SDK's validation to speak")
}
