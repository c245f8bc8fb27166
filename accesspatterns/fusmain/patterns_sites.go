package fusmain

import ap "dynaproof/accesspatterns"

func siteReads() []ap.Pattern {
	sitesByTag := &ap.Read{Operation: ap.OpQuery, Table: table, Index: "byTag", Partition: ap.Equals("tag", "{tag}")}
	return []ap.Pattern{
		{
			ID: "get-site", Title: "Get site", Roles: all(),
			Cite:    ap.Line(27, "**Get site:**", `GetItem(PK=SITE#\<id\>, SK=METADATA)`),
			Read:    getSite(),
			Returns: []string{"site"},
		},
		{
			// In the order of the ids' text: the first of the two orders that
			// the line offers, and the one that fits the item table.
			ID: "list-sites", Title: "List all sites", Roles: all(),
			Cite: ap.Line(28, "**byEntity**", "`entityType=SITE`", "sort by `entitySk`").And(ap.Line(11, "`entityType=SITE`")),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: table, Index: "byEntity",
				Partition: ap.Equals("entityType", "SITE"), Order: ap.Ascending,
			},
			Returns: []string{"site"},
		},
		{
			ID: "sites-by-tag", Title: "Sites by tag", Roles: all(),
			Cite:    ap.Line(38, "**byTag**", `tag=\<tagValue\>`).And(ap.Line(12, "`tag=javascript`")),
			Read:    sitesByTag,
			Returns: []string{"site-tag"},
		},
		{
			ID: "sites-by-tag-with-details", Title: "Sites by tag, with each site's own item", Roles: all(),
			Cite: ap.Line(12, "Sites by tag").And(ap.Line(36, `**siteId**=SITE#\<id\>`), ap.Line(27, "SK=METADATA")).Implied("The use case of byTag is sites, but its items hold a site's id alone; siteId is the partition key of the site's item."),
			Flow: []ap.Step{
				{Name: "tags", Cite: ap.Line(38, "**byTag**"), Read: sitesByTag},
				{
					Name: "sites", Cite: ap.Line(27, "SK=METADATA"),
					Read:    ap.Get(table, ap.Equals("PK", "{siteKey}"), ap.Is("SK", "METADATA")),
					ForEach: ap.Each("tags", "siteId", "siteKey"),
				},
			},
			Returns: []string{"site"},
		},
		{
			ID: "tags-of-site", Title: "Tag items of a site", Roles: all(),
			Cite:    ap.Line(36, `SITE#\<id\>`, `TAG#\<tag\>`).And(ap.Line(32, "when a site's tags change")).Implied("Who keeps the tag items in step with the list must know which are there."),
			Read:    tagsOfSite(),
			Returns: []string{"site-tag"},
		},
		{
			ID: "my-rating-for-site", Title: "My rating for a site", Roles: loggedIn(),
			Cite:    ap.Line(48, "**My rating for a site:**", `GetItem(PK=USER#\<userId\>, SK=SITE#\<siteId\>)`),
			Read:    ap.Get(table, ap.Equals("PK", "USER#{userId}"), ap.Is("SK", "SITE#{siteId}")),
			Returns: []string{"rating"},
		},
		{
			// The filter is declared: the same prefix holds the user's comments.
			ID: "my-ratings", Title: "My ratings", Roles: loggedIn(),
			Cite: ap.Line(49, "**My ratings:**", `PK=USER#\<userId\>`, "SITE#..."),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{userId}"), Sort: ap.BeginsWith("SK", "SITE#"),
				Filter: []ap.FilterCondition{{Attribute: "starRating", Operator: ap.FilterAttributeExists}},
			},
			Returns: []string{"rating"},
		},
		{
			ID: "five-star-ratings", Title: "All 5-star ratings", Roles: loggedIn(),
			Cite:    ap.Line(50, "**byStars**", "`starRating=5`").And(ap.Line(13, "`starRating=5`")),
			Read:    &ap.Read{Operation: ap.OpQuery, Table: table, Index: "byStars", Partition: ap.EqualsNumber("starRating", "5")},
			Returns: []string{"rating"},
		},
		{
			ID: "ratings-by-stars", Title: "All ratings of one value", Roles: loggedIn(),
			Cite:    ap.Line(119, "byStars (ratings by 1–5)").And(ap.Line(13, "Ratings by value")).Implied("The index table and the summary speak of every value; the list of patterns has 5 alone."),
			Read:    &ap.Read{Operation: ap.OpQuery, Table: table, Index: "byStars", Partition: ap.EqualsNumber("starRating", "{stars}")},
			Returns: []string{"rating"},
		},
		{
			ID: "get-comment", Title: "Get one of my comments", Roles: loggedIn(),
			Cite:    ap.Line(56, `USER#\<id\>`, `SITE#\<siteId\>#COMMENT#\<commentId\>`).And(ap.Line(120, "their own ratings and comments")).Implied("Who updates a comment reads it first; the item table gives its key."),
			Read:    ap.Get(table, ap.Equals("PK", "USER#{userId}"), ap.Is("SK", "SITE#{siteId}#COMMENT#{commentId}")),
			Returns: []string{"comment"},
		},
		{
			ID: "my-comments-for-site", Title: "My comments on a site", Roles: loggedIn(),
			Cite: ap.Line(56, `SITE#\<siteId\>#COMMENT#\<commentId\>`).And(ap.Line(59, "store under user")).Implied("Comments are stored under the user, so that one user's comments on one site share a prefix."),
			Read: &ap.Read{
				Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{userId}"), Sort: ap.BeginsWith("SK", "SITE#{siteId}#COMMENT#"),
			},
			Returns: []string{"comment"},
		},
	}
}

func siteWrites() []ap.Pattern {
	const written = "A role may write it, and the document lists reads alone."
	return []ap.Pattern{
		{
			ID: "create-site", Title: "Create a site with its tag item", Roles: admins(),
			Cite: ap.Line(120, "Admins create/update sites").And(ap.Line(21, "Only admins create/update"), ap.Line(32, "One item per tag per site")).Implied(written),
			Flow: []ap.Step{{
				Name: "create", Cite: ap.Line(21, "One item per site").And(ap.Line(32, "Write when a site's tags change")),
				Write: []ap.Action{
					{Kind: ap.Put, Table: table, Entity: "site", Item: putSite, Condition: ap.IfAbsent("PK")},
					{Kind: ap.Put, Table: table, Entity: "site-tag", Item: putTag},
				},
			}},
			Returns: []string{"site"},
		},
		{
			ID: "update-site", Title: "Update a site's title and description", Roles: admins(),
			Cite: ap.Line(120, "Admins create/update sites").And(ap.Line(25, "title, description", "updatedAt")).Implied(written),
			Flow: []ap.Step{{
				Name: "update", Cite: ap.Line(21, "Only admins create/update"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: table, Key: key("SITE#{siteId}", "METADATA"), Condition: ap.IfPresent("PK"),
					Set: []ap.Assignment{set("title"), set("description"), set("updatedAt")},
				}},
			}},
			Returns: []string{"site"},
		},
		changeTags(),
		{
			ID: "rate-site", Title: "Rate a site, or change my rating", Roles: loggedIn(),
			Cite: ap.Line(120, "creates/updates their own ratings").And(ap.Line(42, "Logged-in users write their own")).Implied(written),
			Flow: []ap.Step{{
				// No condition: the second rating replaces the first.
				Name: "rate", Cite: ap.Line(42, "One item per user per site"),
				Write: []ap.Action{{Kind: ap.Put, Table: table, Entity: "rating", Item: putRating}},
			}},
			Returns: []string{"rating"},
		},
		{
			ID: "write-comment", Title: "Write a comment on a site", Roles: loggedIn(),
			Cite: ap.Line(120, "ratings and comments").And(ap.Line(56, "#COMMENT#")).Implied(written),
			Flow: []ap.Step{{
				Name: "write", Cite: ap.Line(120, "creates/updates"),
				Write: []ap.Action{{Kind: ap.Put, Table: table, Entity: "comment", Item: putComment, Condition: ap.IfAbsent("PK")}},
			}},
			Returns: []string{"comment"},
		},
		{
			ID: "edit-comment", Title: "Edit a comment of mine", Roles: loggedIn(),
			Cite: ap.Line(120, "ratings and comments").And(ap.Line(56, "body, createdAt, updatedAt")).Implied(written),
			Flow: []ap.Step{{
				Name: "edit", Cite: ap.Line(120, "creates/updates"),
				Write: []ap.Action{{
					Kind: ap.Update, Table: table, Key: key("USER#{userId}", "SITE#{siteId}#COMMENT#{commentId}"), Condition: ap.IfPresent("PK"),
					Set: []ap.Assignment{set("body"), set("updatedAt")},
				}},
			}},
			Returns: []string{"comment"},
		},
	}
}

func getSite() *ap.Read {
	return ap.Get(table, ap.Equals("PK", "SITE#{siteId}"), ap.Is("SK", "METADATA"))
}

func tagsOfSite() *ap.Read {
	return &ap.Read{
		Operation: ap.OpQuery, Table: table,
		Partition: ap.Equals("PK", "SITE#{siteId}"), Sort: ap.BeginsWith("SK", "TAG#"),
	}
}

// changeTags writes the list first and lets the tag items follow it. Each of
// them is written, or deleted, on condition of what the list says at that
// moment: of several clients, or of one that died and begins again, the last to
// write the list finds every difference, and nobody else can make a new one.
func changeTags() ap.Pattern {
	whileListed := func(operator ap.ConditionOperator) ap.Action {
		return ap.Action{
			Kind: ap.ConditionCheck, Table: table, Key: key("SITE#{siteId}", "METADATA"),
			Condition: []ap.WriteCondition{{Attribute: "tags", Operator: operator, Value: ap.Text("{tag}")}},
		}
	}
	change := ap.Line(32, "One item per tag per site", "Write when a site's tags change")
	return ap.Pattern{
		ID: "change-site-tags", Title: "Change a site's tags: the list, then the tag items that differ from it", Roles: admins(),
		Cite: change.And(ap.Line(25, "tags (list)")).Implied("The document says when tag items are written, not how; the list decides which there are."),
		Flow: []ap.Step{
			{
				Name: "list", Cite: ap.Line(25, "tags (list)").And(ap.Line(21, "Only admins create/update")),
				Write: []ap.Action{{Kind: ap.Put, Table: table, Entity: "site", Item: putSite, Condition: ap.IfPresent("PK")}},
			},
			{Name: "site", Cite: ap.Line(27, "SK=METADATA"), Read: getSite(), StopWhenEmpty: true},
			{Name: "items", Cite: ap.Line(36, `TAG#\<tag\>`), Read: tagsOfSite()},
			{
				Name: "add", Cite: change,
				ForEach: ap.Each("site", "tags", "tag").Without("items", "tag", "tag"),
				Write: []ap.Action{
					whileListed(ap.ConditionHas),
					{
						Kind: ap.Update, Table: table, Key: key("SITE#{siteId}", "TAG#{tag}"),
						Set: []ap.Assignment{set("tag"), {Attribute: "siteId", Value: ap.Text("SITE#{siteId}")}},
					},
				},
			},
			{
				Name: "remove", Cite: change,
				ForEach: ap.Each("items", "tag", "tag").Without("site", "tags", "tag"),
				Write: []ap.Action{
					whileListed(ap.ConditionLacks),
					{Kind: ap.Delete, Table: table, Key: key("SITE#{siteId}", "TAG#{tag}")},
				},
			},
		},
		Returns: []string{"site-tag"},
	}
}
