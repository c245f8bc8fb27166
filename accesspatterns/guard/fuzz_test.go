package guard

import "testing"

// FuzzExpression parses any expression. A conjunction is a condition without
// alternatives, and nothing panics.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"#a = :x AND begins_with(#b, :y)", "(attribute_not_exists(#a) OR #b < :x) AND #a = :y", "#a BETWEEN :x AND :y", "((#a=:x))",
		"SET #a = :x, #b.#c = if_not_exists(#b.#c, :y) + :x REMOVE old ADD n :x DELETE s :y", "#a[0][1].plain <> :x", "NOT #a = :x", "#a = :x OR", "(", "#", ":", "\x00", "é",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var conjoined, condition conjunction
		first := parseConjunction(text, someNames, someValues, &conjoined)
		second := parseCondition(text, someNames, someValues, &condition)
		if first == nil && (second != nil || conjoined.n != condition.n || condition.groups != 0) {
			t.Fatalf("%q: expected the same %d terms as a condition, found %d and %v", text, conjoined.n, condition.n, second)
		}
		if second == nil && condition.n == 0 {
			t.Fatalf("%q: parsed, and found no term", text)
		}
		changes, err := parseUpdate(text, someNames, someValues)
		if err == nil && len(changes) == 0 {
			t.Fatalf("%q: parsed as an update, and found no change", text)
		}
	})
}
