package observe

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/suite/session"
)

// An index may lag behind its table in every way: it is looked at again, whatever
// the first look showed, and the last look is judged.
func TestAnIndexMayLagBehind(t *testing.T) {
	item := func(id string) accesspatterns.Item {
		return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}
	}
	expected := []session.ExpectedItem{{Name: "ours", Item: item("ours")}}
	for name, first := range map[string][]accesspatterns.Item{
		"the item is not there yet":               nil,
		"another one in its place, under a limit": {item("next")},
		"what was deleted is still there":         {item("ours"), item("deleted")},
	} {
		s := &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: time.Minute, Poll: time.Millisecond}}}
		looks := 0
		got, err := s.Awaited(t.Context(), expected, func() (*session.Answer, error) {
			if looks++; looks < 3 {
				return &session.Answer{Answer: flow.Answer{Items: first}}, nil
			}
			return &session.Answer{Answer: flow.Answer{Items: []accesspatterns.Item{item("ours")}}}, nil
		})
		if err != nil || looks != 2+session.LooksOnEnd || len(got.Items) != 1 || len(session.Compare(expected, got.Items, true).Unexpected) != 0 {
			t.Errorf("%s: expected our item from the third look on, found %v at look %d, %v", name, got, looks, err)
		}
	}
}

// A measurement has items of others among its own, and waits for none of them to go.
func TestAMeasurementHasOthersAmongItsOwn(t *testing.T) {
	s := &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: time.Minute, Poll: time.Millisecond}}}
	others := []accesspatterns.Item{{"id": &types.AttributeValueMemberS{Value: "other"}}}
	expected := []session.ExpectedItem{{Name: "ours", Item: accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "ours"}}}}
	looks := 0
	got, err := s.AwaitedAmong(t.Context(), expected, func() (*session.Answer, error) {
		if looks++; looks < 3 {
			return &session.Answer{}, nil
		}
		return &session.Answer{Answer: flow.Answer{Items: others}}, nil
	})
	if err != nil || looks != 3 || len(got.Items) != 1 {
		t.Errorf("expected what came at the third look, found %v at look %d, %v", got, looks, err)
	}
}

// What stays wrong is returned when the time is over, and a request that fails ends
// the wait.
func TestAnIndexThatStaysWrong(t *testing.T) {
	s := &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: 20 * time.Millisecond, Poll: time.Millisecond}}}
	wrong := []accesspatterns.Item{{"id": &types.AttributeValueMemberS{Value: "decoy"}}}
	got, err := s.Awaited(t.Context(), nil, func() (*session.Answer, error) { return &session.Answer{Answer: flow.Answer{Items: wrong}}, nil })
	if err != nil || len(got.Items) != 1 {
		t.Errorf("expected the last answer for the caller to judge, found %v, %v", got, err)
	}
	looks, refused := 0, errors.New("refused")
	if _, err = s.Awaited(t.Context(), nil, func() (*session.Answer, error) { looks++; return nil, refused }); !errors.Is(err, refused) || looks != 1 {
		t.Errorf("expected one look and its error, found %d looks and %v", looks, err)
	}
}

// What must not be there may come late: the answer has to be right in several looks
// on end, and one that stays wrong until the bound is judged.
func TestAnIndexMayShowLateWhatMustNotBeThere(t *testing.T) {
	item := func(id string) accesspatterns.Item {
		return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}
	}
	expected := []session.ExpectedItem{{Name: "ours", Item: item("ours")}}
	s := &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: 20 * time.Millisecond, Poll: time.Millisecond}}}
	looks := 0
	got, err := s.Awaited(t.Context(), expected, func() (*session.Answer, error) {
		items := []accesspatterns.Item{item("ours")}
		if looks++; looks >= session.LooksOnEnd {
			items = append(items, item("extra"))
		}
		return &session.Answer{Answer: flow.Answer{Items: items}, Invocations: []string{"x"}}, nil
	})
	if err != nil || len(got.Items) != 2 || looks <= session.LooksOnEnd || len(got.All()) != looks {
		t.Errorf("expected the extra item after %d looks and more, each kept, found %v after %d, %v", session.LooksOnEnd, got, looks, err)
	}
}

// An interrupt while an index is awaited decides nothing.
func TestAnInterruptedWaitDecidesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: time.Hour, Poll: time.Hour}}}
	_, err := s.Awaited(ctx, []session.ExpectedItem{{Name: "ours", Item: accesspatterns.Item{}}}, func() (*session.Answer, error) {
		cancel()
		return &session.Answer{}, nil
	})
	o := &Observation{Session: s}
	o.Request("index", err)
	if verdict := o.Result().Verdict; verdict != evidence.Indeterminate {
		t.Errorf("expected indeterminate, found %s after %v", verdict, err)
	}
}
