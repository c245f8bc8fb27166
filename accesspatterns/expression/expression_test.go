package expression

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dynaproof/accesspatterns/tabletest"
)

var (
	someNames  = map[string]string{"#a": "PK", "#b": "sections", "#c": "private", "#dot": "a.b"}
	someValues = map[string]types.AttributeValue{
		":x": &types.AttributeValueMemberS{Value: "x"}, ":y": &types.AttributeValueMemberS{Value: "y"}, ":nil": nil,
	}
)

var source = Source{Names: someNames, Values: someValues}

func valued(placeholder string) Operand {
	return Operand{Text: placeholder, Value: someValues[placeholder]}
}

func parse(text string) (*Conjunction, error) {
	var c Conjunction
	err := ParseKeyCondition(text, source, &c)
	return &c, err
}

// parsers reads each kind of condition that the tables have.
var parsers = map[string]func(string, *Conjunction) error{
	"key condition": func(text string, c *Conjunction) error { return ParseKeyCondition(text, source, c) },
	"condition":     func(text string, c *Conjunction) error { return ParseCondition(text, source, c) },
	"contract":      func(text string, c *Conjunction) error { return ParseCondition(text, Literal, c) },
}

func TestConditionsAreRefused(t *testing.T) {
	refuses := func(kind, name, text string, want error) {
		var c Conjunction
		err := parsers[kind](text, &c)
		require.ErrorIs(t, err, want, "%s, %s: %q", kind, name, text)
		if kind == "contract" {
			assert.ErrorContains(t, err, "; found ", "%q: expected the place", text)
		}
	}
	for kind, errs := range tabletest.Read[map[string]map[string]map[string]string](t, "refused.yaml") {
		for want, texts := range errs {
			for name, text := range texts {
				refuses(kind, name, text, map[string]error{"syntax": ErrSyntax, "alias": ErrAlias, "unbound": ErrUnbound, "terms": ErrTerms}[want])
			}
		}
	}
	refuses("key condition", "a NUL", "#a = :x\x00", ErrSyntax)
	refuses("key condition", "too deep", strings.Repeat("(", 9)+"#a = :x"+strings.Repeat(")", 9), ErrTerms)
	refuses("key condition", "too many terms", strings.Repeat("#a = :x AND ", MaxTerms)+"#a = :x", ErrTerms)
	refuses("condition", "too many alternatives", strings.Repeat("(#a = :x AND #b = :y) OR ", 4)+"#c = :x", ErrTerms)
}

// TestConditions reads conditions and writes them in their normal form. Whatever DynamoDB's grammar allows is brought
// into clauses of alternatives: AND binds before OR, and NOT goes down to single terms.
func TestConditions(t *testing.T) {
	for kind, texts := range tabletest.Read[map[string]map[string]string](t, "normal_forms.yaml") {
		for text, want := range texts {
			var c Conjunction
			require.NoError(t, parsers[kind](text, &c), "%s: %q", kind, text)
			assert.Equal(t, want, Print(c.All()), "%s: %q", kind, text)
		}
	}
}

// A contract may name any attribute in double quotes, also in place of a value.
func TestQuotedNames(t *testing.T) {
	var c Conjunction
	require.NoError(t, ParseCondition(`"State#Date" > 'x' AND spent <= "a limit"`, Literal, &c))
	got := c.All()
	assert.True(t, got[0].Path == "State#Date" && got[1].Low.Path == "a limit" && got[1].Path == "spent", "found %+v", got)
	require.NoError(t, ParseKeyCondition(`"State#Date" = x AND "begins" BETWEEN a AND b`, Literal, &c), "found %+v", c.All())
	assert.Equal(t, "State#Date", c.All()[0].Path, "found %+v", c.All())
	assert.Error(t, ParseKeyCondition(`a = "b"`, Literal, &c), "expected a key condition to compare with values alone")
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
		var want []Term
		for range rapid.IntRange(1, 5).Draw(t, "terms") {
			path := rapid.SampledFrom([]string{"#a", "#b.#c", "plain", "#b.x[3]"}).Draw(t, "path")
			low := rapid.SampledFrom([]string{":x", ":y"}).Draw(t, "low")
			w := Term{Path: path, Op: rapid.SampledFrom(append([]Operator{Between, BeginsWith, Exists, NotExists}, comparisons...)).Draw(t, "op")}
			var text string
			switch w.Op {
			case Between:
				text, w.Low, w.High = path+" BETWEEN "+low+and()+":y", valued(low), valued(":y")
			case BeginsWith:
				text, w.Low = fmt.Sprintf("begins_with(%s,%s%s)", path, space(), low), valued(low)
			case Exists, NotExists:
				text = string(w.Op) + "(" + path + ")"
			default:
				text, w.Low = path+space()+string(w.Op)+low, valued(low)
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
		require.NoError(t, err, "%q", text)
		require.Equal(t, len(want), got.N, "%q", text)
		for i, w := range want {
			require.Equal(t, w, got.Terms[i], "%q", text)
		}
	})
}

// TestParseNeverPanics feeds text of the grammar's own pieces in any order.
func TestParseNeverPanics(t *testing.T) {
	pieces := []string{"#a", "#", "contains", "NOT", "size", ":x", ":", "(", ")", ",", "=", "AND", "BETWEEN", "begins_with", "attribute_exists", ".", "[0]", "[", "SET", "REMOVE", "ADD", "+", "-", "if_not_exists", "plain", "é", " "}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		_, _ = parse(text)
		_, _ = ParseUpdate(text, source)
	})
}

// TestLongExpressionsAreLeftEarly counts what is allocated for an expression of many alternatives, whose normal form would be
// as many terms for each of them.
func TestLongExpressionsAreLeftEarly(t *testing.T) {
	long := "(#a = :x AND #a = :x) OR #a = :x" + strings.Repeat(" OR #a = :x", 2000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := ParseCondition(long, source, &Conjunction{})
	runtime.ReadMemStats(&after)
	if most := uint64(50 << 20); !errors.Is(err, ErrTerms) || after.TotalAlloc-before.TotalAlloc > most {
		t.Errorf("expected %v within %d bytes, found %v with %d", ErrTerms, most, err, after.TotalAlloc-before.TotalAlloc)
	}
}

func TestSamePath(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Path, Of string
		Same     bool
	}](t, "same_path.yaml") {
		assert.Equal(t, row.Same, source.SamePath(row.Path, strings.Split(row.Of, ".")), "%s and %s", row.Path, row.Of)
	}
}

func TestSame(t *testing.T) {
	aliased := Source{Names: map[string]string{"#a": "sections", "#b": "sections", "#c": "private", "#dot": "sections.private", "#index": "private[0]"}}
	for _, row := range tabletest.Read[[]struct {
		One, Other string
		Same       bool
	}](t, "same.yaml") {
		assert.Equal(t, row.Same, aliased.Same(row.One, row.Other), "%s and %s", row.One, row.Other)
		assert.Equal(t, row.Same, aliased.Same(row.Other, row.One), "%s and %s", row.Other, row.One)
	}
}

// bare are changes without their right sides as a whole.
func bare(changes []Change) []Change {
	all := slices.Clone(changes)
	for i := range all {
		all[i].Right = Assigned{}
	}
	return all
}

// done is a Change, as a file has it.
type done struct {
	Clause                Clause
	Path, Sign            string
	Value, Computed       string
	Right                 string // functions with their parts in brackets
	Keeps, Quoted, Stored bool
}

// shown is an operand, whose value must be the one that its placeholder stands for.
func shown(t *testing.T, o Operand) string {
	t.Helper()
	assert.Equal(t, someValues[o.Text], o.Value, "the value of %s", o.Text)
	return o.Path + o.Text
}

func rightOf(t *testing.T, a Assigned) string {
	t.Helper()
	if a.Function == "" {
		return shown(t, a.Operand)
	}
	var parts []string
	for _, part := range a.Of {
		parts = append(parts, rightOf(t, part))
	}
	return a.Function + "(" + strings.Join(parts, ", ") + ")"
}

// TestParseUpdate reads updates of requests, and those of contracts, with the values that they give.
func TestParseUpdate(t *testing.T) {
	from := map[string]Source{"requests": source, "contracts": Literal}
	updates := tabletest.Read[map[string]struct {
		Read    map[string][]done
		Refused map[string][]string
	}](t, "updates.yaml")
	for of, table := range updates {
		for text, want := range table.Read {
			changes := tabletest.Must(ParseUpdate(text, from[of]))(t)
			var got []done
			for _, c := range changes {
				got = append(got, done{c.Clause, c.Path, c.Sign, shown(t, c.Value), c.Computed, rightOf(t, c.Right), c.Keeps, c.Value.Quoted, c.Stored()})
			}
			assert.Equal(t, want, got, "%q", text)
		}
		for want, texts := range table.Refused {
			for _, text := range texts {
				_, err := ParseUpdate(text, from[of])
				assert.ErrorIs(t, err, map[string]error{"update": ErrUpdate, "alias": ErrAlias, "unbound": ErrUnbound}[want], "%q", text)
			}
		}
	}
	_, err := ParseUpdate("SET #a = "+strings.Repeat("if_not_exists(#a, ", 9)+":x"+strings.Repeat(")", 9), source)
	assert.Error(t, err, "expected functions of nine levels to be refused")
	changes, err := ParseUpdate("SET counts.{state} = :one", Source{Values: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}}})
	assert.Error(t, err, "expected no parameter in a request, found %v", changes)
	var c Conjunction
	assert.Error(t, ParseCondition("counts.{state} = 1", Literal, &c), "expected no parameter in the path of a condition, found %v", c.All())
	_, err = ParseUpdate("SET title = ", Literal)
	assert.ErrorContains(t, err, "found the end", "expected an error at the end of the update")
}

// TestPrintIsRead writes random conjunctions and updates of contracts, and reads
// them back.
func TestPrintIsRead(t *testing.T) {
	path := rapid.SampledFrom([]string{"a", "a.b", "l[3]", "size", "to-do", "a.b.c[0][1]"})
	value := rapid.Custom(func(t *rapid.T) Operand {
		text := rapid.SampledFrom([]string{"x", "USER#{id}", "a", "5", "-5", "", "AND", "it's", "a b", "{two words}", "a=b", "f(x)", "+", "if_not_exists", ":x", "é"}).Draw(t, "text")
		// Quotes that are not needed are kept; those that are, are added.
		return Operand{Text: text, Quoted: rapid.Bool().Draw(t, "quoted") || bareLength(text) != len(text) || text == ""}
	})
	operators := append([]Operator{Between, BeginsWith, Exists, NotExists, Contains, NotContains, "size >"}, comparisons...)
	rapid.Check(t, func(t *rapid.T) {
		var terms []Term
		group := 0
		for range rapid.IntRange(1, 4).Draw(t, "terms") {
			alternatives := rapid.IntRange(1, 3).Draw(t, "alternatives")
			if alternatives > 1 {
				group++
			}
			for range alternatives {
				term := Term{Path: path.Draw(t, "path"), Op: rapid.SampledFrom(operators).Draw(t, "op")}
				if alternatives > 1 {
					term.Group = group
				}
				if term.Op != Exists && term.Op != NotExists {
					term.Low = value.Draw(t, "low")
				}
				if term.Op == Between {
					term.High = value.Draw(t, "high")
				}
				terms = append(terms, term)
			}
		}
		var c Conjunction
		err := ParseCondition(Print(terms), Literal, &c)
		require.True(t, err == nil && slices.Equal(c.All(), terms), "%s: expected %v, found %v and %v", Print(terms), terms, c.All(), err)
	})
	rapid.Check(t, func(t *rapid.T) {
		changes := []Change{{Clause: Set, Path: "b", Value: Operand{Text: "x"}}}
		for _, clause := range []Clause{Set, Remove, Add, Delete} {
			for range rapid.IntRange(0, 2).Draw(t, string(clause)) {
				c := Change{Clause: clause, Path: path.Draw(t, "path")}
				switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
				case clause == Remove:
				case clause == Set && kind == 0:
					c.Sign, c.Value = rapid.SampledFrom([]string{"+", "-"}).Draw(t, "sign"), value.Draw(t, "by")
				case clause == Set && kind == 3:
					c.Keeps, c.Value = true, value.Draw(t, "first")
				case clause == Set && kind == 1:
					c.Computed = "list_append(" + c.Path + ", " + value.Draw(t, "with").String() + ")"
				default:
					c.Value = value.Draw(t, "value")
					c.Value.Quoted = c.Value.Quoted || clause == Set && c.Value.Text == c.Path
				}
				changes = append(changes, c)
			}
		}
		read, err := ParseUpdate(PrintUpdate(changes), Literal)
		require.True(t, err == nil && reflect.DeepEqual(bare(read), changes), "%s: expected %v, found %v and %v", PrintUpdate(changes), changes, read, err)
	})
}

func TestProjection(t *testing.T) {
	paths, err := ParseProjection(" #a, #b.#c ,plain[2]", source)
	want := []string{"#a", "#b.#c", "plain[2]"}
	assert.True(t, err == nil && slices.Equal(paths, want), "expected %v, found %v and %v", want, paths, err)
	for _, text := range []string{"", "#a,", "#a #b", "#z", "a-b", ":x"} {
		paths, err := ParseProjection(text, source)
		assert.Error(t, err, "%q: expected an error, found %v", text, paths)
	}
	segments, err := source.Split("#b.#c[0].#dot")
	assert.True(t, err == nil && slices.Equal(segments, []string{"sections", "private[0]", "a.b"}), "expected the names of the segments, found %v and %v", segments, err)
}

// TestAttributes finds the attributes of expressions that the grammar takes, and of
// those that it does not.
func TestAttributes(t *testing.T) {
	for text, want := range map[string]string{
		"#a = :x AND begins_with(#b.#c, :y)":                                                "PK sections",
		"NOT (#a IN (:x, :y) OR attribute_type(#dot, :x)) and plain between :x and size(l)": "PK a.b l plain",
		"SET #a = if_not_exists(#b[0], :x) + n REMOVE old":                                  "PK n old sections",
		"#z = :x": "",
	} {
		assert.Equal(t, want, strings.Join(source.Attributes(text), " "), "%q", text)
	}
}

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
		require.True(t, first != nil || second == nil && conjoined.N == condition.N && condition.Groups == 0,
			"%q: expected the same %d terms as a condition, found %d and %v", text, conjoined.N, condition.N, second)
		require.False(t, second == nil && condition.N == 0, "%q: parsed, and found no term", text)
		changes, err := ParseUpdate(text, source)
		require.False(t, err == nil && len(changes) == 0, "%q: parsed as an update, and found no Change", text)
		var literal, again Conjunction
		if ParseCondition(text, Literal, &literal) == nil {
			if printed := Print(literal.All()); ParseCondition(printed, Literal, &again) != nil || !slices.Equal(again.All(), literal.All()) {
				t.Fatalf("%q: written as %q, which is read as %v", text, printed, again.All())
			}
		}
		if changes, err := ParseUpdate(text, Literal); err == nil {
			printed := PrintUpdate(changes)
			read, err := ParseUpdate(printed, Literal)
			require.True(t, err == nil && PrintUpdate(read) == printed, "%q: written as %q, which is read as %v: %v", text, printed, read, err)
		}
	})
}

func TestReservedWord(t *testing.T) {
	require.Len(t, reserved, 573)
	assert.True(t, slices.IsSorted(reserved), "expected DynamoDB's 573 words in order")
	for text, want := range tabletest.Read[map[string]string](t, "reserved.yaml") {
		assert.Equal(t, want, ReservedWord(text), "%q", text)
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { ReservedWord("pk = :p AND begins_with(sk, :s)") }), "expected no allocation")
}
