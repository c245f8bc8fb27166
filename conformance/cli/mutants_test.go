package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
)

func TestOneMutant(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "mutants", "--only", "roll-model/pulumi/RollModel/pitr-off", "roll-model")
	says(t, "summary", c.stdout.String(), "KILLED  roll-model/pulumi/RollModel/pitr-off", "roll-model/table/RollModel/pitr", "expected ENABLED, found DISABLED", "PASS", "mutants.html")
	lacks(t, "summary", c.stdout.String(), "\x1b", "\r")
	var seen evidence.Mutants
	if err := json.Unmarshal([]byte(content(t, c.Dir, "build/report/mutants.json")), &seen); err != nil || seen.Version != evidence.MutantsVersion || len(seen.Mutants) != 1 {
		t.Errorf("expected one mutant in mutants.json, found %+v, %v", seen, err)
	}
	assert.FileExists(t, filepath.Join(c.Dir, "build/report/mutants.html"))
}

// What no shipped design promises is broken on a design that does: each mutant is killed
// by the claim of its promise.
func TestMutantsOfDepots(t *testing.T) {
	c := run(t, "", 0, "mutants", "--design", depots, "--json",
		"--filter", "/behind/Parcels/(by-|stream|protection|class|units)|/behind/Zones/stream|/together-|/written-by-")
	var seen evidence.Mutants
	require.NoError(t, json.Unmarshal(c.stdout.Bytes(), &seen))
	killed := map[string]int{}
	for _, m := range seen.Mutants {
		if m.Fate == evidence.Killed {
			killed[m.Operator]++
		}
	}
	for operator, times := range map[string]int{ // by hand, from the contract
		"local index made global": 2, "included attribute left out": 4, "included attribute added": 2, "projection ALL": 3, "projection KEYS_ONLY": 3, "projection INCLUDE": 2,
		"key attribute dropped": 3, "sort key attributes exchanged": 1, "stream off": 2, "stream of another view type": 3, "deletion protection off": 1, "table class switched": 1,
		"other provisioned units": 2, "read together otherwise": 4, "read-only table written": 2,
	} {
		assert.Equal(t, times, killed[operator], operator)
	}
}

func TestMutantsAsJSON(t *testing.T) {
	c := run(t, "", 0, "mutants", "--design", example, "--filter", "/pattern/list-", "--sample", "2", "--seed", "3", "--json")
	var seen evidence.Mutants
	if err := json.Unmarshal(c.stdout.Bytes(), &seen); err != nil || len(seen.Mutants) != 2 || seen.Seed != 3 || seen.Sample != 2 {
		t.Errorf("expected two mutants and their seed, found %+v, %v", seen, err)
	}
}

func TestMutantsListed(t *testing.T) {
	c := run(t, "", 0, "mutants", "roll-model", "--list", "--filter", "/pulumi/")
	assert.Equal(t, 13, strings.Count(c.stdout.String(), "\n"), c.stdout.String())
}

// The mutants of a contract are listed, tried and judged without an engine. A survivor ends the command with exit code 1.
func TestMutantsOfAContract(t *testing.T) {
	const id = "roll-model/entities/gap-priority-override/attributes/status/allowed:+another"
	run(t, "", 0, "mutants", "--contract", "roll-model", "--list", "--filter", "status/allowed").prints(t, id+"\tAllowed: one more")
	run(t, "", 0, "mutants", "--contract", "roll-model", "--only", id).prints(t, "KILLED  "+id, "requests", "PASS")
	run(t, "", 1, "mutants", "--contract", "--design", depots, "--filter", "basis-chosen").prints(t, "SURVIVED  depots/", "FAIL")
}
