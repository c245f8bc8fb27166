package fusmain

import ap "dynaproof/accesspatterns"

// What the flows must keep under retry, race and failure.
func invariants() []ap.Invariant {
	const listings = "Lookups by day and by player must tell of the same matches."
	matchItems := ap.Line(112, `SQUASH#PLAYER#\<playerId\>`, `MATCH#\<matchId\>`).And(ap.Line(102, `SQUASH#MATCH#\<uuid\>`))
	return []ap.Invariant{
		{
			ID: "tag-items-follow-the-list", Flow: "change-site-tags", Layer: ap.LayerEngine,
			Rule: "a site's tag items are those of its list, whoever races to change it and wherever a client dies",
			Cite: ap.Line(32, "One item per tag per site", "Write when a site's tags change"),
		},
		{
			ID: "one-rating-however-often", Flow: "rate-site", Layer: ap.LayerEngine,
			Rule: "a user who rates a site from several clients at once has one rating, under one value of byStars",
			Cite: ap.Line(42, "One item per user per site").And(ap.Line(46, "**starRating** (same as stars)")).Implied("The key of a rating is its user and its site; the index follows the item."),
		},
		{
			ID: "one-membership-in-both-lookups", Flow: "add-member", Layer: ap.LayerEngine,
			Rule: "a user who is added to a group by several clients at once is one member, in the lookup by user and in that by group",
			Cite: ap.Line(75, `MEMBERSHIP#\<groupName\>`).And(ap.Lines(77, 78, "`PK=USER#\\<sub\\>`", "**byGroup**")).Implied("One item is behind both lookups."),
		},
		{
			ID: "membership-leaves-both-lookups", Flow: "remove-member", Layer: ap.LayerEngine,
			Rule: "a membership that is removed, once or several times, is gone from both lookups",
			Cite: ap.Line(75, `MEMBERSHIP#\<groupName\>`).And(ap.Lines(77, 78, "`PK=USER#\\<sub\\>`", "**byGroup**")).Implied("One item is behind both lookups."),
		},
		{
			ID: "match-recorded-once", Flow: "record-match", Layer: ap.LayerEngine,
			Rule: "a match that is recorded several times at once, or again after a failure, is there once, with its four participations",
			Cite: matchItems.Implied(listings),
		},
		{
			ID: "match-moves-whole", Flow: "move-match", Layer: ap.LayerEngine,
			Rule: "a match and its participations stand on the same day, also while the match is moved to several",
			Cite: ap.Line(112, `SQUASH#PLAYER#\<playerId\>`, `MATCH#\<matchId\>`, "squashDate").And(ap.Line(102, `SQUASH#MATCH#\<uuid\>`, "squashDate")).Implied(listings),
		},
		{
			ID: "match-deleted-whole", Flow: "delete-match", Layer: ap.LayerEngine,
			Rule: "a match goes with its participations or stays with them, wherever a client dies",
			Cite: matchItems.And(ap.Line(121, "add/edit/delete players and matches")).Implied(listings),
		},
		{
			ID: "player-goes-last", Flow: "delete-player", Layer: ap.LayerContract,
			Rule: "a player is there as long as a participation is, so that a deletion that stopped can be run again",
			Cite: ap.Line(121, "add/edit/delete players and matches").And(ap.Line(112, `SQUASH#PLAYER#\<playerId\>`)).Implied("Deleting a player takes several requests, of which any may be the last."),
		},
	}
}
