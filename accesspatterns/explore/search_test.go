package explore

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
)

// Only an item that the formula is given excuses it that it cannot be decided.
func TestAnErrorIsExcusedByWhatIsRead(t *testing.T) {
	d, items, law := generated(0)
	law.Keeps, law.reads = false, map[string][]string{"a": {"status"}}
	undecided := errors.New("cannot be decided")
	law.Holds = func(_, _ map[string][]any, _, _ string) (bool, error) { return false, undecided }
	for entity, expected := range map[string]error{"a": nil, "b": undecided} {
		x := tabletest.Must(newExplorer(d, BasesOf(d, items)))(t)
		s := &search{x: x, law: law, sights: map[string]int32{}, judged: map[judgement]bool{}}
		wrong := ap.Item{"pk": dynamo.Scalar(dynamo.String, entity+"#1"), "status": dynamo.Scalar(dynamo.Number, "1")}
		s.holds(nil, state{{x.keyOf("table", wrong), x.number("table", wrong)}}, client{})
		require.Equal(t, expected, s.problem, "an item of %s is not valid, and the formula reads those of a", entity)
	}
}

// Two clients that have done and found the same are not one: what they may do next differs.
func TestClientsAreToldApart(t *testing.T) {
	p := &ap.Pattern{ID: "flow"}
	of := func(by client) string { return string(newFlows(nil, by).begun(p).appendText(nil)) }
	require.Equal(t, of(client{"user", "1"}), of(client{"user", "1"}))
	for _, other := range []client{{"user", "2"}, {"admin", "1"}, {"use", "r1"}} {
		require.NotEqual(t, of(client{"user", "1"}), of(other))
	}
}

// What a write does that nobody can tell is said at the claim, and explored as a write that is refused.
func TestAWriteOfWhichItIsNotKnownWhatItDoes(t *testing.T) {
	d, items, _ := generated(0)
	x := tabletest.Must(newExplorer(d, BasesOf(d, items)))(t)
	table := &d.Tables[0]
	w := sdk.Write{Kind: ap.Update, Table: table.ID, Key: table.KeyOf(items[0].Item), Update: aws.String("REMOVE l[0], l[1]")} // which goes first?
	write := x.intern(&w)
	require.Equal(t, refused, x.effect(write, x.number(table.ID, items[0].Item)))
	law := &Law{Claim: "c", Undecided: x.undecided}
	require.Contains(t, law.problems(&ap.Law{}), "c: it is not known what a request does, so that what it leaves was not explored: "+x.undecided+"; write the update in another way")
	require.Contains(t, x.undecided, "one element of a list")
}
