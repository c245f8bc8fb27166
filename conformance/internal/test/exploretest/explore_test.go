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
	return tabletest.Must(written(load(t, name), claim))(t)
}

// one explores one claim of a design, with the requests of all patterns or, where some are named, with those of these alone.
func one(t *testing.T, d *ap.Design, claim string, only ...string) *explore.Law {
	t.Helper()
	items := tabletest.Must(explored(d.Name))(t)
	budget := explore.Usual
	budget.Only = only
	return tabletest.Must(explore.One(d, explore.BasesOf(d, items), budget, claim))(t)
}

// load is a copy of a design of its own.
func load(t *testing.T, name string) *ap.Design {
	t.Helper()
	return tabletest.Must(designs.Chosen([]string{name}))(t)[0]
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

// An exploration is the same in every run.
func TestExplorationIsTheSameEveryTime(t *testing.T) {
	for _, claim := range []string{"invariant/link-made-once", "confinement/coach", "validity"} {
		first, second := asWritten(t, "roll-model", claim), one(t, load(t, "roll-model"), claim)
		if a, b := first.Evidence(), second.Evidence(); !slices.Equal(a, b) {
			t.Errorf("%s: expected the same twice, found\n%s\n%s", claim, a, b)
		}
	}
}

// Each promise has been broken by a documented write or read: that is found where the mended element is taken out of the pattern again. So it is
// where an action is taken out on which a law rests, or where a step names another of the same kind than its check does, or asks for something else
// than it relies on. What the contract says still is TestConformance's.
func TestWhatBreaksAPromiseIsFound(t *testing.T) {
	for _, row := range tabletest.Read[[]struct {
		Design, Claim, Pattern, From, To string
		Requests                         int // those of the shortest list; 0 where only a flow breaks it
	}](t, "exchanged.yaml") {
		t.Run(row.Design+"/"+row.Claim+"/"+row.Pattern, func(t *testing.T) {
			f := &followed{Design: row.Design}
			f.Change = append(f.Change, struct{ In, From, To string }{row.Pattern, row.From, row.To})
			d := f.changed(t)
			law := one(t, d, row.Claim, row.Pattern)
			found := 0
			if list := shortest(law, row.Pattern); list != nil {
				found = len(list.Requests)
			}
			assert.Equal(t, row.Requests, found, "requests by which %s breaks %s", row.Pattern, row.Claim)
			said := func(problem string) bool { return strings.Contains(problem, row.Pattern) }
			assert.True(t, slices.ContainsFunc(law.Unlike(d), said), "expected that %s does not keep %s, found %q", row.Pattern, row.Claim, law.Unlike(d))
		})
	}
}

// before is a contract as it was at commit c361a44, before anything was explored: `git archive c361a44` of its YAML. Whose its items are, whom its
// roles reach and the formulas of its promises are those of the contract of today, because it had none.
func before(t *testing.T, name string) *ap.Design {
	t.Helper()
	archive := tabletest.Must(zip.OpenReader("testdata/c361a44.zip"))(t)
	t.Cleanup(func() { _ = archive.Close() })
	folder := tabletest.Must(fs.Sub(archive, "accesspatterns/"+strings.ReplaceAll(name, "-", "")))(t)
	d := tabletest.Must(contract.Load(folder))(t)
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
	for design, asked := range tabletest.Read[map[string][]requests.Asked](t, "refused.yaml") {
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
			set := tabletest.Must(fixtures.Load(d.Name, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)))(t)
			all := tabletest.Must(explore.Walks(d, set.Explored(), *walks, 8))(t)
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
			tabletest.Must(w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(w.names[id]), Item: item}))(t)
		}
	}
	for i, input := range walk.Requests {
		writes := tabletest.Must(sdk.Writes(input))(t)
		for j := range writes {
			writes[j].Table = w.names[writes[j].Table]
		}
		_, err := designtest.Send(t.Context(), w.client, explore.RequestOf(writes))
		var api smithy.APIError
		require.True(t, err == nil || errors.As(err, &api), "%v", err)
		assert.Equal(t, walk.Refused[i], err != nil, "walk %d, request %d: expected refused %t as in memory, found %v: %s", n, i+1, walk.Refused[i], err, explore.Show(input))
	}
	for i := range w.design.Tables {
		table := &w.design.Tables[i]
		name := aws.String(w.names[table.ID])
		found := tabletest.Must(w.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, ConsistentRead: aws.Bool(true)}))(t)
		for _, item := range found.Items {
			assert.True(t, slices.ContainsFunc(walk.After[table.ID], func(other ap.Item) bool { return dynamo.EqualItems(item, other) }),
				"walk %d, table %s: the engine has an item that memory has not: %s", n, table.ID, dynamo.ShowItem(item))
			tabletest.Must(w.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: name, Key: table.KeyOf(item)}))(t)
		}
		assert.Len(t, found.Items, len(walk.After[table.ID]), "walk %d, table %s", n, table.ID)
	}
}
