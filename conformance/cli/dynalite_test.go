package cli_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/target"
)

// What the second engine cannot answer is unsupported, with the reason: no pass, and no
// failure of the design. A design that is wrong fails on it as well.
func TestVerifyOnDynalite(t *testing.T) {
	t.Parallel()
	engine, err := target.Dynalite(t.Context(), target.EmbeddedOptions{})
	var config *target.ConfigError
	if errors.As(err, &config) {
		t.Skip(err) // there is no Node.js
	}
	require.NoError(t, err)
	require.NoError(t, engine.Close(t.Context()))
	first := func(c *child) string { line, _, _ := strings.Cut(c.stdout.String(), "\n"); return line }

	c := run(t, "", 0, "verify", "--design", mustAbs(t, example), "--engine", "dynalite")
	says(t, "the first line", first(c), "engine: dynalite "+target.DynaliteVersion+", no transactions")
	says(t, "the summary", c.stdout.String(), "PASS", "unsupported on dynalite "+target.DynaliteVersion+": 0 of 27 claims\n")
	wrong := changed(t, [3]string{"cases.json", `"expect": ["of-another", "printer"]`, `"expect": ["printer", "of-another"]`})
	c = run(t, "", 1, "verify", "--design", wrong, "--engine", "dynalite", "--label-filter", "kind:pattern")
	says(t, "the summary of a wrong order", c.stdout.String(), "FAIL  tickets/pattern/list-open")

	c = run(t, "", 0, "verify", "commit-collect", "--engine", "dynalite", "--label-filter", "kind:schema || kind:pattern")
	decided := verdictsOf(t, c)
	says(t, "the summary", c.stdout.String(), "PASS", "known deviations of the engine: 4, operation TransactWriteItems: 15)")
	for id, reason := range map[string]string{
		"table/CommitCollect/region": "dynalite-knows-one-region", "pattern/mint-award": "the engine does not know the operation TransactWriteItems",
	} {
		claim := decided["commit-collect/"+id]
		if claim.Verdict != evidence.Unsupported || len(claim.Problems) == 0 || !strings.Contains(claim.Problems[0].Found, reason) {
			t.Errorf("%s: expected unsupported, because %s, found %s: %v", id, reason, claim.Verdict, claim.Problems)
		}
	}
	run(t, c.Dir, 0, "report", "--verify", "build/report")

	c = run(t, "", 2, "verify", "--engine", "dynalite", "--endpoint", "http://127.0.0.1:1")
	says(t, "an engine beside an endpoint", c.stderr.String(), "--engine: expected it without --endpoint and --target")
}
