package witness_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/reader"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/dynamo"
)

// chat is the contract of testdata/chat.md.
func chat() *ap.Design {
	text := func(attribute string) ap.Key { return ap.Key{Attribute: attribute, Type: dynamo.String} }
	sort := text("SK")
	member := ap.Entity{
		ID: "member", Title: "Member", Table: "members", Cite: designtest.Line(39, "Member"),
		Keys: []ap.KeyAttribute{
			{Attribute: "PK", Template: "ROOM#{room_id}", Cite: designtest.Line(43, "ROOM#{room_id}")},
			{Attribute: "SK", Template: "USER#{user_id}", Cite: designtest.Line(44, "USER#{user_id}")},
		},
		Attributes: []ap.Attribute{
			{Name: "user_id", Type: dynamo.String, Cite: designtest.Line(48, "user_id")},
			{Name: "email", Type: dynamo.String, Cite: designtest.Line(49, "email")},
			{Name: "role", Type: dynamo.String, Cite: designtest.Line(50, "role")},
		},
	}
	return &ap.Design{
		Name:           "chat",
		AccessPatterns: designtest.Lines(23, 28, "Access Patterns"),
		Tables: []ap.Table{
			{
				ID: "chats", Name: "chats", Cite: designtest.Line(5, "Table: chats"), PartitionKey: text("PK"), SortKey: &sort,
				KeyCite: designtest.Lines(11, 14, "PK (partition key)", "SK (sort key)"), TTL: &ap.TTL{Attribute: "ttl", Cite: designtest.Line(21, "ttl", "TTL")},
				IndexesCite: designtest.Line(9, "Key Schema"),
			},
			{
				ID: "members", Name: "members", Cite: designtest.Line(30, "Table: members"), PartitionKey: text("PK"), SortKey: &sort,
				KeyCite: designtest.Lines(34, 37, "PK (partition key)", "SK (sort key)"), IndexesCite: designtest.Line(32, "Key Schema"),
			},
		},
		Entities: []ap.Entity{
			{
				ID: "chat", Title: "Chat", Table: "chats", Cite: designtest.Line(5, "chats"),
				Keys: []ap.KeyAttribute{
					{Attribute: "PK", Template: "{room_id}", Cite: designtest.Line(13, "{room_id}")},
					{Attribute: "SK", Template: "{chat_id}", Cite: designtest.Line(14, "{chat_id}")},
				},
				Attributes: []ap.Attribute{
					{Name: "changed_at", Type: dynamo.String, Cite: designtest.Line(20, "changed_at")},
					{Name: "ttl", Type: dynamo.Number, Cite: designtest.Line(21, "ttl")},
				},
			},
			member,
		},
		Patterns: []ap.Pattern{
			{ID: "get-chat", Title: "Get chat", Cite: designtest.Line(27, "Get chat"), Steps: []ap.Step{{Name: "read", Cite: designtest.Line(27, "Get chat"), Read: &ap.Read{
				Operation: dynamo.GetItem, Table: "chats", Partition: designtest.Equals("PK", "{room_id}"), Sort: designtest.Is("SK", "{chat_id}"), Expires: "ttl",
			}}}},
			{ID: "clear-chat", Title: "Clear chat", Cite: designtest.Line(28, "Clear chat"), Steps: []ap.Step{{Name: "clear", Cite: designtest.Line(28, "Clear chat"), Write: []ap.Action{{
				Kind: ap.Delete, Table: "chats", Key: []ap.Equality{*designtest.Equals("PK", "{room_id}"), *designtest.Equals("SK", "{chat_id}")},
			}}}}},
		},
	}
}

// ids are the ids of the open objections to a contract of testdata/chat.md.
func ids(t *testing.T, design *ap.Design) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/chat.md")
	require.NoError(t, err)
	document, err := reader.Read(text)
	require.NoError(t, err)
	var found []string
	for _, o := range witness.Open(witness.Object(design, document)) {
		t.Logf("line %d, %s: %s", o.Line, o.ID, o.Message)
		found = append(found, o.ID)
	}
	return found
}

// TestRightContract: a contract that says what the document says meets no
// objection.
func TestRightContract(t *testing.T) {
	if found := ids(t, chat()); len(found) > 0 {
		t.Errorf("expected no objection, found %v", found)
	}
}

// TestMisreadings: mistakes that the author made in the stack and the contract
// alike, so that no run can find them.
func TestMisreadings(t *testing.T) {
	for name, test := range map[string]struct {
		mistake func(*ap.Design)
		want    []string
	}{
		"time to live left out": {
			func(d *ap.Design) { d.Tables[0].TTL = nil },
			[]string{"expiry/pattern/get-chat", "differs/table/chats/ttl"},
		},
		"time to live left out, and by the reader too": {
			func(d *ap.Design) { d.Tables[0].TTL, d.Patterns[0].Steps[0].Read.Expires = nil, "" },
			[]string{"differs/table/chats/ttl"},
		},
		"time to live by a text": {
			func(d *ap.Design) {
				d.Tables[0].TTL = &ap.TTL{Attribute: "changed_at", Cite: designtest.Line(20, "changed_at")}
			},
			[]string{"expiry/table/chats/ttl", "expiry/pattern/get-chat", "differs/table/chats/ttl"},
		},
		"table of another name": {
			func(d *ap.Design) {
				d.Tables[1].ID, d.Tables[1].Name, d.Entities[1].Table = "member", "member", "member"
			},
			[]string{"own-name/table/member", "unnamed/table/members", "unnamed/entity/ROOM#{room_id}+USER#{user_id}"},
		},
		"pattern left out, whose line a finding cites": {
			func(d *ap.Design) {
				d.Patterns = d.Patterns[:1]
				d.Findings = []ap.Finding{{ID: "clear", Kind: ap.Gap, Cite: designtest.Line(28, "Clear chat")}}
			},
			[]string{"unclaimed/pattern/clear-chat", "unclaimed/line/28"},
		},
		"pattern left out, whose line the narrative lists": {
			func(d *ap.Design) {
				d.Patterns = d.Patterns[:1]
				d.Narrative = designtest.Narrates("nothing", 28)
			},
			[]string{"unclaimed/pattern/clear-chat"},
		},
		"another line with the same token": {
			func(d *ap.Design) { d.Entities[1].Attributes[1].Cite = designtest.Line(52, "email") },
			[]string{"elsewhere/attribute/member/email"},
		},
		"another line, whose token is the type": {
			func(d *ap.Design) { d.Entities[1].Attributes[1].Cite = designtest.Line(48, "String") },
			[]string{"own-name/attribute/member/email", "elsewhere/attribute/member/email"},
		},
		"type of an attribute": {
			func(d *ap.Design) { d.Entities[1].Attributes[2].Type = dynamo.List },
			[]string{"differs/attribute/member/role"},
		},
		"attribute left out": {
			func(d *ap.Design) { d.Entities[1].Attributes = d.Entities[1].Attributes[:2] },
			[]string{"unnamed/attribute/member/role"},
		},
		"form of a key": {
			func(d *ap.Design) { d.Entities[1].Keys[1].Template = "MEMBER#{user_id}" },
			[]string{"unnamed/entity/ROOM#{room_id}+USER#{user_id}"},
		},
		"answer to nothing": {
			func(d *ap.Design) { d.Answers = []ap.Answer{{Objection: "own-name/table/chats", Because: "so"}} },
			[]string{"stale/own-name/table/chats"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			design := chat()
			test.mistake(design)
			if found := ids(t, design); !slices.Equal(found, test.want) {
				t.Errorf("expected %v, found %v", test.want, found)
			}
		})
	}
}

// TestAnswer: an answer with a reason closes an objection, and nothing else.
func TestAnswer(t *testing.T) {
	design := chat()
	design.Tables[0].TTL = nil
	design.Answers = []ap.Answer{{Objection: "differs/table/chats/ttl", Because: "switched off by a ruling"}}
	if found := ids(t, design); !slices.Equal(found, []string{"expiry/pattern/get-chat"}) {
		t.Errorf("expected the other objection alone, found %v", found)
	}
	if found := witness.Object(design, nil); len(found) != 1 || found[0].ID != "expiry/pattern/get-chat" {
		t.Errorf("expected one objection without the document, found %v", found)
	}
}

// TestPlaceholderOfTheEnvironment: a name stands in its citation, whatever the document
// calls the environment and however it marks it.
func TestPlaceholderOfTheEnvironment(t *testing.T) {
	for token, objects := range map[string]bool{
		"chats-{env}": false, "chats-{environment}": false, "chats-<stage>": false, "chats-${env}": false,
		"chats": true, "chats-dev": true, "old-chats-{env}": true,
	} {
		design := chat()
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
