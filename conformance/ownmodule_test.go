//go:build unix

package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The module in testdata is not ours: it has its own go.mod, its own design and its own
// Pulumi program, and nothing of ours was changed for it. One build is its test and its
// command; Go builds it anew only where sources have changed.
func TestADesignOfAnotherModule(t *testing.T) {
	binary, err := filepath.Abs("../build/ownmodule")
	require.NoError(t, err)
	build := exec.Command("go", "test", "-c", "-ldflags", "-s -w", "-o", binary, ".")
	build.Dir = "testdata/ownmodule"
	text, err := build.CombinedOutput()
	require.NoError(t, err, "building the module: %v\n%s", err, text)
	runs := func(t *testing.T, code int, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), binary, args...)
		command.Dir = t.TempDir()
		command.Env = append(os.Environ(), "OWNMODULE_BINARY="+binary)
		if !strings.HasPrefix(args[0], "-test.") {
			command.Env = append(command.Env, "OWNMODULE=1")
		}
		text, err := command.CombinedOutput()
		if err != nil && command.ProcessState == nil {
			t.Fatal(err)
		}
		found := command.ProcessState.ExitCode()
		require.Equal(t, code, found, "%v: expected exit code %d, found %d\n%s", args, code, found, text)
		return string(text)
	}
	says := func(t *testing.T, text string, words ...string) {
		t.Helper()
		for _, word := range words {
			assert.Contains(t, text, word)
		}
	}
	t.Run("under go test", func(t *testing.T) {
		text := runs(t, 0, "-test.v", "-test.run", "TestOrders")
		says(t, text, "--- PASS: TestOrders/table/Orders/ttl", "--- PASS: TestOrders/document", "--- PASS: TestOrders/finding/unit-of-ttl")
		passed := strings.Count(text, "--- PASS: TestOrders/")
		assert.Equal(t, 14, passed, "expected 14 claims, found %d\n%s", passed, text)
	})
	t.Run("under go test, not as documented", func(t *testing.T) {
		t.Setenv("OWNMODULE_DEPLOY", `OWNMODULE=1 "$OWNMODULE_BINARY" deploy orders --endpoint "$AWS_ENDPOINT_URL" --env other`)
		says(t, runs(t, 1, "-test.v", "-test.run", "TestOrders"), "--- FAIL: TestOrders/table/Orders/exists", "--- PASS: TestOrders/document", "no such table")
		t.Setenv("OWNMODULE_DEPLOY", "echo locked; exit 4")
		says(t, runs(t, 1, "-test.v", "-test.run", "TestOrders"), "locked", "--deploy: expected the command to succeed, found exit status 4")
	})
	t.Run("verify", func(t *testing.T) {
		text := runs(t, 0, "verify")
		says(t, text, "orders", "PASS")
		assert.NotContains(t, text, "made from its contract")
	})
	t.Run("the program deploys for --deploy", func(t *testing.T) {
		says(t, runs(t, 0, "verify", "orders", "--deploy", `"$OWNMODULE_BINARY" deploy orders --endpoint "$AWS_ENDPOINT_URL" --env "$DYNAPROOF_ENVIRONMENT"`), "PASS")
	})
	t.Run("a wrong logical id in the program", func(t *testing.T) {
		t.Setenv("OWNMODULE_ID", "Order")
		text := runs(t, 3, "verify")
		const line = "the stack's output tables: expected Orders-dev under the logical id Orders of the contract (orders.md:3), found it under Order; export it as Orders in the program, or correct the contract"
		says(t, text, line)
		require.NotContains(t, text, "FAIL")
		assert.NotContains(t, text, "no such table", "expected one reason and no failure")
	})
	t.Run("claims", func(t *testing.T) { says(t, runs(t, 0, "claims"), "orders/table/Orders/key", "14 claims") })
	t.Run("check", func(t *testing.T) { says(t, runs(t, 0, "check"), "orders: 14 claims, level schema") })
	t.Run("mutants", func(t *testing.T) { says(t, runs(t, 0, "mutants", "--list"), "orders/behind/Orders/ttl-") })
	t.Run("another design", func(t *testing.T) {
		says(t, runs(t, 2, "verify", "fus-main"), `unknown design "fus-main"; expected one of orders`)
	})
}
