package commitcollect

import ap "dynaproof/accesspatterns"

// Logical ids of the tables. The documented names have no environment in them.
const (
	primary     = "CommitCollect"
	sessions    = "CommitCollectSessions"
	audit       = "CommitCollectAudit"
	idempotency = "CommitCollectIdempotency"
)

func tables() []ap.Table {
	return []ap.Table{primaryTable(), sessionsTable(), auditTable(), idempotencyTable()}
}

func text(attribute string) ap.Key { return ap.Key{Attribute: attribute, Type: ap.String} }

func sortText(attribute string) *ap.Key {
	return &ap.Key{Attribute: attribute, Type: ap.String}
}

// The document states the region for the primary table only; it holds for all
// four, as does on-demand billing, which the guardrails repeat without naming a
// table (finding configuration-of-primary-only).
func region() *ap.RegionPromise {
	return &ap.RegionPromise{Region: "ap-southeast-2", Cite: ap.Line(27, "Region", "ap-southeast-2")}
}

func primaryTable() ap.Table {
	return ap.Table{
		ID:   primary,
		Name: "CommitCollect",
		Cite: ap.Line(22, "Primary Table", "CommitCollect").And(
			ap.Lines(14, 16, "single-table design", "dedicated tables", "idempotency"), ap.Line(32, "Single-table design", "all core domain entities")),
		PartitionKey: text("PK"),
		SortKey:      sortText("SK"),
		KeyCite:      ap.Lines(28, 30, "PK (Partition Key)", "SK (Sort Key)"),
		Indexes: []ap.Index{{
			// Key attribute, absence of a sort key and projection are rulings
			// (finding gsi1-key-unnamed).
			Name:         "GSI1",
			PartitionKey: text("GSI1PK"),
			Projection:   ap.ProjectAll,
			Cite:         ap.Lines(80, 84, "GSI1", "STRAVA#ATHLETE#{athleteId}").And(ap.Line(125, "GSI1PK")),
		}},
		IndexesCite: ap.Lines(78, 80, "Secondary Indexes", "GSI1"),
		Billing:     ap.OnDemand,
		BillingCite: ap.Line(26, "Billing Mode", "On-Demand"),
		Region:      region(),
	}
}

func sessionsTable() ap.Table {
	return ap.Table{
		ID:           sessions,
		Name:         "CommitCollectSessions",
		Cite:         ap.Line(90, "Sessions Table", "CommitCollectSessions"),
		PartitionKey: text("PK"),
		SortKey:      sortText("SK"),
		KeyCite:      ap.Lines(94, 95, "PK = SESSION#{sessionId}", "SK = META"),
		// The whole configuration is two keys: there is no index.
		IndexesCite: ap.Lines(92, 95, "Configuration", "PK", "SK"),
		Billing:     ap.OnDemand,
		BillingCite: ap.Line(195, "On-demand billing"),
		TTL:         &ap.TTL{Attribute: "expiresAtUtc", Cite: ap.Line(101, "expiresAtUtc", "TTL attribute")},
		Region:      region(),
	}
}

func auditTable() ap.Table {
	return ap.Table{
		ID:           audit,
		Name:         "CommitCollectAudit",
		Cite:         ap.Line(116, "Audit Table", "CommitCollectAudit"),
		PartitionKey: text("PK"),
		SortKey:      sortText("SK"),
		KeyCite:      ap.Lines(120, 121, "PK = USER#{userId}", "SK = AUDIT#{unixEpoch}#{requestId}"),
		// Projections are a ruling (finding index-projections-missing).
		Indexes: []ap.Index{
			{
				Name:         "GSI1",
				PartitionKey: text("GSI1PK"),
				SortKey:      sortText("GSI1SK"),
				Projection:   ap.ProjectAll,
				Cite:         ap.Lines(123, 126, "GSI1", "Correlation Index", "GSI1PK", "GSI1SK"),
			},
			{
				Name:         "GSI2",
				PartitionKey: text("GSI2PK"),
				SortKey:      sortText("GSI2SK"),
				Projection:   ap.ProjectAll,
				Cite:         ap.Lines(128, 131, "GSI2", "Event Index", "GSI2PK", "GSI2SK"),
			},
		},
		IndexesCite: ap.Lines(123, 128, "GSI1", "GSI2"),
		Billing:     ap.OnDemand,
		BillingCite: ap.Line(195, "On-demand billing"),
		// The attribute's name is a ruling (finding audit-ttl-unnamed).
		TTL:    &ap.TTL{Attribute: "expiresAt", Cite: ap.Line(133, "TTL", "90 days")},
		Region: region(),
	}
}

func idempotencyTable() ap.Table {
	return ap.Table{
		ID:           idempotency,
		Name:         "CommitCollectIdempotency",
		Cite:         ap.Line(145, "Idempotency Table", "CommitCollectIdempotency"),
		PartitionKey: text("IdempotencyKey"),
		KeyCite:      ap.Line(149, "IdempotencyKey (PK)"),
		IndexesCite:  ap.Lines(147, 149, "Key Structure", "IdempotencyKey"),
		Billing:      ap.OnDemand,
		BillingCite:  ap.Line(195, "On-demand billing"),
		Region:       region(),
	}
}
