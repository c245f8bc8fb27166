package engines

import (
	"context"
	"errors"
	"testing"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

func TestFind(t *testing.T) {
	if all, err := Find(nil); err != nil || len(all) != 3 || all[0].Name != "dynoxide" {
		t.Errorf("expected three engines, the embedded one first, found %v, %v", all, err)
	}
	if one, err := Find([]string{"moto"}); err != nil || len(one) != 1 || one[0].Name != "moto" {
		t.Errorf("expected moto alone, found %v, %v", one, err)
	}
	if _, err := Find([]string{"minidyn"}); err == nil {
		t.Error("expected an engine that is none to be refused")
	}
}

func TestEngineThatCannotBeHad(t *testing.T) {
	missing := errors.New("no npm")
	run, err := Run(t.Context(), Engine{Name: "x", Start: func(context.Context, target.EmbeddedOptions) (target.Target, error) { return nil, missing }}, Options{})
	if run != nil || !errors.Is(err, missing) {
		t.Errorf("expected the reason and no run, found %v, %v", run, err)
	}
}

// manifestOf returns the claims of a design.
func manifestOf(t *testing.T, name string) []accesspatterns.Claim {
	t.Helper()
	design, err := designs.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return design.Claims()
}

// A whole column, once as it is and once with a fixture that makes a claim fail.
func TestRunOnTheEmbeddedEngine(t *testing.T) {
	engine := All()[0]
	for _, row := range []struct {
		name  string
		amend func(*accesspatterns.Design, *fixtures.Set)
		code  evidence.ExitCode
	}{
		{"as it is", nil, evidence.Conforms},
		{"a pattern without its filter", func(design *accesspatterns.Design, _ *fixtures.Set) {
			pattern, _ := design.Pattern("matches-by-date")
			pattern.Read.Filter = nil
		}, evidence.DoesNotConform},
	} {
		t.Run(row.name, func(t *testing.T) {
			run, err := Run(t.Context(), engine, Options{Designs: []string{"fus-main"}, Documents: t.TempDir(), Amend: row.amend})
			if errors.Is(err, target.ErrNoEngine) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			m := Judge(manifestOf(t, "fus-main"), []Seen{{Engine: engine, Run: run}}, nil)
			if m.ExitCode() != row.code {
				t.Errorf("expected exit code %d, found %d: %v", row.code, m.ExitCode(), m.Unexplained())
			}
			if m.Columns[0].Version == "" || m.Columns[0].Source == "" || m.Columns[0].Requests == 0 {
				t.Errorf("expected the engine's version, source and requests, found %+v", m.Columns[0])
			}
		})
	}
}
