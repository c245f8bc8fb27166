package designtest

import (
	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
)

// Notes is a table with one index.
func Notes() *accesspatterns.Table {
	return &accesspatterns.Table{
		ID: "notes", Name: "notes",
		PartitionKey: accesspatterns.Key{Attribute: "PK", Type: dynamo.String},
		SortKey:      &accesspatterns.Key{Attribute: "SK", Type: dynamo.String},
		Indexes: []accesspatterns.Index{{
			Name: "byStars", PartitionKey: accesspatterns.Key{Attribute: "stars", Type: dynamo.Number},
			SortKey: &accesspatterns.Key{Attribute: "siteId", Type: dynamo.String}, Projection: dynamo.ProjectAll,
		}},
	}
}

// Whole is a contract in which everything fits.
func Whole() *accesspatterns.Design {
	cite := Line(1, "x")
	table := *Notes()
	table.Cite, table.KeyCite, table.BillingCite, table.IndexesCite = cite, cite, cite, cite
	table.Indexes[0].Cite = cite
	return &accesspatterns.Design{
		Name: "whole", Document: accesspatterns.Document{File: "d.md"}, AccessPatterns: cite,
		Tables: []accesspatterns.Table{table},
		Entities: []accesspatterns.Entity{{
			ID: "note", Title: "Note", Table: "notes", Cite: cite,
			Keys:       []accesspatterns.KeyAttribute{{Attribute: "PK", Template: "USER#{userId}", Cite: cite}, {Attribute: "SK", Template: "NOTE#{id}", Cite: cite}},
			Attributes: []accesspatterns.Attribute{{Name: "id", Type: dynamo.String, Cite: cite}},
			Rules:      []accesspatterns.Rule{{ID: "id", Statement: "id", Attribute: "id", Template: "{id}", Cite: cite}},
		}},
		Patterns: []accesspatterns.Pattern{{
			ID: "list", Title: "List", Cite: cite, Roles: []string{"user"}, Returns: []string{"note"},
			Steps: []accesspatterns.Step{{Name: "read", Cite: cite, Read: &accesspatterns.Read{
				Operation: dynamo.Query, Table: "notes", Partition: Equals("PK", "USER#{userId}"),
			}}},
		}, {
			ID: "scan", Title: "Scan", Cite: cite, Roles: []string{"admin"}, Waiver: "w",
			Steps: []accesspatterns.Step{{Name: "read", Cite: cite, Read: &accesspatterns.Read{Operation: dynamo.Scan, Table: "notes"}}},
		}},
		Guardrails: []accesspatterns.Guardrail{{ID: "g", Rule: "g", Cite: cite, Proof: accesspatterns.ByClaims, Claims: []string{"pattern/list"}, Layer: accesspatterns.LayerEngine}},
		Policies: accesspatterns.Policies{Cite: cite, Roles: []accesspatterns.Role{
			{ID: "user", Cite: cite, Confined: &accesspatterns.Confinement{Tag: "userId", Partitions: []accesspatterns.KeyTemplate{"USER#{userId}"}, Cite: cite}},
			{ID: "admin", Cite: cite, Unconfined: "acts for every user"},
		}},
		Findings: []accesspatterns.Finding{{
			ID: "f", Title: "f", Cite: cite, Kind: accesspatterns.Gap, Severity: accesspatterns.Low, Literal: "l", Resolved: "r", Static: "s", Lacks: []string{"note.updatedAt"},
		}},
		Waivers: []accesspatterns.Waiver{{ID: "w", Reason: "r", Cite: cite, Owner: "o", Since: "2026-01-31", Until: "2026-02-28"}},
	}
}
