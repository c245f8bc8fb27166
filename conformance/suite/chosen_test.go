package suite

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/observe"
	"dynaproof/conformance/suite/remedy"
	"dynaproof/conformance/suite/session"
)

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
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				table := primary
				if strings.Contains(string(body), audit) {
					table = audit
				}
				switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
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
					status := row.status
					if status == "" {
						status = "ACTIVE"
					}
					fmt.Fprintf(w, `{"Table":{"TableName":%q,"TableStatus":%q,"TableArn":"arn:aws:dynamodb:us-east-1:111122223333:table/%[1]s","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}],"AttributeDefinitions":[%[3]s],"GlobalSecondaryIndexes":[%[4]s]}}`,
						table, status, strings.Join(defined, ","), row.gsi)
				case "DescribeTimeToLive":
					status := "DISABLED"
					if row.ttl != "" {
						status = "ENABLED"
					}
					fmt.Fprintf(w, `{"TimeToLiveDescription":{"TimeToLiveStatus":%q,"AttributeName":%q}}`, status, row.ttl)
				}
			}))
			defer server.Close()
			design, err := designs.Find("commit-collect")
			require.NoError(t, err)
			session, err := session.Open(t.Context(), session.Input{
				Design: design, Environment: "dev", Endpoint: server.URL, Grade: evidence.AWS, Ledger: ledgertest.Entries{}, ReadOnly: true, Documents: documents,
				Deployment: session.Deployment{Region: "us-east-1", Tables: map[string]string{primary: primary, audit: audit}},
			})
			require.NoError(t, err)
			for _, spec := range AuditSpecs(design) {
				if spec.Claim.ID != "commit-collect/"+row.claim {
					continue
				}
				result := spec.Run(t.Context(), session, nil)
				if noted := strings.Join(result.Noted, "\n"); result.Verdict != row.want || !strings.Contains(noted, row.noted) || row.noted == "" && noted != "" && row.want == evidence.Pass {
					t.Errorf("expected %s and %q noted, found %s and %q", row.want, row.noted, Message(result), noted)
				}
				return
			}
			t.Fatalf("no claim %s", row.claim)
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
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		for _, design := range designs.All() {
			tables := session.InEnvironment(design, nil, "dev").Deployment.Tables
			session, err := session.Open(t.Context(), session.Input{
				Design: design, Environment: "dev", Endpoint: server.URL, Grade: evidence.AWS, Ledger: ledgertest.Entries{}, ReadOnly: true,
				Deployment: session.Deployment{Region: "us-east-1", Tables: tables},
			})
			require.NoError(t, err)
			for _, spec := range AuditSpecs(design) {
				if spec.Claim.Kind != manifest.KindSchema && spec.Claim.Kind != manifest.KindIndex {
					continue
				}
				if result := spec.Run(t.Context(), session, nil); result.Verdict != evidence.Indeterminate {
					t.Errorf("%q: expected indeterminate, found %s", body, Message(result))
				}
			}
		}
		server.Close()
	}
}
