package guard

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
		{"one of all", "USER#{u}", expression.Equal, "META", "", "USER#{user}", "{id}", true, false},
		{"those that begin with a literal", "USER#{u}", expression.BeginsWith, "PUBLIC#", "", "USER#{user}", "{id}", true, false},
		{"those that begin as all do", "USER#{u}", expression.BeginsWith, "NOTE#", "", "USER#{user}", "NOTE#{at}#{id}", true, true},
		{"forms that meet in the middle", "USER#{u}", expression.Equal, "PUBLIC#{n}", "", "USER#{user}", "{id}#DONE", true, false},
		{"from a client's bound", "USER#{u}", expression.GreaterOrEqual, "NOTE#{from}", "", "USER#{user}", "NOTE#{id}", true, true},
		{"from a literal bound", "USER#{u}", expression.GreaterOrEqual, "NOTE#2026", "", "USER#{user}", "NOTE#{id}", true, false},
		{"between a client's bound and a literal", "USER#{u}", expression.Between, "NOTE#{from}", "NOTE#2026", "USER#{user}", "NOTE#{id}", true, false},
		{"one value in both", "USER#{u}", expression.Equal, "NOTE#{u}", "", "USER#{user}", "NOTE#{id}", true, false},
		{"one value in both, as in the entity", "USER#{u}", expression.Equal, "NOTE#{u}", "", "USER#{user}", "NOTE#{user}", true, true},
		{"one value in both, with all that begins with it", "USER#{u}", expression.BeginsWith, "USER#{u}#", "", "USER#{user}", "USER#{user}#NOTE#{id}", true, true},
		{"one value in both, another in the entity", "USER#{u}", expression.BeginsWith, "USER#{u}#", "", "USER#{user}", "USER#{id}#NOTE#{user}", true, false},
		{"one value in both, with a longer beginning", "USER#{u}", expression.BeginsWith, "USER#{u}#NOTE#1", "", "USER#{user}", "USER#{user}#NOTE#{id}", true, false},
		{"one value in both, from it on", "USER#{u}", expression.GreaterOrEqual, "USER#{u}", "", "USER#{user}", "USER#{user}", true, false},
		{"before all", "USER#{u}", expression.Less, "NOTE#", "", "USER#{user}", "NOTE#{id}", true, false},
		{"before all but one", "USER#{u}", expression.LessOrEqual, "NOTE#", "", "USER#{user}", "NOTE#{id}", true, false},
		{"before what is behind all", "USER#{u}", expression.Less, "NOTE$", "", "USER#{user}", "NOTE#{id}", true, true},
		{"before some", "USER#{u}", expression.LessOrEqual, "NOTE#9", "", "USER#{user}", "NOTE#{id}", true, false},
		{"up to a client's bound", "USER#{u}", expression.Less, "NOTE#{to}", "", "USER#{user}", "NOTE#{id}", true, true},
		{"up to a client's bound before all", "USER#{u}", expression.Less, "MARK#{to}", "", "USER#{user}", "NOTE#{id}", true, false},
		{"up to a client's bound among some", "USER#{u}", expression.Less, "NOTE#2{to}", "", "USER#{user}", "NOTE#{id}", true, false},
		{"behind what is before all", "USER#{u}", expression.Greater, "A", "", "USER#{user}", "NOTE#{id}", true, true},
		{"behind where all begin", "USER#{u}", expression.Greater, "NOTE#", "", "USER#{user}", "NOTE#{id}", true, true},
		{"behind the only one", "USER#{u}", expression.Greater, "META", "", "USER#{user}", "META", true, false},
		{"from the only one on", "USER#{u}", expression.GreaterOrEqual, "META", "", "USER#{user}", "META", true, true},
		{"before the only one", "USER#{u}", expression.Less, "META", "", "USER#{user}", "META", true, false},
		{"up to the only one", "USER#{u}", expression.LessOrEqual, "META", "", "USER#{user}", "META", true, true},
		{"behind a client's bound behind all", "USER#{u}", expression.Greater, "PAGE#{from}", "", "USER#{user}", "NOTE#{id}", true, false},
		{"behind a client's bound before all", "USER#{u}", expression.Greater, "MARK#{from}", "", "USER#{user}", "NOTE#{id}", true, true},
		{"from a client's bound behind the only one", "USER#{u}", expression.GreaterOrEqual, "META{x}", "", "USER#{user}", "META", true, false},
		{"from a client's bound before the only one", "USER#{u}", expression.GreaterOrEqual, "M{x}", "", "USER#{user}", "META", true, true},
		{"between where all begin and there", "USER#{u}", expression.Between, "NOTE#", "NOTE#", "USER#{user}", "NOTE#{id}", true, false},
		{"between where all begin and a tilde", "USER#{u}", expression.Between, "NOTE#", "NOTE#~", "USER#{user}", "NOTE#{id}", true, true},
		{"between where all begin and what is behind all", "USER#{u}", expression.Between, "NOTE#", "NOTE$", "USER#{user}", "NOTE#{id}", true, true},
		{"between a client's bounds", "USER#{u}", expression.Between, "NOTE#{from}", "NOTE#{to}", "USER#{user}", "NOTE#{id}", true, true},
		{"between a client's value and a tilde", "USER#{u}", expression.Between, "NOTE#{day}", "NOTE#{day}~", "USER#{user}", "NOTE#{at}#{id}", true, true},
		{"between literals behind a client's value", "USER#{u}", expression.Between, "NOTE#{day}#5", "NOTE#{day}#6", "USER#{user}", "NOTE#{at}#{id}", true, false},
		{"numbers from a literal on", "USER#{u}", expression.GreaterOrEqual, "0", "", "USER#{user}", "{n}", true, false},
	} {
		read := &accesspatterns.Read{Table: "t", Partition: &accesspatterns.Equality{Attribute: "PK", Value: accesspatterns.Operand{Template: row.partition}}}
		if row.op != "" {
			read.Sort = &accesspatterns.SortCondition{Attribute: "SK", Operator: row.op, Value: accesspatterns.Operand{Template: row.sort}, High: accesspatterns.Operand{Template: row.high}}
		}
		entity := &accesspatterns.Entity{Table: "t", Keys: []accesspatterns.KeyAttribute{{Attribute: "PK", Template: row.entityPK}, {Attribute: "SK", Template: row.entity}}}
		if may, anyOne := mayReturn(read, nil, entity), returnsAny(read, nil, entity); may != row.mayReturn || anyOne != row.anyOne {
			t.Errorf("%s: expected %t of some and %t of any item, found %t and %t", row.name, row.mayReturn, row.anyOne, may, anyOne)
		}
	}
}
