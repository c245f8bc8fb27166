package access

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
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
		service := func(w http.ResponseWriter, _, _ string) {
			fmt.Fprintf(w, `<A><SimulateCustomPolicyResult><IsTruncated>false</IsTruncated><EvaluationResults><member><EvalActionName>dynamodb:Scan</EvalActionName>
				<EvalResourceName>T</EvalResourceName><EvalDecision>implicitDeny</EvalDecision><ResourceSpecificResults>%s</ResourceSpecificResults></member></EvaluationResults></SimulateCustomPolicyResult></A>`, row.results)
		}
		client := asked(service)
		got := tabletest.Must(Simulator{Client: client}.Simulate(t.Context(), Simulation{Actions: []string{"dynamodb:Scan"}, Resources: row.resources}))(t)
		assert.Equal(t, row.want, got, row.name)
	}
}

func asked(answer func(http.ResponseWriter, string, string)) *iam.Client {
	return iam.New(iam.Options{HTTPClient: &http.Client{Transport: standin.Service(answer)}, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
}

// A policy that nobody has is told apart from one of which IAM does not say how often it is attached.
func TestRolesWithoutPrincipals(t *testing.T) {
	client := asked(func(w http.ResponseWriter, _, text string) {
		if strings.Contains(text, "GetPolicyVersion") {
			fmt.Fprint(w, `<A><GetPolicyVersionResult><PolicyVersion><Document>%7B%7D</Document></PolicyVersion></GetPolicyVersionResult></A>`)
			return
		}
		all := ""
		for name, count := range map[string]string{"nobody": "<AttachmentCount>0</AttachmentCount>", "one": "<AttachmentCount>1</AttachmentCount>", "unsaid": ""} {
			all += fmt.Sprintf(`<member><Arn>arn:aws:iam::111122223333:policy/x/%s</Arn><PolicyName>d-%[1]s</PolicyName><DefaultVersionId>v1</DefaultVersionId>%s</member>`, name, count)
		}
		fmt.Fprintf(w, `<A><ListPoliciesResult><IsTruncated>false</IsTruncated><Policies>%s</Policies></ListPoliciesResult></A>`, all)
	})
	documents, unattached, err := Policies{Client: client, Path: "/x/", Design: "d"}.Roles(t.Context())
	assert.True(t, err == nil && len(documents) == 3 && slices.Equal(unattached, []string{"nobody"}), "expected nobody, found %v of %v, %v", unattached, documents, err)
}
