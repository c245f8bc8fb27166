package integrity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/integrity"
	"dynaproof/accesspatterns/manifest"
)

func TestCheck(t *testing.T) {
	require.NoError(t, integrity.Check(designtest.Whole()), "expected a whole contract to fit")
	for _, row := range []struct {
		name, wantErr string
		damage        func(*accesspatterns.Design)
	}{
		{"an id that stands twice", "the id stands twice", func(d *accesspatterns.Design) { d.Patterns = append(d.Patterns, d.Patterns[0]) }},
		{"no citation", "no citation", func(d *accesspatterns.Design) { d.Patterns[0].Cite = accesspatterns.Citation{} }},
		{"entity without a key", "no template for key attribute SK", func(d *accesspatterns.Design) { d.Entities[0].Keys = d.Entities[0].Keys[:1] }},
		{"key of another type", "is defined as N", func(d *accesspatterns.Design) {
			d.Entities[0].Keys = append(d.Entities[0].Keys, accesspatterns.KeyAttribute{Attribute: "stars", Template: "{stars}"})
		}},
		{"rule of two forms", "exactly one of", func(d *accesspatterns.Design) { d.Entities[0].Rules[0].EqualTo = "id" }},
		{"pattern that returns nothing known", "no entity other", func(d *accesspatterns.Design) { d.Patterns[0].Returns = []string{"other"} }},
		{"pattern without a role", "no role", func(d *accesspatterns.Design) { d.Patterns[0].Roles = nil }},
		{"pattern on another key", "expected a condition on key attribute PK", func(d *accesspatterns.Design) { d.Patterns[0].Steps[0].Read.Partition.Attribute = "SK" }},
		{"scan without a waiver", "a Scan needs a waiver", func(d *accesspatterns.Design) { d.Patterns[1].Waiver = "" }},
		{"a batch above DynamoDB's bound", "at most 25 in one BatchWriteItem, found 1 writes of which one may hold 26", func(d *accesspatterns.Design) { batch(d, 26, accesspatterns.Delete) }},
		{"a batch of conditions", "a batch holds puts and deletes", func(d *accesspatterns.Design) { batch(d, 25, accesspatterns.ConditionCheck) }},
		{"a batch of reads", "expected a batch of writes", func(d *accesspatterns.Design) {
			d.Patterns[0].Steps[0].Batch = 25
		}},
		{"a step beside a range of days", "expected a second step to repeat for", func(d *accesspatterns.Design) {
			repeats(d, accesspatterns.ForEach{Step: "read", Bind: bind("id"), And: &accesspatterns.ForEach{From: "first", To: "last", MaxDays: 3, Parameter: "day"}})
		}},
		{"a step for items and for days", "expected to repeat either for the items of a step or for the days", func(d *accesspatterns.Design) { repeats(d, accesspatterns.ForEach{Step: "read", From: "first"}) }},
		{"a range of days without a bound", "a range of days needs From, To, MaxDays", func(d *accesspatterns.Design) {
			repeats(d, accesspatterns.ForEach{From: "first", To: "last", Parameter: "day"})
		}},
		{"a binding to nothing", "a binding needs an attribute and a parameter", func(d *accesspatterns.Design) { repeats(d, accesspatterns.ForEach{Step: "read", Bind: bind("")}) }},
		{"a step that binds nothing", "binds nothing of step read", func(d *accesspatterns.Design) { repeats(d, accesspatterns.ForEach{Step: "read"}) }},
		{"a step that leaves out by what it does not bind", "leaves out by the parameter other, which it does not bind", func(d *accesspatterns.Design) {
			repeats(d, accesspatterns.ForEach{Step: "read", Bind: bind("id"), Except: &accesspatterns.ForEach{Step: "read", Bind: bind("other")}})
		}},
		{"a step that leaves out by a later one", "what it leaves out: no earlier read step", func(d *accesspatterns.Design) {
			repeats(d, accesspatterns.ForEach{Step: "read", Bind: bind("id"), Except: &accesspatterns.ForEach{Step: "again", Bind: bind("id")}})
		}},
		{"a claim without a title", "pattern/list: no title", func(d *accesspatterns.Design) { d.Patterns[0].Title = "" }},
		{"an example of no entity", "example e: no entity other", func(d *accesspatterns.Design) {
			d.Examples = append(d.Examples, accesspatterns.Example{ID: "e", Entity: "other", Cite: designtest.Line(1, "x")})
		}},
		{"a pattern without a step", "pattern list: no step", func(d *accesspatterns.Design) { d.Patterns[0].Steps = nil }},
		{"a step that reads and writes", "expected either Read or Write", func(d *accesspatterns.Design) { d.Patterns[0].Steps[0].Write = make([]accesspatterns.Action, 1) }},
		{"a write of a table that is read-only", "it writes notes, which the contract calls read-only", func(d *accesspatterns.Design) {
			writes(d, sets("id"))
			d.Tables[0].ReadOnly = &accesspatterns.Promise{Cite: designtest.Line(1, "x")}
		}},
		{"a stop at what is no Number", "expected a Number, found x", func(d *accesspatterns.Design) {
			d.Patterns[0].Steps[0].StopAt = &accesspatterns.Operand{Type: dynamo.Number, Template: "x"}
		}},
		{"a projection of an element", "expected a projection of attributes and members of maps, found list[0]", func(d *accesspatterns.Design) { d.Patterns[0].Steps[0].Read.Projection = []string{"list[0]"} }},
		{"an Update of nothing", "an Update sets, removes or edits attributes", func(d *accesspatterns.Design) { writes(d, sets()) }},
		{"a condition on nothing", "a condition needs an attribute and an operator", func(d *accesspatterns.Design) { writes(d, holding(accesspatterns.Condition{})) }},
		{"an alternative to nothing", "alternatives stand alone, and are two or more", func(d *accesspatterns.Design) {
			writes(d, holding(accesspatterns.Condition{Any: []accesspatterns.Condition{{Attribute: "id", Operator: "attribute_exists"}}}))
		}},
		{"an invariant without a rule", "invariant i: expected a rule", func(d *accesspatterns.Design) {
			d.Invariants = append(d.Invariants, accesspatterns.Invariant{ID: "i", Cite: designtest.Line(1, "x")})
		}},
		{"an invariant of a flow that reads", `expected a flow that writes, found "list"`, func(d *accesspatterns.Design) {
			d.Invariants = append(d.Invariants, accesspatterns.Invariant{ID: "i", Flow: "list", Cite: designtest.Line(1, "x")})
		}},
		{"a finding about no entity", "finding f: no entity other", func(d *accesspatterns.Design) { d.Findings[0].Lacks = []string{"other.id"} }},
		{"a view of nothing", "expected items of several steps", func(d *accesspatterns.Design) { d.Patterns[0].Views = []accesspatterns.View{{Name: "v"}} }},
		{"a view of no step", "no read step other", func(d *accesspatterns.Design) {
			d.Patterns[0].Views = []accesspatterns.View{{Name: "v", Of: []string{"other"}, By: "id"}}
		}},
		{"items that must expire by nothing", "by which every item must expire", func(d *accesspatterns.Design) { d.Patterns[0].Steps[0].Read.MustExpire = true }},
		{"fewer of one attribute", "a projection of two attributes or more", func(d *accesspatterns.Design) {
			d.Patterns[0].Steps[0].Read.Projection, d.Patterns[0].Steps[0].Read.OrFewer = []string{"PK"}, true
		}},
		{"waiver for a query", "only a Scan does", func(d *accesspatterns.Design) { d.Patterns[0].Waiver = "w" }},
		{"waiver of nothing", "no pattern uses it", func(d *accesspatterns.Design) {
			d.Waivers = append(d.Waivers, accesspatterns.Waiver{ID: "unused", Cite: designtest.Line(1, "x")})
		}},
		{"guardrail on an unknown claim", "no claim pattern/other", func(d *accesspatterns.Design) { d.Guardrails[0].Claims = []string{"pattern/other"} }},
		{"claims that rest on each other", "rests on itself", func(d *accesspatterns.Design) {
			d.Guardrails[0].Claims, d.Findings[0].Claims = []string{"finding/f"}, []string{"guardrail/g"}
		}},
		{"guardrail by claims without any", "proof by claims needs claims", func(d *accesspatterns.Design) { d.Guardrails[0].Claims = nil }},
		{"a role that no policy is for", "pattern list: no role user", func(d *accesspatterns.Design) { d.Policies.Roles = d.Policies.Roles[1:] }},
		{"a role that no pattern names", "role guest: no pattern names it", func(d *accesspatterns.Design) {
			d.Policies.Roles = append(d.Policies.Roles, accesspatterns.Role{ID: "guest", Cite: designtest.Line(1, "x"), Unconfined: "u"})
		}},
		{"a role neither confined nor said not to be", "either confined or unconfined", func(d *accesspatterns.Design) { d.Policies.Roles[1].Unconfined = "" }},
		{"a confinement by another parameter", "expected {userId} as the only parameter of USER#{id}", func(d *accesspatterns.Design) {
			d.Policies.Roles[0].Confined.Partitions = []accesspatterns.KeyTemplate{"USER#{id}"}
		}},
		{"an exception for another's pattern", "it has no pattern scan", func(d *accesspatterns.Design) { d.Policies.Roles[0].Confined.Except = []string{"scan"} }},
		{"an exception that lets nothing through", "role user: no request of pattern scan can be in a partition of another user", func(d *accesspatterns.Design) {
			d.Patterns[1].Roles = append(d.Patterns[1].Roles, "user")
			d.Policies.Roles[0].Confined.Except = []string{"scan"}
		}},
		{"a projection without what items are judged by", "expected ttl in the projection, because the reader judges each item by it", func(d *accesspatterns.Design) {
			d.Patterns[0].Steps[0].Read.Projection, d.Patterns[0].Steps[0].Read.Expires = []string{"PK"}, "ttl"
		}},
		{"a pattern withheld from its own role", "pattern list is its own", func(d *accesspatterns.Design) { d.Policies.Roles[0].Withheld = []string{"list"} }},
		{"an unknown pattern that is narrow", "it has no pattern other to be narrow", func(d *accesspatterns.Design) { d.Policies.Roles[0].Narrow = []string{"other"} }},
		{"an actor that none of its patterns names", "none of its patterns has the parameter {other} of who acts", func(d *accesspatterns.Design) { d.Policies.Roles[0].Actor = "other" }},
		{"an unknown pattern withheld", "no pattern other", func(d *accesspatterns.Design) { d.Policies.Roles[0].Withheld = []string{"other"} }},
		{"finding without a resolution", "expected kind, severity, literal and resolved", func(d *accesspatterns.Design) { d.Findings[0].Resolved = "" }},
		{"departure of a claim that the finding does not name", "expected pattern/other, which departs from the text, among its claims", func(d *accesspatterns.Design) { d.Findings[0].Departs = []string{"pattern/other"} }},
		{"an entity without an owner beside one that has one", "expected whose its items are (owner), as entity note has it", func(d *accesspatterns.Design) {
			d.Entities[0].Owner = &accesspatterns.Ownership{Nobody: "all"}
			other := d.Entities[0]
			other.ID, other.Owner = "other", nil
			d.Entities = append(d.Entities, other)
		}},
		{"an owner in no way", "expected exactly one of by, through with of, and nobody", func(d *accesspatterns.Design) { d.Entities[0].Owner = &accesspatterns.Ownership{} }},
		{"a role without a reach beside one that has one", "expected whose items it reaches (reaches), as role ", func(d *accesspatterns.Design) {
			d.Policies.Roles[0].Reach = &accesspatterns.Reach{Everybody: "all"}
		}},
		{"waiver of nobody", "expected its owner", func(d *accesspatterns.Design) { d.Waivers[0].Owner = " " }},
		{"waiver of no date", "expected the day since which it is made", func(d *accesspatterns.Design) { d.Waivers[0].Since = "January" }},
		{"waiver that ends before it begins", `expected its last day, not before 2026-01-31, found "2026-01-30"`, func(d *accesspatterns.Design) { d.Waivers[0].Until = "2026-01-30" }},
		{"growth of no pattern", "no pattern other that could grow", func(d *accesspatterns.Design) { d.Findings[0].Grows = []string{"other"} }},
		{"growth for two reasons", "grows for two reasons", func(d *accesspatterns.Design) {
			d.Findings[0].Grows = []string{"list"}
			d.Findings = append(d.Findings, d.Findings[0])
			d.Findings[1].ID = "f2"
		}},
		{"finding that calls open what is asserted", "calls open what claim rule/note/id asserts", func(d *accesspatterns.Design) { d.Findings[0].Open = []string{"rule/note/id"} }},
		{"finding that calls open what no claim could assert", "expected the id of a claim that could be", func(d *accesspatterns.Design) { d.Findings[0].Open = []string{"rule/nothing/id"} }},
		{"an edit of what the Update sets", "expected an Update that changes nothing twice, and nothing of the primary key of notes, found id", func(d *accesspatterns.Design) {
			writes(d, edit("id", accesspatterns.Assignment{Attribute: "id", Value: designtest.Text("x")}))
		}},
		{"an edit of the primary key", "and nothing of the primary key of notes, found SK", func(d *accesspatterns.Design) { writes(d, edit("SK")) }},
		{"an update that sets the primary key", "and nothing of the primary key of notes, found PK", func(d *accesspatterns.Design) {
			writes(d, sets("id", "PK"))
		}},
		{"an update that sets an attribute and its member", "expected an Update that changes nothing twice, and nothing of the primary key of notes, found map.a.b", func(d *accesspatterns.Design) {
			writes(d, sets("map.a.b2", "map.a", "map.a.b"))
		}},
		{"an update that removes what it sets", "changes nothing twice, and nothing of the primary key of notes, found list", func(d *accesspatterns.Design) {
			action := sets("list")
			action.Remove = []string{"list[1]"}
			writes(d, action)
		}},
		{"a projection that has an attribute twice", "expected a projection that has nothing twice, found id", func(d *accesspatterns.Design) {
			d.Patterns[0].Steps[0].Read.Projection = []string{"id", "ids", "id"}
		}},
		{"a filter on the sort key", "a filter on key attribute SK, which a Query has in its key alone", func(d *accesspatterns.Design) {
			d.Patterns[0].Steps[0].Read.Filter = []accesspatterns.Condition{{Any: []accesspatterns.Condition{{Attribute: "id", Operator: "<", Value: accesspatterns.Operand{Attribute: "SK"}}, {Attribute: "id", Operator: "attribute_exists"}}}}
		}},
		{"a key that names an attribute twice", "table notes: expected each attribute once in the key, found PK twice", func(d *accesspatterns.Design) { d.Tables[0].SortKey.Attribute = "PK" }},
		{"a key attribute of two types", "expected one type of key attribute SK, found N here and S in another key of the table", withIndex(func(i *accesspatterns.Index) { i.SortKey = &accesspatterns.Key{Attribute: "SK", Type: dynamo.Number} })},
		{"a key attribute with a long name", "expected a key attribute's name of at most 255 bytes, found 256", withIndex(func(i *accesspatterns.Index) { i.PartitionKey.Attribute = strings.Repeat("a", 256) })},
		{"a projection of nothing that is named", "index notes/by-x: the projection INCLUDE names non-key-attributes, and only it does", withIndex(func(i *accesspatterns.Index) { i.Projection = dynamo.ProjectInclude })},
		{"a projection of all that names some", "index notes/by-x: the projection INCLUDE names non-key-attributes, and only it does", withIndex(func(i *accesspatterns.Index) { i.NonKeyAttributes = []string{"id"} })},
		{"a local index of a table without a sort key", "expected at most 5 local indexes, of a table with a sort key, found 1", func(d *accesspatterns.Design) {
			withIndex(func(i *accesspatterns.Index) { i.Local = true })(d)
			d.Tables[0].SortKey = nil
		}},
		{"six local indexes", "expected at most 5 local indexes, of a table with a sort key, found 6", func(d *accesspatterns.Design) {
			for range 6 {
				withIndex(func(i *accesspatterns.Index) { i.Local = true })(d)
			}
		}},
		{"an edit of no attribute", "found colour", func(d *accesspatterns.Design) { writes(d, edit("colour")) }},
		{"an edit without an item", "an Update with Edits needs an item", func(d *accesspatterns.Design) {
			action := edit("id")
			action.Item = ""
			writes(d, action)
		}},
		{"a check that may be missing, without an item", "a ConditionCheck that is not there exactly once needs an item", func(d *accesspatterns.Design) {
			writes(d, accesspatterns.Action{Kind: accesspatterns.ConditionCheck, Times: accesspatterns.AtMostOnce})
		}},
		{"a Put with what its entity lacks", "expected With of a Put to name an attribute of its entity, found colour", func(d *accesspatterns.Design) {
			writes(d, accesspatterns.Action{Kind: accesspatterns.Put, Entity: "note", Item: "note", With: []accesspatterns.Equality{*designtest.Equals("colour", "red")}})
		}},
		{"a Put without what its entity needs", "expected Without of a Put to name an attribute that its entity may lack, found id", func(d *accesspatterns.Design) {
			writes(d, accesspatterns.Action{Kind: accesspatterns.Put, Entity: "note", Item: "note", Without: []string{"id"}})
		}},
		{"finding that contradicts the contract", "but the contract has it", func(d *accesspatterns.Design) { d.Findings[0].Lacks = []string{"note.id"} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			design := designtest.Whole()
			row.damage(design)
			if err := integrity.Check(design); err == nil || !strings.Contains(err.Error(), row.wantErr) {
				t.Errorf("expected an error with %q, got %v", row.wantErr, err)
			}
		})
	}
}

// withIndex adds an index to the first table.
func withIndex(damage func(*accesspatterns.Index)) func(*accesspatterns.Design) {
	return func(d *accesspatterns.Design) {
		index := accesspatterns.Index{Name: "by-x", PartitionKey: accesspatterns.Key{Attribute: "x", Type: dynamo.String}, Projection: dynamo.ProjectAll, Cite: designtest.Line(1, "x")}
		damage(&index)
		d.Tables[0].Indexes = append(d.Tables[0].Indexes, index)
	}
}

// sets is an Update that sets attributes.
func sets(names ...string) accesspatterns.Action {
	action := accesspatterns.Action{Kind: accesspatterns.Update, Item: "note"}
	for _, name := range names {
		action.Set = append(action.Set, accesspatterns.Assignment{Attribute: name, Value: designtest.Text("x")})
	}
	return action
}

// holding is an Update with a condition.
func holding(condition accesspatterns.Condition) accesspatterns.Action {
	action := sets("id")
	action.Condition = []accesspatterns.Condition{condition}
	return action
}

// bind binds a parameter to the id.
func bind(parameter string) []accesspatterns.Binding {
	return []accesspatterns.Binding{{Parameter: parameter, Attribute: "id"}}
}

// repeats adds a repeated step to the first pattern.
func repeats(d *accesspatterns.Design, each accesspatterns.ForEach) {
	read := *d.Patterns[0].Steps[0].Read
	d.Patterns[0].Steps = append(d.Patterns[0].Steps, accesspatterns.Step{Name: "again", Cite: d.Patterns[0].Cite, Read: &read, ForEach: &each})
}

// batch turns the first pattern into one batch.
func batch(d *accesspatterns.Design, size int, kind accesspatterns.ActionKind) {
	pattern := &d.Patterns[0]
	pattern.Steps = []accesspatterns.Step{{Name: "write", Cite: pattern.Cite, Batch: size, Write: []accesspatterns.Action{{Kind: kind, Table: d.Tables[0].ID}}}}
}

// writes makes a pattern a write of one action on the table.
func writes(d *accesspatterns.Design, action accesspatterns.Action) {
	batch(d, 0, action.Kind)
	action.Table = d.Tables[0].ID
	d.Patterns[0].Steps[0].Write[0] = action
}

// What a claim rests on is decided before it, and the ledgers look back on
// everything that sends requests.
func TestInOrder(t *testing.T) {
	design := designtest.Whole()
	design.Findings[0].Claims = []string{"guardrail/g"}
	design.Guardrails = append(design.Guardrails, accesspatterns.Guardrail{ID: "last", Claims: []string{"ledger/no-scan"}})
	at := map[string]int{}
	for i, claim := range manifest.InOrder(design) {
		at[claim.ID] = i
	}
	for _, pair := range [][2]string{
		{"whole/pattern/list", "whole/guardrail/g"},
		{"whole/guardrail/g", "whole/finding/f"},
		{"whole/finding/f", "whole/ledger/no-scan"},
		{"whole/ledger/no-scan", "whole/guardrail/last"},
	} {
		if at[pair[0]] > at[pair[1]] {
			t.Errorf("expected %s before %s", pair[0], pair[1])
		}
	}
	if len(at) != len(manifest.Claims(design)) {
		t.Errorf("expected all %d claims, found %d", len(manifest.Claims(design)), len(at))
	}
}

// edit is an Update of a note that may change one attribute.
func edit(name string, set ...accesspatterns.Assignment) accesspatterns.Action {
	return accesspatterns.Action{
		Kind: accesspatterns.Update, Item: "note", Set: set, Edits: []string{name},
		Key: []accesspatterns.Equality{*designtest.Equals("PK", "USER#{userId}"), *designtest.Equals("SK", "NOTE#{id}")},
	}
}

func TestLevels(t *testing.T) {
	for _, row := range []struct {
		level accesspatterns.Level
		want  string
	}{
		{"", ""},
		{accesspatterns.LevelResilience, ""},
		{accesspatterns.LevelWrites, "invariants: the contract's level is writes, and it begins with resilience"},
		{accesspatterns.LevelReads, "pattern write-note: the contract's level is reads, and it begins with writes"},
		{accesspatterns.LevelItems, "pattern list-notes: the contract's level is items, and it begins with reads"},
		{accesspatterns.LevelSchema, "entities: the contract's level is schema, and it begins with items"},
		{"all", "level: expected one of [schema items reads writes resilience], found all"},
	} {
		t.Run(string(row.level), func(t *testing.T) {
			design := &accesspatterns.Design{
				Name: "notes", Level: row.level, AccessPatterns: designtest.Line(1, "x"),
				Tables:   []accesspatterns.Table{{ID: "notes", Cite: designtest.Line(1, "x"), PartitionKey: accesspatterns.Key{Attribute: "pk", Type: dynamo.String}, KeyCite: designtest.Line(1, "x")}},
				Entities: []accesspatterns.Entity{{ID: "note", Table: "notes"}},
				Patterns: []accesspatterns.Pattern{
					{ID: "list-notes"},
					{ID: "write-note", Steps: []accesspatterns.Step{{Write: []accesspatterns.Action{{}}}}},
				},
				Invariants: []accesspatterns.Invariant{{ID: "once", Flow: "write-note"}},
			}
			err := integrity.Check(design)
			found := ""
			if err != nil {
				found = err.Error()
			}
			if row.want != "" && !strings.Contains(found, row.want) || row.want == "" && strings.Contains(found, "level") {
				t.Errorf("expected %q, found\n%s", row.want, found)
			}
		})
	}
}

// A contract of tables alone claims nothing about requests, roles and policies.
func TestClaimsOfTablesAlone(t *testing.T) {
	cite := designtest.Line(1, "x")
	design := &accesspatterns.Design{Name: "notes", Level: accesspatterns.LevelSchema, Tables: []accesspatterns.Table{{
		ID: "notes", Name: "notes", Cite: cite, PartitionKey: accesspatterns.Key{Attribute: "pk", Type: dynamo.String}, KeyCite: cite, IndexesCite: cite, Billing: dynamo.OnDemand, BillingCite: cite,
	}}}
	assert.NoError(t, integrity.Check(design), "expected a contract of tables to be one")
	for _, claim := range manifest.Claims(design) {
		if claim.Kind != manifest.KindSchema && claim.Kind != manifest.KindDocument || claim.Citation.First != 1 {
			t.Errorf("expected claims about the document and its tables, with their lines, found %s (%s)", claim.ID, claim.Cite)
		}
	}
	assert.Error(t, integrity.Check(&accesspatterns.Design{}), "expected a contract without a table to be refused")
}
