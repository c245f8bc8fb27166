package observe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"dynaproof/accesspatterns"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/flow"
	"dynaproof/conformance/suite/session"
)

func item(id string) accesspatterns.Item {
	return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}
}

// ours is what every index here must show in the end.
var ours = []session.ExpectedItem{{Name: "ours", Item: item("ours")}}

// patient is a session that waits so long for an index.
func patient(bound time.Duration) *session.Session {
	return &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: bound, Poll: time.Millisecond}}}
}

func answer(items ...accesspatterns.Item) *session.Answer {
	return &session.Answer{Answer: flow.Answer{Items: items}, Invocations: []string{"x"}}
}

// An index may lag behind its table in every way: it is looked at again, whatever
// the first look showed, and the last look is judged.
func TestAnIndexMayLagBehind(t *testing.T) {
	for name, first := range map[string][]accesspatterns.Item{
		"the item is not there yet":               nil,
		"another one in its place, under a limit": {item("next")},
		"what was deleted is still there":         {item("ours"), item("deleted")},
	} {
		looks := 0
		got, err := patient(time.Minute).Awaited(t.Context(), ours, func() (*session.Answer, error) {
			if looks++; looks < 3 {
				return answer(first...), nil
			}
			return answer(item("ours")), nil
		})
		if err != nil || looks != 2+session.LooksOnEnd || len(got.Items) != 1 || len(session.Compare(ours, got.Items, true).Unexpected) != 0 {
			t.Errorf("%s: expected our item from the third look on, found %v at look %d, %v", name, got, looks, err)
		}
	}
}

// A measurement has items of others among its own, and waits for none of them to go.
func TestAMeasurementHasOthersAmongItsOwn(t *testing.T) {
	looks := 0
	got, err := patient(time.Minute).AwaitedAmong(t.Context(), ours, func() (*session.Answer, error) {
		if looks++; looks < 3 {
			return answer(), nil
		}
		return answer(item("other")), nil
	})
	if err != nil || looks != 3 || len(got.Items) != 1 {
		t.Errorf("expected what came at the third look, found %v at look %d, %v", got, looks, err)
	}
}

// What stays wrong is returned when the time is over, and a request that fails ends
// the wait.
func TestAnIndexThatStaysWrong(t *testing.T) {
	s := patient(20 * time.Millisecond)
	got, err := s.Awaited(t.Context(), nil, func() (*session.Answer, error) { return answer(item("decoy")), nil })
	if err != nil || len(got.Items) != 1 {
		t.Errorf("expected the last answer for the caller to judge, found %v, %v", got, err)
	}
	looks, refused := 0, errors.New("refused")
	if _, err = s.Awaited(t.Context(), nil, func() (*session.Answer, error) { looks++; return nil, refused }); !errors.Is(err, refused) || looks != 1 {
		t.Errorf("expected one look and its error, found %d looks and %v", looks, err)
	}
}

// One look may take all of the time, on a machine that is busy: what it lacks is looked for again.
func TestALookThatTakesAllOfTheTime(t *testing.T) {
	looks := 0
	got, err := patient(0).Awaited(t.Context(), ours, func() (*session.Answer, error) {
		if looks++; looks == 1 {
			return answer(), nil
		}
		return answer(item("ours")), nil
	})
	if err != nil || len(got.Items) != 1 {
		t.Errorf("expected our item from the second look on, found %v after %d, %v", got, looks, err)
	}
}

// What must not be there may come late: the answer has to be right in several looks
// on end, and one that stays wrong until the bound is judged. The clock is the bubble's own: the bound is not over after a few slow looks.
func TestAnIndexMayShowLateWhatMustNotBeThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		got, err := patient(20*time.Millisecond).Awaited(t.Context(), ours, func() (*session.Answer, error) {
			if looks++; looks >= session.LooksOnEnd {
				return answer(item("ours"), item("extra")), nil
			}
			return answer(item("ours")), nil
		})
		if err != nil || len(got.Items) != 2 || looks <= session.LooksOnEnd || len(got.All()) != looks {
			t.Errorf("expected the extra item after %d looks and more, each kept, found %v after %d, %v", session.LooksOnEnd, got, looks, err)
		}
	})
}

// An interrupt while an index is awaited decides nothing.
func TestAnInterruptedWaitDecidesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &session.Session{Input: session.Input{Bounds: session.Bounds{IndexRead: time.Hour, Poll: time.Hour}}}
	_, err := s.Awaited(ctx, ours, func() (*session.Answer, error) {
		cancel()
		return &session.Answer{}, nil
	})
	o := &Observation{Session: s}
	o.Request("index", err)
	if verdict := o.Result().Verdict; verdict != evidence.Indeterminate {
		t.Errorf("expected indeterminate, found %s after %v", verdict, err)
	}
}
