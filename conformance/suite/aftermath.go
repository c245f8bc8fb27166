package suite

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/fixtures"
)

// together looks whether each group of items is there whole or not at all.
func (t *stressed) together(ctx context.Context, where string, groups [][]string) {
	for _, names := range groups {
		there, ok := t.there(ctx, where, names)
		if !ok {
			return
		}
		t.o.must(len(there) == 0 || len(there) == len(names), where, showNames(names)+" together", "only "+showNames(there), doTogether)
	}
}

// oneOf looks at the states of which exactly one must be there.
func (t *stressed) oneOf(ctx context.Context, where string) {
	for _, states := range t.stress.OneOf {
		there, ok := t.there(ctx, where, states)
		if !ok {
			return
		}
		t.o.equal(where+", which of "+showNames(states)+" are there", "1", fmt.Sprint(len(there)), oneRequest)
	}
}

// there returns which of the items are there, and reports whether that is known.
func (t *stressed) there(ctx context.Context, where string, names []string) (there []string, ok bool) {
	for _, name := range names {
		present, ok := t.present(ctx, where, name)
		if !ok {
			return nil, false
		}
		if present {
			there = append(there, name)
		}
	}
	return there, true
}

// present reports whether an item is there with exactly the fixture's content.
func (t *stressed) present(ctx context.Context, where, name string) (present, ok bool) {
	item, got, ok := t.look(ctx, where, name)
	return ok && got != nil && accesspatterns.EqualItems(item, got), ok
}

func (t *stressed) look(ctx context.Context, where, name string) (item, got accesspatterns.Item, ok bool) {
	item, got, err := t.s.lookAt(ctx, name)
	if err != nil {
		t.o.request(where+", item "+name, err)
	}
	return item, got, err == nil
}

// inTheEnd looks at what must hold when all runs are over.
func (t *stressed) inTheEnd(ctx context.Context, where string) {
	for _, name := range t.stress.Present {
		item, got, ok := t.look(ctx, where, name)
		if !ok {
			return
		}
		if !t.o.must(got != nil, where, "item "+name, "no such item", repairFlow) {
			continue
		}
		for _, difference := range accesspatterns.Differences(item, got) {
			t.o.fail(where, "item "+name, difference, repairFlow)
		}
	}
	for _, name := range t.stress.Absent {
		_, got, ok := t.look(ctx, where, name)
		if !ok {
			return
		}
		t.o.must(got == nil, where, "no item "+name, accesspatterns.ShowItem(got), repairFlow)
	}
	t.oneOf(ctx, where)
	for _, number := range t.stress.Numbers {
		_, got, ok := t.look(ctx, where, number.Item)
		if !ok {
			return
		}
		var counted []string
		matches := false
		for succeeded := t.succeeded; succeeded <= t.succeeded+t.uncertain; succeeded++ {
			want := &types.AttributeValueMemberN{Value: fmt.Sprint(number.Start + number.Step*succeeded)}
			counted = append(counted, want.Value)
			matches = matches || accesspatterns.Equal(want, got[number.Attribute])
		}
		t.o.must(matches, fmt.Sprintf("%s, %s of %s after %d runs that succeeded", where, number.Attribute, number.Item, t.succeeded),
			strings.Join(counted, " or "), accesspatterns.Show(got[number.Attribute]), repairFlow)
	}
	for _, read := range t.stress.Reads {
		t.finalRead(ctx, where+", "+read.Pattern, read)
	}
}

func (t *stressed) finalRead(ctx context.Context, where string, final fixtures.FinalRead) {
	pattern, known := t.s.Design.Pattern(final.Pattern)
	if !known || pattern.OnlyRead() == nil {
		t.o.broken(where, fmt.Errorf("no pattern %s of one read", final.Pattern))
		return
	}
	read := pattern.OnlyRead()
	expected, err := t.s.expect(final.Expect)
	if err != nil {
		t.o.broken(where, err)
		return
	}
	ask := func() (*answer, error) {
		return waitingReader{t.s}.read(ctx, read, []accesspatterns.Params{final.Params}, 0)
	}
	if direct := ask; read.Index != "" && final.Count != nil {
		ask = func() (*answer, error) { return waitingReader{t.s}.awaitedCount(ctx, *final.Count, direct) }
	} else if read.Index != "" {
		ask = func() (*answer, error) { return waitingReader{t.s}.awaited(ctx, expected, direct) }
	}
	got, err := ask()
	if err != nil {
		t.o.request(where, err)
		return
	}
	t.o.readBehind(read)
	if final.Count != nil {
		t.o.equal(where+", items", fmt.Sprint(*final.Count), fmt.Sprint(len(got.Items)), repairFlow)
		return
	}
	t.o.judge(where, expected, got.Items, read.Order != accesspatterns.AnyOrder, nil, repairFlow)
}
