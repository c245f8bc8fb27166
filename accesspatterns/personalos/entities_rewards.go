package personalos

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ap "dynaproof/accesspatterns"
)

// rewardEntities are rewards, wallets and wallet transactions.
func rewardEntities() []ap.Entity {
	return []ap.Entity{
		{
			ID: "reward", Title: "Reward", Table: table, Cite: ap.Line(492, "Reward"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(496, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "REWARD#{rewardId}", Binds: map[string]string{"rewardId": "id"}, Cite: ap.Line(497, "`sk`", "String", "REWARD#{rewardId}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"REWARD"}, Cite: ap.Line(498, "`entityType`", "String", `"REWARD"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(499, "`id`", "String")},
				{Name: "title", Type: ap.String, Presence: ap.Required, Cite: ap.Line(500, "`title`", "String")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(501, "`description`", "String")},
				// The list of values is open ("etc."), so any text is allowed.
				{Name: "category", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(502, "`category`", "String", "Quick Treat, Daily Delight, Weekly Reward")},
				{Name: "pointCost", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(503, "`pointCost`", "Number")},
				{Name: "icon", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(504, "`icon`", "String")},
				{Name: "imageUrl", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(505, "`imageUrl`", "String", "Optional")},
				{Name: "isAutomated", Type: ap.Boolean, Presence: ap.Optional, Cite: ap.Line(506, "`isAutomated`", "Boolean")},
				{Name: "automationInstructions", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(507, "`automationInstructions`", "String")},
				{Name: "cooldownHours", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(508, "`cooldownHours`", "Number")},
				{Name: "maxRedemptionsPerDay", Type: ap.Number, Presence: ap.Optional, Cite: ap.Line(509, "`maxRedemptionsPerDay`", "Number")},
				{Name: "status", Type: ap.String, Presence: ap.Required, Allowed: []string{"Active", "Archived"}, Cite: ap.Line(510, "`status`", "String", "Active", "Archived")},
			}, base()),
		},
		{
			ID: "wallet", Title: "Wallet", Table: table, Cite: ap.Line(514, "Wallet"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(518, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "WALLET", Cite: ap.Line(519, "`sk`", "String", "WALLET")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"WALLET"}, Cite: ap.Line(520, "`entityType`", "String", `"WALLET"`).And(ap.Line(80, "entityType: str"))},
				{Name: "balance", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(521, "`balance`", "Number")},
				{Name: "lifetimeEarned", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(522, "`lifetimeEarned`", "Number")},
				{Name: "lifetimeSpent", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(523, "`lifetimeSpent`", "Number")},
			}, base()),
		},
		{
			ID: "wallet-transaction", Title: "Wallet Transaction", Table: table, Cite: ap.Line(527, "Wallet Transaction"),
			Keys: []ap.KeyAttribute{
				{Attribute: "pk", Template: "USER#{userId}", Cite: ap.Line(531, "`pk`", "String", "USER#{userId}")},
				{Attribute: "sk", Template: "WALLET_TXN#{timestamp}", Binds: map[string]string{"timestamp": "createdAt"}, Cite: ap.Line(532, "`sk`", "String", "WALLET_TXN#{timestamp}")},
			},
			Attributes: slices.Concat([]ap.Attribute{
				{Name: "entityType", Type: ap.String, Presence: ap.Required, Allowed: []string{"WALLET_TRANSACTION"}, Cite: ap.Line(533, "`entityType`", "String", `"WALLET_TRANSACTION"`).And(ap.Line(80, "entityType: str"))},
				{Name: "id", Type: ap.String, Presence: ap.Required, Cite: ap.Line(534, "`id`", "String")},
				{Name: "amount", Type: ap.Number, Presence: ap.Required, Cite: ap.Line(535, "`amount`", "Number")},
				{Name: "type", Type: ap.String, Presence: ap.Required, Allowed: []string{"earned", "spent", "manual"}, Cite: ap.Line(536, "`type`", "String", "earned", "spent", "manual")},
				{Name: "reason", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(537, "`reason`", "String")},
				{Name: "taskId", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(538, "`taskId`", "String", "if applicable")},
				{Name: "metricId", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(539, "`metricId`", "String", "if applicable")},
				{Name: "rewardId", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(540, "`rewardId`", "String", "if applicable")},
			}, base()),
			Rules: []ap.Rule{
				{
					ID: "sign-follows-type", Statement: "an amount is positive when earned and negative when spent", Attribute: "amount", Check: checkAmountSign,
					Cite: ap.Line(535, "`amount`", "positive for earned", "negative for spent").And(ap.Line(536, "earned, spent")),
				},
			},
		},
	}
}

// checkAmountSign holds the sign of an amount against the type of its
// transaction. The document gives manual transactions no sign.
func checkAmountSign(item ap.Item) error {
	kind, isText := item["type"].(*types.AttributeValueMemberS)
	amount, isNumber := item["amount"].(*types.AttributeValueMemberN)
	if !isText || !isNumber {
		return nil // a missing or mistyped attribute is reported where it is required
	}
	points, err := strconv.ParseFloat(amount.Value, 64)
	if err != nil {
		return nil // reported as a type violation
	}
	switch {
	case kind.Value == "earned" && points <= 0:
		return fmt.Errorf("expected a positive amount for points that were earned, found %s", amount.Value)
	case kind.Value == "spent" && points >= 0:
		return fmt.Errorf("expected a negative amount for points that were spent, found %s", amount.Value)
	}
	return nil
}
