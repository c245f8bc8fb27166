package suite_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
)

var errNotDeployed = errors.New("not deployed, in this test")

func anyClaim(manifest.Claim) bool { return true }

// Two designs are on their way at a time, and each claim is handed over once: to who
// asks for it, or at the end.
func TestDesignsSideBySide(t *testing.T) {
	var mu sync.Mutex
	var opened []string
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
		Close: func(context.Context, *accesspatterns.Design, *session.Session) error { return nil },
	}
	selected := func(claim manifest.Claim) bool {
		return claim.Kind == manifest.KindSchema && claim.Design != "roll-model"
	}
	beside := suite.SideBySide(t.Context(), plan, 2, selected)
	side := beside.Plan()
	decided := map[string]int{}
	asked := 0
	for _, design := range side.Designs[:2] {
		specs := slices.DeleteFunc(suite.Specs(design), func(s suite.Spec) bool { return !selected(s.Claim) })
		if len(specs) == 0 {
			continue
		}
		session, failure := side.Open(t.Context(), design)
		if !errors.Is(failure, errNotDeployed) {
			t.Errorf("%s: expected the failure of its deployment, found %v", design.Name, failure)
		}
		for _, spec := range specs {
			result := side.Decide(t.Context(), spec, session, failure)
			if result.ID != spec.Claim.ID || result.Verdict != evidence.Error {
				t.Errorf("%s: expected its own verdict, an error, found %s of %s", spec.Claim.ID, result.Verdict, result.ID)
			}
			decided[result.ID]++
			asked++
		}
		if err := side.Close(t.Context(), design, session); err != nil {
			t.Error(err)
		}
	}
	awaitAll := func(name string) { // its lane ends without anybody who asks
		design, err := designs.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := side.Open(t.Context(), design); !errors.Is(err, errNotDeployed) {
			t.Error(err)
		}
	}
	for _, design := range side.Designs {
		if slices.ContainsFunc(suite.Specs(design), func(s suite.Spec) bool { return selected(s.Claim) }) {
			awaitAll(design.Name)
		}
	}
	beside.Stop(func(result evidence.Result) { decided[result.ID]++ })
	if asked == 0 || asked == len(decided) {
		t.Errorf("expected some claims to be asked for and some not, found %d of %d", asked, len(decided))
	}
	for id, times := range decided {
		if times != 1 {
			t.Errorf("%s: expected one verdict, found %d", id, times)
		}
	}
	if slices.Contains(opened, "roll-model") {
		t.Errorf("expected no design without a selected claim to be opened, found %v", opened)
	}
}

// A claim that is interrupted ends at once, and behind the removal nothing is on its way.
func TestInterruptSideBySide(t *testing.T) {
	all := designs.All()[:2]
	var mu sync.Mutex
	open := 0
	plan := suite.Plan{
		Designs: all,
		Open: func(ctx context.Context, _ *accesspatterns.Design) (*session.Session, error) {
			mu.Lock()
			open++
			mu.Unlock()
			<-ctx.Done() // a deployment that does not end by itself
			mu.Lock()
			open--
			mu.Unlock()
			return nil, ctx.Err()
		},
	}
	plan.Close = func(context.Context, *accesspatterns.Design, *session.Session) error {
		mu.Lock()
		defer mu.Unlock()
		if open > 0 {
			t.Errorf("expected no design on its way when one is removed, found %d", open)
		}
		return nil
	}
	beside := suite.SideBySide(t.Context(), plan, 2, anyClaim)
	side := beside.Plan()
	interrupted, interrupt := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, interrupt)
	session, err := side.Open(interrupted, all[0])
	if !errors.Is(err, context.Canceled) {
		t.Errorf("expected the interrupt, found %v", err)
	}
	if err := side.Close(t.Context(), all[0], session); err != nil {
		t.Error(err)
	}
	beside.Stop(func(result evidence.Result) {
		if !strings.HasPrefix(result.ID, all[0].Name) && !strings.HasPrefix(result.ID, all[1].Name) {
			t.Errorf("expected claims of both designs, found %s", result.ID)
		}
	})
}
