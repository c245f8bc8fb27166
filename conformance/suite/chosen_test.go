package suite

import (
	"strings"
	"testing"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/safewrite"
)

// Of no design does what the project chose fail somebody else's deployment, and what
// the document says does. The items of others are not judged at all.
func TestRuling12ChosenFailsNobodyElse(t *testing.T) {
	counted := map[string]int{}
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			switch claim.Kind {
			case manifest.KindSchema, manifest.KindIndex, manifest.KindPolicy:
			default:
				continue
			}
			o := &Observation{session: &Session{Input: Input{ReadOnly: true}}, claim: claim}
			o.equal("here", "what the contract says", "something else", "")
			want := evidence.Fail
			if claim.Basis == accesspatterns.Chosen {
				want = evidence.Waived
				counted[design.Name]++
			}
			if found := o.result(); found.Verdict != want {
				t.Errorf("%s, %s: expected %s, found %s", claim.ID, claim.Basis, want, found.Verdict)
			}
		}
	}
	t.Logf("chosen, by design: %v", counted)
	if len(counted) == 0 {
		t.Error("expected something chosen about deployments, found nothing")
	}
}

// What the project chose is noted where somebody else deployed the tables, and
// fails the run's own deployment and whoever asks for it.
func TestChosenOtherwise(t *testing.T) {
	existing := Input{Existing: struct{ safewrite.Journal }{}}
	for _, row := range []struct {
		name  string
		input Input
		kind  manifest.Kind
		basis accesspatterns.BasisKind
		want  evidence.Verdict
	}{
		{"an audit", Input{ReadOnly: true}, manifest.KindIndex, accesspatterns.Chosen, evidence.Waived},
		{"an existing stack", existing, manifest.KindSchema, accesspatterns.Chosen, evidence.Waived},
		{"a strict audit", Input{ReadOnly: true, Strict: true}, manifest.KindIndex, accesspatterns.Chosen, evidence.Fail},
		{"a stack of the run's own", Input{}, manifest.KindIndex, accesspatterns.Chosen, evidence.Fail},
		{"what the document states", Input{ReadOnly: true}, manifest.KindIndex, accesspatterns.Stated, evidence.Fail},
		{"what it implies", Input{ReadOnly: true}, manifest.KindIndex, accesspatterns.Implied, evidence.Fail},
		{"a pattern, whose items the run wrote itself", existing, manifest.KindPattern, accesspatterns.Chosen, evidence.Fail},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := &Observation{session: &Session{Input: row.input}, claim: manifest.Claim{Kind: row.kind, Basis: row.basis, Because: "a finding"}}
			o.equal("table T, index I, projection", "ALL", "KEYS_ONLY", "")
			result := o.result()
			if result.Verdict != row.want {
				t.Errorf("expected %s, found %s", row.want, result.Verdict)
			}
			if noted := strings.Contains(strings.Join(result.Notes, ""), "ALL chosen here, KEYS_ONLY deployed"); noted != (row.want == evidence.Waived) {
				t.Errorf("expected a note only in place of a failure, found %q", result.Notes)
			}
		})
	}
}
