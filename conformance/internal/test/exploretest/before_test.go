package exploretest

import (
	"archive/zip"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/contract"
	"dynaproof/accesspatterns/requests"
)

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
	for _, row := range []struct {
		claim    string
		patterns []string
	}{
		{"roll-model/confinement/coach", []string{"coach-lists-comments", "delete-comment", "post-comment"}},
		{"roll-model/confinement/athlete", []string{"delete-entry", "delete-ai-thread", "store-ai-message", "store-ai-thread"}},
		{"commit-collect/confinement/user", []string{"delete-account"}},
		{"osem-ladders/invariant/exactly-one-active-config", []string{"activate-first-config"}},
		{"osem-ladders/invariant/submitted-once", []string{"edit-assessment"}},
		{"fus-main/guardrail/match-constraint", []string{"replace-player-a1"}},
		{"fus-main/guardrail/match-with-its-participations", []string{"move-singles-match"}},
		{"fus-main/invariant/no-match-after-leaving", []string{"put-singles-match"}},
		{"personal-os/invariant/never-mutual", []string{"put-task-dependency", "put-task-with-links"}},
		{"personal-os/invariant/completed-once", []string{"change-task"}},
		{"personal-os/invariant/awarded-once", []string{"earn-points"}},
		{"personal-os/invariant/link-and-list-agree", []string{"change-task", "put-goal-task-link"}},
		{"personal-os/invariant/no-log-lost", []string{"put-metric-log"}},
		{"personal-os/invariant/no-orphans-of-task", []string{"remove-task", "delete-task"}},
		{"personal-os/invariant/task-created-whole", []string{"put-goal-task-link"}},
		{"personal-os/invariant/index-keys-agree", []string{"change-task"}},
		{"personal-os/invariant/streak-and-log-agree", []string{"put-habit-log"}},
		{"personal-os/invariant/limits-hold", []string{"spend-points"}},
		{"personal-os/invariant/balance-never-negative", []string{"earn-points"}},
		{"personal-os/invariant/no-transaction-lost", []string{"award-task-points", "redeem-reward", "redeem-limited-reward"}},
	} {
		t.Run(row.claim, func(t *testing.T) {
			design, claim, _ := strings.Cut(row.claim, "/")
			law := one(t, before(t, design), claim, append(behind[row.claim], row.patterns...)...)
			for _, pattern := range row.patterns {
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
