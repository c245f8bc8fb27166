package main

import (
	"strings"
	"testing"

	"dynaproof/stacks/catalog"
	"dynaproof/stacks/dryrun"
)

// TestProgramPicksTheDesign sees that each stack name gives the tables of its own design alone.
func TestProgramPicksTheDesign(t *testing.T) {
	cases := map[string]struct{ table, name string }{
		"roll-model.dev":     {"RollModel", "RollModel"},
		"commit-collect.dev": {"CommitCollectAudit", "CommitCollectAudit"},
		"fus-main.dev":       {"fus-main", "fus-main"},
		"osem-ladders.dev":   {"Users", "osem-dev-Users"},
		"personal-os.prod":   {"personal-os", "personal-os-prod"},
	}
	if len(cases) != len(catalog.Designs()) {
		t.Errorf("expected a case for each of %v, found %d", catalog.Designs(), len(cases))
	}
	for stack, want := range cases {
		result, err := dryrun.Run(program, stack, nil)
		if err != nil {
			t.Errorf("%s: %v", stack, err)
			continue
		}
		if got := result.Tables[want.table]["name"]; got != want.name {
			t.Errorf("%s: expected table %s to be called %s, found %v", stack, want.table, want.name, got)
		}
	}
}

func TestProgramRefusesBadStackNames(t *testing.T) {
	cases := map[string]string{
		"dev":                `expected <design>.<environment>, found "dev"`,
		"osem-ladder.dev":    `found "osem-ladder"`,
		"osem-ladders.{env}": `found "{env}"`,
	}
	for stack, want := range cases {
		result, err := dryrun.Run(program, stack, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected an error with %q, found %v", stack, want, err)
		}
		if len(result.Tables)+len(result.Providers) != 0 {
			t.Errorf("%s: expected nothing registered, found %v and %v", stack, result.Tables, result.Providers)
		}
	}
}
