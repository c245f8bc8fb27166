package document_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
)

// changed is a contract of testdata in which something stands in place of something else.
func changed(t *testing.T, name string, change map[string]any) *ap.Design {
	t.Helper()
	design, err := contract.Load(fstest.MapFS{"contract.yaml": {Data: tabletest.Changed(t, name+".yaml", change)}})
	require.NoError(t, err)
	return design
}

// document is the text of testdata that a contract is held against, after a change.
func document(t *testing.T, name string, change map[string]string) *reader.Document {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".md")
	require.NoError(t, err)
	for from, to := range change {
		require.Contains(t, string(text), from)
		text = []byte(strings.Replace(string(text), from, to, 1))
	}
	document, err := reader.Read(text)
	require.NoError(t, err)
	return document
}

// open are the ids of the open objections, in order.
func open(t *testing.T, all []witness.Objection) (ids []string) {
	t.Helper()
	for _, o := range witness.Open(all) {
		t.Logf("line %d, %s: %s", o.Line, o.ID, o.Message)
		ids = append(ids, o.ID)
	}
	return slices.Sorted(slices.Values(ids))
}

func TestObjections(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Of                   string
		Change                     map[string]any
		Document                   map[string]string
		Objects, Hazards, Declared []string // nil where they are not looked at
	}](t, "objections.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			design := changed(t, row.Of, row.Change)
			objections := open(t, witness.Object(design, document(t, row.Of, row.Document)))
			hazards := open(t, witness.Hazards(design))
			declared := slices.DeleteFunc(slices.Clone(objections), func(id string) bool { return !strings.HasPrefix(id, witness.Declared+"/") })
			for i, id := range hazards {
				if of, is := strings.CutPrefix(id, "hazard/"); is {
					hazards[i] = of
					assert.True(t, slices.ContainsFunc(review.Rules(), func(r *review.Rule) bool { return strings.HasPrefix(of, r.ID+"/") }), "%s is of no rule of package review", id)
				}
			}
			for what, ids := range map[string][2][]string{"objections": {row.Objects, objections}, "hazards": {row.Hazards, hazards}, "of declared tables": {row.Declared, declared}} {
				if ids[0] != nil {
					slices.Sort(ids[0])
					assert.Empty(t, cmp.Diff(ids[0], append([]string{}, ids[1]...)), "%s (-want +got)", what)
				}
			}
		})
	}
}

// TestHazardsOfFive: each hazard of the five contracts has a finding or a reason.
func TestHazardsOfFive(t *testing.T) {
	answered := 0
	for _, design := range designs.All() {
		for _, o := range witness.Hazards(design) {
			if o.Answer == "" {
				t.Errorf("%s:%d %s: %s", design.Document.File, o.Line, o.ID, o.Message)
				continue
			}
			answered++
			t.Logf("%s: %s (%s)", design.Name, o.ID, o.Answer)
		}
	}
	if answered < 30 {
		t.Errorf("expected the hazards that were found in the five by hand, found %d", answered)
	}
}

// TestAnswer: what an answer closes is the same without the document, and one by a finding that is not there closes nothing.
func TestAnswer(t *testing.T) {
	design := changed(t, "chat", map[string]any{"tables": map[string]any{"chats": map[string]any{"ttl": nil}}})
	assert.Equal(t, []string{"expiry/pattern/get-chat"}, open(t, witness.Object(design, nil)))
	design.Answers = []ap.Answer{{Objection: "expiry/pattern/get-chat", Because: "finding nowhere"}}
	assert.Equal(t, []string{"expiry/pattern/get-chat"}, open(t, witness.Object(design, nil)))
}

// TestPlaceholderOfTheEnvironment: a name stands in its citation, whatever the document
// calls the environment and however it marks it.
func TestPlaceholderOfTheEnvironment(t *testing.T) {
	for token, objects := range map[string]bool{
		"chats-{env}": false, "chats-{environment}": false, "chats-<stage>": false, "chats-${env}": false,
		"chats": true, "chats-dev": true, "old-chats-{env}": true,
	} {
		design := changed(t, "chat", nil)
		design.Tables[0].ID, design.Tables[0].Name, design.Tables[0].Cite = "conversations", "chats-{env}", designtest.Line(5, token)
		found := slices.ContainsFunc(witness.Object(design, nil), func(o witness.Objection) bool { return o.ID == "own-name/table/conversations" })
		if found != objects {
			t.Errorf("chats-{env}, cited as %q: expected an objection %v, found %v", token, objects, found)
		}
	}
}

// TestPlaceholderOfItsOwn: a name with a placeholder that is no environment is that of the table whose name has its form.
func TestPlaceholderOfItsOwn(t *testing.T) {
	read, err := reader.Read([]byte("# Table: `{prefix}rooms`\n\n- Partition key: `id` (String)\n"))
	require.NoError(t, err)
	for name, objects := range map[ap.NameTemplate]bool{"hotel-{env}-rooms": false, "hotel-{env}-guests": true} {
		design := &ap.Design{Tables: []ap.Table{{ID: "own", Name: name, PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String}}}}
		if found := slices.ContainsFunc(witness.Object(design, read), func(o witness.Objection) bool { return o.ID == "unnamed/table/{prefix}rooms" }); found != objects {
			t.Errorf("%s: expected an objection %v, found %v", name, objects, found)
		}
	}
}

// TestUnnamedIndex: an index that the document does not name is that of the contract with its keys.
func TestUnnamedIndex(t *testing.T) {
	read, err := reader.Read([]byte("# Table: `clubs`\n\n- Partition key: `id` (String)\n\n## Indexes\n\n- **GSI on `mail`**\n  - Partition key: `mail`\n"))
	require.NoError(t, err)
	for attribute, objects := range map[string]bool{"mail": false, "city": true} {
		design := &ap.Design{Tables: []ap.Table{{ID: "clubs", Name: "clubs", PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String}, Indexes: []ap.Index{
			{Name: "by-it", PartitionKey: ap.Key{Attribute: attribute, Type: dynamo.String}, Projection: dynamo.ProjectAll},
		}}}}
		if found := slices.ContainsFunc(witness.Object(design, read), func(o witness.Objection) bool { return o.ID == "unnamed/index/clubs/GSI on mail" }); found != objects {
			t.Errorf("%s: expected an objection %v, found %v", attribute, objects, found)
		}
	}
}

// TestUnnamedTable: the one table of a document that never names it is that of the contract.
func TestUnnamedTable(t *testing.T) {
	read, err := reader.Read([]byte("# Clubs\n\nOne table holds all.\n\n| Entity | PK | SK |\n|---|---|---|\n| Member | `MEMBER#{memberId}` | `PROFILE` |\n"))
	require.NoError(t, err)
	sort := ap.Key{Attribute: "SK", Type: dynamo.String}
	design := &ap.Design{
		Name:   "clubs",
		Tables: []ap.Table{{ID: "clubs", Name: "clubs", PartitionKey: ap.Key{Attribute: "PK", Type: dynamo.String}, SortKey: &sort}},
		Entities: []ap.Entity{{ID: "member", Title: "Member", Table: "clubs", Cite: designtest.Line(7, "Member"), Keys: []ap.KeyAttribute{
			{Attribute: "PK", Template: "MEMBER#{memberId}", Cite: designtest.Line(7, "MEMBER#{memberId}")}, {Attribute: "SK", Template: "PROFILE", Cite: designtest.Line(7, "PROFILE")},
		}}},
	}
	ids := func() []string {
		var all []string
		for _, o := range witness.Object(design, read) {
			all = append(all, o.ID)
		}
		return all
	}
	const objection = "unnamed/entity/MEMBER#{memberId}+PROFILE"
	if found := ids(); slices.Contains(found, objection) {
		t.Errorf("expected nothing against the member, found %v", found)
	}
	design.Entities[0].Keys[1].Template = "META"
	if found := ids(); !slices.Contains(found, objection) {
		t.Errorf("expected %s, found %v", objection, found)
	}
}

// TestOneOrderOfColumns: the columns that a declared table lacks are named in one order at each start.
func TestOneOrderOfColumns(t *testing.T) {
	design := &ap.Design{
		Name:     "bookings",
		Tables:   []ap.Table{{ID: "bookings", Name: "bookings"}},
		Entities: []ap.Entity{{ID: "booking"}},
		Readings: []ap.Reading{{First: 13, Last: 19, Entity: "booking", Columns: map[string]string{"a": "-", "b": "-", "c": "-", "d": "-", "e": "-", "f": "-", "g": "-", "h": "-"}}},
	}
	var got []string
	for _, o := range witness.Object(design, document(t, "bookings", nil)) {
		if strings.HasPrefix(o.Message, "expected the column") {
			got = append(got, o.ID)
		}
	}
	if len(got) != 8 || !slices.IsSorted(got) {
		t.Errorf("expected the eight columns in their order, found %v", got)
	}
}
