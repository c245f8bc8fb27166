package reads

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designs"
	"dynaproof/fixtures"
)

// Every case of the five designs holds in memory too.
func TestCasesHold(t *testing.T) {
	for _, design := range designs.All() {
		set, err := fixtures.Load(design.Name, time.Now())
		require.NoError(t, err)
		for _, problem := range Cases(design, set) {
			t.Error(problem)
		}
	}
}

// A case that says something else than what its flow does is named; of what memory does not know, nothing is said.
func TestCasesThatDoNotHold(t *testing.T) {
	for what, row := range map[string]struct {
		design, pattern, name string
		change                func(*fixtures.Case)
		says                  string
	}{
		"a change that the case does not name, after another client's": {"personal-os", "complete-task", "a task in no index", func(c *fixtures.Case) { c.Present = []string{"u1-task-3"} },
			"case of complete-task a task in no index, afterwards: expected the item of personal-os with the key {"},
		"another order of a view": {"osem-ladders", "list-config-versions", "two active ones by createdAt", func(c *fixtures.Case) { slices.Reverse(c.Views["versions"]) },
			"case of list-config-versions two active ones by createdAt, view versions: expected items in the order config-10-newest, config-2-active, "},
		"another reason": {"roll-model", "edit-comment", "the link is gone", func(c *fixtures.Case) { c.Reasons = []string{"None"} },
			"case of edit-comment the link is gone, cancellation reasons: expected None, found "},
		"what another client left": {"roll-model", "edit-comment", "the link is gone", func(c *fixtures.Case) { c.Interfere.Delete = nil },
			"case of edit-comment the link is gone: expected TransactionCanceledException, found success"},
		"a refusal of a request that memory takes": {"personal-os", "complete-task", "a task in no index", func(c *fixtures.Case) { c.Error, c.Present = "ValidationException", nil },
			"case of complete-task a task in no index, step complete: expected ValidationException, found success; memory refuses with it what a table does not store, "},
		"a refusal that no write of a case can meet": {"personal-os", "complete-task", "a task in no index", func(c *fixtures.Case) { c.Error, c.Present = "ResourceNotFoundException", nil },
			"case of complete-task a task in no index: expected an error code of DynamoDB, found ResourceNotFoundException"},
		"a refusal that an engine alone knows": {"personal-os", "complete-task", "a task in no index", func(c *fixtures.Case) { c.Error, c.Present = "ItemCollectionSizeLimitExceededException", nil }, ""},
	} {
		t.Run(what, func(t *testing.T) {
			design, err := designs.Find(row.design)
			require.NoError(t, err)
			set, err := fixtures.Load(row.design, time.Now())
			require.NoError(t, err)
			at := slices.IndexFunc(set.Cases, func(c fixtures.Case) bool { return c.Pattern == row.pattern && c.Name == row.name })
			require.GreaterOrEqual(t, at, 0)
			row.change(&set.Cases[at])
			pattern, _ := design.Pattern(row.pattern)
			var found []string
			for _, problem := range CasesOf(design, set, pattern) {
				if !strings.Contains(problem.Text, Unrefused) {
					found = append(found, problem.Text)
				}
			}
			if said := slices.ContainsFunc(found, func(text string) bool { return strings.HasPrefix(text, row.says) }); said != (row.says != "") || row.says == "" && len(found) > 0 {
				t.Errorf("expected %q, found %q", row.says, found)
			}
		})
	}
}

// What a read returns, and its access pattern does not say, and what it says and does not return, are named where the contract says it.
func TestReturnsAreThoseOfTheCases(t *testing.T) {
	design, err := designs.Find("roll-model")
	require.NoError(t, err)
	set, err := fixtures.Load(design.Name, time.Now())
	require.NoError(t, err)
	pattern, _ := design.Pattern("list-comments-of-entry")
	for returns, says := range map[string]string{"": "expected returns: items of none, found an item of comment", "comment ai-thread": "expected returns: items of entity ai-thread, found of comment alone", "comment": ""} {
		pattern.Returns = strings.Fields(returns)
		var said []string
		for _, problem := range CasesOf(design, set, pattern) {
			said = append(said, problem.Located().Error())
		}
		if found := strings.Join(said, "\n"); says == "" && found != "" || !strings.Contains(found, says) || says != "" && !strings.HasPrefix(found, pattern.Written.File+":") {
			t.Errorf("returns %q: expected %q at a line of the contract, found %q", returns, says, found)
		}
	}
}

// A write that the pattern's own guard refuses is named, as `verify` names it. The item it puts is held, so nothing else looks at it.
func TestWritesThatTheGuardRefuses(t *testing.T) {
	design, err := designs.Find("roll-model")
	require.NoError(t, err)
	set, err := fixtures.Load(design.Name, time.Now())
	require.NoError(t, err)
	at := slices.IndexFunc(set.Cases, func(c fixtures.Case) bool { return c.Pattern == "post-comment" && c.Error == "" })
	put, known := set.Item(set.Cases[at].Items["comment"][0])
	require.True(t, known)
	put.Held = true
	put.Item["body"] = &types.AttributeValueMemberN{Value: "1"}
	pattern, _ := design.Pattern("post-comment")
	problems := CasesOf(design, set, pattern)
	require.NotEmpty(t, problems)
	require.Contains(t, problems[0].Text, ": expected a request that the access pattern documents, found guard of roll-model refuses TransactWriteItems on RollModel: item: ")
}
