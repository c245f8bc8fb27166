package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// Show writes a request on one line, with names and values in place.
func Show(input any) string {
	if lookups, err := sdk.Lookups(input); err == nil && len(lookups) > 0 {
		switch l := &lookups[0]; l.Operation {
		case dynamo.Scan:
			return "scan " + l.Table
		case dynamo.Query:
			text := "query " + inPlace(aws.ToString(l.KeyCondition), l.Names, l.Values)
			if filter := aws.ToString(l.Filter); filter != "" {
				text += " filter " + inPlace(filter, l.Names, l.Values)
			}
			return text
		default:
			return "get " + showItem(l.Key)
		}
	}
	writes, err := sdk.Writes(input)
	if err != nil {
		return err.Error()
	}
	var parts []string
	for w := range lists.Each(writes) {
		part := map[ap.ActionKind]string{ap.Put: "put", ap.Update: "update", ap.Delete: "delete", ap.ConditionCheck: "check"}[w.Kind]
		part += " " + showItem(w.Place())
		if w.Update != nil {
			part += " " + inPlace(*w.Update, w.Names, w.Values)
		}
		if text := aws.ToString(w.Condition); text != "" {
			part += " if " + inPlace(text, w.Names, w.Values)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func showItem(item ap.Item) string {
	parts := lists.Map(slices.Sorted(maps.Keys(item)), func(name string) string { return fmt.Sprintf("%s: %s", name, showValue(item[name])) })
	return "{" + strings.Join(parts, ", ") + "}"
}

// inPlace writes an expression with its names and values in place.
func inPlace(text string, names map[string]string, values map[string]types.AttributeValue) string {
	longest := func(a, b string) int { return len(b) - len(a) }
	for _, placeholder := range slices.SortedFunc(maps.Keys(names), longest) {
		text = strings.ReplaceAll(text, placeholder, names[placeholder])
	}
	for _, placeholder := range slices.SortedFunc(maps.Keys(values), longest) {
		text = strings.ReplaceAll(text, placeholder, showValue(values[placeholder]))
	}
	return text
}
