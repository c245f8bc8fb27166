package wire

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
)

func arnOf(table string) *string {
	return aws.String("arn:aws:dynamodb:" + testRegion + ":000000000000:table/" + table)
}

func putPolicy(ctx context.Context, client *dynamodb.Client, table, policy string, expected *string) (string, error) {
	answer, err := client.PutResourcePolicy(ctx, &dynamodb.PutResourcePolicyInput{ResourceArn: arnOf(table), Policy: &policy, ExpectedRevisionId: expected})
	if err != nil {
		return "", err
	}
	return aws.ToString(answer.RevisionId), nil
}

func mustHaveNoPolicy(t *testing.T, client *dynamodb.Client, table string) {
	t.Helper()
	_, err := client.GetResourcePolicy(t.Context(), &dynamodb.GetResourcePolicyInput{ResourceArn: arnOf(table)})
	var missing *types.PolicyNotFoundException
	assert.ErrorAs(t, err, &missing)
}

func TestResourcePolicyOfAnOwnTable(t *testing.T) {
	ctx := t.Context()
	const table = "policy-own"
	proxy, client := withTable(t, table)
	mustHaveNoPolicy(t, client, table)

	first, err := putPolicy(ctx, client, table, `{"Version": "2012-10-17"}`, aws.String("NO_POLICY"))
	if err != nil || first == "" {
		t.Fatalf("expected a revision, found %q, %v", first, err)
	}
	if entry := last(t, proxy.Ledger()); !entry.Emulated || entry.Operation != "PutResourcePolicy" || len(entry.Tables) != 1 || entry.Tables[0] != table {
		t.Errorf("expected an emulated answer about %s on record, found %+v", table, entry)
	}
	got, err := client.GetResourcePolicy(ctx, &dynamodb.GetResourcePolicyInput{ResourceArn: arnOf(table)})
	if err != nil || aws.ToString(got.Policy) != `{"Version": "2012-10-17"}` || aws.ToString(got.RevisionId) != first {
		t.Errorf("expected the policy letter by letter with revision %s, found %+v, %v", first, got, err)
	}
	if same, err := putPolicy(ctx, client, table, `{"Version": "2012-10-17"}`, nil); err != nil || same != first {
		t.Errorf("expected the same policy to keep revision %s, found %s, %v", first, same, err)
	}
	second, err := putPolicy(ctx, client, table, `{}`, &first)
	if err != nil || second == first {
		t.Errorf("expected another revision than %s, found %s, %v", first, second, err)
	}
	for name, wrong := range map[string]*string{"an old revision": &first, "no policy": aws.String("NO_POLICY")} {
		if _, err := putPolicy(ctx, client, table, `{}`, wrong); err == nil || !strings.Contains(err.Error(), "PolicyNotFoundException") {
			t.Errorf("expected %s to be refused, found %v", name, err)
		}
	}
	for policy, words := range map[string]string{`"text"`: "not a JSON object", `{"a": "` + strings.Repeat("b", maxResourcePolicy) + `"}`: "at most 20480"} {
		if _, err := putPolicy(ctx, client, table, policy, nil); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("expected an error with %q, found %v", words, err)
		}
	}
	gone, err := client.DeleteResourcePolicy(ctx, &dynamodb.DeleteResourcePolicyInput{ResourceArn: arnOf(table), ExpectedRevisionId: &second})
	if err != nil || aws.ToString(gone.RevisionId) != second {
		t.Errorf("expected revision %s to be deleted, found %+v, %v", second, gone, err)
	}
	mustHaveNoPolicy(t, client, table)
	again, err := client.DeleteResourcePolicy(ctx, &dynamodb.DeleteResourcePolicyInput{ResourceArn: arnOf(table)})
	if err != nil || again.RevisionId != nil {
		t.Errorf("expected deleting what is not there to succeed without a revision, found %+v, %v", again, err)
	}
}

func TestResourcePolicyGoesWithTheTable(t *testing.T) {
	ctx := t.Context()
	const table = "policy-again"
	_, client := withTable(t, table)
	if _, err := putPolicy(ctx, client, table, `{}`, nil); err != nil {
		t.Fatal(err)
	}
	deleteTable(t, client, table)
	_, err := putPolicy(ctx, client, table, `{}`, nil)
	mustBeUnknown(t, err)
	createTable(t, client, table)
	mustHaveNoPolicy(t, client, table)
}

func TestRevisionsDifferWithinAMillisecond(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	if first, second := nextRevision(now, ""), nextRevision(now, "1767268800000"); first != "1767268800000" || second != "1767268800001" {
		t.Errorf("expected 1767268800000 and the next one, found %s and %s", first, second)
	}
}
