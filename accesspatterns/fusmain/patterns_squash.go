package fusmain

import ap "dynaproof/accesspatterns"

// mostDays bounds a date range: one Query is sent for each day. The bound is
// the project's.
const mostDays = 31

// onlyMatches leaves out the participations, which stand in bySquashDate with
// their match.
func onlyMatches() []ap.FilterCondition {
	return []ap.FilterCondition{{Attribute: "entityType", Operator: ap.FilterEquals, Value: ap.Text("SQUASH_MATCH")}}
}

func squashReads() []ap.Pattern {
	matchesForPlayer := &ap.Read{
		Operation: ap.OpQuery, Table: table,
		Partition: ap.Equals("PK", "SQUASH#PLAYER#{playerId}"), Sort: ap.BeginsWith("SK", "MATCH#"),
	}
	return []ap.Pattern{
		{
			ID: "list-players", Title: "List players", Roles: squashSection(),
			Cite:    ap.Line(95, "**byEntity**", "`entityType=SQUASH_PLAYER`"),
			Read:    &ap.Read{Operation: ap.OpQuery, Table: table, Index: "byEntity", Partition: ap.Equals("entityType", "SQUASH_PLAYER")},
			Returns: []string{"player"},
		},
		{
			ID: "get-player", Title: "Get player", Roles: squashSection(),
			Cite:    ap.Line(96, `GetItem(PK=SQUASH#PLAYER#\<id\>, SK=METADATA)`),
			Read:    ap.Get(table, ap.Equals("PK", "SQUASH#PLAYER#{playerId}"), ap.Is("SK", "METADATA")),
			Returns: []string{"player"},
		},
		{
			ID: "list-matches", Title: "List all matches", Roles: squashSection(),
			Cite:    ap.Line(119, "byEntity (list sites/groups/squash players/matches)").And(ap.Line(102, "entityType=SQUASH_MATCH")).Implied("The summary lists it; the section about matches does not."),
			Read:    &ap.Read{Operation: ap.OpQuery, Table: table, Index: "byEntity", Partition: ap.Equals("entityType", "SQUASH_MATCH")},
			Returns: []string{"match"},
		},
		{
			ID: "get-match", Title: "Get match", Roles: squashSection(),
			Cite:    ap.Line(102, `SQUASH#MATCH#\<uuid\>`, "METADATA").And(ap.Line(112, "matchId")).Implied("A participation holds the id of its match, which leads nowhere else; matches are edited too."),
			Read:    ap.Get(table, ap.Equals("PK", "SQUASH#MATCH#{matchId}"), ap.Is("SK", "METADATA")),
			Returns: []string{"match"},
		},
		{
			ID: "matches-by-date", Title: "List matches by date", Roles: squashSection(),
			Cite: ap.Line(105, "**List by date:**", "**bySquashDate**", "`squashDate=YYYY-MM-DD`").And(ap.Line(15, "Squash matches by date")),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: table, Index: "bySquashDate",
				Partition: ap.Equals("squashDate", "{day}"), Filter: onlyMatches(),
			},
			Returns: []string{"match"},
		},
		{
			ID: "matches-by-date-range", Title: "List matches by date range, day by day", Roles: squashSection(),
			Cite: ap.Line(106, "**List by date range:**", "dateFrom AND dateTo"),
			Flow: []ap.Step{{
				Name: "day", Cite: ap.Line(106, "**bySquashDate**"),
				Read: &ap.Read{
					Operation: ap.OpQuery, Table: table, Index: "bySquashDate",
					Partition: ap.Equals("squashDate", "{day}"), Filter: onlyMatches(),
				},
				ForEach: &ap.ForEach{From: "dateFrom", To: "dateTo", MaxDays: mostDays, Parameter: "day"},
			}},
			Returns: []string{"match"},
		},
		{
			ID: "matches-for-player", Title: "Matches for a player", Roles: squashSection(),
			Cite:    ap.Line(114, `PK=SQUASH#PLAYER#\<playerId\>`, "`SK begins_with MATCH#`"),
			Read:    matchesForPlayer,
			Returns: []string{"participation"},
		},
		{
			ID: "matches-for-player-with-details", Title: "Matches for a player, with each match's own item", Roles: squashSection(),
			Cite: ap.Line(114, "**Matches for a player:**").And(ap.Line(112, "matchId, squashDate")).Implied("A participation holds neither teams nor games, so that each match is read by its id."),
			Flow: []ap.Step{
				{Name: "participations", Cite: ap.Line(114, "`SK begins_with MATCH#`"), Read: matchesForPlayer},
				{
					Name: "matches", Cite: ap.Line(102, `SQUASH#MATCH#\<uuid\>`),
					Read:    ap.Get(table, ap.Equals("PK", "SQUASH#MATCH#{matchId}"), ap.Is("SK", "METADATA")),
					ForEach: ap.Each("participations", "matchId", "matchId"),
				},
			},
			Returns: []string{"match"},
		},
	}
}

func squashWrites() []ap.Pattern {
	const (
		written   = "Managers and SuperAdmin may do it; the document does not say with which requests."
		matchItem = ap.KeyTemplate("SQUASH#MATCH#{matchId}")
		matchOf   = ap.KeyTemplate("MATCH#{matchId}")
	)
	editors := ap.Line(121, "can add/edit/delete players and matches")
	move := func(player ap.KeyTemplate) ap.Action {
		return ap.Action{
			Kind: ap.Update, Table: table, Key: key(player, matchOf), Condition: ap.IfPresent("PK"),
			Set: []ap.Assignment{{Attribute: "squashDate", Value: ap.Text("{date}")}},
		}
	}
	// The match names its players, whose participations move or go with it.
	players := ap.Each("match",
		"teamAPlayer1Id", "teamAPlayer1Id", "teamAPlayer2Id", "teamAPlayer2Id",
		"teamBPlayer1Id", "teamBPlayer1Id", "teamBPlayer2Id", "teamBPlayer2Id")
	match := ap.Step{
		Name: "match", Cite: ap.Line(102, "teamAPlayer1Id", "teamBPlayer2Id"), StopWhenEmpty: true,
		Read: ap.Get(table, ap.Equals("PK", matchItem), ap.Is("SK", "METADATA")),
	}
	remove := func(player ap.KeyTemplate) ap.Action {
		return ap.Action{Kind: ap.Delete, Table: table, Key: key(player, matchOf)}
	}
	return []ap.Pattern{
		{
			ID: "add-player", Title: "Add a player", Roles: squashEditors(),
			Cite: editors.And(ap.Line(93, `SQUASH#PLAYER#\<uuid\>`)).Implied(written),
			Flow: []ap.Step{{
				Name: "add", Cite: editors,
				Write: []ap.Action{{Kind: ap.Put, Table: table, Entity: "player", Item: putPlayer, Condition: ap.IfAbsent("PK")}},
			}},
			Returns: []string{"player"},
		},
		{
			ID: "link-player", Title: "Link a player to a user", Roles: squashEditors(),
			Cite: ap.Line(93, "userId (optional Cognito sub for linking)").And(editors).Implied(written),
			Flow: []ap.Step{{
				Name: "link", Cite: ap.Line(93, "for linking"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: table, Key: key("SQUASH#PLAYER#{playerId}", "METADATA"), Condition: ap.IfPresent("PK"),
					Set: []ap.Assignment{set("userId"), set("updatedAt")},
				}},
			}},
			Returns: []string{"player"},
		},
		{
			// The attribute goes; NULL or an empty String could not be a key of
			// byGroup.
			ID: "unlink-player", Title: "Unlink a player from its user", Roles: squashEditors(),
			Cite: ap.Line(93, "userId (optional Cognito sub for linking)").And(editors).Implied(written),
			Flow: []ap.Step{{
				Name: "unlink", Cite: ap.Line(93, "userId (optional"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: table, Key: key("SQUASH#PLAYER#{playerId}", "METADATA"), Condition: ap.IfPresent("PK"),
					Set: []ap.Assignment{set("updatedAt")}, Remove: []string{"userId"},
				}},
			}},
			Returns: []string{"player"},
		},
		{
			// Matches keep the id: they are the history of the others too.
			ID: "delete-player", Title: "Delete a player with the participations", Roles: squashEditors(),
			Cite: editors.And(ap.Line(112, `SQUASH#PLAYER#\<playerId\>`)).Implied(written),
			Flow: []ap.Step{
				{
					Name: "participations", Cite: ap.Line(114, "`SK begins_with MATCH#`"),
					Read: &ap.Read{
						Operation: ap.OpQuery, Table: table,
						Partition: ap.Equals("PK", "SQUASH#PLAYER#{playerId}"), Sort: ap.BeginsWith("SK", "MATCH#"),
					},
				},
				{
					Name: "delete-participations", Cite: ap.Line(112, `MATCH#\<matchId\>`),
					Write:   []ap.Action{remove("SQUASH#PLAYER#{playerId}")},
					ForEach: ap.Each("participations", "matchId", "matchId"),
				},
				{
					// Last, so that a deletion that stopped can be run again.
					Name: "delete-player", Cite: editors,
					Write: []ap.Action{{Kind: ap.Delete, Table: table, Key: key("SQUASH#PLAYER#{playerId}", "METADATA")}},
				},
			},
			Returns: []string{"participation"},
		},
		{
			ID: "record-match", Title: "Record a match of four players with its participations", Roles: squashEditors(),
			Cite: editors.And(ap.Line(102, "teamAPlayer2Id", "teamBPlayer2Id"), ap.Line(112, `MATCH#\<matchId\>`)).Implied(written),
			Flow: []ap.Step{{
				Name: "record", Cite: editors,
				Write: []ap.Action{
					{Kind: ap.Put, Table: table, Entity: "match", Item: putMatch, Condition: ap.IfAbsent("PK")},
					{Kind: ap.Put, Table: table, Entity: "participation", Item: putPlayedA1},
					{Kind: ap.Put, Table: table, Entity: "participation", Item: putPlayedA2},
					{Kind: ap.Put, Table: table, Entity: "participation", Item: putPlayedB1},
					{Kind: ap.Put, Table: table, Entity: "participation", Item: putPlayedB2},
				},
			}},
			Returns: []string{"match", "participation"},
		},
		{
			ID: "record-singles-match", Title: "Record a match of two players with its participations", Roles: squashEditors(),
			Cite: editors.And(ap.Line(102, "teamAPlayer1Id", "teamBPlayer1Id")).Implied("Second players are not said to be required (finding singles-or-doubles)."),
			Flow: []ap.Step{{
				Name: "record", Cite: editors,
				Write: []ap.Action{
					{Kind: ap.Put, Table: table, Entity: "match", Item: putMatch, Condition: ap.IfAbsent("PK")},
					{Kind: ap.Put, Table: table, Entity: "participation", Item: putPlayedA1},
					{Kind: ap.Put, Table: table, Entity: "participation", Item: putPlayedB1},
				},
			}},
			Returns: []string{"match", "participation"},
		},
		{
			ID: "correct-match", Title: "Correct the result of a match", Roles: squashEditors(),
			Cite: editors.And(ap.Line(102, "winningTeam", "teamAGames", "teamBGames", "updatedAt")).Implied(written),
			Flow: []ap.Step{{
				Name: "correct", Cite: editors,
				Write: []ap.Action{{
					Kind: ap.Update, Table: table, Key: key(matchItem, "METADATA"), Condition: ap.IfPresent("PK"),
					Set: []ap.Assignment{
						set("winningTeam"),
						{Attribute: "teamAGames", Value: ap.Digits("{teamAGames}")},
						{Attribute: "teamBGames", Value: ap.Digits("{teamBGames}")},
						set("updatedAt"),
					},
				}},
			}},
			Returns: []string{"match"},
		},
		{
			ID: "move-match", Title: "Move a match of four players to another day, with its participations", Roles: squashEditors(),
			Cite: editors.And(ap.Line(102, "date (YYYY-MM-DD), squashDate"), ap.Line(112, "squashDate")).Implied(written),
			Flow: []ap.Step{match, {
				Name: "move", Cite: editors, ForEach: players,
				Write: []ap.Action{
					{
						Kind: ap.Update, Table: table, Key: key(matchItem, "METADATA"), Condition: ap.IfPresent("PK"),
						Set: []ap.Assignment{
							set("date"),
							{Attribute: "squashDate", Value: ap.Text("{date}")},
							set("updatedAt"),
						},
					},
					move("SQUASH#PLAYER#{teamAPlayer1Id}"),
					move("SQUASH#PLAYER#{teamAPlayer2Id}"),
					move("SQUASH#PLAYER#{teamBPlayer1Id}"),
					move("SQUASH#PLAYER#{teamBPlayer2Id}"),
				},
			}},
			Returns: []string{"match", "participation"},
		},
		{
			ID: "delete-match", Title: "Delete a match of four players with its participations", Roles: squashEditors(),
			Cite: editors.And(ap.Line(112, `MATCH#\<matchId\>`)).Implied(written),
			Flow: []ap.Step{
				match,
				{
					Name: "delete", Cite: editors, ForEach: players,
					Write: []ap.Action{
						{Kind: ap.Delete, Table: table, Key: key(matchItem, "METADATA"), Condition: ap.IfPresent("PK")},
						remove("SQUASH#PLAYER#{teamAPlayer1Id}"),
						remove("SQUASH#PLAYER#{teamAPlayer2Id}"),
						remove("SQUASH#PLAYER#{teamBPlayer1Id}"),
						remove("SQUASH#PLAYER#{teamBPlayer2Id}"),
					},
				},
			},
			Returns: []string{"match"},
		},
		{
			ID: "delete-singles-match", Title: "Delete a match of two players with its participations", Roles: squashEditors(),
			Cite: editors.And(ap.Line(102, "teamAPlayer1Id", "teamBPlayer1Id"), ap.Line(112, `MATCH#\<matchId\>`)).Implied("Second players are not said to be required (finding singles-or-doubles)."),
			Flow: []ap.Step{
				match,
				{
					Name: "delete", Cite: editors,
					ForEach: ap.Each("match", "teamAPlayer1Id", "teamAPlayer1Id", "teamBPlayer1Id", "teamBPlayer1Id"),
					Write: []ap.Action{
						{
							Kind: ap.Delete, Table: table, Key: key(matchItem, "METADATA"),
							Condition: append(ap.IfPresent("PK"), ap.IfAbsent("teamAPlayer2Id")...),
						},
						remove("SQUASH#PLAYER#{teamAPlayer1Id}"),
						remove("SQUASH#PLAYER#{teamBPlayer1Id}"),
					},
				},
			},
			Returns: []string{"match"},
		},
	}
}
