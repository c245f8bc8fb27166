package engines

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite"
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
func manifestOf(t *testing.T, name string) []manifest.Claim {
	t.Helper()
	design, err := designs.Find(name)
	require.NoError(t, err)
	return manifest.Claims(design)
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
		{"a pattern without its sort condition", func(design *accesspatterns.Design, _ *fixtures.Set) {
			pattern, _ := design.Pattern("list-own-entries") // of the table, since a wrong answer of an index is waited for
			pattern.Steps[0].Read.Sort = nil
		}, evidence.DoesNotConform},
	} {
		t.Run(row.name, func(t *testing.T) {
			run, err := Run(t.Context(), engine, Options{Options: lab.Options{Designs: []string{"roll-model"}, Documents: t.TempDir()}, Amend: row.amend})
			if errors.Is(err, target.ErrNoEngine) {
				t.Skip(err)
			}
			require.NoError(t, err)
			m := Judge(manifestOf(t, "roll-model"), []Seen{{Engine: engine, Run: run}}, nil)
			if m.ExitCode() != row.code {
				t.Errorf("expected exit code %d, found %d: %v", row.code, m.ExitCode(), m.Unexplained())
			}
			if m.Columns[0].Version == "" || m.Columns[0].Source == "" || m.Columns[0].Requests == 0 {
				t.Errorf("expected the engine's version, source and requests, found %+v", m.Columns[0])
			}
		})
	}
}

// What an engine says about races reaches its sessions, and of the three engines
// only moto says it.
func TestRunOnAnEngineWithoutRaces(t *testing.T) {
	for _, engine := range All() {
		if says := engine.NoRaces != ""; says != (engine.Name == "moto") {
			t.Errorf("%s: expected a word about races of moto alone, found %q", engine.Name, engine.NoRaces)
		}
	}
	engine := All()[0]
	engine.NoRaces = "it mixes its clients up"
	run, err := Run(t.Context(), engine, Options{
		Options: lab.Options{Designs: []string{"fus-main"}, Documents: t.TempDir()},
		Amend:   func(*accesspatterns.Design, *fixtures.Set) {}, // so that nothing is explored, which asks no engine
	})
	if errors.Is(err, target.ErrNoEngine) {
		t.Skip(err)
	}
	require.NoError(t, err)
	verdicts := map[string]evidence.Verdict{}
	for _, result := range run.Results() {
		verdicts[result.ID] = result.Verdict
		if result.ID == "fus-main/invariant/membership-leaves-both-lookups" && !strings.Contains(suite.Message(result), engine.NoRaces) {
			t.Errorf("%s: expected the engine's word, found %s", result.ID, suite.Message(result))
		}
	}
	for id, want := range map[string]evidence.Verdict{
		"fus-main/invariant/membership-leaves-both-lookups": evidence.Unsupported, // races
		"fus-main/invariant/match-deleted-whole":            evidence.Pass,        // is interrupted
	} {
		assert.Equal(t, want, verdicts[id], id)
	}
}
