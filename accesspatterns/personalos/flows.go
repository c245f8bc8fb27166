package personalos

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// Patterns of several requests, and single writes. The document lists reads
// alone; what writes must keep follows from what it says that items hold.
func flows() []ap.Pattern {
	return slices.Concat(formFlows(), taskFlows(), linkFlows(), logFlows(), walletFlows())
}

func key(partition, sort ap.KeyTemplate) []ap.Equality {
	return []ap.Equality{*ap.Equals("pk", partition), *ap.Equals("sk", sort)}
}

func ofUserKey(sort ap.KeyTemplate) []ap.Equality { return key("USER#{userId}", sort) }

// exists requires an item of the user to be there, without changing it.
func exists(sort ap.KeyTemplate) ap.Action {
	return ap.Action{Kind: ap.ConditionCheck, Table: table, Key: ofUserKey(sort), Condition: ap.IfPresent("pk")}
}

// touch requires an item of the user to be there and moves its updatedAt, so
// that a writer who read it before is refused.
//
// A moment is no version: where two changes have the same one, a writer who read
// between them would not see the second (finding updated-at-is-no-version). So
// no change may have the moment of the one before it.
func touch(sort ap.KeyTemplate) ap.Action {
	return ap.Action{
		Kind: ap.Update, Table: table, Key: ofUserKey(sort),
		Set: []ap.Assignment{{Attribute: "updatedAt", Value: ap.Text("{now}")}}, Condition: append(ap.IfPresent("pk"), later()),
	}
}

// later requires another moment than that of the change before.
func later() ap.WriteCondition {
	return ap.WriteCondition{Attribute: "updatedAt", Operator: ap.ConditionDiffers, Value: ap.Text("{now}")}
}

// put stores an item under a key that must be free.
func put(entity string) ap.Action {
	return ap.Action{Kind: ap.Put, Table: table, Entity: entity, Item: entity, Condition: ap.IfAbsent("pk")}
}

// unchanged requires that nobody wrote the item since its updatedAt was read.
func unchanged() []ap.WriteCondition {
	return []ap.WriteCondition{{Attribute: "updatedAt", Operator: ap.ConditionEquals, Value: ap.Text("{readAt}")}}
}

// replace stores an item of which nobody wrote another version since it was read.
func replace(entity string) ap.Action {
	return ap.Action{Kind: ap.Put, Table: table, Entity: entity, Item: entity, Condition: append(unchanged(), later())}
}

func remove(partition, sort ap.KeyTemplate) ap.Action {
	return ap.Action{Kind: ap.Delete, Table: table, Key: key(partition, sort)}
}

// read is a step that gets an item of the user, and ends the flow without it.
func read(name string, cite ap.Citation, sort ap.KeyTemplate) ap.Step {
	return ap.Step{Name: name, Cite: cite, Read: ap.Get(table, ofUser(), ap.Is("sk", sort)), StopWhenEmpty: true}
}

func readTask() ap.Step {
	return read("task", ap.Line(45, "Get single task", "USER#{userId}", "TASK#{taskId}"), "TASK#{taskId}")
}
