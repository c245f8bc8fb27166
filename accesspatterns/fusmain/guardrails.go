package fusmain

import ap "dynaproof/accesspatterns"

func guardrails() []ap.Guardrail {
	return []ap.Guardrail{
		{
			ID: "no-scan", Rule: "nothing is read by Scan, comments of a site included",
			Cite:  ap.Line(59, "scan (avoid at scale)"),
			Proof: ap.ByLedgerNoScan, Layer: ap.LayerGuard,
		},
		{
			ID: "only-documented-requests", Rule: "a client sends what the document describes for its role, and nothing else",
			Cite:  ap.Line(17, "access patterns").And(ap.Line(59, "**bySite**"), ap.Line(28, "sort by `entitySk`")).Implied("Every item type lists its access patterns, and puts off what it does not offer."),
			Proof: ap.ByTrials, Layer: ap.LayerGuard,
		},
		{
			ID: "no-site-index-in-v1", Rule: "no index serves the comments of a site before the document adds one",
			Cite:  ap.Line(60, "For v1", "implemented later with a GSI").And(ap.Line(59, "**bySite**")),
			Proof: ap.ByClaims, Claims: []string{"table/fus-main/indexes"}, Layer: ap.LayerDeployment,
		},
		{
			ID: "one-item-per-site", Rule: "a site is one item: creating it again is refused, and writing it again replaces it",
			Cite:  ap.Line(21, "One item per site."),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "one-item-per-tag-per-site", Rule: "a tag of a site is one item, however often it is written",
			Cite:  ap.Line(32, "One item per tag per site."),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "one-rating-per-user-per-site", Rule: "a user's rating of a site is one item: a second rating replaces the first and leaves those of other users alone",
			Cite:  ap.Line(42, "One item per user per site."),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "rating-under-one-value", Rule: "a rating stands under one value of byStars, and moves when it changes",
			Cite:  ap.Line(46, "**starRating** (same as stars)").And(ap.Line(13, "Ratings by value")).Implied("It follows from one rating per user and site, and starRating being its stars."),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "one-membership-per-user-and-group", Rule: "a user is in a group once: adding it again leaves one member",
			Cite:  ap.Line(75, `USER#\<cognitoSub\>`, `MEMBERSHIP#\<groupName\>`).Implied("User and group are the whole primary key of a membership."),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "primary-key-is-text", Rule: "PK and SK are Strings that hold something",
			Cite:  ap.Line(4, "**PK** (String)", "**SK** (String)"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "index-keys-are-typed", Rule: "the key attributes of all five indexes are Strings, starRating a Number; another type is not stored",
			Cite:  ap.Lines(11, 15, "entityType (S)", "entitySk (S)", "tag (S)", "siteId (S)", "starRating (N)", "groupName (S)", "userId (S)", "squashDate (S)", "matchId (S)"),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "unlinked-player-has-no-user-id", Rule: "a player that is linked to nobody lacks userId, which is neither NULL nor empty",
			Cite:  ap.Line(93, "userId (optional Cognito sub for linking)").And(ap.Line(14, "userId (S)")).Implied("userId is optional for a player and a key attribute of byGroup."),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "stars-one-to-five", Rule: "a rating has 1 to 5 stars, and starRating says the same",
			Cite:  ap.Line(46, "stars (1–5)", "(same as stars)"),
			Proof: ap.ByClaims, Claims: []string{"attribute/rating/stars", "rule/rating/star-rating-is-stars"}, Layer: ap.LayerGuard,
		},
		{
			ID: "match-constraint", Rule: "the winner of a match has 3 games, the loser fewer, and nobody plays for both teams",
			Cite:  ap.Line(104, "**Constraint:**", "3 games", "0, 1, or 2", "No player in both teams"),
			Proof: ap.ByClaims, Claims: []string{
				"rule/match/winner-has-three-games", "rule/match/loser-has-fewer-games", "rule/match/no-player-in-both-teams",
				"attribute/match/teamAGames", "attribute/match/teamBGames", "attribute/match/winningTeam",
			}, Layer: ap.LayerGuard,
		},
		{
			ID: "match-with-its-participations", Rule: "a match and its participations are stored together or not at all",
			Cite:  ap.Line(112, `SQUASH#PLAYER#\<playerId\>`, `MATCH#\<matchId\>`).And(ap.Line(102, `SQUASH#MATCH#\<uuid\>`)).Implied("Lookups by day and by player must tell of the same matches."),
			Proof: ap.ByTrials, Layer: ap.LayerEngine,
		},
		{
			ID: "avatar-in-own-folder", Rule: "an avatar's key lies in the folder of the profile's user",
			Cite:  ap.Line(87, "profile/avatars/{userId}/{uuid}.{ext}"),
			Proof: ap.ByClaims, Claims: []string{"rule/profile/avatar-key-form"}, Layer: ap.LayerGuard,
		},
	}
}
