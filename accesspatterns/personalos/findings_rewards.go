package personalos

import ap "dynaproof/accesspatterns"

// rewardFindings are about points.
func rewardFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "wallet-balance-unguarded", Kind: ap.Gap, Severity: ap.High,
			Title:    "nothing keeps a balance from falling below zero",
			Cite:     ap.Line(521, "`balance`", "Number").And(ap.Line(503, "`pointCost`")),
			Literal:  "Two redemptions at once, or one that does not look first, spend points that are not there.",
			Resolved: "Points are spent under the condition that the balance covers them.",
			Claims:   []string{"guardrail/wallet-never-below-zero", "invariant/balance-never-negative"},
		},
		{
			ID: "wallet-figures-may-disagree", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "balance, lifetime figures and transactions tell the same story three times",
			Cite:     ap.Lines(521, 523, "`balance`", "`lifetimeEarned`", "`lifetimeSpent`").And(ap.Lines(535, 536, "`amount`", "manual")),
			Literal:  "A transaction can be recorded without the wallet, and the wallet changed without a transaction; whether manual amounts count as earned or spent is open.",
			Resolved: "Wallet and transaction are written in one transaction. No sum is asserted over them, because manual amounts are not placed.",
			Claims:   []string{"guardrail/wallet-and-transaction-together"},
		},
		{
			ID: "points-awarded-twice", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "the flag that points were awarded and the points are in different items",
			Cite:     ap.Lines(145, 146, "`pointValue`", "`pointsAwarded`").And(ap.Line(521, "`balance`")),
			Literal:  "A retry awards the points of a task again.",
			Resolved: "Flag, wallet and transaction are written together, under the condition that the flag was false.",
			Claims:   []string{"guardrail/points-awarded-once", "invariant/awarded-once"},
		},
		{
			ID: "manual-amount-has-no-sign", Kind: ap.Gap, Severity: ap.Low,
			Title:    "the sign of a manual amount is not said",
			Cite:     ap.Lines(535, 536, "positive for earned", "negative for spent", "manual"),
			Literal:  "The sign is tied to earned and spent; the third type has none.",
			Resolved: "A manual amount may have either sign.",
			Claims:   []string{"rule/wallet-transaction/sign-follows-type"},
			Static:   "the text is absent",
		},
		{
			ID: "points-awarded-two-types", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "pointsAwarded is a Boolean in a task and a Number in a milestone",
			Cite:     ap.Line(146, "`pointsAwarded`", "Boolean").And(ap.Line(378, "`pointsAwarded`", "Number")),
			Literal:  "One name has two meanings in one table.",
			Resolved: "Each entity keeps its own type.",
			Claims:   []string{"attribute/task/pointsAwarded", "attribute/metric-milestone/pointsAwarded"},
			Static:   "both places stand in the document, and the engine types no attribute that is no key",
		},
		{
			ID: "streak-value-name", Kind: ap.Gap, Severity: ap.Low,
			Title:    "streak_7 is neither a type nor an attribute",
			Cite:     ap.Lines(375, 376, "target_reached, streak, improvement, consistency", "7 for streak_7"),
			Literal:  "The types end at streak, and what bears the name streak_7 is not said.",
			Resolved: "The type is streak and the value 7.",
			Claims:   []string{"attribute/metric-milestone/type"},
			Static:   "the name stands in an explanation only",
		},
	}
}
