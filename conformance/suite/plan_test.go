package suite_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
)

var errNotDeployed = errors.New("not deployed, in this test")

// Two designs are on their way at a time. Each selected claim has one verdict, an error where its design could not be
// deployed, and each design that was opened is removed.
func TestDesignsSideBySide(t *testing.T) {
	var mu sync.Mutex
	var opened, removed []string
	decided := map[string]int{}
	meeting := make(chan struct{}) // two designs are open at the same time
	plan := suite.Plan{
		Designs: designs.All(),
		Open: func(_ context.Context, design *accesspatterns.Design) (*session.Session, error) {
			mu.Lock()
			opened = append(opened, design.Name)
			both := len(opened) == 2
			mu.Unlock()
			if both {
				close(meeting)
			}
			<-meeting
			return nil, errNotDeployed
		},
		Close: func(_ context.Context, design *accesspatterns.Design, _ *session.Session) error {
			mu.Lock()
			defer mu.Unlock()
			removed = append(removed, design.Name)
			return nil
		},
		Record: func(result evidence.Result) {
			decided[result.ID]++
			assert.Equal(t, evidence.Error, result.Verdict, "%s: expected an error", result.ID)
		},
	}
	selected := func(claim manifest.Claim) bool {
		return claim.Kind == manifest.KindSchema && claim.Design != "roll-model"
	}
	plan.Replay(t.Context(), t.Context(), 2, selected)
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			if want := map[bool]int{true: 1}[selected(claim)]; decided[claim.ID] != want {
				t.Errorf("%s: expected %d verdicts, found %d", claim.ID, want, decided[claim.ID])
			}
		}
	}
	slices.Sort(opened)
	slices.Sort(removed)
	if slices.Contains(opened, "roll-model") || !slices.Equal(opened, removed) {
		t.Errorf("expected no design without a selected claim to be opened, and all others to be removed, found %v and %v", opened, removed)
	}
}

// Behind an interrupt no claim is decided, and nothing is on its way when a design is removed.
func TestInterruptSideBySide(t *testing.T) {
	all := designs.All()[:2]
	ctx, interrupt := context.WithCancel(t.Context())
	var mu sync.Mutex
	open, removed := 0, 0
	plan := suite.Plan{
		Designs: all,
		Open: func(ctx context.Context, _ *accesspatterns.Design) (*session.Session, error) {
			mu.Lock()
			open++
			if open == len(all) {
				interrupt()
			}
			mu.Unlock()
			<-ctx.Done() // a deployment that does not end by itself
			mu.Lock()
			open--
			mu.Unlock()
			return nil, ctx.Err()
		},
		Close: func(context.Context, *accesspatterns.Design, *session.Session) error {
			mu.Lock()
			defer mu.Unlock()
			removed++
			if open > 0 {
				t.Errorf("expected no design on its way when one is removed, found %d", open)
			}
			return nil
		},
		Record: func(result evidence.Result) { t.Errorf("expected no verdict, found that of %s", result.ID) },
	}
	plan.Replay(ctx, t.Context(), 2, func(manifest.Claim) bool { return true })
	assert.Equal(t, len(all), removed, "expected both designs to be removed")
}
