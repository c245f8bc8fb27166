package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/internal/test/standin"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

// found is the shipped design of a name, which a test may change.
func found(t *testing.T, name string) *accesspatterns.Design {
	t.Helper()
	design, err := designs.Find(name)
	require.NoError(t, err)
	return design
}

// audited opens a session that only describes the tables of a design in stage dev, as AWS would: answer answers each operation.
func audited(t *testing.T, design *accesspatterns.Design, answer standin.Service, change ...func(*session.Input)) *session.Session {
	t.Helper()
	input := session.Input{
		Design: design, Environment: "dev", Endpoint: standin.Address, Transport: answer, Grade: evidence.AWS, Ledger: ledgertest.Entries{}, ReadOnly: true,
		Deployment: session.Deployment{Region: "eu-west-1", Tables: session.InEnvironment(design, nil, "dev").Deployment.Tables},
	}
	for _, each := range change {
		each(&input)
	}
	opened, err := session.Open(t.Context(), input)
	require.NoError(t, err)
	return opened
}

// described answers every request with an active table that has these members besides.
func described(members string) func(http.ResponseWriter, string, string) {
	return func(w http.ResponseWriter, _, asked string) {
		fmt.Fprintf(w, `{"Table":{"TableName":%q,"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]%s}}`, tableAsked(asked), members)
	}
}

// tableAsked is the name of the table that a request is about.
func tableAsked(asked string) string {
	_, behind, _ := strings.Cut(asked, `"TableName":"`)
	name, _, _ := strings.Cut(behind, `"`)
	return name
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, code, message string) {
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","Message":%q}`, code, message)
}

// ran decides a claim of a session's design.
func ran(t *testing.T, session *session.Session, id string) evidence.Result {
	t.Helper()
	for _, claim := range AuditClaims(session.Design, false) {
		if claim.ID == session.Design.Name+"/"+id {
			return Decide(t.Context(), claim, session, nil)
		}
	}
	t.Fatalf("no claim %s", id)
	return evidence.Result{}
}

// expect sees how a claim was decided, and that its problems or notes have these words.
func expect(t *testing.T, what string, found evidence.Result, verdict evidence.Verdict, words string) {
	t.Helper()
	if text := Message(found) + strings.Join(found.Notes, "\n"); found.Verdict != verdict || !strings.Contains(text, words) || strings.Contains(text, "jane") {
		t.Errorf("%s: expected %s with %q, and nobody's name, found %s: %s", what, verdict, words, found.Verdict, text)
	}
}

// The client of an audit's session sends nothing but Describe and List.
func TestReadOnlySession(t *testing.T) {
	session := audited(t, found(t, "fus-main"), func(_ http.ResponseWriter, operation, _ string) { t.Errorf("expected no request, found %s", operation) })
	_, err := session.Client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("fus-main")})
	var refused *safewrite.WriteError
	assert.ErrorAs(t, err, &refused)
}

// managed says who manages every key.
func managed(by string, err error) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) { return by, err }
}

// Who manages a table's key is what KMS says, and nothing where KMS does not say it.
func TestEncryptionByKMS(t *testing.T) {
	const key = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd"
	for _, row := range []struct {
		name, sse string
		keys      func(context.Context, string) (string, error)
		verdict   evidence.Verdict
		words     string
	}{
		{"owned by AWS", "", nil, evidence.Pass, "the key that AWS owns"},
		{"managed by AWS", key, managed("AWS", nil), evidence.Pass, "the key that AWS manages"},
		{"managed by the customer", key, managed("CUSTOMER", nil), evidence.Fail, "which the customer manages"},
		{"a manager that nobody knows", key, managed("SOMEBODY", nil), evidence.Indeterminate, `found "SOMEBODY"`},
		{"nobody to ask", key, nil, evidence.Indeterminate, "only KMS can say"},
		{"no permission", key, managed("", &smithy.OperationError{ServiceID: "KMS", OperationName: "DescribeKey", Err: &smithy.GenericAPIError{
			Code: "AccessDeniedException", Message: "User: arn:aws:sts::111122223333:assumed-role/Auditor/jane is not authorized to perform: kms:DescribeKey on resource: " + key + " because no identity-based policy allows the kms:DescribeKey action",
		}}), evidence.Indeterminate, "the permission kms:DescribeKey on key/1234abcd is missing"},
		{"a key that is gone", key, managed("", &smithy.GenericAPIError{Code: "NotFoundException", Message: "Invalid keyId"}), evidence.Indeterminate, "NotFoundException"},
		{"no answer", key, managed("", errors.New("connection reset")), evidence.Indeterminate, "connection reset"},
	} {
		t.Run(row.name, func(t *testing.T) {
			sse := ""
			if row.sse != "" {
				sse = fmt.Sprintf(`,"SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":%q}`, row.sse)
			}
			session := audited(t, found(t, "osem-ladders"), described(sse), func(i *session.Input) { i.Keys = row.keys })
			expect(t, row.name, ran(t, session, "table/Users/encryption"), row.verdict, row.words)
		})
	}
}

// Of what a deployment did, only what the contract chose is waived: neither whether it is there, nor its status, nor a name that
// the document uses for something else.
func TestOnlyWhatWasChosenIsWaived(t *testing.T) {
	const (
		primary, audit = "CommitCollect", "CommitCollectAudit"
		index, expiry  = "index/CommitCollect/GSI1", "table/CommitCollectAudit/ttl"
		exists         = "table/CommitCollect/exists"
	)
	gsi := func(status, projection string, keys ...string) string {
		kinds, schema := []string{"HASH", "RANGE"}, []string{}
		for i, key := range keys {
			schema = append(schema, fmt.Sprintf(`{"AttributeName":%q,"KeyType":%q}`, key, kinds[i]))
		}
		return fmt.Sprintf(`{"IndexName":"GSI1","IndexStatus":%q,"KeySchema":[%s],"Projection":{"ProjectionType":%q}}`, status, strings.Join(schema, ","), projection)
	}
	documents := t.TempDir()
	text := "TTL: 90 days, by deleteAfter\n\nSessions of some days have createdAtUtc, `seen` and lastSeenAt.\n"
	require.NoError(t, os.WriteFile(filepath.Join(documents, "commit-collect.md"), []byte(text), 0o600))
	for _, row := range []struct {
		name, claim string
		status      string
		gsi         string
		also        string // a further attribute definition
		ttl         string
		want        evidence.Verdict
		noted       string
	}{
		{name: "as chosen", claim: index, gsi: gsi("ACTIVE", "ALL", "GSI1PK"), want: evidence.Pass},
		{name: "under another name", claim: index, gsi: gsi("ACTIVE", "ALL", "athlete"), also: "athlete", want: evidence.Waived, noted: "HASH athlete (S) deployed"},
		{name: "another name is defined", claim: "table/CommitCollect/attributes", gsi: gsi("ACTIVE", "ALL", "athlete"), also: "athlete", want: evidence.Waived, noted: "attribute definition athlete"},
		{name: "a documented name is not defined", claim: "table/CommitCollect/attributes", also: "-SK", want: evidence.Fail},
		{name: "a documented name is defined otherwise", claim: "table/CommitCollect/attributes", also: "userId", want: evidence.Fail},
		{name: "by keys of the table", claim: index, gsi: gsi("ACTIVE", "ALL", "SK", "PK"), want: evidence.Fail},
		{name: "by a key of the table", claim: index, gsi: gsi("ACTIVE", "ALL", "SK"), want: evidence.Fail},
		{name: "by an attribute of an entity", claim: index, gsi: gsi("ACTIVE", "ALL", "userId"), also: "userId", want: evidence.Fail},
		{name: "with a sort key", claim: index, gsi: gsi("ACTIVE", "ALL", "GSI1PK", "SK"), want: evidence.Fail},
		{name: "by a Number", claim: index, gsi: gsi("ACTIVE", "ALL", "athlete"), also: "athlete N", want: evidence.Fail},
		{name: "no index", claim: index, want: evidence.Fail},
		{name: "no index to project", claim: index + "/projection", want: evidence.Fail},
		{name: "another projection", claim: index + "/projection", gsi: gsi("ACTIVE", "KEYS_ONLY", "GSI1PK"), want: evidence.Waived, noted: "KEYS_ONLY deployed"},
		{name: "deleted", claim: index, gsi: gsi("DELETING", "ALL", "GSI1PK"), want: evidence.Fail},
		{name: "deleted, under another name", claim: index, gsi: gsi("DELETING", "ALL", "athlete"), also: "athlete", want: evidence.Fail},
		{name: "created", claim: index, gsi: gsi("CREATING", "ALL", "GSI1PK"), want: evidence.Fail},
		{name: "changed", claim: index, gsi: gsi("UPDATING", "ALL", "GSI1PK"), want: evidence.Pass, noted: "status: UPDATING"},
		{name: "not filled yet", claim: index, gsi: strings.Replace(gsi("ACTIVE", "ALL", "GSI1PK"), "{", `{"Backfilling":true,`, 1), want: evidence.Indeterminate},
		{name: "in a state that nobody knows", claim: index, gsi: gsi("RESTING", "ALL", "GSI1PK"), want: evidence.Indeterminate},
		{name: "a table is changed", claim: exists, status: "UPDATING", want: evidence.Pass, noted: "status: UPDATING"},
		{name: "a table is made", claim: exists, status: "CREATING", want: evidence.Fail},
		{name: "a table is deleted", claim: exists, status: "DELETING", want: evidence.Fail},
		{name: "a table is archived", claim: exists, status: "ARCHIVED", want: evidence.Fail},
		{name: "a table in a state that nobody knows", claim: exists, status: "RESTING", want: evidence.Indeterminate},
		{name: "expiry as chosen", claim: expiry, ttl: "expiresAt", want: evidence.Pass},
		{name: "expiry by a name of its own", claim: expiry, ttl: "goneAt", want: evidence.Waived, noted: "by attribute goneAt deployed"},
		{name: "expiry by the name of another table's", claim: expiry, ttl: "expiresAtUtc", want: evidence.Waived},
		{name: "expiry by the time of creation", claim: expiry, ttl: "createdAtUtc", want: evidence.Fail},
		{name: "expiry by the beginning of another's name", claim: expiry, ttl: "createdAt", want: evidence.Fail},
		{name: "expiry by what no contract holds and the text names", claim: expiry, ttl: "lastSeenAt", want: evidence.Fail},
		{name: "expiry by what the text names in code", claim: expiry, ttl: "seen", want: evidence.Fail},
		{name: "expiry by a word of plain English", claim: expiry, ttl: "days", want: evidence.Waived},
		{name: "expiry by what the text names as one", claim: expiry, ttl: "deleteAfter", want: evidence.Waived},
		{name: "expiry by a key", claim: expiry, ttl: "SK", want: evidence.Fail},
		{name: "no expiry", claim: expiry, want: evidence.Fail},
		{name: "a billing mode of which nothing is said", claim: "table/CommitCollect/billing", want: evidence.Indeterminate},
		{name: "a documented name is defined twice", claim: "table/CommitCollect/key", also: "PK N", want: evidence.Fail},
		{name: "another region", claim: "table/CommitCollectAudit/region", want: evidence.Waived},
		{name: "another region than stated", claim: "table/CommitCollect/region", want: evidence.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			answer := func(w http.ResponseWriter, operation, asked string) {
				switch operation {
				case "DescribeTable":
					var defined []string
					for _, name := range []string{"PK S", "SK S", row.also} {
						if name, kind, _ := strings.Cut(name, " "); name != "" && !strings.HasPrefix(name, "-") && row.also != "-"+name {
							defined = append(defined, fmt.Sprintf(`{"AttributeName":%q,"AttributeType":%q}`, name, strings.TrimSpace(kind + "S")[:1]))
						}
					}
					if strings.Contains(row.gsi, "GSI1PK") {
						defined = append(defined, `{"AttributeName":"GSI1PK","AttributeType":"S"}`)
					}
					fmt.Fprintf(w, `{"Table":{"TableName":%q,"TableStatus":%q,"TableArn":"arn:aws:dynamodb:us-east-1:111122223333:table/%[1]s","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}],"AttributeDefinitions":[%[3]s],"GlobalSecondaryIndexes":[%[4]s]}}`,
						tableAsked(asked), cmp.Or(row.status, "ACTIVE"), strings.Join(defined, ","), row.gsi)
				case "DescribeTimeToLive":
					fmt.Fprintf(w, `{"TimeToLiveDescription":{"TimeToLiveStatus":%q,"AttributeName":%q}}`, map[bool]string{true: "ENABLED", false: "DISABLED"}[row.ttl != ""], row.ttl)
				}
			}
			session := audited(t, found(t, "commit-collect"), answer, func(i *session.Input) {
				i.Documents, i.Deployment = documents, session.Deployment{Region: "us-east-1", Tables: map[string]string{primary: primary, audit: audit}}
			})
			result := ran(t, session, row.claim)
			if noted := strings.Join(result.Noted, "\n"); result.Verdict != row.want || !strings.Contains(noted, row.noted) || row.noted == "" && noted != "" && row.want == evidence.Pass {
				t.Errorf("expected %s and %q noted, found %s and %q", row.want, row.noted, Message(result), noted)
			}
		})
	}
}

// What the project chose is noted where somebody else deployed the tables, and
// fails the run's own deployment and whoever asks for it.
func TestChosenOtherwise(t *testing.T) {
	existing := session.Input{Existing: struct{ safewrite.Journal }{}}
	for _, row := range []struct {
		name  string
		input session.Input
		basis accesspatterns.BasisKind
		want  evidence.Verdict
	}{
		{"an audit", session.Input{ReadOnly: true}, accesspatterns.Chosen, evidence.Waived},
		{"an existing stack", existing, accesspatterns.Chosen, evidence.Waived},
		{"a strict audit", session.Input{ReadOnly: true, Strict: true}, accesspatterns.Chosen, evidence.Fail},
		{"a stack of the run's own", session.Input{}, accesspatterns.Chosen, evidence.Fail},
		{"what the document states", session.Input{ReadOnly: true}, accesspatterns.Stated, evidence.Fail},
		{"what it implies", session.Input{ReadOnly: true}, accesspatterns.Implied, evidence.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			claim := manifest.Claim{Kind: manifest.KindIndex, Basis: row.basis, Because: "a finding"}
			o := &observe.Observation{Session: &session.Session{Input: row.input}, Claim: claim}
			o.Chosen("table T, index I, projection", "ALL", "KEYS_ONLY", remedy.Advice{})
			result := o.Result()
			assert.Equal(t, row.want, result.Verdict)
			if noted := strings.Contains(strings.Join(result.Noted, ""), "ALL chosen here, KEYS_ONLY deployed"); noted != (row.want == evidence.Waived) {
				t.Errorf("expected a note only in place of a failure, found %q", result.Noted)
			}
			never := &observe.Observation{Session: &session.Session{Input: row.input}, Claim: claim}
			never.Equal("table T, index I", "there", "missing", remedy.Advice{})
			assert.Equal(t, evidence.Fail, never.Result().Verdict, "expected what is no part of the choice to fail")
		})
	}
}

// What answers in DynamoDB's place, such as a gateway, decides no claim about what is deployed.
func TestStrangeAnswersDecideNothing(t *testing.T) {
	for _, body := range []string{`{}`, ``} {
		for _, design := range designs.All() {
			session := audited(t, design, func(w http.ResponseWriter, _, _ string) { _, _ = io.WriteString(w, body) })
			for _, claim := range AuditClaims(design, false) {
				if claim.Kind != manifest.KindSchema && claim.Kind != manifest.KindIndex {
					continue
				}
				if result := Decide(t.Context(), claim, session, nil); result.Verdict != evidence.Indeterminate {
					t.Errorf("%q: expected indeterminate, found %s", body, Message(result))
				}
			}
		}
	}
}

// A document may offer provisioned capacity in place of on-demand billing: with its
// units, and with no others.
func TestBillingModeForLater(t *testing.T) {
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
		session := audited(t, found(t, "personal-os"), described(","+row.described))
		expect(t, row.name, ran(t, session, "table/personal-os/billing"), row.verdict, row.words)
	}
}

// What a document promises beyond keys and global indexes is compared with what is
// described, and one difference fails the claim that speaks of it.
func TestPromisedSettings(t *testing.T) {
	const documented = `"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"day","AttributeType":"N"},
			{"AttributeName":"country","AttributeType":"S"},{"AttributeName":"city","AttributeType":"S"},{"AttributeName":"year","AttributeType":"N"},{"AttributeName":"month","AttributeType":"N"}],
		"GlobalSecondaryIndexes":[{"IndexName":"by-place","IndexStatus":"ACTIVE","KeySchema":[{"AttributeName":"country","KeyType":"HASH"},{"AttributeName":"city","KeyType":"HASH"},
			{"AttributeName":"year","KeyType":"RANGE"},{"AttributeName":"month","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],
		"ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":1},"DeletionProtectionEnabled":true,"TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"},
		"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"},
		"LocalSecondaryIndexes":[{"IndexName":"by-day","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"day","KeyType":"RANGE"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["text"]}}]`
	here := designtest.Line(1, "RollModel")
	for _, row := range []struct{ name, from, to, claim, words string }{
		{"as documented", "", "", "", ""},
		{"another view", "NEW_IMAGE", "KEYS_ONLY", "table/RollModel/stream", "on, KEYS_ONLY"},
		{"no stream", `"StreamEnabled":true`, `"StreamEnabled":false`, "table/RollModel/stream", "off"},
		{"no protection", `"DeletionProtectionEnabled":true`, `"DeletionProtectionEnabled":false`, "table/RollModel/deletion-protection", "off"},
		{"the standard class", "STANDARD_INFREQUENT_ACCESS", "STANDARD", "table/RollModel/table-class", "STANDARD"},
		{"more units", `"ReadCapacityUnits":3`, `"ReadCapacityUnits":5`, "table/RollModel/billing", "5 read and 1 write"},
		{"on demand", `"ProvisionedThroughput"`, `"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"ProvisionedThroughput"`, "table/RollModel/billing", "PAY_PER_REQUEST"},
		{"another local index", `"IndexName":"by-day"`, `"IndexName":"by-week"`, "table/RollModel/indexes", "by-week"},
		{"no local index of that name", `"IndexName":"by-day"`, `"IndexName":"by-week"`, "index/RollModel/by-day", "no such index"},
		{"another key of it", `"AttributeName":"day","KeyType":"RANGE"`, `"AttributeName":"SK","KeyType":"RANGE"`, "index/RollModel/by-day", "RANGE SK (S)"},
		{"another projection of it", `"INCLUDE","NonKeyAttributes":["text"]`, `"ALL"`, "index/RollModel/by-day/projection", "ALL"},
		{"one attribute of a key of several", `{"AttributeName":"year","KeyType":"RANGE"},`, "", "index/RollModel/by-place", "HASH city (S), HASH country (S), RANGE month (N)"},
		{"its sort key in another order", `{"AttributeName":"year","KeyType":"RANGE"},{"AttributeName":"month","KeyType":"RANGE"}`, `{"AttributeName":"month","KeyType":"RANGE"},{"AttributeName":"year","KeyType":"RANGE"}`, "index/RollModel/by-place", "RANGE month (N), RANGE year (N)"},
		{"a part of it that is defined otherwise", `{"AttributeName":"city","AttributeType":"S"}`, `{"AttributeName":"city","AttributeType":"N"}`, "table/RollModel/attributes", "N"},
		{"another included attribute", `["text"]`, `["title"]`, "index/RollModel/by-day/projection", "title"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.from != "" && strings.Count(documented, row.from) != 1 {
				t.Fatalf("expected %q once in the description", row.from)
			}
			described := documented
			if row.from != "" {
				described = strings.Replace(documented, row.from, row.to, 1)
			}
			design := found(t, "roll-model")
			table := &design.Tables[0]
			key := func(name string, of dynamo.Type) accesspatterns.Key {
				return accesspatterns.Key{Attribute: name, Type: of}
			}
			year := key("year", dynamo.Number)
			table.Billing, table.Units = dynamo.Provisioned, &accesspatterns.Capacity{ReadUnits: 3, WriteUnits: 1}
			table.Stream = &accesspatterns.StreamPromise{View: "NEW_IMAGE", Cite: here}
			table.Protection, table.Class = &accesspatterns.Promise{Cite: here}, &accesspatterns.ClassPromise{Class: "STANDARD_INFREQUENT_ACCESS", Cite: here}
			table.Indexes = []accesspatterns.Index{{
				Name: "by-day", Local: true, PartitionKey: table.PartitionKey, SortKey: &accesspatterns.Key{Attribute: "day", Type: dynamo.Number},
				Projection: dynamo.ProjectInclude, NonKeyAttributes: []string{"text"}, Cite: here,
			}, {
				Name: "by-place", PartitionKey: key("country", dynamo.String), SortKey: &year, Projection: dynamo.ProjectAll, Cite: here,
				MorePartition: []accesspatterns.Key{key("city", dynamo.String)}, MoreSort: []accesspatterns.Key{key("month", dynamo.Number)},
			}}
			session := audited(t, design, func(w http.ResponseWriter, _, _ string) {
				fmt.Fprintf(w, `{"Table":{"TableName":"RollModel","TableStatus":"ACTIVE",%s}}`, described)
			})
			for _, claim := range []string{
				"table/RollModel/key", "table/RollModel/attributes", "table/RollModel/billing", "table/RollModel/stream", "table/RollModel/deletion-protection", "table/RollModel/table-class",
				"table/RollModel/indexes", "index/RollModel/by-day", "index/RollModel/by-day/projection", "index/RollModel/by-place",
			} {
				switch found := ran(t, session, claim); {
				case claim == row.claim:
					expect(t, claim, found, evidence.Fail, row.words)
				case row.claim == "":
					expect(t, claim, found, evidence.Pass, "")
				}
			}
		})
	}
}

// A table as AWS describes it, with settings and additions that no document knows.
func TestSettingsAndAdditions(t *testing.T) {
	const extras, users, tagged, named = "roll-model/table/RollModel/extras", "osem-ladders/table/Users/extras", "roll-model/table/RollModel/tags", "ListTables"
	const arn, stages = "arn:aws:dynamodb:eu-west-1:111122223333:table/", `["personal-os-dev","personal-os-prod","personal-os","personal-osmosis","theirs"]`
	const partner = `{"Version":"2012-10-17","Statement":[{"Sid":"Partner","Effect":"Allow","Principal":"*","Action":"dynamodb:GetItem","Resource":"*"}]}`
	const unknown = `,"FutureTier":{"Level":"deep"},"TableThroughputModeSummary":{"TableThroughputMode":"PAY_PER_REQUEST","LastUpdateToPayPerRequestDateTime":1.5,"Discount":1},` +
		`"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST","Rebate":1},"SSEDescription":{"Status":"SHIMMERING"},"GlobalSecondaryIndexes":[{"IndexName":"x","Hue":null}]`
	// says are answers in place of the usual ones.
	type says map[string]string
	result := func(t *testing.T, claim, prefix string, answers says, change func(*session.Input)) evidence.Result {
		t.Helper()
		name, id, _ := strings.Cut(claim, "/")
		design := found(t, name)
		if answers["policy"] != "" { // of a document that speaks of no roles and no scans
			design.Policies = accesspatterns.Policies{}
		}
		says := says{named: `["RollModel"]`, "arn": arn + "%s", "tags": `[]`, "destinations": `[]`, "insights": "DISABLED", "recovery": "DISABLED"}
		maps.Copy(says, answers)
		answer := func(w http.ResponseWriter, operation, asked string) {
			switch operation {
			case named:
				fmt.Fprintf(w, `{"TableNames":%s}`, says[named])
			case "DescribeTable":
				members := says["table"] + `,"DeletionProtectionEnabled":true,"TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"}`
				if says["arn"] != "" {
					members += fmt.Sprintf(`,"TableArn":%q`, strings.ReplaceAll(says["arn"], "%s", tableAsked(asked)))
				}
				described(members)(w, operation, asked)
			case "ListTagsOfResource":
				if strings.Contains(asked, "NextToken") {
					fmt.Fprintf(w, `{"Tags":%s}`, says["tags"])
					return
				}
				fmt.Fprint(w, `{"Tags":[{"Key":"aws:cloudformation:stack-name","Value":"x"}],"NextToken":"more"}`)
			case "DescribeKinesisStreamingDestination":
				fmt.Fprintf(w, `{"KinesisDataStreamDestinations":%s}`, says["destinations"])
			case "DescribeContinuousBackups":
				fmt.Fprintf(w, `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":%q,"RecoveryPeriodInDays":7}}}`, says["recovery"])
			case "GetResourcePolicy":
				if says["policy"] == "" {
					refuse(w, "PolicyNotFoundException", "")
					return
				}
				fmt.Fprintf(w, `{"Policy":%q}`, says["policy"])
			case "DescribeContributorInsights":
				fmt.Fprintf(w, `{"ContributorInsightsStatus":%q}`, says["insights"])
			}
		}
		return ran(t, audited(t, design, answer, func(i *session.Input) {
			i.NamePrefix = prefix
			for id, name := range i.Deployment.Tables {
				i.Deployment.Tables[id] = prefix + name
			}
		}, change), id)
	}
	loosely, strictly := func(*session.Input) {}, func(i *session.Input) { i.Strict = true }
	for _, row := range []struct {
		name, claim, prefix string
		says                says
		how                 func(*session.Input)
		verdict             evidence.Verdict
		words               string
	}{
		{"settings of operations", extras, "", nil, loosely, evidence.Pass, "deletion protection: on, of which the document does not speak"},
		{"settings, strictly", extras, "", nil, strictly, evidence.Fail, "table class"},
		{"Contributor Insights", extras, "", says{"insights": "ENABLED"}, loosely, evidence.Pass, "Contributor Insights: on"},
		{"recovery where no document speaks of it", users, "", says{"recovery": "ENABLED"}, loosely, evidence.Pass, "point-in-time recovery: on, for 7 days"},
		{"recovery, strictly", users, "", says{"recovery": "ENABLED"}, strictly, evidence.Fail, "point-in-time recovery"},
		{"a key where no document speaks of one", extras, "", says{"table": `,"SSEDescription":{"KMSMasterKeyArn":"arn:aws:kms:eu-west-1:111122223333:key/k"}`}, loosely, evidence.Pass, "key of encryption at rest: arn:aws:kms:eu-west-1:111122223333:key/k"},
		{"a stream that is not said to be on", "roll-model/table/RollModel/stream", "", says{"table": `,"StreamSpecification":{"StreamViewType":"NEW_IMAGE"}`}, loosely, evidence.Indeterminate, "not whether it is on"},
		{"a table without an ARN", tagged, "", says{"arn": ""}, loosely, evidence.Indeterminate, "a table with its ARN"},
		{"a table with another's ARN", tagged, "", says{"arn": arn + "payroll"}, loosely, evidence.Indeterminate, "that of another"},
		{"a policy that no document knows", extras, "", says{"policy": partner}, loosely, evidence.Pass, "resource policy: attached, with statements that allow: statement Partner"},
		{"such a policy, strictly", extras, "", says{"policy": partner}, strictly, evidence.Fail, "resource policy"},
		{"a vector index", extras, "", says{"table": `,"VectorIndexes":[{"IndexName":"byMeaning"}]`}, loosely, evidence.Fail, "byMeaning"},
		{"a Kinesis destination", extras, "", says{"destinations": `[{"StreamArn":"arn:aws:kinesis:eu-west-1:111122223333:stream/changes","DestinationStatus":"ACTIVE"}]`}, loosely, evidence.Fail, "stream/changes"},
		{"a tag that AWS set", tagged, "", nil, strictly, evidence.Pass, ""},
		{"an organisation's tag on the second page", tagged, "", says{"tags": `[{"Key":"Owner","Value":"somebody"}]`}, loosely, evidence.Pass, "tag Owner: somebody, of which the document does not speak"},
		{"such a tag, strictly", tagged, "", says{"tags": `[{"Key":"Owner","Value":"somebody"}]`}, strictly, evidence.Fail, "tag Owner"},
		{"an empty tag beyond a documented list", "osem-ladders/table/Users/tags", "", says{"tags": `[{"Key":"Owner","Value":""}]`}, loosely, evidence.Fail, `found    ""`},
		{"a tag beyond a documented list", "osem-ladders/table/Users/tags", "", says{"tags": `[{"Key":"Owner","Value":"somebody"}]`}, loosely, evidence.Fail, "tag Owner"},
		{"no list of tags", tagged, "", says{"tags": `null`}, loosely, evidence.Indeterminate, "a list of tags, which may be empty"},
		{"a tag whose name is a placeholder", tagged, "", says{"tags": `[{"Key":"{owner}","Value":"somebody"}]`}, loosely, evidence.Fail, "a tag without placeholders"},
		{"a table behind the prefix", "roll-model/tables", "x-", says{named: `["x-RollModel","x-pending-requests","theirs"]`}, loosely, evidence.Fail, "x-pending-requests"},
		{"a table whose name goes on behind a documented one", "roll-model/tables", "", says{named: `["RollModel","RollModel-copy","RollModelCopy"]`}, loosely, evidence.Fail, "table RollModelCopy"},
		{"a table of the same stage", "personal-os/tables", "", says{named: `["personal-os-dev","personal-os-dev-archive"]`}, loosely, evidence.Fail, "table personal-os-dev-archive"},
		{"tables of another stage", "personal-os/tables", "", says{named: stages}, loosely, evidence.Pass, "of another stage: personal-os-prod, personal-os"},
		{"tables of another stage, strictly", "personal-os/tables", "", says{named: stages}, strictly, evidence.Pass, ""},
		{"a table whose name is a placeholder", "roll-model/table/RollModel/exists", "<stage>-", nil, loosely, evidence.Fail, "a name without placeholders"},
		{"a table of somebody else's", "roll-model/tables", "", says{named: `["RollModel","theirs"]`}, loosely, evidence.Pass, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			found := result(t, row.claim, row.prefix, row.says, row.how)
			expect(t, row.claim, found, row.verdict, row.words)
			if noted := strings.Join(found.Noted, "\n"); row.says[named] == stages && !strings.HasSuffix(noted, ": personal-os-prod, personal-os") {
				t.Errorf("expected the two of the same name to be noted, and nobody else's, found %q", noted)
			}
		})
	}
	for _, how := range []func(*session.Input){loosely, strictly} {
		var told []string
		for _, line := range result(t, extras, "", says{"table": unknown}, how).Noted {
			if at, is := strings.CutSuffix(line, ": not known to this version, which cannot tell what it means"); is {
				told = append(told, strings.TrimPrefix(at, "table RollModel, DescribeTable, Table."))
			}
		}
		assert.Equal(t, []string{"BillingModeSummary.Rebate", "FutureTier", "GlobalSecondaryIndexes.Hue", `SSEDescription.Status "SHIMMERING"`, "TableThroughputModeSummary.Discount"}, told, "what nobody here knows")
	}
}
