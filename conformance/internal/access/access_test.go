package access

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/test/standin"
)

// IAM answers with one result for each action: its own decision is the most restrictive, and each resource has one.
func TestSimulate(t *testing.T) {
	type decisions = map[[2]string]types.PolicyEvaluationDecisionType
	const of = "<member><EvalResourceName>%s</EvalResourceName><EvalResourceDecision>%s</EvalResourceDecision></member>"
	both := fmt.Sprintf(of, "T", "allowed") + fmt.Sprintf(of, "U", "implicitDeny")
	for _, row := range []struct {
		name, results string
		resources     []string
		want          decisions
	}{
		{"several resources", both, []string{"T", "U"}, decisions{{"dynamodb:Scan", "T"}: "allowed", {"dynamodb:Scan", "U"}: "implicitDeny"}},
		{"several, and none of them told", "", []string{"T", "U"}, decisions{}},
		{"one resource", "", []string{"T"}, decisions{{"dynamodb:Scan", "T"}: "implicitDeny"}},
	} {
		service := standin.Service(func(w http.ResponseWriter, _, _ string) {
			fmt.Fprintf(w, `<A><SimulateCustomPolicyResult><IsTruncated>false</IsTruncated><EvaluationResults><member><EvalActionName>dynamodb:Scan</EvalActionName>
				<EvalResourceName>T</EvalResourceName><EvalDecision>implicitDeny</EvalDecision><ResourceSpecificResults>%s</ResourceSpecificResults></member></EvaluationResults></SimulateCustomPolicyResult></A>`, row.results)
		})
		client := iam.New(iam.Options{HTTPClient: &http.Client{Transport: service}, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
		got := tabletest.Must(Simulator{Client: client}.Simulate(t.Context(), Simulation{Actions: []string{"dynamodb:Scan"}, Resources: row.resources}))(t)
		assert.Equal(t, row.want, got, row.name)
	}
}
