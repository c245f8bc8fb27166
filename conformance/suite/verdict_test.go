package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wire"
	"dynaproof/fixtures"
)

func TestShowPartition(t *testing.T) {
	const names, values = `"ExpressionAttributeNames": {"#n0": "PK", "#n1": "SK"}`, `"ExpressionAttributeValues": {":v0": {"S": "a"}, ":v1": {"S": "b"}}`
	const one = "PK equal to one value"
	for _, row := range []struct{ name, condition, request, want string }{
		{"partition alone", "#n0 = :v0", `{` + names + `, ` + values + `}`, one},
		{"with a prefix", "#n0 = :v0 AND begins_with(#n1, :v1)", `{` + names + `, ` + values + `}`, one},
		{"with an exact sort key", "#n1 = :v1 AND (#n0 = :v0)", `{` + names + `, ` + values + `}`, one},
		{"names as they are", "PK = :v0", `{` + values + `}`, one},
		{"no equality", "#n0 BETWEEN :v0 AND :v1", `{` + names + `, ` + values + `}`, "no value for PK"},
		{"the sort key alone", "#n1 = :v0", `{` + names + `, ` + values + `}`, "no value for PK"},
		{"no condition", "", `{` + names + `, ` + values + `}`, "no value for PK"},
		{"two values", "#n0 = :v0 AND #n0 = :v1", `{` + names + `, ` + values + `}`, "expected one value for PK, found two"},
		{"either of two values", "#n0 = :v0 OR #n0 = :v1", `{` + names + `, ` + values + `}`, "joined by AND"},
		{"a value within another", "#n1 <> :v0 AND NOT #n0 = :v1", `{` + names + `, ` + values + `}`, "joined by AND"},
		{"a value that is not given", "#n0 = :v2", `{` + names + `, ` + values + `}`, "every :value"},
		{"no JSON", "#n0 = :v0", `{`, "unexpected end"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := showPartition(wire.Entry{KeyConditionExpression: row.condition, Request: []byte(row.request)}, "PK"); !strings.Contains(got, row.want) || (got == one) != (row.want == one) {
				t.Errorf("expected %q, found %q", row.want, got)
			}
		})
	}
}

func TestScans(t *testing.T) {
	var all []wire.Entry
	for _, operation := range []string{"GetItem", "Query", "Scan", "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction", "PutItem"} {
		all = append(all, wire.Entry{Operation: operation})
	}
	var found []string
	for _, entry := range scans(all) {
		found = append(found, entry.Operation)
	}
	if diff := cmp.Diff([]string{"Scan", "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}, found); diff != "" {
		t.Errorf("reads without a key (-want +got):\n%s", diff)
	}
}

func TestCompare(t *testing.T) {
	item := func(id string) accesspatterns.Item {
		return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}
	}
	expected := []expectedItem{{"a", item("a")}, {"b", item("b")}}
	for _, row := range []struct {
		name       string
		got        []accesspatterns.Item
		ordered    bool
		missing    []string
		unexpected int
		disordered bool
	}{
		{name: "the same", got: []accesspatterns.Item{item("a"), item("b")}, ordered: true},
		{name: "another order that does not matter", got: []accesspatterns.Item{item("b"), item("a")}},
		{name: "another order that matters", got: []accesspatterns.Item{item("b"), item("a")}, ordered: true, disordered: true},
		{name: "one missing", got: []accesspatterns.Item{item("b")}, missing: []string{"a"}},
		{name: "one too many", got: []accesspatterns.Item{item("a"), item("b"), item("c")}, unexpected: 1},
		{name: "one returned twice", got: []accesspatterns.Item{item("a"), item("b"), item("b")}, unexpected: 1},
		{name: "none", missing: []string{"a", "b"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := compare(expected, row.got, row.ordered)
			if !slices.Equal(c.missing, row.missing) || len(c.unexpected) != row.unexpected || c.disordered != row.disordered {
				t.Errorf("expected missing %v, %d unexpected, disordered %v; got %+v", row.missing, row.unexpected, row.disordered, c)
			}
		})
	}
}

// A claim that nothing was observed for never passes, and a weaker witness
// never looks like a stronger one.
func TestResult(t *testing.T) {
	claim := manifest.Claim{ID: "d/x", Title: "x", Cite: "d.md:1"}
	waived := claim
	waived.Waiver = "w"
	finding := claim
	finding.Kind = manifest.KindFinding
	for _, row := range []struct {
		name string
		o    Observation
		want evidence.Verdict
	}{
		{"nothing observed", Observation{claim: claim}, evidence.Indeterminate},
		{"observed", Observation{claim: claim, count: 1}, evidence.Pass},
		{"observed under a waiver", Observation{claim: waived, count: 1}, evidence.Waived},
		{"nothing observed under a waiver", Observation{claim: waived}, evidence.Indeterminate},
		{"a problem", Observation{claim: claim, count: 1, problems: []evidence.Problem{{}}}, evidence.Fail},
		{"a problem under a waiver", Observation{claim: waived, count: 1, problems: []evidence.Problem{{}}}, evidence.Fail},
		{"a problem and something that broke", Observation{claim: claim, count: 1, problems: []evidence.Problem{{}}, instead: evidence.Error}, evidence.Fail},
		{"something that broke after an observation", Observation{claim: claim, count: 1, instead: evidence.Error}, evidence.Error},
		{"a finding that requests have shown", Observation{claim: finding, count: 1, finding: &evidence.Finding{}}, evidence.Shown},
		{"a finding that the text alone tells", Observation{claim: finding, count: 1, finding: &evidence.Finding{Static: "the text is absent"}}, evidence.Told},
		{"a finding of which nothing was observed", Observation{claim: finding, finding: &evidence.Finding{}}, evidence.Indeterminate},
		{"a finding that is not so", Observation{claim: finding, count: 1, problems: []evidence.Problem{{}}}, evidence.Fail},
		{"an engine that cannot answer", Observation{claim: claim, instead: evidence.Unsupported}, evidence.Unsupported},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.o.result().Verdict; got != row.want {
				t.Errorf("expected %s, got %s", row.want, got)
			}
		})
	}
	o := Observation{claim: claim, count: 1, weaker: evidence.Emulated}
	if got := o.result().Grade; got != evidence.Emulated {
		t.Errorf("expected the weaker grade, got %s", got)
	}
}

// A design that could not be deployed is an error of each claim, with the
// reason.
func TestRunWithoutASession(t *testing.T) {
	spec := Spec{Claim: manifest.Claim{ID: "d/x"}}
	result := spec.Run(t.Context(), nil, errOnPurpose{})
	if result.Verdict != evidence.Error || !strings.Contains(Message(result), "on purpose") {
		t.Errorf("expected an error with its reason, got %s", Message(result))
	}
}

type errOnPurpose struct{}

func (errOnPurpose) Error() string { return "on purpose" }

func TestNumbered(t *testing.T) {
	got := fixtures.Numbered(accesspatterns.Item{
		"SK": &types.AttributeValueMemberS{Value: "WORKOUT#{n}"}, "n": &types.AttributeValueMemberN{Value: "{n}"}, "ok": &types.AttributeValueMemberBOOL{Value: true},
	}, 7)
	want := accesspatterns.Item{
		"SK": &types.AttributeValueMemberS{Value: "WORKOUT#7"}, "n": &types.AttributeValueMemberN{Value: "7"}, "ok": &types.AttributeValueMemberBOOL{Value: true},
	}
	if differences := accesspatterns.Differences(want, got); len(differences) > 0 {
		t.Error(differences)
	}
}

// fixedLedger answers with the same entries for every invocation.
type fixedLedger []wire.Entry

func (l fixedLedger) Len() int                   { return len(l) }
func (l fixedLedger) Entries(n int) []wire.Entry { return l[n:] }
func (l fixedLedger) Find(string) []wire.Entry   { return l }

// Text that must not be in any response is not absent from a response that the
// ledger does not hold.
func TestNotReturned(t *testing.T) {
	for _, row := range []struct {
		name     string
		response string
		want     evidence.Verdict
	}{
		{"without the text", `{"Items": []}`, evidence.Pass},
		{"with the text", `{"Items": [{"note": {"S": "secret"}}]}`, evidence.Fail},
		{"with the text, escaped", `{"Items": [{"note": {"M": {"deep": {"S": "d\u00e9prim\u00e9: \"s\u0065cret\"\n"}}}}]}`, evidence.Fail},
		{"with the text as a name", `{"Items": [{"secret": {"S": "x"}}]}`, evidence.Fail},
		{"a response that was not kept", "", evidence.Indeterminate},
	} {
		t.Run(row.name, func(t *testing.T) {
			entry := wire.Entry{Seq: 1}
			if row.response != "" {
				entry.Response = []byte(row.response)
			}
			session := &Session{Input: Input{Ledger: fixedLedger{entry}}}
			o := &Observation{session: session}
			r := &replay{s: session, o: o}
			r.c.NotReturned = []string{"secret"}
			r.unseen("here", []string{"x"})
			if got := o.result().Verdict; got != row.want {
				t.Errorf("expected %s, got %s", row.want, got)
			}
		})
	}
}

// A request in the form from before expressions has filters that no expression
// shows.
func TestWitnessedSeesLegacyParameters(t *testing.T) {
	table := &accesspatterns.Table{ID: "t", PartitionKey: accesspatterns.Key{Attribute: "PK", Type: accesspatterns.String}}
	read := &accesspatterns.Read{Operation: accesspatterns.OpQuery, Table: "t", Partition: designtest.Equals("PK", "x")}
	entry := wire.Entry{
		Operation: "Query", Tables: []string{"t"}, KeyConditionExpression: "PK = :v", Request: []byte(`{}`), LegacyParameters: []string{"QueryFilter"},
	}
	o := &Observation{}
	requestCheck{o}.witnessedEntry("here", read, table, "t", entry)
	if got := Message(o.result()); !strings.Contains(got, "QueryFilter") {
		t.Errorf("expected the legacy parameter to be named, got %s", got)
	}
}

// A pass of a pattern that asks for something else than the text says must say so.
func TestDepartures(t *testing.T) {
	design := &accesspatterns.Design{Name: "d", Findings: []accesspatterns.Finding{
		{ID: "scan", Claims: []string{"pattern/list", "pattern/get"}, Departs: []string{"pattern/list"}},
		{ID: "order", Claims: []string{"pattern/list"}, Departs: []string{"pattern/list"}},
	}}
	s := &Session{Input: Input{Design: design}}
	for id, want := range map[string][]string{"d/pattern/list": {"d/finding/scan", "d/finding/order"}, "d/pattern/get": nil} {
		o := Observation{claim: manifest.Claim{ID: id, Kind: manifest.KindPattern}, session: s, count: 1}
		if result := o.result(); !slices.Equal(result.Departs, want) || result.Verdict != evidence.Pass {
			t.Errorf("%s: expected a pass that departs because of %v, found %s, %v", id, want, result.Verdict, result.Departs)
		}
	}
}
