package fusmain

import ap "dynaproof/accesspatterns"

func squashEntities() []ap.Entity {
	noGames, allGames := ap.Between(0, 3)
	return []ap.Entity{
		{
			ID: "player", Title: "Squash player", Table: table,
			Cite: ap.Lines(89, 93, "### 8. Squash player", "METADATA"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "SQUASH#PLAYER#{playerId}", Cite: ap.Line(93, `SQUASH#PLAYER#\<uuid\>`)},
				{Attribute: "SK", Template: "METADATA", Cite: ap.Line(93, "METADATA")},
				{Attribute: "entityType", Template: "SQUASH_PLAYER", Cite: ap.Line(93, "entityType=SQUASH_PLAYER")},
				{Attribute: "entitySk", Template: "SQUASH#PLAYER#{playerId}", Cite: ap.Line(93, `entitySk=SQUASH#PLAYER#\<id\>`)},
				// A key attribute of byGroup by its name; a player has no
				// groupName and never stands in that index.
				{Attribute: "userId", Template: "{userId}", Optional: true, Cite: ap.Line(93, "userId (optional Cognito sub for linking)")},
			},
			Attributes: []ap.Attribute{
				{Name: "name", Type: ap.String, Cite: ap.Line(93, "name, email")},
				{Name: "email", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(93, "email (optional)")},
				{Name: "createdAt", Type: ap.String, Cite: ap.Line(93, "createdAt")},
				{Name: "updatedAt", Type: ap.String, Cite: ap.Line(93, "updatedAt")},
			},
			Rules: []ap.Rule{{
				ID: "id-is-uuid", Statement: "the id of a player is a UUID", Attribute: "PK", Check: uuidAfter("SQUASH#PLAYER#"),
				Cite: ap.Line(93, `SQUASH#PLAYER#\<uuid\>`),
			}},
		},
		{
			ID: "match", Title: "Squash match", Table: table,
			Cite: ap.Lines(98, 102, "### 9. Squash match", "METADATA"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "SQUASH#MATCH#{matchId}", Cite: ap.Line(102, `SQUASH#MATCH#\<uuid\>`)},
				{Attribute: "SK", Template: "METADATA", Cite: ap.Line(102, "METADATA")},
				{Attribute: "entityType", Template: "SQUASH_MATCH", Cite: ap.Line(102, "entityType=SQUASH_MATCH")},
				// The form is a ruling, by analogy with players.
				{Attribute: "entitySk", Template: "SQUASH#MATCH#{matchId}", Cite: ap.Line(102, "entitySk")},
				{Attribute: "squashDate", Template: "{squashDate}", Cite: ap.Line(102, "squashDate").And(ap.Line(15, "squashDate (S)"))},
				{Attribute: "matchId", Template: "{matchId}", Cite: ap.Line(102, "matchId").And(ap.Line(15, "matchId (S)"))},
			},
			Attributes: []ap.Attribute{
				{Name: "date", Type: ap.String, Format: ap.ISODate, Cite: ap.Line(102, "date (YYYY-MM-DD)")},
				{Name: "teamAPlayer1Id", Type: ap.String, Cite: ap.Line(102, "teamAPlayer1Id")},
				// Second players are optional: whether singles are played is
				// left open (finding singles-or-doubles).
				{Name: "teamAPlayer2Id", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(102, "teamAPlayer2Id")},
				{Name: "teamBPlayer1Id", Type: ap.String, Cite: ap.Line(102, "teamBPlayer1Id")},
				{Name: "teamBPlayer2Id", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(102, "teamBPlayer2Id")},
				{Name: "winningTeam", Type: ap.String, Allowed: []string{"A", "B"}, Cite: ap.Line(102, `winningTeam (A\|B)`)},
				{Name: "teamAGames", Type: ap.Number, Minimum: noGames, Maximum: allGames, Format: ap.Integer, Cite: ap.Line(102, "teamAGames (0-3)")},
				{Name: "teamBGames", Type: ap.Number, Minimum: noGames, Maximum: allGames, Format: ap.Integer, Cite: ap.Line(102, "teamBGames (0-3)")},
				{Name: "createdAt", Type: ap.String, Cite: ap.Line(102, "createdAt")},
				{Name: "updatedAt", Type: ap.String, Cite: ap.Line(102, "updatedAt")},
			},
			Rules: []ap.Rule{
				{
					ID: "id-is-uuid", Statement: "the id of a match is a UUID", Attribute: "PK", Check: uuidAfter("SQUASH#MATCH#"),
					Cite: ap.Line(102, `SQUASH#MATCH#\<uuid\>`),
				},
				{
					ID: "squash-date-is-date", Statement: "squashDate repeats date", Attribute: "squashDate", EqualTo: "date",
					Cite: ap.Line(102, "date (YYYY-MM-DD), squashDate").And(ap.Line(15, "by date (YYYY-MM-DD)")),
				},
				{
					ID: "winner-has-three-games", Statement: "the winning team has 3 games", Attribute: "winningTeam", Check: winnerHasThreeGames,
					Cite: ap.Line(104, "Winning team always has 3 games"),
				},
				{
					ID: "loser-has-fewer-games", Statement: "the losing team has 0, 1 or 2 games", Attribute: "winningTeam", Check: loserHasFewerGames,
					Cite: ap.Line(104, "losing team has 0, 1, or 2"),
				},
				{
					ID: "no-player-in-both-teams", Statement: "nobody plays for both teams", Attribute: "teamBPlayer1Id", Check: noPlayerInBothTeams,
					Cite: ap.Line(104, "No player in both teams"),
				},
			},
		},
		{
			ID: "participation", Title: "Squash match participation (for player search)", Table: table,
			Cite: ap.Lines(108, 112, "### 10. Squash match participation", `MATCH#\<matchId\>`),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "SQUASH#PLAYER#{playerId}", Cite: ap.Line(112, `SQUASH#PLAYER#\<playerId\>`)},
				{Attribute: "SK", Template: "MATCH#{matchId}", Cite: ap.Line(112, `MATCH#\<matchId\>`)},
				{Attribute: "squashDate", Template: "{squashDate}", Cite: ap.Line(112, "squashDate")},
				{Attribute: "matchId", Template: "{matchId}", Cite: ap.Line(112, "matchId, squashDate")},
			},
			Rules: []ap.Rule{{
				ID: "squash-date-is-a-day", Statement: "squashDate is a calendar day", Attribute: "squashDate", Check: squashDateIsADay,
				Cite: ap.Line(112, "squashDate").And(ap.Line(15, "(YYYY-MM-DD)")),
			}},
		},
	}
}
