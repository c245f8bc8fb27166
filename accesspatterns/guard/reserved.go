package guard

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/sdk"
)

// reservedWord returns the first reserved word that stands as it is in an expression of a call, and the table of that expression;
// both are empty where there is none.
func reservedWord(input any, lookups []sdk.Lookup) (word, table string) {
	in := func(of string, expressions ...*string) {
		for _, text := range expressions {
			if found := expression.ReservedWord(aws.ToString(text)); word == "" && found != "" {
				word, table = found, of
			}
		}
	}
	for i := range lookups {
		in(lookups[i].Table, lookups[i].KeyCondition, lookups[i].Filter, lookups[i].Projection)
	}
	writes, _ := sdk.Writes(input) // what is no write is refused whatever it says
	for i := range writes {
		in(writes[i].Table, writes[i].Update, writes[i].Condition)
	}
	return word, table
}
