package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/session"
)

// A document may offer provisioned capacity in place of on-demand billing: with its
// units, and with no others.
func TestBillingModeForLater(t *testing.T) {
	design, err := designs.Find("personal-os")
	require.NoError(t, err)
	name := design.Tables[0].Name.In("dev")
	for _, row := range []struct {
		name, described string
		verdict         evidence.Verdict
		words           string
	}{
		{"on demand", `"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0}`, evidence.Pass, ""},
		{"the documented units", `"BillingModeSummary":{"BillingMode":"PROVISIONED"},"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}`, evidence.Pass, ""},
		{"always provisioned", `"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}`, evidence.Pass, ""},
		{"more read units", `"BillingModeSummary":{"BillingMode":"PROVISIONED"},"ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":1}`, evidence.Fail, "5 read and 1 write capacity units"},
		{"more write units", `"BillingModeSummary":{"BillingMode":"PROVISIONED"},"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2}`, evidence.Fail, "1 read and 2 write capacity units"},
		{"no units told", `"BillingModeSummary":{"BillingMode":"PROVISIONED"}`, evidence.Fail, "PAY_PER_REQUEST"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				fmt.Fprintf(w, `{"Table":{"TableName":%q,"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}],%s}}`, name, row.described)
			}))
			defer server.Close()
			session, err := session.Open(t.Context(), session.Input{
				Design: design, Environment: "dev", Endpoint: server.URL, Grade: evidence.AWS, Ledger: ledgertest.Entries{}, ReadOnly: true,
				Deployment: session.Deployment{Region: "eu-west-1", Tables: map[string]string{design.Tables[0].ID: name}},
			})
			require.NoError(t, err)
			for _, spec := range AuditSpecs(design) {
				if spec.Claim.ID != "personal-os/table/personal-os/billing" {
					continue
				}
				found := spec.Run(t.Context(), session, nil)
				if text := Message(found); found.Verdict != row.verdict || !strings.Contains(text, row.words) {
					t.Errorf("expected %s with %q, found %s %s", row.verdict, row.words, found.Verdict, text)
				}
			}
		})
	}
}

// A table as AWS describes it, with settings and additions that no document knows.
func TestSettingsAndAdditions(t *testing.T) {
	tags, vectors, destinations, insights, named := `[]`, "", `[]`, "DISABLED", `["RollModel"]`
	recovery, attached, bare, arn := "DISABLED", "", false, `"TableArn":"arn:aws:dynamodb:eu-west-1:111122223333:table/%s",`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
		case "ListTables":
			fmt.Fprintf(w, `{"TableNames":%s}`, named)
		case "DescribeTable":
			var asked struct{ TableName string }
			_ = json.Unmarshal(body, &asked)
			fmt.Fprintf(w, `{"Table":{"TableName":%q,"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}],%s"DeletionProtectionEnabled":true,"TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"}%s}}`, asked.TableName, strings.ReplaceAll(arn, "%s", asked.TableName), vectors)
		case "ListTagsOfResource":
			if strings.Contains(string(body), "NextToken") {
				fmt.Fprintf(w, `{"Tags":%s}`, tags)
				return
			}
			fmt.Fprint(w, `{"Tags":[{"Key":"aws:cloudformation:stack-name","Value":"x"}],"NextToken":"more"}`)
		case "DescribeKinesisStreamingDestination":
			fmt.Fprintf(w, `{"KinesisDataStreamDestinations":%s}`, destinations)
		case "DescribeContinuousBackups":
			fmt.Fprintf(w, `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":%q,"RecoveryPeriodInDays":7}}}`, recovery)
		case "GetResourcePolicy":
			if attached == "" {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"__type":"com.amazonaws.dynamodb.v20120810#PolicyNotFoundException"}`)
				return
			}
			fmt.Fprintf(w, `{"Policy":%q}`, attached)
		case "DescribeContributorInsights":
			fmt.Fprintf(w, `{"ContributorInsightsStatus":%q}`, insights)
		}
	}))
	defer server.Close()
	result := func(claim, prefix string, strict bool) evidence.Result {
		name := strings.SplitN(claim, "/", 2)[0]
		design, err := designs.Find(name)
		require.NoError(t, err)
		tables := map[string]string{}
		for i := range design.Tables {
			tables[design.Tables[i].ID] = prefix + design.Tables[i].Name.In("dev")
		}
		if bare { // a document that speaks of no roles and no scans
			design.Policies = accesspatterns.Policies{}
		}
		session, err := session.Open(t.Context(), session.Input{
			Design: design, Environment: "dev", NamePrefix: prefix, Endpoint: server.URL, Grade: evidence.AWS, Ledger: ledgertest.Entries{}, ReadOnly: true, Strict: strict,
			Deployment: session.Deployment{Region: "eu-west-1", Tables: tables},
		})
		require.NoError(t, err)
		for _, spec := range AuditSpecs(design) {
			if spec.Claim.ID == claim {
				return spec.Run(t.Context(), session, nil)
			}
		}
		t.Fatalf("no claim %s", claim)
		return evidence.Result{}
	}
	expect := func(what string, found evidence.Result, verdict evidence.Verdict, words string) {
		t.Helper()
		if text := Message(found) + strings.Join(found.Notes, "\n"); found.Verdict != verdict || !strings.Contains(text, words) {
			t.Errorf("%s: expected %s with %q, found %s", what, verdict, words, text)
		}
	}
	const extras = "roll-model/table/RollModel/extras"
	expect("settings of operations", result(extras, "", false), evidence.Pass, "deletion protection: on, of which the document does not speak")
	expect("settings, strictly", result(extras, "", true), evidence.Fail, "table class")
	insights = "ENABLED"
	expect("Contributor Insights", result(extras, "", false), evidence.Pass, "Contributor Insights: on")
	recovery = "ENABLED"
	expect("recovery where no document speaks of it", result("osem-ladders/table/Users/extras", "", false), evidence.Pass, "point-in-time recovery: on, for 7 days")
	expect("recovery, strictly", result("osem-ladders/table/Users/extras", "", true), evidence.Fail, "point-in-time recovery")
	vectors = `,"SSEDescription":{"KMSMasterKeyArn":"arn:aws:kms:eu-west-1:111122223333:key/k"}`
	expect("a key where no document speaks of one", result(extras, "", false), evidence.Pass, "key of encryption at rest: arn:aws:kms:eu-west-1:111122223333:key/k")
	vectors = `,"FutureTier":{"Level":"deep"},"TableThroughputModeSummary":{"TableThroughputMode":"PAY_PER_REQUEST","LastUpdateToPayPerRequestDateTime":1.5,"Discount":1},"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST","Rebate":1},"SSEDescription":{"Status":"SHIMMERING"},"GlobalSecondaryIndexes":[{"IndexName":"x","Hue":null}]`
	for _, strict := range []bool{false, true} {
		told := []string{}
		for _, line := range result(extras, "", strict).Noted {
			if at, is := strings.CutSuffix(line, ": not known to this version, which cannot tell what it means"); is {
				told = append(told, strings.TrimPrefix(at, "table RollModel, DescribeTable, Table."))
			}
		}
		assert.Empty(t, cmp.Diff([]string{"BillingModeSummary.Rebate", "FutureTier", "GlobalSecondaryIndexes.Hue", `SSEDescription.Status "SHIMMERING"`, "TableThroughputModeSummary.Discount"}, told), "strict %v: what nobody here knows (-want +got)", strict)
	}
	vectors = `,"StreamSpecification":{"StreamViewType":"NEW_IMAGE"}`
	expect("a stream that is not said to be on", result("roll-model/table/RollModel/stream", "", false), evidence.Indeterminate, "not whether it is on")
	given := arn
	arn = ""
	expect("a table without an ARN", result("roll-model/table/RollModel/tags", "", false), evidence.Indeterminate, "a table with its ARN")
	arn = strings.ReplaceAll(given, "%s", "payroll")
	expect("a table with another's ARN", result("roll-model/table/RollModel/tags", "", false), evidence.Indeterminate, "that of another")
	arn, vectors = given, ""
	bare, attached = true, `{"Version":"2012-10-17","Statement":[{"Sid":"Partner","Effect":"Allow","Principal":"*","Action":"dynamodb:GetItem","Resource":"*"}]}`
	expect("a policy that no document knows", result(extras, "", false), evidence.Pass, "resource policy: attached, with statements that allow: statement Partner")
	expect("the same, strictly", result(extras, "", true), evidence.Fail, "resource policy")
	bare = false
	vectors = `,"VectorIndexes":[{"IndexName":"byMeaning"}]`
	expect("a vector index", result(extras, "", false), evidence.Fail, "byMeaning")
	vectors, destinations = "", `[{"StreamArn":"arn:aws:kinesis:eu-west-1:111122223333:stream/changes","DestinationStatus":"ACTIVE"}]`
	expect("a Kinesis destination", result(extras, "", false), evidence.Fail, "stream/changes")
	expect("a tag that AWS set", result("roll-model/table/RollModel/tags", "", true), evidence.Pass, "")
	tags = `[{"Key":"Owner","Value":"somebody"}]`
	expect("an organisation's tag on the second page", result("roll-model/table/RollModel/tags", "", false), evidence.Pass, "tag Owner: somebody, of which the document does not speak")
	expect("the same, strictly", result("roll-model/table/RollModel/tags", "", true), evidence.Fail, "tag Owner")
	tags = `[{"Key":"Owner","Value":""}]`
	expect("an empty tag beyond a documented list", result("osem-ladders/table/Users/tags", "", false), evidence.Fail, `found    ""`)
	tags = `[{"Key":"Owner","Value":"somebody"}]`
	expect("a tag beyond a documented list", result("osem-ladders/table/Users/tags", "", false), evidence.Fail, "tag Owner")
	named = `["x-RollModel","x-pending-requests","theirs"]`
	expect("a table behind the prefix", result("roll-model/tables", "x-", false), evidence.Fail, "x-pending-requests")
	named = `["RollModel","RollModel-copy","RollModelCopy"]`
	expect("a table whose name goes on behind a documented one", result("roll-model/tables", "", false), evidence.Fail, "table RollModelCopy")
	named = `["personal-os-dev","personal-os-dev-archive"]`
	expect("a table of the same stage", result("personal-os/tables", "", false), evidence.Fail, "table personal-os-dev-archive")
	named = `["personal-os-dev","personal-os-prod","personal-os","personal-osmosis","theirs"]`
	elsewhere := result("personal-os/tables", "", false)
	expect("tables of another stage", elsewhere, evidence.Pass, "of another stage: personal-os-prod, personal-os")
	if noted := strings.Join(elsewhere.Noted, "\n"); !strings.HasSuffix(noted, ": personal-os-prod, personal-os") {
		t.Errorf("expected the two of the same name to be noted, and nobody else's, found %q", noted)
	}
	expect("the same, strictly", result("personal-os/tables", "", true), evidence.Pass, "")
	tags, named = `null`, `["RollModel"]`
	expect("no list of tags", result("roll-model/table/RollModel/tags", "", false), evidence.Indeterminate, "a list of tags, which may be empty")
	tags, named = `[{"Key":"{owner}","Value":"somebody"}]`, `["RollModel","theirs"]`
	expect("a tag whose name is a placeholder", result("roll-model/table/RollModel/tags", "", false), evidence.Fail, "a tag without placeholders")
	tags = `[]`
	expect("a table whose name is a placeholder", result("roll-model/table/RollModel/exists", "<stage>-", false), evidence.Fail, "a name without placeholders")
	expect("a table of somebody else's", result("roll-model/tables", "", false), evidence.Pass, "")
}
