package guard_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/tabletest"
)

// notes has a note that is edited, and one that is put with the state that its step
// gives it, beside a check of its folder.
func notes() *ap.Design {
	cite := designtest.Line(1, "note")
	name := []ap.Equality{*designtest.Equals("id", "{noteId}")}
	return &ap.Design{
		Name: "notes", Document: ap.Document{File: "notes.md"}, AccessPatterns: cite,
		Tables: []ap.Table{
			{ID: "Notes", Name: "Notes", Cite: cite, PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String}},
			{ID: "Folders", Name: "Folders", Cite: cite, PartitionKey: ap.Key{Attribute: "id", Type: dynamo.String}},
		},
		Entities: []ap.Entity{
			{
				ID: "note", Title: "Note", Table: "Notes", Cite: cite, Keys: []ap.KeyAttribute{{Attribute: "id", Template: "{noteId}", Cite: cite}},
				Attributes: []ap.Attribute{
					{Name: "folder", Type: dynamo.String}, {Name: "state", Type: dynamo.String}, {Name: "seen", Type: dynamo.Number}, {Name: "title", Type: dynamo.String},
					{Name: "entries", Type: dynamo.List, Presence: ap.Optional}, {Name: "body", Presence: ap.Optional}, {Name: "tags", Type: dynamo.StringSet, Presence: ap.Optional}, {Name: "weight", Type: dynamo.Number, Presence: ap.Optional}, {Name: "people", Type: dynamo.StringSet}, {Name: "marks", Type: dynamo.Map, Presence: ap.Optional},
				},
			},
			{ID: "folder", Title: "Folder", Table: "Folders", Cite: cite, Keys: []ap.KeyAttribute{{Attribute: "id", Template: "{folderId}", Cite: cite}}},
		},
		Patterns: []ap.Pattern{
			{ID: "edit", Title: "edit", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "edit", Cite: cite, Write: []ap.Action{{
				Kind: ap.Update, Table: "Notes", Key: name, Item: "note", Set: []ap.Assignment{{Attribute: "seen", Value: designtest.Digits("{seen}")}},
				Edits: []string{"title", "body", "tags", "marks", "weight", "people", "entries"}, Condition: designtest.IfPresent("id"),
			}}}}},
			{ID: "create", Title: "create", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "create", Cite: cite, Write: []ap.Action{
				{Kind: ap.ConditionCheck, Table: "Folders", Key: []ap.Equality{*designtest.Equals("id", "{folder}")}, Condition: designtest.IfPresent("id")},
				{Kind: ap.Put, Table: "Notes", Entity: "note", Item: "note", Condition: designtest.IfAbsent("id"),
					With: []ap.Equality{*designtest.Equals("state", "open"), *designtest.Equals("folder", "{folder}")}},
			}}}},
			{ID: "get", Title: "get", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "get", Cite: cite, Read: designtest.Get("Notes", designtest.Equals("id", "{noteId}"), nil)}}},
			{ID: "sketch", Title: "sketch", Cite: cite, Roles: []string{"writer"}, Steps: []ap.Step{{Name: "sketch", Cite: cite, Write: []ap.Action{
				{Kind: ap.Put, Table: "Notes", Entity: "note", Item: "note", Without: []string{"body", "tags"}},
			}}}},
		},
		Policies: ap.Policies{Cite: cite, Roles: []ap.Role{{ID: "writer", Cite: cite, Unconfined: "a test"}}},
	}
}

func TestEditsAndWith(t *testing.T) {
	g, err := guard.New(notes(), guard.ForRole("writer"))
	require.NoError(t, err)
	edit := func(expression string) *dynamodb.UpdateItemInput {
		return &dynamodb.UpdateItemInput{
			TableName: aws.String("Notes"), Key: values{"id": text("n")}, UpdateExpression: &expression, ConditionExpression: aws.String("attribute_exists(id)"),
			ExpressionAttributeNames: map[string]string{"#n": "deep[0]"},
			ExpressionAttributeValues: values{":seen": number("1"), ":t": text("t"), ":n": number("2"), ":s": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
				":l": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x")}}, ":none": &types.AttributeValueMemberL{}},
		}
	}
	create := func(changed ...string) *dynamodb.TransactWriteItemsInput {
		item := values{"id": text("n"), "folder": text("f"), "state": text("open"), "seen": number("1"), "title": text("t"), "people": &types.AttributeValueMemberSS{Value: []string{"m"}}}
		for i := 0; i+1 < len(changed); i += 2 {
			item[changed[i]] = text(changed[i+1])
		}
		return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{ConditionCheck: &types.ConditionCheck{TableName: aws.String("Folders"), Key: values{"id": text("f")}, ConditionExpression: aws.String("attribute_exists(id)")}},
			{Put: &types.Put{TableName: aws.String("Notes"), Item: item, ConditionExpression: aws.String("attribute_not_exists(id)")}},
		}}
	}
	sketch := func(further string) *dynamodb.PutItemInput {
		item := values{"id": text("n"), "folder": text("f"), "state": text("new"), "seen": number("1"), "title": text("t"), "people": &types.AttributeValueMemberSS{Value: []string{"m"}}}
		if further != "" {
			item[further] = text("b")
		}
		return &dynamodb.PutItemInput{TableName: aws.String("Notes"), Item: item}
	}
	asking := func(in *dynamodb.UpdateItemInput, condition string) *dynamodb.UpdateItemInput {
		*in.ConditionExpression += " AND " + condition
		in.ExpressionAttributeValues[":1"] = number("1")
		return in
	}
	known := func(expression string) *dynamodb.UpdateItemInput { return asking(edit(expression), "seen = :1") }
	beside := func(condition string) *dynamodb.TransactWriteItemsInput {
		in := create()
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: aws.String("Notes"), Key: values{"id": text("m")}, ConditionExpression: &condition}})
		return in
	}
	unconditional := edit("SET seen = :seen, title = :t")
	unconditional.ConditionExpression = nil
	for _, row := range []struct {
		name    string
		input   any
		refused bool
	}{
		{"no edit at all", edit("SET seen = :seen"), false},
		{"one", edit("SET seen = :seen, title = :t"), false},
		{"many", edit("SET seen = :seen, title = :t, body = :t REMOVE tags"), false},
		{"members of a set", edit("SET seen = :seen ADD tags :s"), false},
		{"members out of a set that may be absent", edit("SET seen = :seen DELETE tags :s"), false},
		{"members out of a set that may not", edit("SET seen = :seen DELETE people :s"), true},
		{"members out of a set that has more", asking(edit("SET seen = :seen DELETE people :s"), "size(people) > :n"), false},
		{"as many members as it may have", asking(edit("SET seen = :seen DELETE people :s"), "size(people) > :1"), true},
		{"more of another", asking(edit("SET seen = :seen DELETE people :s"), "size(tags) > :n"), true},
		{"more, or something else", asking(edit("SET seen = :seen DELETE people :s"), "(size(people) > :n OR attribute_exists(tags))"), true},
		{"a set", edit("SET seen = :seen, tags = :s"), false},
		{"a number more", edit("SET seen = :seen ADD weight :n"), true},
		{"a number more, by SET", edit("SET seen = :seen, weight = weight + :n"), true},
		{"a number more than the condition names", known("SET seen = seen + :n, title = :t"), false},
		{"the same by ADD", known("SET title = :t ADD seen :n"), false},
		{"an edit of a number that the condition names", asking(edit("SET seen = :seen, weight = weight + :n"), "weight = :1"), false},
		{"a number more than one of two", asking(edit("SET seen = seen + :n"), "(seen = :1 OR seen = :n)"), true},
		{"members behind a list", edit("SET seen = :seen, entries = list_append(entries, :l)"), false},
		{"members before it", edit("SET seen = :seen, entries = list_append(:l, entries)"), false},
		{"members behind a list that may be absent", edit("SET seen = :seen, entries = list_append(if_not_exists(entries, :none), :l)"), false},
		{"members behind another list", edit("SET seen = :seen, entries = list_append(tags, :l)"), true},
		{"a list twice", edit("SET seen = :seen, entries = list_append(entries, entries)"), true},
		{"a text behind a list", edit("SET seen = :seen, entries = list_append(entries, :t)"), true},
		{"what is there is kept", edit("SET seen = :seen, body = if_not_exists(body, :t)"), false},
		{"a path within", edit("SET seen = :seen, marks.deep.er = :t"), false},
		{"a name that looks like an index", edit("SET seen = :seen, marks.#n = :t"), true},
		{"a removal within", edit("SET seen = :seen REMOVE marks.deep"), false},
		{"without what it must set", edit("SET title = :t"), true},
		{"without the condition", unconditional, true},
		{"an attribute that is none of the edits", edit("SET seen = :seen, title = :t, folder = :t"), true},
		{"a removal of what is required", edit("SET seen = :seen REMOVE title"), true},
		{"another type", edit("SET seen = :seen, title = :n"), true},
		{"an undocumented attribute", edit("SET seen = :seen, colour = :t"), true},
		{"a value computed from what is stored", edit("SET seen = :seen, body = if_not_exists(folder, :t)"), true},
		{"what must be set, twice removed", edit("SET title = :t REMOVE seen"), true},

		{"an item as its step says", create(), false},
		{"an item in another state", create("state", "done"), true},
		{"a further check of what the client reads", beside("attribute_exists(id)"), false},
		{"a check alone", &dynamodb.TransactWriteItemsInput{TransactItems: beside("attribute_exists(id)").TransactItems[2:]}, true},
		{"an item without what its step leaves out", sketch(""), false},
		{"an item with one of the attributes that its step leaves out", sketch("body"), true},
		{"an item of another folder than the one that is checked", create("folder", "g"), true},
	} {
		_, err := g.Check(t.Context(), row.input)
		if (err != nil) != row.refused {
			t.Errorf("%s: expected refused %v, found %v", row.name, row.refused, err)
		}
	}
}

// What lies within an attribute is held to the contract as an attribute is, an index key is not left behind by a value that is set where none
// is stored, and two names of one attribute are one.
func TestEditsWithinAttributes(t *testing.T) {
	design := notes()
	e := &design.Entities[0]
	e.Attributes = append(e.Attributes,
		ap.Attribute{Name: "crew", Type: dynamo.Map, Presence: ap.Optional}, ap.Attribute{Name: "crew.members", Type: dynamo.StringSet}, ap.Attribute{Name: "crew.guests", Type: dynamo.StringSet, Presence: ap.Optional},
		ap.Attribute{Name: "verses", Type: dynamo.List, Presence: ap.Optional}, ap.Attribute{Name: "verses[].label", Type: dynamo.String}, ap.Attribute{Name: "verses[].words", Type: dynamo.StringSet},
		ap.Attribute{Name: "due", Type: dynamo.String, Presence: ap.Optional}, ap.Attribute{Name: "createdAt", Type: dynamo.String})
	e.Keys = append(e.Keys, ap.KeyAttribute{Attribute: "byDue", Template: "DUE#{due}", Optional: true}, ap.KeyAttribute{Attribute: "byTitle", Template: "TITLE#{title}"},
		ap.KeyAttribute{Attribute: "kind", Template: "NOTE", Optional: true}, ap.KeyAttribute{Attribute: "stateKey", Template: "{state}#{born}", Binds: map[string]string{"born": "createdAt"}, Optional: true})
	design.Tables[0].Indexes = []ap.Index{
		{Name: "byDue", PartitionKey: ap.Key{Attribute: "byDue", Type: dynamo.String}}, {Name: "byTitle", PartitionKey: ap.Key{Attribute: "byTitle", Type: dynamo.String}},
		{Name: "byState", PartitionKey: ap.Key{Attribute: "kind", Type: dynamo.String}, SortKey: &ap.Key{Attribute: "stateKey", Type: dynamo.String}},
	}
	edits := &design.Patterns[0].Steps[0].Write[0].Edits
	*edits = append(*edits, "crew", "verses", "due", "byDue", "byTitle", "state", "kind", "stateKey")
	g, err := guard.New(design, guard.ForRole("writer"))
	require.NoError(t, err)
	line := func(label string) types.AttributeValue {
		words := &types.AttributeValueMemberSS{Value: []string{"a"}}
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: values{label: text("x"), "words": words}}}}
	}
	for _, row := range tabletest.Read[[]struct {
		Name, Update, Further string
		Refused               bool
	}](t, "edits_within.yaml") {
		in := &dynamodb.UpdateItemInput{
			TableName: aws.String("Notes"), Key: values{"id": text("n")}, UpdateExpression: aws.String(row.Update), ConditionExpression: aws.String("attribute_exists(id)"),
			ExpressionAttributeNames: map[string]string{"#a": "entries", "#b": "verses", "#w": "weight", "#body": "body", "#path": "crew.members", "#star": "*", "#state": "state"},
			ExpressionAttributeValues: values{":seen": number("1"), ":t": text("t"), ":day": text("2026-01-01"), ":key": text("DUE#2026-01-01"), ":done": text("Done"), ":doneKey": text("Done#2026-01-01"), ":openKey": text("Open#2026-01-01"), ":kind": text("NOTE"), ":2": number("2"), ":s": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
				":verses": line("label"), ":other": line("other"), ":texts": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x")}}},
		}
		if rest, set := strings.CutPrefix(row.Update, "SET "); set {
			*in.UpdateExpression = "SET seen = :seen, " + rest
		} else {
			*in.UpdateExpression = "SET seen = :seen " + row.Update
		}
		if row.Further != "" {
			*in.ConditionExpression += " AND " + row.Further
		}
		if _, err := g.Check(t.Context(), in); (err != nil) != row.Refused {
			t.Errorf("%s: expected refused %v, found %v", row.Name, row.Refused, err)
		}
	}
}
