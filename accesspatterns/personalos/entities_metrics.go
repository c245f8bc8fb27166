package personalos

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
)

// metricEntities are metrics, their logs and milestones, and cached insights.
func metricEntities() []ap.Entity {
	return []ap.Entity{
		{
			ID: "metric", Title: "Metric", Table: table, Cite: ap.Line(310, "Metric"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(314, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "METRIC#{metricId}", Binds: map[string]string{"metricId": "id"}, Cite: ap.Line(315, "`sk`", "String", "METRIC#{metricId}")},
				// Added by a ruling: metrics write the keys of GSI2 like tasks.
				{Attribute: "gsi2pk", Template: "{area}", Optional: true, Cite: ap.Line(66, "`{area}`", "GSI2").And(ap.Line(86, "gsi2pk", "Optional"))},
				{Attribute: "gsi2sk", Template: "METRIC#{createdAt}", Optional: true, Cite: ap.Line(66, "{entityType}#{createdAt}").And(ap.Line(87, "gsi2sk", "Optional"))},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"METRIC"}, Cite: ap.Line(316, "`entityType`", "String", `"METRIC"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(317, "`id`", "String")},
				{Name: "name", Type: ap.String, Presence: ap.Required, Cite: ap.Line(318, "`name`", "String")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(319, "`description`", "String")},
				{Name: "area", Type: ap.String, Presence: ap.Required, Cite: ap.Line(320, "`area`", "String")},
				{Name: "subCategory", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(321, "`subCategory`", "String")},
				// The list of values is open ("etc."), so any text is allowed.
				{Name: "unit", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(322, "`unit`", "String", "count, hours, dollars, kg, percent")},
				{Name: "customUnit", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(323, "`customUnit`", "String")},
				{Name: "direction", Type: ap.String, Presence: ap.Optional, Allowed: []string{"Higher", "Lower", "Target"}, Cite: ap.Line(324, "`direction`", "String", "Higher", "Lower", "Target")},
				{Name: "targetValue", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(325, "`targetValue`", "Number")},
				{Name: "thresholdLow", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(326, "`thresholdLow`", "Number")},
				{Name: "thresholdHigh", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(327, "`thresholdHigh`", "Number")},
				{Name: "source", Type: ap.String, Presence: ap.Optional, Allowed: []string{"Manual", "App", "Device"}, Cite: ap.Line(328, "`source`", "String", "Manual", "App", "Device")},
				{Name: "status", Type: ap.String, Presence: ap.Required, Allowed: []string{"Active", "Paused", "Archived"}, Cite: ap.Line(329, "`status`", "String", "Active", "Paused", "Archived")},
				{Name: "cachedStreak", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(330, "`cachedStreak`", "Number")},
				{Name: "cachedTrend", Type: ap.String, Presence: ap.Optional, Allowed: []string{"Improving", "Declining", "Stable"}, Cite: ap.Line(331, "`cachedTrend`", "String", "Improving", "Declining", "Stable")},
			}, base()),
		},
		{
			ID: "metric-log", Title: "Metric Log", Table: table, Cite: ap.Line(335, "Metric Log"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "METRIC#{metricId}", Cite: ap.Line(339, "`pk`", "String", "METRIC#{metricId}")},
				{Attribute: "sk", Template: "LOG#{timestamp}", Binds: map[string]string{"timestamp": "loggedAt"}, Cite: ap.Line(340, "`sk`", "String", "LOG#{timestamp}")},
			},
			Attributes: []ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"METRIC_LOG"}, Cite: ap.Line(341, "`entityType`", "String", `"METRIC_LOG"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(342, "`id`", "String")},
				{Name: "metricId", Type: ap.String, Presence: ap.Required, Cite: ap.Line(343, "`metricId`", "String")},
				{Name: "value", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(344, "`value`", "Number")},
				{Name: "notes", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(345, "`notes`", "String", "Optional")},
				{Name: "loggedAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(346, "`loggedAt`", "String").And(ap.Line(358, "2026-01-10T18:00:00Z"))},
				{Name: "userId", Type: ap.String, Presence: ap.Required, Cite: ap.Line(81, "userId: str").And(ap.Line(359, `"userId": "abc-123"`))},
				{Name: "createdAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(82, "createdAt: str", "ISO 8601 timestamp").And(ap.Line(360, "createdAt"))},
				// The base class has it, the example has not: see finding base-attributes-contradicted.
				{Name: "updatedAt", Type: ap.String, Presence: ap.Optional, Format: ap.ISOTimestamp, Cite: ap.Line(83, "updatedAt: str")},
			},
		},
		{
			ID: "metric-milestone", Title: "Metric Milestone", Table: table, Cite: ap.Line(366, "Metric Milestone"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "METRIC#{metricId}", Cite: ap.Line(370, "`pk`", "String", "METRIC#{metricId}")},
				{Attribute: "sk", Template: "MILESTONE#{milestoneId}", Binds: map[string]string{"milestoneId": "id"}, Cite: ap.Line(371, "`sk`", "String", "MILESTONE#{milestoneId}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"METRIC_MILESTONE"}, Cite: ap.Line(372, "`entityType`", "String", `"METRIC_MILESTONE"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(373, "`id`", "String")},
				{Name: "metricId", Type: ap.String, Presence: ap.Required, Cite: ap.Line(374, "`metricId`", "String")},
				{Name: "type", Type: ap.String, Presence: ap.Required, Allowed: []string{"target_reached", "streak", "improvement", "consistency"}, Cite: ap.Line(375, "`type`", "String", "target_reached", "streak", "improvement", "consistency")},
				{Name: "value", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(376, "`value`", "Number")},
				{Name: "achievedAt", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(377, "`achievedAt`", "String")},
				{Name: "pointsAwarded", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(378, "`pointsAwarded`", "Number")},
			}, base()),
		},
		{
			ID: "metric-insight", Title: "Metric Insight", Table: table, Cite: ap.Line(382, "Metric Insight"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "METRIC#{metricId}", Cite: ap.Line(386, "`pk`", "String", "METRIC#{metricId}")},
				{Attribute: "sk", Template: "INSIGHT#{type}#{timestamp}", Binds: map[string]string{"timestamp": "cachedAt"}, Cite: ap.Line(387, "`sk`", "String", "INSIGHT#{type}#{timestamp}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"METRIC_INSIGHT"}, Cite: ap.Line(388, "`entityType`", "String", `"METRIC_INSIGHT"`).And(ap.Line(80, "entityType: str"))},
				{Name: "type", Type: ap.String, Presence: ap.Required, Allowed: []string{"pattern", "anomaly", "correlation", "prediction"}, Cite: ap.Line(389, "`type`", "String", "pattern", "anomaly", "correlation", "prediction")},
				{Name: "content", Type: ap.Map, Presence: ap.Required, Cite: ap.Line(390, "`content`", "Map")},
				{Name: "cachedAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(391, "`cachedAt`", "String")},
				{Name: "expiresAt", Type: ap.String, Presence: ap.Required, Format: ap.ISOTimestamp, Cite: ap.Line(392, "`expiresAt`", "String")},
				{Name: "ttl", Type: ap.Number, Presence: ap.Required, Format: ap.EpochSeconds, Cite: ap.Line(393, "`ttl`", "Number", "epoch seconds").And(ap.Line(88, "ttl: Optional[int]"))},
			}, base()),
			Rules: []ap.Rule{
				{
					ID: "ttl-agrees-with-expiry", Statement: "ttl and expiresAt are the same moment", Attribute: "ttl", Check: checkInsightExpiry,
					Cite: ap.Lines(392, 393, "`expiresAt`", "Cache expiration", "`ttl`", "epoch seconds"),
				},
			},
		},
	}
}

// checkInsightExpiry compares the two expiries of an insight: the text that
// readers compare and the Number that DynamoDB deletes by, both in seconds.
func checkInsightExpiry(item ap.Item) error {
	text, isText := item["expiresAt"].(*types.AttributeValueMemberS)
	number, isNumber := item["ttl"].(*types.AttributeValueMemberN)
	if !isText || !isNumber {
		return nil // a missing or mistyped attribute is reported where it is required
	}
	expires, err := time.Parse(time.RFC3339Nano, text.Value)
	if err != nil {
		return nil // reported as a format violation
	}
	if want := strconv.FormatInt(expires.Unix(), 10); number.Value != want {
		return fmt.Errorf("expected ttl %s, the epoch seconds of expiresAt %s, found %s", want, text.Value, number.Value)
	}
	return nil
}
