package suite

import (
	"context"
	"testing"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/suite/session"
)

// A design may be removed as soon as its last verdict is taken, also before its lane has
// returned: the designs beside it go on.
func TestRemovalBesideLeavesOthersRunning(t *testing.T) {
	design := &accesspatterns.Design{Name: "first"}
	claim := manifest.Claim{ID: "first/table/T", Design: "first"}
	for _, test := range []struct {
		name     string
		asked    bool
		canceled bool
	}{
		{"every verdict taken", true, false},
		{"a claim skipped", false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			running, cancel := context.WithCancel(t.Context())
			defer cancel()
			result := make(chan outcome, 1)
			result <- outcome{result: evidence.Result{ID: claim.ID}}
			spec := &selectedSpec{Spec{Claim: claim}, running, func() {}, result}
			b := &Beside{
				plan:     Plan{Close: func(context.Context, *accesspatterns.Design, *session.Session) error { return nil }},
				begin:    func() {},
				cancel:   cancel,
				canceled: func() bool { return running.Err() != nil },
				// done stays open: the lane has not returned yet.
				lanes: []*lane{{design: design, specs: []*selectedSpec{spec}, opened: make(chan struct{}), done: make(chan struct{})}},
			}
			if test.asked {
				if found := b.decide(t.Context(), spec.Spec, nil, nil); found.ID != claim.ID {
					t.Errorf("expected the verdict of %s, found %q", claim.ID, found.ID)
				}
			}
			if err := b.close(t.Context(), design, nil); err != nil {
				t.Error(err)
			}
			if found := running.Err() != nil; found != test.canceled {
				t.Errorf("expected canceled %v of what is on its way, found %v", test.canceled, found)
			}
		})
	}
}
