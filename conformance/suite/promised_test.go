package suite

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/ledgertest"
	"dynaproof/conformance/suite/session"
)

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
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				fmt.Fprintf(w, `{"Table":{"TableName":"RollModel","TableStatus":"ACTIVE",%s}}`, described)
			}))
			defer server.Close()
			design, err := designs.Find("roll-model")
			require.NoError(t, err)
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
			session, err := session.Open(t.Context(), session.Input{
				Design: design, Environment: "dev", Endpoint: server.URL, Grade: evidence.AWS, Ledger: ledgertest.Entries{}, ReadOnly: true,
				Deployment: session.Deployment{Region: "eu-west-1", Tables: map[string]string{table.ID: "RollModel"}},
			})
			require.NoError(t, err)
			tried := map[string]bool{}
			for _, spec := range AuditSpecs(design) {
				id := strings.TrimPrefix(spec.Claim.ID, "roll-model/")
				aspects := []string{"table/RollModel/key", "table/RollModel/attributes", "table/RollModel/billing", "table/RollModel/stream", "table/RollModel/deletion-protection", "table/RollModel/table-class",
					"table/RollModel/indexes", "index/RollModel/by-day", "index/RollModel/by-day/projection", "index/RollModel/by-place"}
				for _, aspect := range aspects {
					if id != aspect {
						continue
					}
					tried[id] = true
					found := spec.Run(t.Context(), session, nil)
					switch text := Message(found); {
					case id == row.claim && (found.Verdict != evidence.Fail || !strings.Contains(text, row.words)):
						t.Errorf("%s: expected fail with %q, found %s %s", id, row.words, found.Verdict, text)
					case row.claim == "" && found.Verdict != evidence.Pass:
						t.Errorf("%s: expected pass, found %s %s", id, found.Verdict, text)
					}
				}
			}
			if len(tried) != 10 {
				t.Errorf("expected ten claims, found %v", tried)
			}
		})
	}
}
