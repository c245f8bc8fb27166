//go:build unix

package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

// iamAt is a client of IAM at an endpoint of AWS's shape.
func iamAt(url string) *iam.Client {
	return iam.New(iam.Options{BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
}

// policyIn stores an IAM policy, with a run's tag unless it is empty.
func policyIn(t *testing.T, url, path, name, tag string) (arn string) {
	t.Helper()
	input := &iam.CreatePolicyInput{
		Path: aws.String(path), PolicyName: aws.String(name),
		PolicyDocument: aws.String(`{"Version":"2012-10-17","Statement":[{"Sid":"Scan","Effect":"Allow","Action":"dynamodb:Scan","Resource":"*"}]}`),
	}
	if tag != "" {
		input.Tags = []iamtypes.Tag{{Key: aws.String("dynaproof:run"), Value: aws.String(tag)}}
	}
	made, err := iamAt(url).CreatePolicy(t.Context(), input)
	require.NoError(t, err)
	return aws.ToString(made.Policy.Arn)
}

// An audit asks KMS who manages a table's key, and IAM for the policies of the roles: a
// customer's key fails, and so does a role's policy that allows a scan.
func TestAuditAsksKMSAndIAM(t *testing.T) {
	t.Parallel()
	url := moto(t)
	keys := kms.New(kms.Options{BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
	key, err := keys.CreateKey(t.Context(), &kms.CreateKeyInput{})
	require.NoError(t, err)
	_, err = client(url).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("osem-dev-Users"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		SSESpecification:     &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: key.KeyMetadata.Arn},
	})
	require.NoError(t, err)
	audit := func() map[string]evidence.Result {
		c := prepare(t, awsEnvironment(url, "us-east-1"), "audit", "osem-ladders", "--target", "aws", "--env", "dev")
		c.expect(t, 1) // five tables are not there
		seen, err := evidence.Read(filepath.Join(c.Dir, "build", "report", "audit.json"))
		require.NoError(t, err)
		results := map[string]evidence.Result{}
		for _, result := range seen.Results() {
			results[result.ID] = result
		}
		return results
	}
	expect := func(result evidence.Result, verdict evidence.Verdict, words string) {
		t.Helper()
		found := ""
		for _, problem := range result.Problems {
			found += problem.Where + " " + problem.Expected + " " + problem.Found + "\n"
		}
		if result.Verdict != verdict || !strings.Contains(found, words) {
			t.Errorf("%s: expected %s with %q, found %s %s", result.ID, verdict, words, result.Verdict, found)
		}
	}
	results := audit()
	expect(results["osem-ladders/table/Users/encryption"], evidence.Fail, "which the customer manages, as KMS says")
	expect(results["osem-ladders/policy/roles"], evidence.Unsupported, "none is")
	policyIn(t, url, "/dynaproof/osem-ladders.dev/", "osem-ladders-coach-1a2b3c4", "")
	policyIn(t, url, "/dynaproof/osem-ladders.prod/", "osem-ladders-admin-1a2b3c4", "")
	results = audit()
	expect(results["osem-ladders/policy/roles"], evidence.Fail, "coach")
	expect(results["osem-ladders/policy/no-scan/Users"], evidence.Fail, "none is attached")
}

// The sweeper finds policies that a lost run left, and leaves those of stacks, of others
// and of runs in progress, and what somebody has attached since.
func TestSweepOfPolicies(t *testing.T) {
	t.Parallel()
	url := moto(t)
	stamp := func(ago time.Duration) string { return "1a2b3c4d@" + time.Now().Add(-ago).UTC().Format(time.RFC3339) }
	const runs = "/dynaproof/run/1a2b3c4d/"
	policyIn(t, url, runs, "lost", stamp(7*time.Hour))
	policyIn(t, url, runs, "young", stamp(5*time.Hour))
	policyIn(t, url, runs, "without-a-tag", "")
	policyIn(t, url, runs, "with-a-word", "1a2b3c4d@yesterday")
	policyIn(t, url, "/dynaproof/fus-main.prod/", "of-a-stack", stamp(7*time.Hour))
	policyIn(t, url, "/", "of-somebody", stamp(7*time.Hour))
	policyIn(t, url, runs, "with-a-copied-tag", stamp(100*time.Hour))
	_, err := iamAt(url).CreateRole(t.Context(), &iam.CreateRoleInput{RoleName: aws.String("theirs"), AssumeRolePolicyDocument: aws.String(`{"Version":"2012-10-17","Statement":[]}`)})
	require.NoError(t, err)
	held := policyIn(t, url, runs, "attached", stamp(7*time.Hour))
	_, err = iamAt(url).AttachRolePolicy(t.Context(), &iam.AttachRolePolicyInput{RoleName: aws.String("theirs"), PolicyArn: aws.String(held)})
	require.NoError(t, err)
	policyIn(t, url, runs, "of-a-late-clock", stamp(20*time.Hour))
	young := prepare(t, awsEnvironment(url, "us-east-1"), "cleanup", "--target", "aws", "--older-than", "6h") // all was made right now
	young.expect(t, 0)
	lacks(t, "sweep of what was made right now", young.stdout.String(), "removed")
	c := prepare(t, awsEnvironment(aged(t, url, 7*time.Hour, 0), "us-east-1"), "cleanup", "--target", "aws", "--older-than", "6h")
	c.expect(t, 0)
	says(t, "sweep", c.stdout.String(), "removed policy lost of a lost run", "left policy attached of a lost run: it is attached 1 times")
	left := strings.Join(policies(t, url), "\n")
	for _, name := range []string{"young", "without-a-tag", "with-a-word", "of-a-stack", "of-somebody", "attached", "with-a-copied-tag"} {
		assert.Contains(t, left, "/"+name+" ")
	}
	assert.NotContains(t, left, "/lost ")
}
