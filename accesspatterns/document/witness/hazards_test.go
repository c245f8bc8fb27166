package witness_test

import (
	"slices"
	"strings"
	"testing"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/document/review"
	"dynaproof/accesspatterns/document/witness"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/expression"
)

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

// hazards are the ids of the open hazards of a contract.
func hazards(t *testing.T, design *ap.Design) []string {
	t.Helper()
	var found []string
	for _, o := range witness.Open(witness.Hazards(design)) {
		t.Logf("line %d, %s: %s", o.Line, o.ID, o.Message)
		if o.Kind == witness.Hazard && !slices.ContainsFunc(review.Rules(), func(r *review.Rule) bool { return strings.HasPrefix(o.ID, "hazard/"+r.ID+"/") }) {
			t.Errorf("%s is of no rule of package review", o.ID)
		}
		found = append(found, strings.TrimPrefix(o.ID, "hazard/"))
	}
	return found
}

// TestHazards: each change makes a contract without hazards do something else than it
// reads.
func TestHazards(t *testing.T) {
	index := func(d *ap.Design, partition string, projection dynamo.Projection) {
		d.Tables[1].Indexes = []ap.Index{{Name: "by-" + partition, PartitionKey: ap.Key{Attribute: partition, Type: dynamo.String}, Projection: projection, Cite: designtest.Line(50, partition)}}
	}
	update := func(d *ap.Design, action ap.Action) {
		action.Kind, action.Table = ap.Update, "members"
		action.Key = []ap.Equality{*designtest.Equals("PK", "ROOM#{room_id}"), *designtest.Equals("SK", "USER#{user_id}")}
		d.Patterns = append(d.Patterns, ap.Pattern{ID: "change", Cite: designtest.Line(28, "Clear chat"), Steps: []ap.Step{{Name: "change", Write: []ap.Action{action}}}})
	}
	members := func(sort *ap.SortCondition) ap.Pattern {
		return ap.Pattern{ID: "members", Cite: designtest.Line(27, "Get chat"), Steps: []ap.Step{{Name: "read", Cite: designtest.Line(27, "Get chat"), Read: &ap.Read{Operation: dynamo.Query, Table: "members", Partition: designtest.Equals("PK", "ROOM#{room_id}"), Sort: sort}}}}
	}
	for name, test := range map[string]struct {
		change func(*ap.Design)
		want   []string
	}{
		"none":                             {func(*ap.Design) {}, nil},
		"a reader that takes what expired": {func(d *ap.Design) { d.Patterns[0].Steps[0].Read.Expires = "" }, []string{"expired-items-still-read/chats"}},
		"a time to live that is text":      {func(d *ap.Design) { d.Entities[0].Attributes[1].Type = dynamo.String }, []string{"ttl-not-a-number/ttl"}},
		"a time to live in milliseconds":   {func(d *ap.Design) { d.Entities[0].Attributes[1].Format = ap.EpochMilliseconds }, []string{"ttl-not-a-number/ttl"}},
		"a key that goes on": {func(d *ap.Design) {
			d.Entities[1].Keys[1].Template = "USER#{user_id}#{since}"
			d.Patterns = append(d.Patterns, members(designtest.BeginsWith("SK", "USER#{user_id}")))
		}, []string{"prefix-matches-longer-id/members"}},
		"a number as text": {func(d *ap.Design) { d.Entities[1].Keys[1].Template = "USER#{rank}#{user_id}" }, []string{"number-sorts-as-text/member"}},
		"a time alone":     {func(d *ap.Design) { d.Entities[1].Keys[1].Template = "USER#{timestamp}" }, []string{"key-by-time-alone/member"}},
		"a Scan":           {func(d *ap.Design) { d.Patterns[0].Steps[0].Read = &ap.Read{Operation: dynamo.Scan, Table: "members"} }, []string{"scan/get-chat"}},
		"a Scan with a waiver": {func(d *ap.Design) {
			d.Patterns[0].Steps[0].Read, d.Patterns[0].Waiver = &ap.Read{Operation: dynamo.Scan, Table: "members"}, "all"
		}, nil},
		"a filter behind a limit": {func(d *ap.Design) {
			p := members(nil)
			p.Steps[0].Read.Limit, p.Steps[0].Read.Filter = 5, []ap.Condition{{Attribute: "role", Operator: expression.Equal, Value: designtest.Text("admin")}}
			d.Patterns = append(d.Patterns, p)
		}, []string{"filter-after-limit/members"}},
		"one partition of an index": {func(d *ap.Design) {
			index(d, "kind", dynamo.ProjectAll)
			d.Entities[1].Keys = append(d.Entities[1].Keys, ap.KeyAttribute{Attribute: "kind", Template: "MEMBER"})
		}, []string{"constant-index-partition/by-kind"}},
		"a handful of partitions": {func(d *ap.Design) {
			index(d, "kind", dynamo.ProjectAll)
			d.Entities[1].Attributes[2].Allowed = []string{"admin", "guest"}
			d.Entities[1].Keys = append(d.Entities[1].Keys, ap.KeyAttribute{Attribute: "kind", Template: "{role}"})
		}, []string{"constant-index-partition/by-kind"}},
		"an index that misses what is read": {func(d *ap.Design) {
			index(d, "mail", dynamo.ProjectKeysOnly)
			d.Entities[1].Keys = append(d.Entities[1].Keys, ap.KeyAttribute{Attribute: "mail", Template: "{email}"})
			d.Patterns = append(d.Patterns, ap.Pattern{ID: "by-mail", Cite: designtest.Line(27, "Get chat"), Steps: []ap.Step{{Name: "read", Cite: designtest.Line(27, "Get chat"), Read: &ap.Read{Operation: dynamo.Query, Table: "members", Index: "by-mail", Partition: designtest.Equals("mail", "{email}"), Projection: []string{"role"}}}}})
		}, []string{"keys-only-index/by-mail"}},
		"a value that an index alone keeps": {func(d *ap.Design) {
			index(d, "mail", dynamo.ProjectAll)
			account := d.Entities[1]
			account.ID, account.Keys = "account", slices.Clone(account.Keys)
			account.Keys[0].Template, account.Keys[1].Template = "ACCOUNT#{account_id}", "META"
			account.Keys = append(account.Keys, ap.KeyAttribute{Attribute: "mail", Template: "{email}"})
			d.Entities = append(d.Entities, account)
		}, []string{"unique-by-index/members/email"}},
		"a list that grows": {func(d *ap.Design) {
			d.Entities[1].Attributes = append(d.Entities[1].Attributes, ap.Attribute{Name: "messages", Type: dynamo.List})
		}, []string{"item-grows/messages-of-member"}},
		"an index by a moment": {func(d *ap.Design) { index(d, "created_at", dynamo.ProjectAll) }, []string{"partition-is-a-moment/created_at"}},
		"an update that leaves a key": {func(d *ap.Design) {
			index(d, "mail", dynamo.ProjectAll)
			d.Entities[1].Keys = append(d.Entities[1].Keys, ap.KeyAttribute{Attribute: "mail", Template: "{email}"})
			update(d, ap.Action{Set: []ap.Assignment{{Attribute: "email", Value: designtest.Text("{email}")}}})
		}, []string{"copy-goes-stale/member/mail"}},
		"an update that writes both": {func(d *ap.Design) {
			index(d, "mail", dynamo.ProjectAll)
			d.Entities[1].Keys = append(d.Entities[1].Keys, ap.KeyAttribute{Attribute: "mail", Template: "{email}"})
			update(d, ap.Action{Set: []ap.Assignment{{Attribute: "email", Value: designtest.Text("{email}")}, {Attribute: "mail", Value: designtest.Text("{email}")}}})
		}, nil},
		"a subtraction that nothing holds": {func(d *ap.Design) {
			d.Entities[1].Attributes = append(d.Entities[1].Attributes, ap.Attribute{Name: "credits", Type: dynamo.Number})
			update(d, ap.Action{Set: []ap.Assignment{{Attribute: "credits", Operator: "-", Value: designtest.Digits("{n}")}}})
		}, []string{"balance-without-condition/change/credits"}},
		"a subtraction with a condition": {func(d *ap.Design) {
			d.Entities[1].Attributes = append(d.Entities[1].Attributes, ap.Attribute{Name: "credits", Type: dynamo.Number})
			update(d, ap.Action{Set: []ap.Assignment{{Attribute: "credits", Operator: "-", Value: designtest.Digits("{n}")}}, Condition: []ap.Condition{{Attribute: "credits", Operator: ">=", Value: designtest.Digits("{n}")}}})
		}, nil},
		"a key that begins another": {func(d *ap.Design) {
			other := d.Entities[1]
			other.ID, other.Keys = "invitation", slices.Clone(other.Keys)
			other.Keys[1].Template = "USER#{user_id}#INVITED"
			d.Entities = append(d.Entities, other)
		}, []string{"key-is-prefix-of-another/member/invitation"}},
		"a hazard with a finding": {func(d *ap.Design) {
			d.Entities[1].Keys[1].Template = "USER#{timestamp}"
			d.Findings = []ap.Finding{{ID: "same-second"}}
			d.Answers = []ap.Answer{{Objection: "hazard/key-by-time-alone/member", Because: "finding same-second"}}
		}, nil},
		"a hazard with a finding that is not there": {func(d *ap.Design) {
			d.Entities[1].Keys[1].Template = "USER#{timestamp}"
			d.Answers = []ap.Answer{{Objection: "hazard/key-by-time-alone/member", Because: "finding same-second"}}
		}, []string{"key-by-time-alone/member"}},
		"an answer to nothing": {func(d *ap.Design) {
			d.Answers = []ap.Answer{{Objection: "hazard/key-by-time-alone/member", Because: "each comes alone"}}
		}, []string{"stale/hazard/key-by-time-alone/member"}},
	} {
		t.Run(name, func(t *testing.T) {
			design := chat()
			test.change(design)
			if found := hazards(t, design); !slices.Equal(found, test.want) {
				t.Errorf("expected %v, found %v", test.want, found)
			}
		})
	}
	design := chat()
	design.Answers = []ap.Answer{{Objection: "hazard/key-by-time-alone/member", Because: "each comes alone"}}
	if found := ids(t, design); len(found) > 0 {
		t.Errorf("expected no objection to an answer of a hazard, found %v", found)
	}
}
