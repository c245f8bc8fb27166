package expression

import (
	"slices"
	"testing"
)

// FuzzExpression parses any expression. A Conjunction is a condition without
// alternatives, and nothing panics.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"#a = :x AND begins_with(#b, :y)", "(attribute_not_exists(#a) OR #b < :x) AND #a = :y", "#a BETWEEN :x AND :y", "((#a=:x))",
		"PK = USER#{id} AND begins_with(SK, 'a''b')", "SET title = {title}, n = n + 5 REMOVE due", "SET #a = :x, #b.#c = if_not_exists(#b.#c, :y) + :x REMOVE old ADD n :x DELETE s :y", "#a[0][1].plain <> :x", "NOT #a = :x", "#a = :x OR", "(", "#", ":", "\x00", "é",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var conjoined, condition Conjunction
		first := ParseKeyCondition(text, source, &conjoined)
		second := ParseCondition(text, source, &condition)
		if first == nil && (second != nil || conjoined.N != condition.N || condition.Groups != 0) {
			t.Fatalf("%q: expected the same %d terms as a condition, found %d and %v", text, conjoined.N, condition.N, second)
		}
		if second == nil && condition.N == 0 {
			t.Fatalf("%q: parsed, and found no term", text)
		}
		changes, err := ParseUpdate(text, source)
		if err == nil && len(changes) == 0 {
			t.Fatalf("%q: parsed as an update, and found no Change", text)
		}
		var literal, again Conjunction
		if ParseCondition(text, Literal, &literal) == nil {
			if printed := Print(literal.All()); ParseCondition(printed, Literal, &again) != nil || !slices.Equal(again.All(), literal.All()) {
				t.Fatalf("%q: written as %q, which is read as %v", text, printed, again.All())
			}
		}
		if changes, err := ParseUpdate(text, Literal); err == nil {
			printed := PrintUpdate(changes)
			read, err := ParseUpdate(printed, Literal)
			if err != nil || PrintUpdate(read) != printed {
				t.Fatalf("%q: written as %q, which is read as %v: %v", text, printed, read, err)
			}
		}
	})
}
