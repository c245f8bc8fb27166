package exploretest

import (
	"archive/zip"
	"io/fs"
	"os"
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
