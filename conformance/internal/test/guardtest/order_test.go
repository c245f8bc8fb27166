package guardtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/sdk"
)

// orders calls do with every order of n things up to five of them, and of more with
// every rotation, forwards and backwards.
func orders(n int, do func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if n > 5 {
		for range n {
			order = append(order[1:], order[0])
			do(order)
			reversed := slices.Clone(order)
			slices.Reverse(reversed)
			do(reversed)
		}
		return
	}
	var permute func(from int)
	permute = func(from int) {
		if from == n {
			do(order)
			return
		}
		for i := from; i < n; i++ {
			order[from], order[i] = order[i], order[from]
			permute(from + 1)
			order[from], order[i] = order[i], order[from]
		}
	}
	permute(0)
}

// judged is what a guard says of a transaction: the steps that admit it, or the rules of
// its refusals, which may name any of several mistakes first.
func judged(t testing.TB, g *guard.Guard, writes []sdk.Write) string {
	t.Helper()
	decision, err := g.Check(t.Context(), transaction(writes))
	if errors.Is(err, guard.ErrRefused) {
		return "refused"
	} else if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(decision.All)
}

// renamed is a write whose key attribute has another value. What its item repeats of
// the value's last segment changes with it, so that the item stays one of its entity.
func renamed(w sdk.Write, attribute, value string) sdk.Write {
	last := func(text string) string { return text[strings.LastIndexByte(text, '#')+1:] }
	place := maps.Clone(w.Place())
	was := last(dynamo.ScalarText(place[attribute]))
	for name, each := range place {
		if text, is := each.(*types.AttributeValueMemberS); is && text.Value == was {
			place[name] = &types.AttributeValueMemberS{Value: last(value)}
		}
	}
	place[attribute] = &types.AttributeValueMemberS{Value: value}
	if w.Kind == accesspatterns.Put {
		w.Item = place
	} else {
		w.Key = place
	}
	return w
}

// otherIDs are the changes of ids that tear a transaction: each segment of each key of a
// write, alone.
func otherIDs(writes []sdk.Write, i int, do func(changed []sdk.Write)) {
	place := writes[i].Place()
	for _, name := range sortedCopy(keysOf(place)) {
		if _, text := place[name].(*types.AttributeValueMemberS); !text || writes[i].Kind == accesspatterns.Put && !slices.Contains([]string{"PK", "SK", "pk", "sk"}, name) {
			continue
		}
		parts := strings.Split(dynamo.ScalarText(place[name]), "#")
		for at := range parts {
			other := slices.Clone(parts)
			other[at] += "0"
			changed := slices.Clone(writes)
			changed[i] = renamed(writes[i], name, strings.Join(other, "#"))
			do(changed)
		}
	}
}

// TestOrderSaysNothing judges every documented transaction, and every one that an id of
// one of its keys tears from the others, in every order: DynamoDB applies all of it at
// once, so that the order says nothing.
func TestOrderSaysNothing(t *testing.T) {
	admitted, refused := 0, 0
	for _, design := range designs.All() {
		t.Run(design.Name, func(t *testing.T) {
			g := guardFor(t, design)
			seen := map[string]bool{}
			for _, r := range requestsOf(t, design) {
				if r.step.Read != nil || r.step.Batch > 0 {
					continue
				}
				writes := writesOf(t, r.input)
				if shape := fmt.Sprint(r.pattern.ID, r.step.Name, len(writes)); len(writes) < 2 || seen[shape] {
					continue
				} else {
					seen[shape] = true
				}
				alike := func(writes []sdk.Write, what string) {
					want := judged(t, g, writes)
					if want == "refused" {
						refused++
					} else {
						admitted++
					}
					orders(len(writes), func(order []int) {
						var other []sdk.Write
						for _, i := range order {
							other = append(other, writes[i])
						}
						if got := judged(t, g, other); got != want {
							t.Errorf("%s, %s: expected %s in every order, found %s in order %v", r.where, what, want, got, order)
						}
					})
				}
				alike(writes, "as documented")
				for i := range writes {
					otherIDs(writes, i, func(changed []sdk.Write) {
						alike(changed, fmt.Sprint("another key of write ", i+1, ", ", dynamo.ShowItem(changed[i].Place())))
					})
					alike(slices.Delete(slices.Clone(writes), i, i+1), fmt.Sprint("without write ", i+1))
				}
			}
		})
	}
	if admitted == 0 || refused == 0 {
		t.Errorf("expected transactions of both kinds, found %d admitted and %d refused", admitted, refused)
	}
	t.Logf("%d admitted, %d refused", admitted, refused)
}
