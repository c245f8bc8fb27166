package mutants_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/expression"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/reads"
	"dynaproof/fixtures"
)

// The mutants of the five designs are all noticed on an engine; so nothing may be missing.
func TestNoDecoyIsMissing(t *testing.T) {
	for _, design := range designs.All() {
		set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
		for _, decoy := range tabletest.Must(reads.Missing(design, set))(t) {
			t.Errorf("%s: %s", decoy.ID, decoy)
		}
	}
}

// A filter may name a member of a map, on either side.
func TestFilterLooksIntoMaps(t *testing.T) {
	item := ap.Item{
		"state": &types.AttributeValueMemberM{Value: ap.Item{"kind": &types.AttributeValueMemberS{Value: "open"}}},
		"kind":  &types.AttributeValueMemberS{Value: "open"},
	}
	for _, row := range []struct {
		condition ap.Condition
		want      bool
	}{
		{ap.Condition{Attribute: "state.kind", Operator: expression.Equal, Value: ap.Operand{Type: dynamo.String, Template: "open"}}, true},
		{ap.Condition{Attribute: "state.kind", Operator: expression.Equal, Value: ap.Operand{Type: dynamo.String, Template: "closed"}}, false},
		{ap.Condition{Attribute: "kind", Operator: expression.Equal, Value: ap.Operand{Attribute: "state.kind"}}, true},
		{ap.Condition{Attribute: "state.gone", Operator: expression.NotExists}, true},
	} {
		assert.Equal(t, row.want, tabletest.Must(evaluate.FilterHolds([]ap.Condition{row.condition}, item, nil))(t), "%+v", row.condition)
	}
}

// Of a design that lacks one item, the form is named that the engine's mutants find.
func TestAMissingDecoyIsNamed(t *testing.T) {
	const want = "pattern list-ai-threads: nothing tells the read from a wrong one (items that begin with AI_THREAD); load an item of the same PK, whose SK goes on behind AI_THREAD with another character than # (roll-model/pattern/list-ai-threads/prefix-open)"
	design := tabletest.Must(designs.Find("roll-model"))(t)
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
	one, known := set.Item("neighbour-thread-2")
	require.True(t, known)
	one.Held = true
	missing := tabletest.Must(reads.Missing(design, set))(t)
	require.Len(t, missing, 2)
	assert.Equal(t, want, missing[0].String())
	assert.Equal(t, "roll-model/pattern/list-ai-threads/prefix-open", missing[0].ID)
	assert.Equal(t, "roll-model/pattern/system-lists-ai-threads/prefix-open", missing[1].ID, "expected the service, which lists threads by the same condition")
}

// forms is a contract with a read for each wrong form.
func forms(t *testing.T) *ap.Design {
	t.Helper()
	return tabletest.Must(contract.Load(os.DirFS("testdata/forms")))(t)
}

// formsOf are the wrong forms of the read of a pattern.
func formsOf(t *testing.T, design *ap.Design, id string) []reads.Form {
	t.Helper()
	pattern, known := design.Pattern(id)
	require.True(t, known, id)
	return reads.WrongForms(&design.Tables[0], pattern.OnlyRead())
}

// An item that the condition of a limited read leaves out tells nothing where the limit ends the read before it.
func TestALimitEndsTheReadBeforeAnItem(t *testing.T) {
	for id, want := range map[string]string{
		"sort-missing": "an item of the same pk, whose sk the condition leaves out",
		"latest":       "an item of the same pk that the read comes to before its limit of 1, and whose sk the condition leaves out",
	} {
		all := formsOf(t, forms(t), id)
		at := slices.IndexFunc(all, func(f reads.Form) bool { return f.ID == "sort-missing" })
		require.GreaterOrEqual(t, at, 0, id)
		assert.Equal(t, want, all[at].Needs, id)
	}
}

// Each form of a read is told by the item that it needs.
func TestEachFormNeedsItsItem(t *testing.T) {
	design := forms(t)
	table, patterns := &design.Tables[0], design.Patterns
	for name, item := range tabletest.Read[map[string]string](t, "decoys.yaml") {
		t.Run(name, func(t *testing.T) {
			pattern, known := design.Pattern(name)
			require.True(t, known)
			one := *design
			one.Patterns = patterns[slices.IndexFunc(patterns, func(p ap.Pattern) bool { return p.ID == name }):][:1]
			named := func(texts ...string) bool {
				set := &fixtures.Set{Design: design.Name, At: time.Unix(1_700_000_000, 0)}
				var stored []ap.Item
				for i, text := range texts {
					of, item := strings.Fields(text), fixtures.Attributes{}
					for n, attribute := range []string{"pk", "sk", "day", "size", "state", "ttl"} {
						kind := map[string]dynamo.Type{"size": dynamo.Number, "ttl": dynamo.Number}[attribute]
						item[attribute] = dynamo.Scalar(kind, of[n])
					}
					set.Items, stored = append(set.Items, fixtures.Item{Name: strconv.Itoa(i), Table: table.ID, Item: item}), append(stored, ap.Item(item))
				}
				returned := tabletest.Must(evaluate.Read(pattern.OnlyRead(), table, stored, ap.Params{"user": "1"}))(t)
				set.Cases = []fixtures.Case{{Pattern: name, Params: ap.Params{"user": "1"}, Steps: map[string][]string{"read": make([]string, len(returned))}}}
				missing := tabletest.Must(reads.Missing(&one, set))(t)
				for _, decoy := range missing {
					assert.NotContains(t, decoy.ID, "by-state", "that index gives the keys alone")
				}
				return slices.ContainsFunc(missing, func(decoy reads.Decoy) bool { return decoy.ID == design.Name+"/pattern/"+name+"/"+name })
			}
			without := []string{"USER#1 ENTRY#2 d1 5 open 9999999999"}
			if name == "index-by-size" { // two items that both indexes have in one order
				without = append(without, "USER#1 ENTRY#3 d2 6 open 9999999999")
			}
			assert.True(t, named(without...), "expected the decoy to be missing without its item")
			assert.False(t, named(append(without, item)...), "expected %s to be the decoy", item)
		})
	}
}

// Two conditions on one attribute are two wrong forms, each with an id of its own.
func TestFiltersOnOneAttribute(t *testing.T) {
	var ids []string
	for _, form := range formsOf(t, forms(t), "twice") {
		if form.Operator == "filter dropped" {
			ids = append(ids, form.ID)
		}
	}
	want := []string{"filter-size-dropped", "filter-kind-dropped", "filter-size-3-dropped"}
	assert.True(t, slices.Equal(ids, want), "expected %v, found %v", want, ids)
}

// Every case of the five designs holds in memory too.
func TestCasesHold(t *testing.T) {
	for _, design := range designs.All() {
		for _, problem := range reads.Cases(design, tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)) {
			t.Error(problem)
		}
	}
}

// A case that says something else than what its flow does is named; of what memory does not know, nothing is said.
func TestCasesThatDoNotHold(t *testing.T) {
	for _, row := range tabletest.Read[[]struct{ Name, Design, Case, Change, Says string }](t, "cases.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			design := tabletest.Must(designs.Find(row.Design))(t)
			set := tabletest.Must(fixtures.Load(row.Design, time.Now()))(t)
			at := slices.IndexFunc(set.Cases, func(c fixtures.Case) bool { return c.Pattern+" "+c.Name == row.Case })
			require.GreaterOrEqual(t, at, 0)
			set.Cases[at] = tabletest.As[fixtures.Case](t, tabletest.JQ(t, row.Change, set.Cases[at]))
			pattern, _ := design.Pattern(set.Cases[at].Pattern)
			var found []string
			for _, problem := range reads.CasesOf(design, set, pattern) {
				if problem.Needs == "" {
					found = append(found, problem.Text)
				}
			}
			said := slices.ContainsFunc(found, func(text string) bool { return strings.HasPrefix(text, row.Says) })
			assert.Equal(t, row.Says != "", said, "%q", found)
			assert.Equal(t, row.Says == "", len(found) == 0, "%q", found)
		})
	}
}

// Where every case that succeeds has the same value before an effect, or behind it, another effect would do the same, and is named.
func TestEffectsThatNoCaseTells(t *testing.T) {
	for says, effect := range map[string]ap.Assignment{
		"leaves balance at 180, so that nothing tells the sum from that value":                 {Attribute: "balance", Operator: "+", Value: ap.Operand{Type: "N", Template: "{points}"}},
		"finds balance at 150, so that nothing tells 180 from a sum":                           {Attribute: "balance", Value: ap.Operand{Type: "N", Template: "180"}},
		"finds an item without colour, so that nothing tells if_not_exists from an assignment": {Attribute: "colour", Operator: ap.Keep, Value: ap.Operand{Type: "S", Template: "red"}},
	} {
		for _, meanwhile := range []bool{true, false} {
			design := tabletest.Must(designs.Find("personal-os"))(t)
			set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
			set.Cases = slices.DeleteFunc(set.Cases, func(c fixtures.Case) bool {
				return !meanwhile && c.Name == "points that were earned meanwhile are kept"
			})
			pattern, _ := design.Pattern("earn-points")
			pattern.Steps[0].Write[0].Set[0] = effect
			told := slices.ContainsFunc(reads.CasesOf(design, set, pattern), func(p *fixtures.Problem) bool { return strings.Contains(p.Text, says) })
			assert.Equal(t, !meanwhile || effect.Operator == ap.Keep, told, says)
		}
	}
}

// What a read returns, and its access pattern does not say, and what it says and does not return, are named where the contract says it.
func TestReturnsAreThoseOfTheCases(t *testing.T) {
	design := tabletest.Must(designs.Find("roll-model"))(t)
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
	pattern, _ := design.Pattern("list-comments-of-entry")
	for returns, says := range map[string]string{"": "expected returns: items of none, found an item of comment", "comment ai-thread": "expected returns: items of entity ai-thread, found of comment alone", "comment": ""} {
		pattern.Returns = strings.Fields(returns)
		var said []string
		for _, problem := range reads.CasesOf(design, set, pattern) {
			said = append(said, problem.Located().Error())
		}
		if found := strings.Join(said, "\n"); says == "" && found != "" || !strings.Contains(found, says) || says != "" && !strings.HasPrefix(found, pattern.Written.File+":") {
			t.Errorf("returns %q: expected %q at a line of the contract, found %q", returns, says, found)
		}
	}
}

// A write that the pattern's own guard refuses is named, as `verify` names it. The item it puts is held, so nothing else looks at it.
func TestWritesThatTheGuardRefuses(t *testing.T) {
	design := tabletest.Must(designs.Find("roll-model"))(t)
	set := tabletest.Must(fixtures.Load(design.Name, time.Now()))(t)
	at := slices.IndexFunc(set.Cases, func(c fixtures.Case) bool { return c.Pattern == "post-comment" && c.Error == "" })
	put, known := set.Item(set.Cases[at].Items["comment"][0])
	require.True(t, known)
	put.Held = true
	put.Item["body"] = &types.AttributeValueMemberN{Value: "1"}
	pattern, _ := design.Pattern("post-comment")
	problems := reads.CasesOf(design, set, pattern)
	require.NotEmpty(t, problems)
	require.Contains(t, problems[0].Text, ": expected a request that the access pattern documents, found guard of roll-model refuses TransactWriteItems on RollModel: item: ")
}
