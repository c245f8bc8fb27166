package mutants

import (
	"cmp"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/deploy"
	"dynaproof/conformance/internal/reads"
	_ "dynaproof/conformance/internal/test/command" // the programs are asked by it
	"dynaproof/conformance/lab"
	"dynaproof/fixtures"
)

func try(t *testing.T, options Options) *evidence.Mutants {
	t.Helper()
	options.Documents = cmp.Or(os.Getenv("DYNAPROOF_DOCUMENTS"), "../../../../shared/designs")
	return tabletest.Must(Run(t.Context(), options))(t)
}

func fates(seen *evidence.Mutants) map[string]evidence.Fate {
	found := map[string]evidence.Fate{}
	for _, m := range seen.Mutants {
		found[m.ID] = m.Fate
	}
	return found
}

// One of each kind, with the message that names what is broken.
func TestMutantsAreKilledByTheNamedClaim(t *testing.T) {
	runs := map[string]*evidence.Mutants{}
	rows := tabletest.Read[map[string]struct{ Killer, Message string }](t, "killed.yaml")
	var ids []string
	for id := range rows {
		ids = append(ids, regexp.QuoteMeta(id))
	}
	for id, row := range rows {
		t.Run(id, func(t *testing.T) {
			design, _, _ := strings.Cut(id, "/")
			seen := runs[design]
			if seen == nil { // one run for all of a design
				seen = try(t, Options{Mutation: lab.Mutation{Options: lab.Options{Designs: []string{design}}, Filter: regexp.MustCompile("^(" + strings.Join(ids, "|") + ")$")}})
				runs[design] = seen
			}
			at := slices.IndexFunc(seen.Mutants, func(m evidence.Mutant) bool { return m.ID == id })
			require.GreaterOrEqual(t, at, 0, "expected the mutant among those that were tried, found %+v", seen.Mutants)
			m := seen.Mutants[at]
			assert.Equal(t, []any{evidence.Killed, row.Killer}, []any{m.Fate, m.Killer}, "%+v", m)
			assert.Contains(t, m.Message, row.Message)
			assert.Equal(t, evidence.Conforms, seen.ExitCode())
			assert.Empty(t, seen.Problems)
		})
	}
}

const threads = "roll-model/pattern/list-ai-threads/prefix-open"

// unloaded keeps one item from being loaded.
func unloaded(t *testing.T, name string) func(*ap.Design, *fixtures.Set) {
	t.Helper()
	return func(_ *ap.Design, set *fixtures.Set) {
		item, known := set.Item(name)
		if !known {
			t.Errorf("the fixtures have no item %s", name)
			return
		}
		item.Held = true
	}
}

func TestAWeakerSuiteLetsAMutantSurvive(t *testing.T) {
	seen := try(t, Options{Mutation: lab.Mutation{Options: lab.Options{Designs: []string{"roll-model"}}, Filter: regexp.MustCompile("/pattern/list-ai-threads/")}, Weaken: unloaded(t, "neighbour-thread-2")})
	found := fates(seen)
	assert.True(t, found[threads] == evidence.Survived && seen.ExitCode() == evidence.DoesNotConform,
		"expected %s to survive with exit code 1, found %v, exit code %d", threads, found, seen.ExitCode())
	at := slices.IndexFunc(seen.Mutants, func(m evidence.Mutant) bool { return m.ID == threads })
	needs := seen.Mutants[at].Needs
	assert.True(t, strings.HasPrefix(needs, "an item of the same PK, whose SK "), "expected of the survivor the item that tells, found %q", needs)
	delete(found, threads)
	for id, fate := range found {
		assert.Equal(t, evidence.Killed, fate, "%s: expected it to be killed", id)
	}
}

// A survivor that is listed is an equivalent, and an entry whose mutant is noticed ends the command with exit code 1.
func TestEquivalents(t *testing.T) {
	listed := func(string) ([]lab.Reason, error) {
		return []lab.Reason{{Why: "a test", Mutants: []string{strings.TrimPrefix(threads, "roll-model/")}}}, nil
	}
	for _, row := range []struct {
		weaken  func(*ap.Design, *fixtures.Set)
		fate    evidence.Fate
		code    evidence.ExitCode
		problem string
	}{
		{unloaded(t, "neighbour-thread-2"), evidence.Equivalent, evidence.CouldNotTell, ""}, // nothing was killed
		{nil, evidence.Killed, evidence.DoesNotConform, threads + " is noticed by roll-model/pattern/list-ai-threads"},
	} {
		seen := try(t, Options{Mutation: lab.Mutation{Options: lab.Options{Designs: []string{"roll-model"}}, Only: threads, Reasons: listed}, Weaken: row.weaken})
		assert.Equal(t, row.fate, fates(seen)[threads])
		assert.Equal(t, row.code, seen.ExitCode(), "expected %s and exit code %d", row.fate, row.code)
		problems := strings.Join(seen.Problems, "; ")
		assert.True(t, strings.Contains(problems, row.problem) && (row.problem == "") == (problems == ""), "expected problem %q, found %q", row.problem, problems)
	}
}

// A claim that fails with nothing broken kills every mutant, and says nothing.
func TestAClaimThatFailsAnywayIsAProblem(t *testing.T) {
	seen := try(t, Options{Mutation: lab.Mutation{Options: lab.Options{Designs: []string{"roll-model"}}, Only: threads}, Weaken: unloaded(t, "thread-555")})
	require.NotEmpty(t, seen.Problems)
	assert.Contains(t, seen.Problems[0], "roll-model/pattern/list-ai-threads: expected it to pass")
	assert.Equal(t, evidence.DoesNotConform, seen.ExitCode())
}

func TestWithoutTheDocument(t *testing.T) {
	const id = "personal-os/item/example-task/description-dropped"
	seen, err := Run(t.Context(), Options{Mutation: lab.Mutation{Options: lab.Options{Designs: []string{"personal-os"}, Documents: t.TempDir()}, Filter: regexp.MustCompile("/item/example-task/(description-dropped|title-retyped)$")}})
	require.NoError(t, err)
	assert.True(t, fates(seen)[id] == evidence.Untried && seen.ExitCode() == evidence.Conforms,
		"expected %s to be untried, found %v, exit code %d", id, fates(seen), seen.ExitCode())
}

func TestConclude(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Name         string
		Wants        evidence.Verdict // in place of a failure
		Denied       string           // the operation whose permission is taken away
		Claim, Where string
		Verdict      evidence.Verdict
		Fate         evidence.Fate
	}](t, "concluded.yaml") {
		m := Mutant{Expect: []string{"d/pattern/p"}, verdict: row.Wants, denied: row.Denied}
		result := evidence.Result{ID: cmp.Or(row.Claim, m.Expect[0]), Verdict: row.Verdict}
		if row.Where != "" {
			result.Problems = []evidence.Problem{{Where: row.Where, Expected: "x", Found: "y"}}
		}
		record := m.record()
		m.conclude(&record, []evidence.Result{result}, nil)
		assert.Equal(t, row.Fate, record.Fate, row.Name)
	}
}

// Engines end with their mutants, and so does what serves them. Pulumi's engine
// keeps some goroutines of every operation for the life of the process, so those
// that run code of this project are counted.
func TestNothingIsLeftBehind(t *testing.T) {
	options := Options{Mutation: lab.Mutation{Options: lab.Options{Designs: []string{"roll-model"}}, Filter: regexp.MustCompile("(pitr-off|list-ai-threads/.*|link-coach-999/PK-dropped)$")}}
	try(t, options)
	deploy.Close() // it lives as long as the process
	gomega.NewWithT(t).Eventually(ours).WithTimeout(5*time.Minute).Should(gomega.BeEmpty(), "goroutines of this project")
}

// ours are the stacks of goroutines that run or were started by code of the suite
// and its engines, apart from this test.
func ours() []string {
	buffer := make([]byte, 8<<20)
	var found []string
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		if strings.Contains(stack, "dynaproof/conformance/") && !strings.Contains(stack, "testing.tRunner") {
			found = append(found, stack)
		}
	}
	return found
}

// The guard without one rule is noticed by the guardrail that rests on it, until
// the guardrail no longer expects the refusal.
func TestAGuardWithoutARuleIsNoticed(t *testing.T) {
	const id = "roll-model/guard/private-text-stays-private/returned-values"
	seen := try(t, Options{Mutation: lab.Mutation{Options: lab.Options{Designs: []string{"roll-model"}}, Only: id}})
	m := seen.Mutants[0]
	assert.Equal(t, []any{evidence.Killed, "roll-model/guardrail/private-text-stays-private"}, []any{m.Fate, m.Killer}, "%+v", m)
	assert.Contains(t, m.Message, "expected a refusal for returned-values, found the request passed it")
	var excused []string
	for _, rule := range seen.Excused {
		excused = append(excused, rule.Design+" "+rule.Rule)
	}
	want := []string{"roll-model rewritten-request", "roll-model order", "roll-model limit", "roll-model segments", "roll-model page-budget"}
	assert.True(t, slices.Equal(excused, want), "expected rules excused %v, found %v", want, excused)
}

// Every rule of the guard is switched off in every design, unless its fixtures
// say why nothing can break it.
func TestEveryRuleOfTheGuardIsSwitchedOff(t *testing.T) {
	for _, name := range designs.Names() {
		set := tabletest.Must(fixtures.Load(name, time.Now()))(t)
		design := tabletest.Must(designs.Find(name))(t)
		generated := tabletest.Must(Generate(name))(t)
		excuses := set.Excuses(design)
		for _, rule := range guard.Rules() {
			off := slices.ContainsFunc(generated, func(m Mutant) bool { return m.lenient == rule })
			excused := slices.ContainsFunc(excuses, func(e fixtures.Excuse) bool { return e.Rule == string(rule) })
			assert.True(t, off != excused, "%s: expected rule %s to be switched off by a mutant or excused, found mutant %v and excuse %v", name, rule, off, excused)
		}
	}
}

func TestAWeakerPolicyClaimLetsAMutantSurvive(t *testing.T) {
	const id = "osem-ladders/policy/role/team_member/NoteExport-unconditional"
	weaken := func(design *ap.Design, _ *fixtures.Set) {
		role, known := design.Role("team_member")
		require.True(t, known, "expected a role team_member")
		role.Narrow = nil
	}
	for _, row := range []struct {
		weaken func(*ap.Design, *fixtures.Set)
		fate   evidence.Fate
	}{{nil, evidence.Killed}, {weaken, evidence.Survived}} {
		seen := try(t, Options{Mutation: lab.Mutation{Options: lab.Options{Designs: []string{"osem-ladders"}}, Only: id}, Weaken: row.weaken})
		assert.Equal(t, row.fate, fates(seen)[id])
		assert.Empty(t, seen.Problems)
	}
}

// Whoever leaves out an effect of a write, or changes it, finds a case that tells: in memory already, where no engine is asked.
func TestEveryEffectIsNoticed(t *testing.T) {
	tried := map[string]int{}
	for _, name := range designs.Names() {
		generated := tabletest.Must(Generate(name))(t)
		listed := tabletest.Must(fixtures.Equivalents(name))(t)
		equivalent := map[string]bool{}
		for _, entry := range listed {
			for _, id := range entry.Mutants {
				equivalent[id] = true
			}
		}
		design := tabletest.Must(designs.Find(name))(t)
		set := tabletest.Must(fixtures.Load(name, time.Now()))(t)
		for i := range generated {
			m := &generated[i]
			switch m.Operator {
			case "action left out", "assignment left out", "assignment changed", "removal left out", "edit left out":
			default:
				continue
			}
			tried[m.Operator]++
			// Only the pattern that is changed is copied: to read a contract anew takes longer than all of this.
			id, _, _ := strings.Cut(strings.TrimPrefix(m.ID, name+"/flow/"), "/")
			broken := *design
			broken.Patterns = slices.Clone(design.Patterns)
			pattern, _ := broken.Pattern(id)
			pattern.Steps = slices.Clone(pattern.Steps)
			m.amend(&broken)
			assert.False(t, len(reads.CasesOf(&broken, set, pattern)) == 0 && !equivalent[m.ID], "%s: no case notices: %s", m.ID, m.What)
		}
	}
	t.Logf("%v", tried)
	if len(tried) < 4 { // no contract of the five removes an attribute but by an edit
		t.Errorf("expected four ways to change an effect, found %v", tried)
	}
}
