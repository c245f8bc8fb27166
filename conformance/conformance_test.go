// Package conformance_test runs the specs of dynaproof/conformance/suite under
// `go test` and `ginkgo`. They are the ones that `dynaproof verify` runs.
//
//	go test ./conformance
//	go test ./conformance -ginkgo.label-filter 'design:osem-ladders && kind:pattern'
package conformance_test

import (
	"cmp"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/suite"
)

func TestConformance(t *testing.T) {
	run, err := replay.Start(t.Context(), replay.Options{
		Documents: cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../shared/designs"),
		T:         ginkgo.GinkgoT(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	gomega.RegisterFailHandler(ginkgo.Fail)
	var planned, replayed []string
	for _, design := range run.Designs() {
		planned = append(planned, design.Name)
	}
	suite.Describe(run.Plan(func(result evidence.Result) {
		if len(replayed) == 0 || replayed[len(replayed)-1] != result.Design {
			replayed = append(replayed, result.Design)
		}
	}))
	ginkgo.RunSpecs(t, "dynaproof")
	// Designs are deployed ahead in the order of the plan.
	if !slices.Equal(planned, replayed) {
		t.Errorf("expected the designs to be replayed in the order %v, found %v", planned, replayed)
	}
}

// Every element of the manifest has a spec, and every spec is in the manifest.
func TestEverySpecIsInTheManifestAndBack(t *testing.T) {
	committed, err := designs.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{}
	for _, claim := range committed {
		open[claim.ID] = true
	}
	for _, design := range designs.All() {
		for _, spec := range suite.Specs(design) {
			if !open[spec.Claim.ID] {
				t.Errorf("spec %s is not in the manifest; run `make manifest`", spec.Claim.ID)
			}
			delete(open, spec.Claim.ID)
		}
	}
	for id := range open {
		t.Errorf("claim %s of the manifest has no spec", id)
	}
}

// A run that looked at nothing must not look like a run that found nothing.
func TestAnEmptyRunCouldNotTell(t *testing.T) {
	if code := (&evidence.Run{}).ExitCode(); code != evidence.CouldNotTell {
		t.Errorf("expected exit code %d, got %d", evidence.CouldNotTell, code)
	}
}
