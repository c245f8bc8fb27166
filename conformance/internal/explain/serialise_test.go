package explain

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

// Values that a shell would change, were they not quoted.
func TestCommandQuotesForAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell to paste into")
	}
	const nasty = "it's $HOME `id` \"x\" \\n \\ ; & | * ~ !! #\n\t<é>"
	input := &dynamodb.GetItemInput{TableName: aws.String("T"), Key: accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: nasty}}}
	text, err := sdk.Body(input)
	require.NoError(t, err)
	line := command(input, text, "eu-west-1", true)
	out, err := exec.CommandContext(t.Context(), shell, "-c", "aws() { printf '%s\\0' \"$@\"; }\n"+line).Output()
	require.NoError(t, err)
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if got, want := strings.Join(words[:len(words)-1], " "), "dynamodb get-item --region eu-west-1 --no-paginate --cli-input-json"; got != want {
		t.Errorf("expected %q, found %q", want, got)
	}
	var found struct {
		Key struct{ ID struct{ S string } }
	}
	if err := json.Unmarshal([]byte(words[len(words)-1]), &found); err != nil || found.Key.ID.S != nasty {
		t.Errorf("expected %q, found %q, %v", nasty, found.Key.ID.S, err)
	}
}

func TestBodyRefusesWhatIsNeverSent(t *testing.T) {
	if _, err := sdk.Body(&dynamodb.DeleteTableInput{TableName: aws.String("T")}); err == nil || !strings.Contains(err.Error(), "no request is sent with *dynamodb.DeleteTableInput") {
		t.Errorf("expected the request to be refused, got %v", err)
	}
	if _, err := sdk.Body(&dynamodb.GetItemInput{}); err == nil || !strings.Contains(err.Error(), "TableName") {
		t.Errorf("expected the SDK's validation to speak, got %v", err)
	}
}

// A flow ends at a read that must return something and returns nothing: what comes
// behind it is not sent, so it is not explained.
func TestAFlowStopsWhereItMust(t *testing.T) {
	tried := false
	for _, design := range designs.All() {
		set, err := fixtures.Load(design.Name, time.Now())
		require.NoError(t, err)
		for i := range design.Patterns {
			pattern := &design.Patterns[i]
			for n, step := range pattern.Steps {
				if !step.StopWhenEmpty || n+1 == len(pattern.Steps) || step.ForEach != nil {
					continue
				}
				tried = true
				c := set.CasesOf(pattern.ID)[0]
				c.Steps[step.Name] = nil
				delete(c.Sees, step.Name)
				e := &explainer{Input: session.InEnvironment(design, set, "dev"), out: &Explanation{}}
				require.NoError(t, e.oneCase(pattern, c))
				for _, behind := range pattern.Steps[n+1:] {
					if at := slices.IndexFunc(e.out.Requests, func(r Request) bool { return strings.HasSuffix(r.Where, ", step "+behind.Name) }); at >= 0 {
						t.Errorf("%s: expected the flow to end at step %s, found a request of %s", pattern.ID, step.Name, behind.Name)
					}
				}
			}
		}
	}
	assert.True(t, tried, "no flow has such a step")
}
