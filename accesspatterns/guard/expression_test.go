package guard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"
)

var (
	someNames  = map[string]string{"#a": "PK", "#b": "sections", "#c": "private", "#dot": "a.b"}
	someValues = map[string]types.AttributeValue{
		":x": &types.AttributeValueMemberS{Value: "x"}, ":y": &types.AttributeValueMemberS{Value: "y"}, ":nil": nil,
	}
)

func parse(text string) (*conjunction, error) {
	var c conjunction
	err := parseConjunction(text, someNames, someValues, &c)
	return &c, err
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":                   {"", errSyntax},
		"OR":                        {"#a = :x OR #b = :y", errSyntax},
		"NOT":                       {"NOT #a = :x", errSyntax},
		"an operator of two":        {"#a == :x", errSyntax},
		"an operator the wrong way": {"#a => :x", errSyntax},
		"IN":                        {"#a IN (:x, :y)", errSyntax},
		"contains":                  {"contains(#a, :x)", errSyntax},
		"size":                      {"size(#a) = :x", errSyntax},
		"a value on the left":       {":x = #a", errSyntax},
		"two names":                 {"#a = #b", errSyntax},
		"a literal":                 {"#a = 'x'", errSyntax},
		"a number":                  {"#a = 5", errSyntax},
		"BETWEEN without AND":       {"#a BETWEEN :x :y", errSyntax},
		"an open parenthesis":       {"(#a = :x", errSyntax},
		"a closing one":             {"#a = :x)", errSyntax},
		"an empty pair":             {"()", errSyntax},
		"AND at the end":            {"#a = :x AND", errSyntax},
		"two terms without AND":     {"#a = :x #b = :y", errSyntax},
		"a function in capitals":    {"BEGINS_WITH(#a, :x)", errSyntax},
		"a function of one":         {"begins_with(#a)", errSyntax},
		"exists of two":             {"attribute_exists(#a, :x)", errSyntax},
		"a second statement":        {"#a = :x; #b = :y", errSyntax},
		"a comment":                 {"#a = :x -- AND", errSyntax},
		"a NUL":                     {"#a = :x\x00", errSyntax},
		"an unknown alias":          {"#z = :x", errAlias},
		"an unknown value":          {"#a = :z", errUnbound},
		"a value of nil":            {"#a = :nil", errUnbound},
		"an empty path segment":     {"#a..#b = :x", errSyntax},
		"an index that is none":     {"#a[x] = :x", errSyntax},
		"an index without its end":  {"#a[1 = :x", errSyntax},
		"too deep":                  {strings.Repeat("(", 9) + "#a = :x" + strings.Repeat(")", 9), errTerms},
		"too many terms":            {strings.Repeat("#a = :x AND ", maxTerms) + "#a = :x", errTerms},
		"an alias within an alias":  {"#a#b = :x", errAlias},
		"a digit first":             {"1a = :x", errSyntax},
		"a hyphen in a bare name":   {"a-b = :x", errSyntax},
		"a function without a name": {"begins_with(, :x)", errSyntax},
	} {
		if _, err := parse(c.text); !errors.Is(err, c.want) {
			t.Errorf("%s: %q: expected %v, found %v", name, c.text, c.want, err)
		}
	}
}

func TestParseAccepts(t *testing.T) {
	for text, terms := range map[string]int{
		"#a = :x":                              1,
		"PK=:x":                                1,
		"(#a = :x) AND (begins_with (#b, :y))": 2,
		"#a = :x and #b between :x And :y":     2,
		"((#a=:x)AND(#b=:y)) AND attribute_exists(#b.#c[0][12].plain)": 3,
		"\tattribute_not_exists ( PK )\n":                              1,
		"#a<:x AND #a<=:x AND #a>:x AND #a>=:x AND #a<>:x":             5,
	} {
		c, err := parse(text)
		if err != nil || c.n != terms {
			t.Errorf("%q: expected %d terms, found %d and %v", text, terms, c.n, err)
		}
	}
}

// each reads a condition and returns something of each of its terms.
func each[T any](t *testing.T, text string, of func(term) T) []T {
	t.Helper()
	var c conjunction
	if err := parseCondition(text, someNames, someValues, &c); err != nil {
		t.Errorf("%q: %v", text, err)
	}
	var found []T
	for _, term := range c.all() {
		found = append(found, of(term))
	}
	return found
}

func refusesConditions(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		var c conjunction
		if err := parseCondition(text, someNames, someValues, &c); !errors.Is(err, errSyntax) {
			t.Errorf("%q: expected %v, found %v", text, errSyntax, err)
		}
	}
}

// TestAlternatives reads conditions with OR: single terms that are alternatives
// of each other, beside terms that must hold.
func TestAlternatives(t *testing.T) {
	for text, groups := range map[string][]int{
		"#a = :x OR #b = :y": {1, 1},
		"(attribute_not_exists(#a) or #b < :x) AND #a = :y":      {1, 1, 0},
		"#a = :y AND (#a = :x OR #b = :x) AND ((#a>:x)OR #b=:y)": {0, 1, 1, 2, 2},
		"((#a = :x))": {0},
	} {
		if found := each(t, text, func(term term) int { return term.group }); !slices.Equal(found, groups) {
			t.Errorf("%q: expected groups %v, found %v", text, groups, found)
		}
	}
	refusesConditions(t,
		"#a = :x OR #b = :y AND #a = :y", "#a = :x AND #b = :y OR #a = :y", "(#a = :x AND #b = :y) OR #a = :y",
		"#a = :x OR (#b = :y OR #a = :y)", "#a = :x OR", "OR #a = :x", "NOT #a = :x OR #b = :y",
	)
}

// TestMembers reads what only conditions of writes know of sets and lists.
func TestMembers(t *testing.T) {
	for text, ops := range map[string][]operator{
		"contains(#a, :x)":                                 {opHas},
		"not contains(#a, :x) AND #b = :y":                 {opLacks, opEquals},
		"size(#a) > :x AND (size(#b) > :y OR #a = :x)":     {opSizeAbove, opSizeAbove, opEquals},
		"(size(#a) > :x OR NOT contains(#a, :y))":          {opSizeAbove, opLacks},
		"attribute_exists(#a) AND ((contains ( #b , :x)))": {opExists, opHas},
	} {
		if found := each(t, text, func(term term) operator { return term.op }); !slices.Equal(found, ops) {
			t.Errorf("%q: expected %v, found %v", text, ops, found)
		}
	}
	refusesConditions(t,
		"contains(#a)", "contains #a, :x", "NOT size(#a) > :x", "NOT (contains(#a, :x))", "NOT NOT contains(#a, :x)", "size(#a) < :x", "size(#a)", "size #a > :x", "size(#a, :x) > :x", ":x > size(#a)",
	)
}

// TestParseIsExact writes random conjunctions in random spelling and reads them
// back term by term.
func TestParseIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := func() string { return rapid.SampledFrom([]string{" ", "  ", "\n\t"}).Draw(t, "space") }
		and := func() string {
			return space() + rapid.SampledFrom([]string{"AND", "and", "aNd"}).Draw(t, "and") + space()
		}
		var parts []string
		var want []term
		for range rapid.IntRange(1, 5).Draw(t, "terms") {
			path := rapid.SampledFrom([]string{"#a", "#b.#c", "plain", "#b.x[3]"}).Draw(t, "path")
			low := rapid.SampledFrom([]string{":x", ":y"}).Draw(t, "low")
			w := term{path: path, op: rapid.SampledFrom(append([]operator{opBetween, opBegins, opExists, opNotExists}, comparisons...)).Draw(t, "op")}
			var text string
			switch w.op {
			case opBetween:
				text, w.low, w.high = path+" BETWEEN "+low+and()+":y", someValues[low], someValues[":y"]
			case opBegins:
				text, w.low = fmt.Sprintf("begins_with(%s,%s%s)", path, space(), low), someValues[low]
			case opExists, opNotExists:
				text = string(w.op) + "(" + path + ")"
			default:
				text, w.low = path+space()+string(w.op)+low, someValues[low]
			}
			if rapid.Bool().Draw(t, "parentheses") {
				text = "(" + space() + text + ")"
			}
			parts, want = append(parts, text), append(want, w)
		}
		text := parts[0]
		for _, part := range parts[1:] {
			text += and() + part
		}
		got, err := parse(text)
		if err != nil || got.n != len(want) {
			t.Fatalf("%q: expected %d terms, found %d and %v", text, len(want), got.n, err)
		}
		for i, w := range want {
			if got.terms[i] != w {
				t.Fatalf("%q: expected %v, found %v", text, w, got.terms[i])
			}
		}
	})
}

// TestParseNeverPanics feeds text of the grammar's own pieces in any order.
func TestParseNeverPanics(t *testing.T) {
	pieces := []string{"#a", "#", "contains", "NOT", "size", ":x", ":", "(", ")", ",", "=", "AND", "BETWEEN", "begins_with", "attribute_exists", ".", "[0]", "[", "SET", "REMOVE", "ADD", "+", "-", "if_not_exists", "plain", "é", " "}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		_, _ = parse(text)
		_, _ = parseUpdate(text, someNames, someValues)
	})
}

func TestSamePath(t *testing.T) {
	for _, c := range []struct {
		path string
		want string
		same bool
	}{
		{"#b.#c", "sections.private", true},
		{"sections.private", "sections.private", true},
		{"#b", "sections.private", false},
		{"#b.#c", "sections", false},
		{"#b.#c[0]", "sections.private", false},
		{"#dot", "a.b", false}, // one attribute whose name has a dot
		{"#z", "sections", false},
	} {
		if got := samePath(c.path, someNames, strings.Split(c.want, ".")); got != c.same {
			t.Errorf("%s and %s: expected %v, found %v", c.path, c.want, c.same, got)
		}
	}
}

func TestParseUpdate(t *testing.T) {
	changes, err := parseUpdate("SET #a = :x, #b.#c = if_not_exists(#b.#c, :y) + :x, l = list_append(l, :x), #a = #a - :y, #a = l + :y remove old, #b ADD n :x DELETE s :y", someNames, someValues)
	if err != nil {
		t.Fatal(err)
	}
	want := []change{
		{clause: clauseSet, path: "#a", value: someValues[":x"]}, {clause: clauseSet, path: "#b.#c"}, {clause: clauseSet, path: "l"},
		{clause: clauseSet, path: "#a", sign: "-", by: someValues[":y"]}, {clause: clauseSet, path: "#a"},
		{clause: clauseRemove, path: "old"}, {clause: clauseRemove, path: "#b"},
		{clause: clauseAdd, path: "n", value: someValues[":x"]}, {clause: clauseDelete, path: "s", value: someValues[":y"]},
	}
	if len(changes) != len(want) {
		t.Fatalf("expected %v, found %v", want, changes)
	}
	for i := range want {
		if changes[i] != want[i] {
			t.Errorf("expected %v, found %v", want[i], changes[i])
		}
	}
	for _, text := range []string{"", "SET", "SET #a", "SET #a :x", "SET #a = ", "SET #a = :x,", "PUT #a = :x", "SET #a = :x * :y", "SET #a = now()",
		"REMOVE", "ADD n", "SET #z = :x", "SET #a = :z", "SET #a = " + strings.Repeat("if_not_exists(#a, ", 9) + ":x" + strings.Repeat(")", 9), "#a = :x"} {
		if changes, err := parseUpdate(text, someNames, someValues); err == nil {
			t.Errorf("%q: expected an error, found %v", text, changes)
		}
	}
}
