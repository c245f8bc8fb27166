package accesspatterns_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/tabletest"
)

// What a read may return, and of what it returns each item, whatever the ids are: the second alone lets a client see what a write replaces.
func TestWhatAReadReturns(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name, Query, Returns string
		Sort                 accesspatterns.KeyTemplate
	}](t, "returned.yaml") {
		var key expression.Conjunction
		require.NoError(t, expression.ParseKeyCondition(row.Query, expression.Literal, &key), row.Name)
		value := func(of expression.Operand) accesspatterns.Operand {
			return accesspatterns.Operand{Template: accesspatterns.KeyTemplate(of.Text)}
		}
		terms := key.All()
		read := &accesspatterns.Read{Table: "t", Partition: &accesspatterns.Equality{Attribute: terms[0].Path, Value: value(terms[0].Low)}}
		for _, sort := range terms[1:] {
			read.Sort = &accesspatterns.SortCondition{Attribute: sort.Path, Operator: sort.Op, Value: value(sort.Low), High: value(sort.High)}
		}
		entity := &accesspatterns.Entity{Table: "t", Keys: []accesspatterns.KeyAttribute{{Attribute: "PK", Template: "USER#{user}"}}}
		if row.Sort != "" {
			entity.Keys = append(entity.Keys, accesspatterns.KeyAttribute{Attribute: "SK", Template: row.Sort})
		}
		found := map[[2]bool]string{{}: "none", {true, false}: "some", {true, true}: "each"}[[2]bool{read.MayReturn(entity), read.ReturnsEach(entity)}]
		assert.Equal(t, row.Returns, found, row.Name)
		read.Table = "another"
		assert.False(t, read.MayReturn(entity) || read.ReturnsEach(entity), "%s: expected nothing of another table", row.Name)
	}
}
