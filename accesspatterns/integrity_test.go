package accesspatterns_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/integrity"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
)

// What a claim rests on is decided before it, and the ledgers look back on
// everything that sends requests.
func TestInOrder(t *testing.T) {
	design := designtest.Whole()
	design.Findings[0].Claims = []string{"guardrail/g"}
	design.Guardrails = append(design.Guardrails, accesspatterns.Guardrail{ID: "last", Claims: []string{"ledger/no-scan"}})
	at := map[string]int{}
	for i, claim := range manifest.InOrder(design) {
		at[claim.ID] = i
	}
	order := []string{"whole/pattern/list", "whole/guardrail/g", "whole/finding/f", "whole/ledger/no-scan", "whole/guardrail/last"}
	assert.True(t, slices.IsSortedFunc(order, func(a, b string) int { return at[a] - at[b] }), "expected %v, found %v", order, at)
	assert.Len(t, at, len(manifest.Claims(design)), "expected all %d claims", len(manifest.Claims(design)))
}

func TestLevels(t *testing.T) {
	for level, want := range tabletest.Read[map[accesspatterns.Level]string](t, "levels.yaml") {
		t.Run(string(level), func(t *testing.T) {
			design := &accesspatterns.Design{
				Name: "notes", Level: level, AccessPatterns: designtest.Line(1, "x"),
				Tables:   []accesspatterns.Table{{ID: "notes", Cite: designtest.Line(1, "x"), PartitionKey: accesspatterns.Key{Attribute: "pk", Type: dynamo.String}, KeyCite: designtest.Line(1, "x")}},
				Entities: []accesspatterns.Entity{{ID: "note", Table: "notes"}},
				Patterns: []accesspatterns.Pattern{
					{ID: "list-notes"},
					{ID: "write-note", Steps: []accesspatterns.Step{{Write: []accesspatterns.Action{{}}}}},
				},
				Invariants: []accesspatterns.Invariant{{ID: "once", Flow: "write-note"}},
			}
			err := integrity.Check(design)
			found := ""
			if err != nil {
				found = err.Error()
			}
			assert.Contains(t, found, want)
			assert.Equal(t, want != "", strings.Contains(found, "level"), found)
		})
	}
}

// A contract of tables alone claims nothing about requests, roles and policies.
func TestClaimsOfTablesAlone(t *testing.T) {
	cite := designtest.Line(1, "x")
	design := &accesspatterns.Design{Name: "notes", Level: accesspatterns.LevelSchema, Tables: []accesspatterns.Table{{
		ID: "notes", Name: "notes", Cite: cite, PartitionKey: accesspatterns.Key{Attribute: "pk", Type: dynamo.String}, KeyCite: cite, IndexesCite: cite, Billing: dynamo.OnDemand, BillingCite: cite,
	}}}
	assert.NoError(t, integrity.Check(design), "expected a contract of tables to be one")
	for _, claim := range manifest.Claims(design) {
		assert.True(t, (claim.Kind == manifest.KindSchema || claim.Kind == manifest.KindDocument) && claim.Citation.First == 1,
			"expected claims about the document and its tables, with their lines, found %s (%s)", claim.ID, claim.Cite)
	}
	assert.Error(t, integrity.Check(&accesspatterns.Design{}), "expected a contract without a table to be refused")
}
