package engines

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	_ "dynaproof/conformance/internal/test/command" // it deploys the designs
	"dynaproof/conformance/internal/wholefile"
	"dynaproof/conformance/lab"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

// claims are two claims of a design d.
func claims() []manifest.Claim {
	return []manifest.Claim{
		{ID: "d/pattern/a", Design: "d", Kind: manifest.KindPattern, Title: "a", Cite: "d.md:1"},
		{ID: "d/guardrail/b", Design: "d", Kind: manifest.KindGuardrail, Title: "b", Cite: "d.md:2"},
	}
}

func refusal(found string) evidence.Problem {
	return evidence.Problem{Where: "trial 1, request 1, PutItem", Expected: "ValidationException", Found: found, Cite: "d.md:2"}
}

// known is one deviation of an engine called second.
func known() []Deviation {
	return []Deviation{{
		Name: "second-accepts", Engine: "second", Version: "2.0", Does: "accepts it", AWS: "refuses it", Source: "https://example.org",
		Shows: []Sighting{{Claim: "d/guardrail/b", Where: "trial 1, request 1, PutItem", Expected: "ValidationException", Found: "success"}},
	}}
}

// seen is what an engine showed: both claims, with the verdicts and problems given for the second.
func seen(name string, verdict evidence.Verdict, problems ...evidence.Problem) Seen {
	return Seen{Engine: Engine{Name: name}, Run: &evidence.Run{
		Target: target.Description{Engine: name, Version: "2.0"},
		Designs: []evidence.Design{{Name: "d", Results: []evidence.Result{
			{ID: "d/pattern/a", Verdict: evidence.Pass, Grade: evidence.Engine},
			{ID: "d/guardrail/b", Verdict: verdict, Grade: evidence.Engine, Problems: problems},
		}}},
	}}
}

// judged are runs of a second engine, and failures of claims.
type judged struct {
	Second []struct {
		Name, Version, Error string
		Verdict              evidence.Verdict // "" where the claim is not examined
		Found, Words         []string
		Answer               Answer
		Code                 evidence.ExitCode
	}
	Failures []struct {
		Name, Engine, Claim string
		Shipped, Is         bool
		Found               []string
		Elsewhere           string // where success was found, too
	}
}

func TestJudge(t *testing.T) {
	for _, row := range tabletest.Read[judged](t, "judged.yaml").Second {
		t.Run(row.Name, func(t *testing.T) {
			var problems []evidence.Problem
			for _, found := range row.Found {
				problems = append(problems, refusal(found))
			}
			second := seen("second", row.Verdict, problems...)
			second.Run.Target.Version = cmp.Or(row.Version, "2.0")
			if row.Verdict == "" {
				second.Run.Designs[0].Results = second.Run.Designs[0].Results[:1]
			}
			if row.Error != "" {
				second.Err = errors.New(row.Error)
			}
			if row.Answer == Skipped {
				second.Run = nil
			}
			m := Judge(claims(), []Seen{seen("first", evidence.Pass), second}, known())
			assert.Equal(t, row.Answer, m.Rows[1].Cells[1].Answer)
			assert.Equal(t, row.Code, m.ExitCode())
			text := strings.Join(m.Unexplained(), "\n")
			assert.Equal(t, len(row.Words) == 0, text == "", "found %s", text)
			for _, word := range row.Words {
				assert.Contains(t, text, word)
			}
		})
	}
}

// A deviation of one engine excuses no other.
func TestDeviationIsOfOneEngine(t *testing.T) {
	m := Judge(claims(), []Seen{seen("first", evidence.Fail, refusal("success")), seen("second", evidence.Fail, refusal("success"))}, known())
	cells := m.Rows[1].Cells
	assert.Equal(t, []Answer{Unexpected, Deviates}, []Answer{cells[0].Answer, cells[1].Answer})
	assert.Equal(t, evidence.DoesNotConform, m.ExitCode())
}

func TestReliance(t *testing.T) {
	third := seen("third", evidence.Pass)
	third.Run.Designs[0].Results[1].Grade = evidence.Emulated
	third.Run.Designs[0].Results[0].Grade = evidence.Static
	m := Judge(claims(), []Seen{seen("first", evidence.Pass), seen("second", evidence.Fail, refusal("success")), third}, known())
	expected := []Reliance{{"first + second", 1}, {"first", 1}}
	found := m.Reliances()
	assert.True(t, slices.Equal(found, expected), "expected %v, found %v", expected, found)
	alone := m.Alone()
	require.Len(t, alone, 1)
	require.Equal(t, "d/guardrail/b", alone[0].ID, "expected d/guardrail/b alone")
	assert.Equal(t, "second deviates: second-accepts; third emulated", strings.Join(m.others(alone[0]), "; "), "expected the reasons of the others")
	assert.Equal(t, Static, m.Rows[0].Cells[2].Answer, "expected static evidence to be no engine's word")
}

func TestSightingMatches(t *testing.T) {
	problem := refusal("ResourceNotFoundException: Invalid index: x for table: y")
	for found, matches := range map[string]bool{
		problem.Found: true, "ResourceNotFoundException: Invalid index: x…": true, "ResourceNotFoundException: Invalid index: x": false,
		"ValidationException…": false, "": false,
	} {
		s := Sighting{Where: problem.Where, Expected: problem.Expected, Found: found}
		assert.Equal(t, matches, s.matches(problem), "%q: expected %t", found, matches)
		s.Where = "trial 2"
		assert.False(t, s.matches(problem), "%q: expected no match at another place", found)
	}
}

// Each known deviation has a name of its own and all of its texts, and shows by problems of claims that the manifest holds, each of one
// deviation alone: nothing would notice else when it is mended.
func TestKnownDeviationsAreComplete(t *testing.T) {
	deviations := tabletest.Must(Deviations())(t)
	committed := tabletest.Must(designs.Manifest())(t)
	versions := map[string]string{"dynalite": target.DynaliteVersion, "moto": target.MotoVersion}
	names, sightings := map[string]bool{}, map[string]bool{}
	for _, d := range deviations {
		assert.True(t, versions[d.Engine] == d.Version && strings.HasPrefix(d.Name, d.Engine+"-") && strings.HasPrefix(d.Source, "https://"),
			"%s: expected an engine of the matrix at its pinned version, in the name too, and a source; found %s %s, %s", d.Name, d.Engine, d.Version, d.Source)
		assert.True(t, d.Does != "" && d.AWS != "" && len(d.Shows) != 0 && !names[d.Name],
			"%s: expected it once, with what the engine does, what AWS does, and a problem by which it shows", d.Name)
		names[d.Name] = true
		for _, s := range d.Shows {
			assert.True(t, slices.ContainsFunc(committed, func(claim manifest.Claim) bool { return claim.ID == s.Claim }),
				"%s: expected a claim of the manifest, found %q", d.Name, s.Claim)
			key := strings.Join([]string{d.Engine, s.Claim, s.Where, s.Expected, s.Found}, "\x00")
			assert.False(t, sightings[key], "%s: expected each problem once, found that of %s (%s) again", d.Name, s.Claim, s.Where)
			sightings[key] = true
		}
	}
}

func TestReports(t *testing.T) {
	m := Judge(claims(), []Seen{seen("first", evidence.Pass), seen("second", evidence.Fail, refusal("success"), refusal("<script> @team [go](x)"))}, known())
	var text, markdown, page strings.Builder
	m.Paper().Text(&text)
	require.NoError(t, errors.Join(m.Paper().Markdown(&markdown), m.Paper().HTML(&page)))
	for name, of := range map[string]func(io.Writer) error{"engines.md": m.Paper().Markdown, "engines.html": m.Paper().HTML} {
		file := filepath.Join(t.TempDir(), name)
		assert.NoError(t, errors.Join(wholefile.Render(file, wholefile.Report, of), wholefile.Render(file, wholefile.Report, of)), "a second run into the folder of the first")
	}
	for name, written := range map[string]string{"text": text.String(), "markdown": markdown.String(), "page": page.String()} {
		for _, word := range []string{"second-accepts", "d/guardrail/b", m.Conclusion(), "accepts it"} {
			assert.Contains(t, written, word, name)
		}
		assert.False(t, name != "text" && strings.Contains(written, "<script>"), "%s: expected what an engine answered to be escaped", name)
		assert.False(t, name == "markdown" && (strings.Contains(written, "@team") || strings.Contains(written, "[go](x)")),
			"expected nobody to be told and no link in\n%s", written)
	}
}

// A design of somebody else's has none of the shipped designs' claims.
func TestDeviationsOfADesignThatWasBrought(t *testing.T) {
	own := &accesspatterns.Design{Name: "own", Tables: []accesspatterns.Table{{ID: "T", Name: "T"}}}
	restore := designs.Use(designs.Brought{Contract: func() *accesspatterns.Design { return own }})
	defer restore()
	assert.Empty(t, tabletest.Must(Deviations())(t))
}

// A failure is the engine's own where each of its problems is a listed one; of a design
// that was brought along, where each shows as a listed one does.
func TestDeviating(t *testing.T) {
	for _, row := range tabletest.Read[judged](t, "judged.yaml").Failures {
		failed := evidence.Result{ID: row.Claim, Verdict: evidence.Fail}
		for _, found := range row.Found {
			failed.Problems = append(failed.Problems, refusal(found))
		}
		if row.Elsewhere != "" {
			problem := refusal("success")
			problem.Where = row.Elsewhere
			failed.Problems = append(failed.Problems, problem)
		}
		says := deviating(row.Engine, "2.0", known(), row.Shipped)(failed)
		assert.Equal(t, map[bool]string{true: "second 2.0 accepts it; AWS refuses it (second-accepts, https://example.org)"}[row.Is], says, row.Name)
	}
}

func TestFind(t *testing.T) {
	all, one := tabletest.Must(Find(nil))(t), tabletest.Must(Find([]string{"moto"}))(t)
	assert.True(t, len(all) == 3 && all[0].Name == "dynoxide", "expected three engines, the embedded one first, found %v", all)
	assert.True(t, len(one) == 1 && one[0].Name == "moto", "expected moto alone, found %v", one)
	_, err := Find([]string{"minidyn"})
	assert.Error(t, err, "expected an engine that is none to be refused")
}

func TestEngineThatCannotBeHad(t *testing.T) {
	missing := errors.New("no npm")
	run, err := Run(t.Context(), Engine{Name: "x", Engine: replay.Engine{Start: func(context.Context, func(line string)) (target.Target, error) { return nil, missing }}}, Options{})
	assert.Nil(t, run)
	assert.ErrorIs(t, err, missing, "expected the reason and no run")
}

// manifestOf returns the claims of a design.
func manifestOf(t *testing.T, name string) []manifest.Claim {
	t.Helper()
	return manifest.Claims(tabletest.Must(designs.Find(name))(t))
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
			assert.Equal(t, row.code, m.ExitCode(), "expected exit code %d, found %d: %v", row.code, m.ExitCode(), m.Unexplained())
			column := m.Columns[0]
			assert.True(t, column.Version != "" && column.Source != "" && column.Requests != 0, "expected the engine's version, source and requests, found %+v", column)
		})
	}
}

// What an engine says about races reaches its sessions, and of the three engines
// only moto says it.
func TestRunOnAnEngineWithoutRaces(t *testing.T) {
	for _, engine := range All() {
		assert.Equal(t, engine.Name == "moto", engine.NoRaces != "", "%s: expected a word about races of moto alone, found %q", engine.Name, engine.NoRaces)
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
		assert.False(t, result.ID == "fus-main/invariant/membership-leaves-both-lookups" && !strings.Contains(suite.Message(result), engine.NoRaces),
			"%s: expected the engine's word, found %s", result.ID, suite.Message(result))
	}
	for id, want := range map[string]evidence.Verdict{
		"fus-main/invariant/membership-leaves-both-lookups": evidence.Unsupported, // races
		"fus-main/invariant/match-deleted-whole":            evidence.Pass,        // is interrupted
	} {
		assert.Equal(t, want, verdicts[id], id)
	}
}
