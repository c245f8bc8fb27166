package cli_test

import (
	"encoding/json"
	"os"
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
	text, err := os.ReadFile(filepath.Join(c.Dir, "build", "report", "mutants.json"))
	require.NoError(t, err)
	if err := json.Unmarshal(text, &seen); err != nil || seen.Version != evidence.MutantsVersion || len(seen.Mutants) != 1 {
		t.Errorf("expected one mutant in mutants.json, found %+v, %v", seen, err)
	}
	_, err = os.Stat(filepath.Join(c.Dir, "build", "report", "mutants.html"))
	assert.NoError(t, err)
}

// What no shipped design promises is broken on a design that does: each mutant is killed
// by the claim of its promise.
func TestMutantsOfDepots(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "mutants", "--design", mustAbs(t, "testdata/depots"), "--json",
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
		if killed[operator] != times {
			t.Errorf("%s: expected %d killed, found %d", operator, times, killed[operator])
		}
	}
}

func TestMutantsAsJSON(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "mutants", "roll-model", "--filter", "/pattern/list-ai-threads/", "--sample", "2", "--seed", "3", "--json")
	var seen evidence.Mutants
	if err := json.Unmarshal(c.stdout.Bytes(), &seen); err != nil || len(seen.Mutants) != 2 || seen.Seed != 3 || seen.Sample != 2 {
		t.Errorf("expected two mutants and their seed, found %+v, %v", seen, err)
	}
}

func TestMutantsListed(t *testing.T) {
	t.Parallel()
	c := run(t, "", 0, "mutants", "roll-model", "--list", "--filter", "/pulumi/")
	if lines := strings.Count(c.stdout.String(), "\n"); lines != 13 {
		t.Errorf("expected 13 lines, found\n%s", c.stdout.String())
	}
}

func TestMutantsWrongUsage(t *testing.T) {
	t.Parallel()
	for text, args := range map[string][]string{
		"no mutant of":       {"--only", "roll-model/nothing"},
		"regular expression": {"--filter", "("},
		"unknown design":     {"no-design"},
		"named twice":        {"roll-model", "roll-model"},
		"--sample":           {"--sample", "-1"},
	} {
		c := run(t, "", 2, append([]string{"mutants"}, args...)...)
		says(t, strings.Join(args, " "), c.stderr.String(), text)
	}
}

// The mutants of a contract are listed, tried and judged without an engine. A survivor ends the command with exit code 1.
func TestMutantsOfAContract(t *testing.T) {
	t.Parallel()
	const id = "roll-model/entities/gap-priority-override/attributes/status/allowed:+another"
	c := run(t, "", 0, "mutants", "--contract", "roll-model", "--list", "--filter", "status/allowed")
	says(t, "list", c.stdout.String(), id+"\tAllowed: one more")
	c = run(t, "", 0, "mutants", "--contract", "roll-model", "--only", id)
	says(t, "summary", c.stdout.String(), "KILLED  "+id, "requests", "PASS")
	c = run(t, "", 1, "mutants", "--contract", "--design", mustAbs(t, "testdata/depots"), "--filter", "basis-chosen")
	says(t, "summary", c.stdout.String(), "SURVIVED  depots/", "FAIL")
	c = run(t, "", 2, "mutants", "--contract", "roll-model", "--only", "roll-model/gone")
	says(t, "error", c.stderr.String(), "no mutant of")
	c = run(t, "", 2, "mutants", "--contract", "--sample", "3")
	says(t, "error", c.stderr.String(), "choose by --filter")
}
