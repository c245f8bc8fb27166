// Package exploretest explores the five contracts with the items of their fixtures. It stands here, because no
// package of accesspatterns may know the fixtures.
package exploretest

import (
	"archive/zip"
	"errors"
	"flag"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/explore"
	"dynaproof/accesspatterns/requests"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/target"
	"dynaproof/fixtures"
)

func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // half of the time is the collector's otherwise
	}
	os.Exit(m.Run())
}

// laws are what was found of the contracts as they are, by design and claim: one exploration for all tests.
var laws sync.Map

// loaded are the items of the fixtures by design, and bases those of them that are valid in the contracts as they are.
var loaded, bases sync.Map

// explored are the items with which a contract is explored.
func explored(name string) ([]explore.Item, error) {
	if known, has := loaded.Load(name); has {
		return known.([]explore.Item), nil
	}
	set, err := fixtures.Load(name, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	items, _ := loaded.LoadOrStore(name, set.Explored())
	return items.([]explore.Item), nil
}

// basesOf are the items from which those of a contract are made whose entities are as they are.
func basesOf(d *ap.Design) (*explore.Bases, error) {
	if known, has := bases.Load(d.Name); has {
		return known.(*explore.Bases), nil
	}
	items, err := explored(d.Name)
	if err != nil {
		return nil, err
	}
	valid, _ := bases.LoadOrStore(d.Name, explore.BasesOf(d, items))
	return valid.(*explore.Bases), nil
}

// written is what was found of one claim of a contract as it is.
func written(d *ap.Design, claim string) (*explore.Law, error) {
	if known, has := laws.Load(d.Name + "/" + claim); has {
		return known.(*explore.Law), nil
	}
	from, err := basesOf(d)
	if err != nil {
		return nil, err
	}
	law, err := explore.One(d, from, explore.Usual, claim)
	if err == nil {
		laws.Store(d.Name+"/"+claim, law)
	}
	return law, err
}

// asWritten is what was found of one claim of the contract of that name.
func asWritten(t *testing.T, name, claim string) *explore.Law {
	t.Helper()
	law, err := written(load(t, name), claim)
	require.NoError(t, err)
	return law
}

// one explores one claim of a design, with the requests of all patterns or, where some are named, with those of these alone.
func one(t *testing.T, d *ap.Design, claim string, only ...string) *explore.Law {
	t.Helper()
	items, err := explored(d.Name)
	require.NoError(t, err)
	budget := explore.Usual
	budget.Only = only
	law, err := explore.One(d, explore.BasesOf(d, items), budget, claim)
	require.NoError(t, err)
	return law
}

// load is a copy of a design of its own.
func load(t *testing.T, name string) *ap.Design {
	t.Helper()
	chosen, err := designs.Chosen([]string{name})
	require.NoError(t, err)
	return chosen[0]
}

// shortest is the counterexample of a pattern; nil where it keeps the claim.
func shortest(l *explore.Law, pattern string) *explore.Counterexample {
	for i := range l.Broken {
		if slices.Contains(l.Broken[i].Patterns, pattern) {
			return &l.Broken[i]
		}
	}
	return nil
}

// Each promise has been broken by a documented write or read: that is found where the mended element is taken out again. What the contract
// says still is TestConformance's.
func TestKnownWaysToBreakAPromiseAreFound(t *testing.T) {
	action := func(n int, change func(*ap.Action)) func(*ap.Pattern) {
		return func(p *ap.Pattern) {
			step := &p.Steps[slices.IndexFunc(p.Steps, func(s ap.Step) bool { return len(s.Write) > 0 })]
			change(&step.Write[n])
		}
	}
	unconditional := func(a *ap.Action) { a.Condition = nil }
	untied := func(a *ap.Action) { a.With = nil }
	for _, row := range []struct {
		design, claim, pattern string
		// mended is taken out of the pattern.
		mended func(*ap.Pattern)
		// requests is the length of the shortest list.
		requests int
	}{
		// One link opened the comments on everybody's entries.
		{"roll-model", "confinement/coach", "coach-lists-comments", func(p *ap.Pattern) {
			p.Steps[1].ForEach = nil
		}, 3},
		// What is another's was removed by an id alone.
		{"roll-model", "confinement/athlete", "delete-entry", action(1, unconditional), 1},
		{"roll-model", "confinement/athlete", "delete-ai-thread", action(0, unconditional), 1},
		{"roll-model", "confinement/coach", "delete-comment", action(0, unconditional), 1},
		{"roll-model", "confinement/coach", "edit-comment", action(2, unconditional), 1},
		{"commit-collect", "confinement/user", "end-strava-link", action(2, unconditional), 1},
		// Another's comment is replaced.
		{"roll-model", "confinement/coach", "post-comment-to-athlete", action(2, unconditional), 3},
		// A manager outside the group wrote.
		{"fus-main", "invariant/no-match-after-leaving", "record-match", func(p *ap.Pattern) { p.Steps[1].Write = p.Steps[1].Write[1:] }, 1},
		// Points below zero were earned, and a record told of another payment.
		{"personal-os", "invariant/balance-never-negative", "earn-points", func(p *ap.Pattern) { p.Steps[0].Rises = nil }, 1},
		{"personal-os", "invariant/no-transaction-lost", "redeem-reward", action(2, untied), 1},
		{"personal-os", "invariant/no-transaction-lost", "redeem-limited-reward", action(2, untied), 1},
		{"personal-os", "invariant/no-transaction-lost", "award-task-points", action(2, untied), 1},
	} {
		t.Run(row.design+"/"+row.claim+"/"+row.pattern, func(t *testing.T) {
			d := load(t, row.design)
			pattern, _ := d.Pattern(row.pattern)
			row.mended(pattern)
			law := one(t, d, row.claim, row.pattern)
			switch found := shortest(law, row.pattern); {
			case found == nil:
				t.Errorf("expected %s among those that break it, found %v, and kept by the flow alone %v", row.pattern, law.Breakers(), law.ByFlow)
			case len(found.Requests) != row.requests:
				t.Errorf("expected a list of %d requests, found %s", row.requests, found)
			}
		})
	}
}

// Of an action on which a law rests, nothing may be taken out unnoticed: these lines stay in the committed list, which
// TestElementsOnWhichALawRests holds against exploration.
func TestAConditionOnWhichALawRestsIsMissed(t *testing.T) {
	text, err := os.ReadFile("testdata/elements.txt")
	require.NoError(t, err)
	for _, row := range []struct{ claim, line string }{
		{"personal-os/invariant/never-mutual", "add-task-dependency: check of task-dependency: found"},
		{"personal-os/invariant/never-mutual", "create-task-with-links: check of task-dependency: found"},
		{"personal-os/invariant/balance-never-negative", "spend-points: update of wallet if balance >= {cost}: found"},
		{"personal-os/invariant/no-log-lost", "log-metric: put of metric-log (metric-log) if pk attribute_not_exists or id = {logId}: found"},
		{"osem-ladders/invariant/submitted-once", "submit-assessment: update of assessment if status = in_progress: found"},
		{"roll-model/invariant/link-made-once", "link-coach-once: put of coach-athlete-link (link) if PK attribute_not_exists: found"},
		{"roll-model/invariant/entry-created-once", "create-entry-once: put of entry-meta (meta) if PK attribute_not_exists: found"},
	} {
		_, lines, _ := strings.Cut(string(text), "\n# "+row.claim+"\n")
		lines, _, _ = strings.Cut(lines, "\n# ")
		assert.Contains(t, strings.Split(lines, "\n"), row.line, row.claim)
	}
}

// The same holds for whole actions, which the list takes out only where they are checks.
func TestAnActionOnWhichALawRestsIsMissed(t *testing.T) {
	for _, row := range []struct {
		pattern string
		action  int
	}{{"activate-config", 0}, {"publish-config", 1}} {
		t.Run(row.pattern, func(t *testing.T) {
			d := load(t, "osem-ladders")
			pattern, _ := d.Pattern(row.pattern)
			step := &pattern.Steps[slices.IndexFunc(pattern.Steps, func(s ap.Step) bool { return len(s.Write) > 0 })]
			step.Write = slices.Delete(slices.Clone(step.Write), row.action, row.action+1)
			const claim = "invariant/exactly-one-active-config"
			require.Nil(t, shortest(asWritten(t, d.Name, claim), row.pattern), "%s breaks the law as it is", row.pattern)
			if law := one(t, d, claim); shortest(law, row.pattern) == nil {
				t.Errorf("expected %s among those that break the law, found %v", row.pattern, law.Breakers())
			}
		})
	}
}

// An exploration is the same in every run.
func TestExplorationIsTheSameEveryTime(t *testing.T) {
	for _, claim := range []string{"invariant/link-made-once", "confinement/coach", "validity"} {
		first, second := asWritten(t, "roll-model", claim), one(t, load(t, "roll-model"), claim)
		if a, b := first.Evidence(), second.Evidence(); !slices.Equal(a, b) {
			t.Errorf("%s: expected the same twice, found\n%s\n%s", claim, a, b)
		}
	}
}

// A step that names another of the same kind than its check does, or asks for something else than it relies on, breaks the promise.
func TestElementsThatWereExchangedAreFound(t *testing.T) {
	for _, row := range []struct{ design, claim, pattern, from, to string }{
		// Who is linked to whom goes one way.
		{"roll-model", "confinement/coach", "coach-edits-gap-priority", "{check: coach-athlete-link, if", "{check: coach-athlete-link, key: {PK: 'USER#{coachId}', SK: 'COACH#{athleteId}'}, if"},
		// A parameter that is compared with a user's id may be any user's.
		{"commit-collect", "confinement/user", "end-strava-link", "OR userId = {userId}", "OR userId = {other}"},
		// The member who leaves is in the set.
		{"osem-ladders", "invariant/a-member-is-left", "remove-team-member", "size(memberIds) > 1", "size(memberIds) > 0"},
		{"osem-ladders", "guardrail/sets-are-never-empty", "remove-team-member", "OR NOT contains", "OR contains"},
		// A third configuration is active, while two others change places.
		{"osem-ladders", "invariant/exactly-one-active-config", "publish-config", "do: SET isActive = 0, if: isActive = 1", "do: SET isActive = 0, if: isActive = 0"},
		{"osem-ladders", "invariant/exactly-one-active-config", "activate-config", "if: isActive = 1}", "if: attribute_exists(configId)}"},
		// Another reward has limits, and another task was paid for.
		{"personal-os", "invariant/limits-hold", "redeem-reward", "rewardId: '{rewardId}'}", "rewardId: '{other}'}"},
		{"personal-os", "invariant/awarded-once", "award-task-points", "taskId: '{taskId}'}", "taskId: '{other}'}"},
	} {
		t.Run(row.pattern+"/"+row.to, func(t *testing.T) {
			f := &followed{Design: row.design}
			f.Change = append(f.Change, struct{ In, From, To string }{row.pattern, row.from, row.to})
			d := f.changed(t)
			if found := one(t, d, row.claim, row.pattern).Unlike(d); !slices.ContainsFunc(found, func(problem string) bool { return strings.Contains(problem, row.pattern) }) {
				t.Errorf("expected that %s does not keep %s, found %q", row.pattern, row.claim, found)
			}
		})
	}
}

// before is a contract as it was at commit c361a44, before anything was explored: `git archive c361a44` of its YAML. Whose its items are, whom its
// roles reach and the formulas of its promises are those of the contract of today, because it had none.
func before(t *testing.T, name string) *ap.Design {
	t.Helper()
	archive, err := zip.OpenReader("testdata/c361a44.zip")
	require.NoError(t, err)
	t.Cleanup(func() { _ = archive.Close() })
	folder, err := fs.Sub(archive, "accesspatterns/"+strings.ReplaceAll(name, "-", ""))
	require.NoError(t, err)
	d, err := contract.Load(folder)
	require.NoError(t, err)
	now := load(t, name)
	for i := range d.Entities {
		if e, known := now.Entity(d.Entities[i].ID); known {
			d.Entities[i].Owner = e.Owner
		}
	}
	for i := range d.Policies.Roles {
		if role, known := now.Role(d.Policies.Roles[i].ID); known {
			d.Policies.Roles[i].Reach = role.Reach
		}
	}
	d.Guardrails, d.Invariants = now.Guardrails, now.Invariants
	return d
}

// Each promise was broken by a documented write or read of these contracts, as audits told. That a guard held the ties of a put by the order of a
// transaction, tied no two puts and let the last member of a set go was its own defect, not theirs: testdata/refused.yaml has those requests.
func TestWaysAreFoundInTheContractsBefore(t *testing.T) {
	// What others wrote before.
	behind := map[string][]string{"fus-main/guardrail/match-constraint": {"put-singles-match"}}
	for id, patterns := range tabletest.Read[map[string][]string](t, "ways.yaml") {
		t.Run(id, func(t *testing.T) {
			design, claim, _ := strings.Cut(id, "/")
			law := one(t, before(t, design), claim, append(behind[id], patterns...)...)
			for _, pattern := range patterns {
				if shortest(law, pattern) == nil && !slices.Contains(byFlow(law), pattern) { // a single request of a flow is one
					t.Errorf("expected %s among those that break it, found %v, kept by %v, and kept by the flow alone %v", pattern, law.Breakers(), law.Keepers, byFlow(law))
				}
			}
		})
	}
}

// What the guard itself let through is refused today with the contracts of then, and what is right of the same kind is not.
func TestWaysOfTheGuardAreRefusedWithTheContractsBefore(t *testing.T) {
	text, err := os.ReadFile("testdata/refused.yaml")
	require.NoError(t, err)
	all := map[string][]requests.Asked{}
	if err := yaml.Unmarshal(text, &all); err != nil || len(all) == 0 {
		t.Fatal("no requests", err)
	}
	for design, asked := range all {
		for _, problem := range requests.NewJudge(before(t, design)).Problems(asked) {
			t.Error(problem)
		}
	}
}

var walks = flag.Int("walks", 60, "walks through each design; 500 take some minutes")

// A walk of random requests ends in the same items in memory and on an engine, and the same requests are refused: what the explorer says
// that DynamoDB does, it does.
func TestWalksEndAsOnTheEngine(t *testing.T) {
	engine := tables.Engine(t)
	client := target.NewClient(engine, "us-east-1")
	for _, d := range designs.All() {
		t.Run(d.Name, func(t *testing.T) {
			set, err := fixtures.Load(d.Name, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
			require.NoError(t, err)
			all, err := explore.Walks(d, set.Explored(), *walks, 8)
			require.NoError(t, err)
			w := &walker{client, tables.Create(t, engine, "us-east-1", "test", d), d}
			refused, changed := 0, 0
			for n, walk := range all {
				w.walk(t, n, walk)
				for _, is := range walk.Refused {
					if is {
						refused++
					} else {
						changed++
					}
				}
			}
			assert.NotZero(t, refused)
			assert.NotZero(t, changed, "expected requests that are refused and others")
		})
	}
}

type walker struct {
	client *dynamodb.Client
	names  map[string]string
	design *ap.Design
}

// walk sends the requests of one walk from its items on, and takes what is left away.
func (w *walker) walk(t *testing.T, n int, walk explore.Walk) {
	t.Helper()
	for id, items := range walk.Before {
		for _, item := range items {
			_, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(w.names[id]), Item: item})
			require.NoError(t, err)
		}
	}
	for i, input := range walk.Requests {
		writes, err := sdk.Writes(input)
		require.NoError(t, err)
		for j := range writes {
			writes[j].Table = w.names[writes[j].Table]
		}
		_, err = designtest.Send(t.Context(), w.client, explore.RequestOf(writes))
		var api smithy.APIError
		if err != nil && !errors.As(err, &api) {
			t.Fatal(err)
		}
		if (err != nil) != walk.Refused[i] {
			t.Errorf("walk %d, request %d: expected refused %t as in memory, found %v: %s", n, i+1, walk.Refused[i], err, explore.Show(input))
		}
	}
	for i := range w.design.Tables {
		table := &w.design.Tables[i]
		name := aws.String(w.names[table.ID])
		found, err := w.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, ConsistentRead: aws.Bool(true)})
		require.NoError(t, err)
		for _, item := range found.Items {
			if !slices.ContainsFunc(walk.After[table.ID], func(other ap.Item) bool { return dynamo.EqualItems(item, other) }) {
				t.Errorf("walk %d, table %s: the engine has an item that memory has not: %s", n, table.ID, dynamo.ShowItem(item))
			}
			_, err = w.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: name, Key: table.KeyOf(item)})
			require.NoError(t, err)
		}
		if len(found.Items) != len(walk.After[table.ID]) {
			t.Errorf("walk %d, table %s: expected %d items as in memory, found %d", n, table.ID, len(walk.After[table.ID]), len(found.Items))
		}
	}
}
