package personalos

import ap "dynaproof/accesspatterns"

// walletFlows earn and spend points. Balance, lifetime figure and record change
// in one transaction, whose record keeps a second run from counting again.
func walletFlows() []ap.Pattern {
	redemption := ap.Lines(521, 523, "`balance`", "Current point balance", "`lifetimeSpent`").And(
		ap.Line(503, "`pointCost`", "Cost in points"), ap.Lines(535, 536, "negative for spent", "spent"), ap.Line(540, "`rewardId`"))
	return []ap.Pattern{
		{
			ID: "award-task-points", Title: "Award the points of a task once: flag, wallet and record together", Roles: user,
			Cite: ap.Lines(145, 146, "`pointValue`", "`pointsAwarded`", "Whether points were awarded").And(
				ap.Lines(521, 522, "`balance`", "`lifetimeEarned`"), ap.Lines(535, 538, "positive for earned", "`taskId`")).Implied("the flag, the figures and the record tell of one event"),
			Returns: []string{"task"},
			Flow: []ap.Step{readTask(), {
				Name: "award", Cite: ap.Line(146, "Whether points were awarded"), ForEach: ap.Each("task", "pointValue", "points"),
				Write: []ap.Action{
					{
						Kind: ap.Update, Table: table, Key: ofUserKey("TASK#{taskId}"),
						Set: []ap.Assignment{{Attribute: "pointsAwarded", Value: ap.Truth(true)}, {Attribute: "updatedAt", Value: ap.Text("{now}")}},
						Condition: []ap.WriteCondition{
							{Attribute: "pointsAwarded", Operator: ap.ConditionEquals, Value: ap.Truth(false)},
							{Attribute: "pointValue", Operator: ap.ConditionEquals, Value: ap.Digits("{points}")},
						},
					},
					{
						Kind: ap.Update, Table: table, Key: ofUserKey("WALLET"),
						Set: []ap.Assignment{
							{Attribute: "balance", Operator: ap.Add, Value: ap.Digits("{points}")},
							{Attribute: "lifetimeEarned", Operator: ap.Add, Value: ap.Digits("{points}")},
							{Attribute: "updatedAt", Value: ap.Text("{now}")},
						},
						Condition: ap.IfPresent("pk"),
					},
					put("wallet-transaction"),
				},
			}},
		},
		{
			ID: "redeem-reward", Title: "Redeem a reward that has no limits, for points that are there", Roles: user,
			Cite:    redemption.And(ap.Line(510, "Active, Archived")).Implied("a reward costs points, and a balance is what there is to spend"),
			Returns: []string{"reward"},
			Flow: []ap.Step{readReward(), {
				Name: "redeem", Cite: redemption, ForEach: ap.Each("reward", "pointCost", "cost"),
				Write: []ap.Action{
					{Kind: ap.ConditionCheck, Table: table, Key: ofUserKey("REWARD#{rewardId}"), Condition: append(onOffer(),
						ap.WriteCondition{Attribute: "cooldownHours", Operator: ap.AttributeNotExists},
						ap.WriteCondition{Attribute: "maxRedemptionsPerDay", Operator: ap.AttributeNotExists})},
					spend(), put("wallet-transaction"),
				},
			}},
		},
		{
			// Redemptions are found among the user's transactions of the time in
			// question. Those that race meet in the reward's updatedAt: whoever
			// comes second has read it before the first one's record was there.
			// The upper bound is the end of the day, so that the record of a clock
			// that is ahead counts too.
			ID: "redeem-limited-reward", Title: "Redeem a reward within its cooldown and its number for a day", Roles: user,
			Cite:    redemption.And(ap.Lines(508, 510, "Cooldown between redemptions", "Max daily redemptions", "Active, Archived")).Implied("the limits are attributes of the reward, and what they count are wallet transactions"),
			Returns: []string{"wallet-transaction"},
			Flow: []ap.Step{
				readReward(),
				{
					Name: "cooling", Cite: ap.Line(508, "Cooldown between redemptions"), ForEach: ap.Each("reward", "cooldownHours", "cooldownHours"),
					Read: redemptions("{cooledSince}"), StopAt: number("1"),
				},
				{
					Name: "today", Cite: ap.Line(509, "Max daily redemptions"), ForEach: ap.Each("reward", "maxRedemptionsPerDay", "most"),
					Read: redemptions("{dayStart}"), StopAt: number("{most}"),
				},
				{
					Name: "redeem", Cite: redemption, ForEach: ap.Each("reward", "pointCost", "cost", "updatedAt", "readAt"),
					Write: []ap.Action{
						{
							Kind: ap.Update, Table: table, Key: ofUserKey("REWARD#{rewardId}"),
							Set:       []ap.Assignment{{Attribute: "updatedAt", Value: ap.Text("{now}")}},
							Condition: append(onOffer(), append(unchanged(), later())...),
						},
						spend(), put("wallet-transaction"),
					},
				},
			},
		},
	}
}

func number(template ap.KeyTemplate) *ap.Operand {
	operand := ap.Digits(template)
	return &operand
}

func readReward() ap.Step {
	return read("reward", ap.Lines(496, 497, "USER#{userId}", "REWARD#{rewardId}"), "REWARD#{rewardId}")
}

// redemptions reads the wallet transactions of a reward from a moment to the end
// of the day.
func redemptions(from ap.KeyTemplate) *ap.Read {
	of := query(ofUser(), ap.Within("sk", "WALLET_TXN#"+from, "WALLET_TXN#{dayEnd}"))
	of.Filter = []ap.FilterCondition{{Attribute: "rewardId", Operator: ap.FilterEquals, Value: ap.Text("{rewardId}")}}
	return of
}

// onOffer requires the reward to be active, at the cost that was read.
func onOffer() []ap.WriteCondition {
	return []ap.WriteCondition{
		{Attribute: "status", Operator: ap.ConditionEquals, Value: ap.Text("Active")},
		{Attribute: "pointCost", Operator: ap.ConditionEquals, Value: ap.Digits("{cost}")},
	}
}

// spend takes the cost from a balance that covers it.
func spend() ap.Action {
	return ap.Action{
		Kind: ap.Update, Table: table, Key: ofUserKey("WALLET"),
		Set: []ap.Assignment{
			{Attribute: "balance", Operator: ap.Subtract, Value: ap.Digits("{cost}")},
			{Attribute: "lifetimeSpent", Operator: ap.Add, Value: ap.Digits("{cost}")},
			{Attribute: "updatedAt", Value: ap.Text("{now}")},
		},
		Condition: []ap.WriteCondition{{Attribute: "balance", Operator: ap.ConditionAtLeast, Value: ap.Digits("{cost}")}},
	}
}
