package guard_test

import (
	"slices"
	"testing"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
)

// An exception from the confinement is needed where a key, of the table or of an index, can lie in another user's partition, and where a filter
// names the user. Each row is a step of the pattern that is excepted.
func TestUnneeded(t *testing.T) {
	key := func(pk ap.KeyTemplate) []ap.Equality {
		return []ap.Equality{*designtest.Equals("PK", pk), *designtest.Equals("SK", "NOTE#{id}")}
	}
	read := func(pk ap.KeyTemplate, change ...func(*ap.Read)) []ap.Step {
		r := &ap.Read{Operation: dynamo.Query, Table: "notes", Partition: designtest.Equals("PK", pk)}
		for _, c := range change {
			c(r)
		}
		return []ap.Step{{Name: "read", Read: r}}
	}
	writes := func(a ap.Action) []ap.Step {
		a.Table = "notes"
		return []ap.Step{{Name: "write", Write: []ap.Action{a}}}
	}
	for _, row := range []struct {
		name   string
		needed bool
		steps  []ap.Step
	}{
		{"a read of users' partitions", true, read("USER#{who}")},
		{"a scan, which names no partition", false, []ap.Step{{Name: "read", Read: &ap.Read{Operation: dynamo.Scan, Table: "notes"}}}},
		{"a read of another kind", false, read("SITE#{id}")},
		{"a read of a longer kind", false, read("USER_PRIVATE#{id}")},
		{"a read of any partition", true, read("{any}")},
		{"a read of an index by a word", false, read("{tag}", func(r *ap.Read) { r.Index, r.Partition = "byTag", designtest.Equals("tag", "{tag}") })},
		{"a read of one user's partition", true, read("USER#root")},
		{"a read of what ends otherwise", true, read("USER#{who}#LOG")}, // the user's id may end so
		{"a filter for the user's items", true, read("SITE#{id}", func(r *ap.Read) {
			r.Filter = []ap.Condition{{Attribute: "userId", Operator: "=", Value: designtest.Text("{userId}")}}
		})},
		{"a filter for something else", false, read("SITE#{id}", func(r *ap.Read) {
			r.Filter = []ap.Condition{{Attribute: "userId", Operator: "=", Value: designtest.Text("{other}")}}
		})},
		{"a put into users' partitions", true, writes(ap.Action{Kind: ap.Put, Entity: "note"})},
		{"a put of something else", false, writes(ap.Action{Kind: ap.Put, Entity: "site"})},
		{"a put into users' partitions of an index", true, writes(ap.Action{Kind: ap.Put, Entity: "shared"})},
		{"an update in users' partitions", true, writes(ap.Action{Kind: ap.Update, Key: key("USER#{userId}")})},
		{"a deletion of something else", false, writes(ap.Action{Kind: ap.Delete, Key: key("SITE#{id}")})},
		{"an update that moves an item in an index", true, writes(ap.Action{Kind: ap.Update, Key: key("SITE#{id}"), Set: []ap.Assignment{{Attribute: "gpk", Value: designtest.Text("USER#{to}")}}})},
		{"an update that moves it elsewhere", false, writes(ap.Action{Kind: ap.Update, Key: key("SITE#{id}"), Set: []ap.Assignment{{Attribute: "gpk", Value: designtest.Text("SITE#{to}")}}})},
		{"an update that edits its place in an index", true, writes(ap.Action{Kind: ap.Update, Key: key("SITE#{id}"), Edits: []string{"gpk"}})},
		{"a partition that an earlier step found, of users", true, append(read("USER#{userId}"), ap.Step{Name: "each", ForEach: &ap.ForEach{Step: "read", Bind: []ap.Binding{{Parameter: "of", Attribute: "PK"}}}, Read: read("{of}")[0].Read})},
		{"a partition that an earlier step found, of others", false, append(read("SITE#{id}"), ap.Step{Name: "each", ForEach: &ap.ForEach{Step: "read", Bind: []ap.Binding{{Parameter: "of", Attribute: "PK"}}}, Read: read("{of}")[0].Read})},
	} {
		t.Run(row.name, func(t *testing.T) {
			design := designtest.Whole()
			design.Tables[0].Indexes = []ap.Index{{Name: "byGroup", PartitionKey: ap.Key{Attribute: "gpk", Type: dynamo.String}, Projection: dynamo.ProjectAll}, {Name: "byTag", PartitionKey: ap.Key{Attribute: "tag", Type: dynamo.String}, Projection: dynamo.ProjectAll}}
			site, shared := design.Entities[0], design.Entities[0]
			site.ID, site.Keys = "site", []ap.KeyAttribute{{Attribute: "PK", Template: "SITE#{id}"}, {Attribute: "SK", Template: "NOTE#{id}"}, {Attribute: "tag", Template: "{tag}"}}
			shared.ID, shared.Keys = "shared", append(site.Keys[:2:2], ap.KeyAttribute{Attribute: "gpk", Template: "USER#{userId}", Optional: true})
			design.Entities = append(design.Entities, site, shared)
			design.Patterns = append(design.Patterns, ap.Pattern{ID: "excepted", Roles: []string{"user"}, Steps: row.steps})
			role := &design.Policies.Roles[0]
			role.Confined.Except = []string{"excepted"}
			if needed := !slices.Contains(guard.Unneeded(design, role), "excepted"); needed != row.needed {
				t.Errorf("expected needed %t, found %t", row.needed, needed)
			}
		})
	}
}
