package accesspatterns_test

import (
	"testing"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
)

// What a read may return, and of what it returns each item, whatever the ids are: the second alone lets a client see what a write replaces.
func TestWhatAReadReturns(t *testing.T) {
	for _, row := range []struct {
		name              string
		partition         accesspatterns.KeyTemplate
		op                expression.Operator
		sort, high        accesspatterns.KeyTemplate
		entityPK, entity  accesspatterns.KeyTemplate
		mayReturn, anyOne bool
	}{
		{"the entity's own key", "USER#{u}", expression.Equal, "NOTE#{n}", "", "USER#{user}", "NOTE#{id}", true, true},
		{"a whole partition", "USER#{u}", "", "", "", "USER#{user}", "NOTE#{id}", true, true},
		{"another partition", "SITE#{s}", expression.Equal, "NOTE#{n}", "", "USER#{user}", "NOTE#{id}", false, false},
		{"all of another partition", "SITE#{s}", "", "", "", "USER#{user}", "NOTE#{id}", false, false},
		{"a partition within the form", "USER#{u}#MORE", "", "", "", "USER#{user}", "NOTE#{id}", true, false},
		{"one of all", "USER#{u}", expression.Equal, "META", "", "USER#{user}", "{id}", true, false},
		{"too few segments", "{u}", expression.Equal, "NOTE#1", "", "USER#{user}", "NOTE#{day}#{id}", false, false},
		{"as many segments", "{u}", expression.Equal, "NOTE#1#x", "", "USER#{user}", "NOTE#{day}#{id}", true, false},
		{"the first segments", "{u}", expression.BeginsWith, "NOTE#1", "", "USER#{user}", "NOTE#{day}#{id}", true, false},
		{"those that begin with a literal", "USER#{u}", expression.BeginsWith, "PUBLIC#", "", "USER#{user}", "{id}", true, false},
		{"those that begin as all do", "USER#{u}", expression.BeginsWith, "NOTE#", "", "USER#{user}", "NOTE#{at}#{id}", true, true},
		{"those that begin otherwise", "USER#{u}", expression.BeginsWith, "TASK#", "", "USER#{user}", "NOTE#{id}", false, false},
		{"forms that meet in the middle", "USER#{u}", expression.Equal, "PUBLIC#{n}", "", "USER#{user}", "{id}#DONE", true, false},
		{"forms of other separators", "USER#{u}", expression.Equal, "{n}", "", "USER#{user}", "{day}_{id}", true, true},
		{"forms that go on otherwise", "USER#{u}", expression.Equal, "NOTE#{n}#OPEN", "", "USER#{user}", "NOTE#{n}#DONE", false, false},
		{"from a client's bound", "USER#{u}", expression.GreaterOrEqual, "NOTE#{from}", "", "USER#{user}", "NOTE#{id}", true, false},
		{"from a literal bound", "USER#{u}", expression.GreaterOrEqual, "NOTE#2026", "", "USER#{user}", "NOTE#{id}", true, false},
		{"from where others begin", "USER#{u}", expression.GreaterOrEqual, "NOTE#{from}", "", "USER#{user}", "TASK#{id}", true, false},
		{"a range of items that have no such key", "USER#{u}", expression.GreaterOrEqual, "NOTE#{from}", "", "USER#{user}", "", false, false},
		{"one value in both", "USER#{u}", expression.Equal, "NOTE#{u}", "", "USER#{user}", "NOTE#{id}", true, false},
		{"one value in both, as in the entity", "USER#{u}", expression.Equal, "NOTE#{u}", "", "USER#{user}", "NOTE#{user}", true, true},
		{"one value in both, with all that begins with it", "USER#{u}", expression.BeginsWith, "USER#{u}#", "", "USER#{user}", "USER#{user}#NOTE#{id}", true, false},
		{"one value in both, another in the entity", "USER#{u}", expression.BeginsWith, "USER#{u}#", "", "USER#{user}", "USER#{id}#NOTE#{user}", true, false},
		{"one value in both, from it on", "USER#{u}", expression.GreaterOrEqual, "USER#{u}", "", "USER#{user}", "USER#{user}", true, false},
		{"between where all begin and a tilde", "USER#{u}", expression.Between, "NOTE#", "NOTE#~", "USER#{user}", "NOTE#{id}", true, false},
	} {
		read := &accesspatterns.Read{Table: "t", Partition: &accesspatterns.Equality{Attribute: "PK", Value: accesspatterns.Operand{Template: row.partition}}}
		if row.op != "" {
			read.Sort = &accesspatterns.SortCondition{Attribute: "SK", Operator: row.op, Value: accesspatterns.Operand{Template: row.sort}, High: accesspatterns.Operand{Template: row.high}}
		}
		entity := &accesspatterns.Entity{Table: "t", Keys: []accesspatterns.KeyAttribute{{Attribute: "PK", Template: row.entityPK}}}
		if row.entity != "" {
			entity.Keys = append(entity.Keys, accesspatterns.KeyAttribute{Attribute: "SK", Template: row.entity})
		}
		if may, anyOne := read.MayReturn(entity), read.ReturnsEach(entity); may != row.mayReturn || anyOne != row.anyOne {
			t.Errorf("%s: expected %t of some and %t of any item, found %t and %t", row.name, row.mayReturn, row.anyOne, may, anyOne)
		}
		if read.Table = "another"; read.MayReturn(entity) || read.ReturnsEach(entity) {
			t.Errorf("%s: expected nothing of another table", row.name)
		}
	}
}
