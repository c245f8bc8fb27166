package commitcollect

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
)

// The document gives most entities keys and nothing else. Attributes that the
// document does not name are marked as additions; they are as few as its flows
// need (finding attributes-missing).
func entities() []ap.Entity {
	return []ap.Entity{
		profile(), stravaConnection(), workout(), milestone(), award(), sessionReference(),
		modelMeta(), modelPart(), athleteOwner(),
		session(),
		auditRecord(),
		idempotencyRecord(),
	}
}

// Entities of a user's partition of the primary table.

func userPartition() ap.KeyAttribute {
	return ap.KeyAttribute{Attribute: "PK", Template: "USER#{userId}", Cite: ap.Line(42, "PK = USER#{userId}")}
}

func profile() ap.Entity {
	return ap.Entity{
		ID: "profile", Title: "Profile", Table: primary,
		Cite: ap.Line(46, "SK = PROFILE"),
		Keys: []ap.KeyAttribute{
			userPartition(),
			{Attribute: "SK", Template: "PROFILE", Cite: ap.Line(46, "SK = PROFILE")},
		},
	}
}

func stravaConnection() ap.Entity {
	return ap.Entity{
		ID: "strava-connection", Title: "Strava connection", Table: primary,
		Cite: ap.Line(47, "SK = STRAVA#CONNECTION"),
		Keys: []ap.KeyAttribute{
			userPartition(),
			{Attribute: "SK", Template: "STRAVA#CONNECTION", Cite: ap.Line(47, "SK = STRAVA#CONNECTION")},
			// The only entity that carries the index key: one athlete, one item.
			{Attribute: "GSI1PK", Template: "STRAVA#ATHLETE#{athleteId}", Cite: ap.Line(84, "STRAVA#ATHLETE#{athleteId}")},
		},
	}
}

func workout() ap.Entity {
	return ap.Entity{
		ID: "workout", Title: "Workout", Table: primary,
		Cite: ap.Line(48, "SK = WORKOUT#STRAVA#{activityId}"),
		Keys: []ap.KeyAttribute{
			userPartition(),
			{Attribute: "SK", Template: "WORKOUT#STRAVA#{activityId}", Cite: ap.Line(48, "WORKOUT#STRAVA#{activityId}")},
		},
	}
}

func milestone() ap.Entity {
	return ap.Entity{
		ID: "milestone", Title: "Milestone", Table: primary,
		Cite: ap.Line(49, "SK = MILESTONE#{milestoneId}"),
		Keys: []ap.KeyAttribute{
			userPartition(),
			{Attribute: "SK", Template: "MILESTONE#{milestoneId}", Cite: ap.Line(49, "MILESTONE#{milestoneId}")},
		},
		Attributes: []ap.Attribute{
			{Name: "version", Type: ap.Number, Cite: ap.Line(183, "version attribute (milestones)")},
		},
		Rules: []ap.Rule{{
			// The id ends the milestone's own key, but not the key of its awards.
			ID:        "id-without-separator",
			Statement: "the id of a milestone has no '#', so that no milestone takes the key of an award",
			Attribute: "SK",
			Check:     milestoneIDWithoutSeparator,
			Cite:      ap.Lines(49, 50, "MILESTONE#{milestoneId}", "#AWARD#{partIndex}"),
		}},
	}
}

func milestoneIDWithoutSeparator(item ap.Item) error {
	id, found := strings.CutPrefix(keyText(item, "SK"), "MILESTONE#")
	if found && strings.Contains(id, "#") {
		return fmt.Errorf("expected a milestone id without '#', because awards continue the key after it, found %q", id)
	}
	return nil
}

func award() ap.Entity {
	return ap.Entity{
		ID: "award", Title: "Award", Table: primary,
		Cite: ap.Line(50, "SK = MILESTONE#{milestoneId}#AWARD#{partIndex}"),
		Keys: []ap.KeyAttribute{
			userPartition(),
			{Attribute: "SK", Template: "MILESTONE#{milestoneId}#AWARD#{partIndex}", Cite: ap.Line(50, "MILESTONE#{milestoneId}#AWARD#{partIndex}")},
		},
		// Addition: the copy that the document speaks of needs a place.
		Attributes: []ap.Attribute{
			{Name: "metadata", Type: ap.Map, Cite: ap.Line(74, "Award metadata copying")},
		},
	}
}

func sessionReference() ap.Entity {
	return ap.Entity{
		ID: "session-reference", Title: "Session reference", Table: primary,
		Cite: ap.Line(112, "Account deletion").And(ap.Line(94, "SESSION#{sessionId}")).Implied("account deletion removes a user's sessions, and no documented key leads from a user to them"),
		Keys: []ap.KeyAttribute{
			userPartition(),
			{Attribute: "SK", Template: "SESSION#{sessionId}", Cite: ap.Line(94, "SESSION#{sessionId}")},
		},
	}
}

// Entities of the primary table that belong to no user.

func modelPartition() ap.KeyAttribute {
	return ap.KeyAttribute{Attribute: "PK", Template: "MODEL#{modelId}", Cite: ap.Line(64, "PK = MODEL#{modelId}")}
}

func modelMeta() ap.Entity {
	return ap.Entity{
		ID: "model-meta", Title: "Model", Table: primary,
		Cite: ap.Lines(64, 65, "PK = MODEL#{modelId}", "SK = META"),
		Keys: []ap.KeyAttribute{
			modelPartition(),
			{Attribute: "SK", Template: "META", Cite: ap.Line(65, "SK = META")},
		},
	}
}

func modelPart() ap.Entity {
	return ap.Entity{
		ID: "model-part", Title: "Model part", Table: primary,
		Cite: ap.Lines(64, 66, "PK = MODEL#{modelId}", "SK = PART#{index}"),
		Keys: []ap.KeyAttribute{
			modelPartition(),
			{Attribute: "SK", Template: "PART#{index}", Cite: ap.Line(66, "PART#{index}")},
		},
		// Addition: what an award copies.
		Attributes: []ap.Attribute{
			{Name: "metadata", Type: ap.Map, Cite: ap.Line(74, "Award metadata copying")},
		},
	}
}

func athleteOwner() ap.Entity {
	return ap.Entity{
		ID: "athlete-owner", Title: "Owner of a Strava athlete", Table: primary,
		Cite: ap.Lines(67, 68, "PK = STRAVA#ATHLETE#{athleteId}", "SK = OWNER"),
		Keys: []ap.KeyAttribute{
			{Attribute: "PK", Template: "STRAVA#ATHLETE#{athleteId}", Cite: ap.Line(67, "PK = STRAVA#ATHLETE#{athleteId}")},
			{Attribute: "SK", Template: "OWNER", Cite: ap.Line(68, "SK = OWNER")},
		},
		// Addition: the item resolves an athlete to a user, and its keys name
		// the athlete alone.
		Attributes: []ap.Attribute{
			{Name: "userId", Type: ap.String, NotEmpty: true, Cite: ap.Line(72, "user resolution").And(ap.Line(82, "userId"))},
		},
	}
}

// Entities of the tables for sessions and idempotency.

func session() ap.Entity {
	return ap.Entity{
		ID: "session", Title: "Session", Table: sessions,
		Cite: ap.Lines(94, 101, "PK = SESSION#{sessionId}", "SK = META", "Stores:"),
		Keys: []ap.KeyAttribute{
			{Attribute: "PK", Template: "SESSION#{sessionId}", Cite: ap.Line(94, "PK = SESSION#{sessionId}")},
			{Attribute: "SK", Template: "META", Cite: ap.Line(95, "SK = META")},
		},
		Attributes: []ap.Attribute{
			{Name: "userId", Type: ap.String, NotEmpty: true, Cite: ap.Line(99, "userId")},
			// Types are not documented. Time to live needs epoch seconds;
			// createdAtUtc has no such duty (finding expires-at-utc-type).
			{Name: "createdAtUtc", Type: ap.String, Format: ap.ISOTimestamp, Cite: ap.Line(100, "createdAtUtc")},
			{Name: "expiresAtUtc", Type: ap.Number, Format: ap.EpochSeconds, Cite: ap.Line(101, "expiresAtUtc", "TTL attribute")},
		},
	}
}

func idempotencyRecord() ap.Entity {
	return ap.Entity{
		ID: "idempotency-record", Title: "Idempotency record", Table: idempotency,
		Cite: ap.Lines(149, 154, "IdempotencyKey (PK)", "Webhook ingestion deduplication"),
		Keys: []ap.KeyAttribute{
			{Attribute: "IdempotencyKey", Template: "{IdempotencyKey}", Cite: ap.Line(149, "IdempotencyKey")},
		},
	}
}

// keyText returns the text of a String attribute, empty where it has another
// type or is absent.
func keyText(item ap.Item, attribute string) string {
	if member, ok := item[attribute].(*types.AttributeValueMemberS); ok {
		return member.Value
	}
	return ""
}
