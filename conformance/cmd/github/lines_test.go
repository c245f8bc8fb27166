package main

import (
	"strings"
	"testing"

	"dynaproof/conformance/internal/test/workflows"
)

// What the workflow runs fits the command as it is now, and a flag that is renamed on one side does not.
func TestWorkflowFitsTheCommand(t *testing.T) {
	lines, err := workflows.Lines("../../..")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	for _, line := range lines {
		arguments, ok := line.After("go", "run", "./conformance/cmd/github")
		if !ok || line.Mention {
			continue
		}
		calls[arguments[0]]++
		if err := workflows.Check(command(), arguments, false); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for i, argument := range arguments {
			if !strings.HasPrefix(argument, "--") {
				continue
			}
			renamed := append([]string(nil), arguments...)
			renamed[i] += "-renamed"
			if err := workflows.Check(command(), renamed, false); err == nil || !strings.Contains(err.Error(), "unknown flag: "+renamed[i]) {
				t.Errorf("%s: expected that %s is unknown, found %v", line, renamed[i], err)
			}
		}
	}
	equal(t, "calls", map[string]int{"drift": 1, "comment": 1}, calls)
}
