package safewrite_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/requests"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/safewrite"
)

// played is what a run and others ask of one table beside each other.
type played struct {
	Name string
	// Free are the keys that were found free before the run began; without any the steps say when it begins. Each says that the
	// scene is played for each way of writing.
	Free []string
	Each bool
	// Unannounced is why nothing can be announced.
	Unannounced string
	Steps       []struct {
		// Looks is what the run has found, Begins says that the looking has ended, and Withholds is an item that is left out.
		Looks struct {
			Free       []string
			Partitions []struct {
				Index, Value string
				Others       bool
			}
		}
		Begins    bool
		Withholds map[string]any
		// Theirs is a request of others, Between one behind the next read of the protection, Ours one of the run, and Ways the key that is
		// written in every way.
		Theirs, Between, Ours *requests.Asked
		Ways                  string
		// Refused are words of the protection's refusal, and Fails are those of another error. Without either it succeeds.
		Refused *string
		Fails   string
		// Holds are the items that the keys hold then, Unsent says that no write has left in this step, and Announced are all that were announced.
		Holds     map[string]map[string]any
		Unsent    bool
		Announced []string
	}
}

// designed is the design of the table that is played on, and of one that it is not.
var designed = &accesspatterns.Design{Tables: []accesspatterns.Table{{ID: "things", Name: "things"}, {ID: "other", Name: "other"}}}

func TestScenes(t *testing.T) {
	for _, row := range tabletest.Read[[]played](t, "scenes.yaml") {
		ways := []string{""}
		if row.Each {
			ways = slices.Sorted(maps.Keys((&scene{}).ways("")))
		}
		for _, way := range ways {
			t.Run(row.Name+way, func(t *testing.T) { row.play(t, way) })
		}
	}
}

func (p *played) play(t *testing.T, way string) {
	s := newScene(t)
	if p.Free != nil {
		s = begun(t, p.Free...)
	}
	if p.Unannounced != "" {
		s.journal.failure = errors.New(p.Unannounced)
	}
	input := func(asked *requests.Asked) any {
		made, err := asked.Input(designed)
		require.NoError(t, err)
		return made
	}
	for i, step := range p.Steps {
		where := fmt.Sprintf("step %d", i+1)
		for _, id := range step.Looks.Free {
			s.protection.Free(s.table, key(id))
		}
		for _, partition := range step.Looks.Partitions {
			s.protection.Partition(s.table, partition.Index, text(partition.Value), partition.Others)
		}
		if step.Begins {
			s.protection.Begin()
		}
		if step.Withholds != nil {
			s.protection.Withhold(s.table, itemOf(step.Withholds), "nobody may see it")
		}
		theirs := func(asked *requests.Asked) {
			_, err := designtest.Send(t.Context(), s.theirs, input(asked))
			require.NoError(t, err, where)
		}
		if step.Theirs != nil {
			theirs(step.Theirs)
		}
		if step.Between != nil {
			s.onRead = func() { s.onRead = nil; theirs(step.Between) }
		}
		before, sent := len(s.sent.writes()), map[string]func(context.Context) error{}
		if step.Ways != "" {
			sent = s.ways(step.Ways)
			maps.DeleteFunc(sent, func(name string, _ func(context.Context) error) bool { return way != "" && name != way })
		}
		if step.Ours != nil {
			sent["ours"] = s.sending(input(step.Ours))
		}
		for name, send := range sent {
			err, where := send(t.Context()), where+", "+name
			var refusal *safewrite.Refusal
			switch refused := errors.As(err, &refusal); {
			case step.Refused != nil:
				refusedSafely(t, err, *step.Refused)
			case step.Fails != "":
				assert.ErrorContains(t, err, step.Fails, where)
				assert.False(t, refused, "%s: expected an error of another than the protection, found %v", where, err)
			default:
				require.NoError(t, err, where)
			}
		}
		for id, want := range step.Holds {
			s.holds(t, id, itemOf(want))
		}
		if step.Unsent {
			assert.Empty(t, s.sent.writes()[before:], "%s: writes that were sent", where)
		}
		if step.Announced != nil {
			assert.Equal(t, step.Announced, s.journal.announce, "%s: the journal", where)
		}
	}
}

// itemOf is an item of texts, nil for none.
func itemOf(of map[string]any) accesspatterns.Item {
	if of == nil {
		return nil
	}
	item := accesspatterns.Item{}
	for name, value := range of {
		item[name] = text(fmt.Sprint(value))
	}
	return item
}
