package lab

import (
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
)

// Elsewhere returns a copy of an item under another primary key, in the same partition where the table has a sort key; nil where the last key
// attribute is no text.
func Elsewhere(table *accesspatterns.Table, item accesspatterns.Item) accesspatterns.Item {
	keys := table.Keys()
	last := keys[len(keys)-1].Attribute
	text, is := item[last].(*types.AttributeValueMemberS)
	if !is {
		return nil
	}
	copied := maps.Clone(item)
	copied[last] = &types.AttributeValueMemberS{Value: text.Value + "-extra"}
	return copied
}
