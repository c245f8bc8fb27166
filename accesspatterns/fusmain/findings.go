package fusmain

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

func findings() []ap.Finding {
	return slices.Concat(tableFindings(), siteFindings(), commentFindings(), userFindings(), squashFindings())
}

// tableFindings concern the table, its indexes and all items alike.
func tableFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "table-name-by-variable", Kind: ap.Gap, Severity: ap.Low,
			Title:    "The table's name is fixed, or any value of a variable that is described nowhere",
			Cite:     ap.Line(3, "`fus-main`", "var.dynamoTableName"),
			Literal:  "Two environments in one account and region ask for the same table, because the name holds no environment.",
			Resolved: "The name comes from configuration, with fus-main as its default.",
			Claims:   []string{"table/fus-main/exists"},
			Static:   "One deployment has one name; what a second one would be called is not written.",
		},
		{
			ID: "index-projections-undocumented", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "No index says what it projects",
			Cite:     ap.Line(9, "| GSI name", "| Use case").And(ap.Lines(11, 15, "byEntity", "byTag", "byStars", "byGroup", "bySquashDate")),
			Literal:  "With KEYS_ONLY, listing sites gives no title and filtering a day by entityType gives nothing; two readers build two different tables.",
			Resolved: "All five project ALL, because the patterns list whole items.",
			Claims: []string{
				"index/fus-main/byEntity", "index/fus-main/byTag", "index/fus-main/byStars", "index/fus-main/byGroup", "index/fus-main/bySquashDate",
			},
			Static: "The text is absent: the index table has no such column.",
		},
		{
			ID: "summary-key-prefixes", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "The summary lists TAG# among the prefixes of keys, but no partition begins with it, and other prefixes are left out",
			Cite:     ap.Line(118, "TAG#...", "SQUASH#MATCH#...").And(ap.Line(36, `SITE#\<id\>`, `TAG#\<tag\>`), ap.Line(75, "MEMBERSHIP#"), ap.Line(112, "MATCH#")),
			Literal:  "A Query of partition TAG#javascript finds nothing.",
			Resolved: "TAG# begins sort keys alone; a tag is looked up in byTag. MEMBERSHIP#, MATCH#, #COMMENT#, METADATA and PROFILE are forms of SK too.",
			Claims:   []string{"entity/site-tag", "pattern/sites-by-tag"},
		},
		{
			ID: "by-entity-one-partition-per-type", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "byEntity keeps all sites, all groups, all players and all matches in one partition each",
			Cite:     ap.Line(11, "`entityType=SITE`", "`entityType=GROUP`").And(ap.Line(95, "SQUASH_PLAYER"), ap.Line(102, "SQUASH_MATCH")),
			Literal:  "Every write of a match goes to one index partition, which has a ceiling of its own; matches only grow in number.",
			Resolved: "Deployed as documented; lists are read page by page to their end.",
			Grows:    []string{"list-sites", "list-groups", "list-players", "list-matches"},
			Static:   "The throughput of one partition does not show on a small table.",
		},
		{
			ID: "by-stars-five-partitions", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "byStars has five partitions in all, for the ratings of all users and sites",
			Cite:     ap.Line(13, "starRating (N)").And(ap.Line(46, "stars (1–5)"), ap.Line(119, "ratings by 1–5")),
			Literal:  "Popular values fill one partition without bound, and reading all 5-star ratings reads it whole.",
			Resolved: "Deployed as documented; ratings of one value are read page by page to their end.",
			Grows:    []string{"five-star-ratings", "ratings-by-stars"},
			Static:   "The throughput of one partition does not show on a small table.",
		},
		{
			ID: "ids-sort-as-text", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "Ids in sort keys are not padded, so that lists come in the order of text",
			Cite:     ap.Line(28, "sort by `entitySk`").And(ap.Line(25, `**entitySk**=SITE#\<id\>`), ap.Line(14, "userId (S)")),
			Literal:  "Sites 1, 2 and 10 are listed as 1, 10, 2, and members of a group likewise.",
			Resolved: "The order of text is what is asserted for sites; nothing is asserted where the document states no order.",
			Claims:   []string{"pattern/list-sites"},
		},
		{
			ID: "presence-undefined", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Two attributes of a player are called optional; of all others nobody says whether an item must carry them",
			Cite:     ap.Line(93, "email (optional)", "userId (optional").And(ap.Line(23, "Attributes (examples)"), ap.Line(46, "stars (1–5), note, updatedAt")),
			Literal:  "Read strictly, a rating without a note or a profile without an avatar is not allowed; the list for a site is called examples.",
			Resolved: "Required is what keys, rules and listings rest on, with the timestamps beside it; free text, avatars and all of a site's examples are optional.",
			Static:   "The text is absent: DynamoDB stores an item with or without them.",
		},
		{
			ID: "timestamp-notation-undefined", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "createdAt, updatedAt, addedAt and lastLoginAt have neither a type nor a notation",
			Cite:     ap.Line(25, "createdAt, updatedAt").And(ap.Line(75, "addedAt"), ap.Line(84, "lastLoginAt"), ap.Line(102, "createdAt, updatedAt")),
			Literal:  "One writer stores epoch seconds as Numbers, another ISO 8601 with an offset: they neither compare nor sort.",
			Resolved: "Strings of any notation; the fixtures use ISO 8601 in UTC.",
			Static:   "The text is absent, and none of them is a key.",
		},
		{
			ID: "timestamps-uneven", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Ratings and profiles have no createdAt, tag items and participations no timestamp at all",
			Cite:     ap.Line(46, "updatedAt").And(ap.Line(36, `**siteId**=SITE#\<id\>`), ap.Line(84, "updatedAt"), ap.Line(112, "matchId, squashDate")),
			Literal:  "When a site was first rated or tagged cannot be told.",
			Resolved: "Taken as documented: nothing is added.",
			Static:   "The text is absent; an item of ours would show our own choice.",
		},
		{
			ID: "undefined-values", Kind: ap.Gap, Severity: ap.Low,
			Title:    "What permissions hold, who addedBy names, and what s3-media is, stays open",
			Cite:     ap.Line(66, "permissions (list)").And(ap.Line(75, "addedBy"), ap.Line(87, "s3-media")),
			Literal:  "A permission may be a text or a map, addedBy a sub or a name.",
			Resolved: "permissions is a List of anything, addedBy a String; the bucket is no part of the table.",
			Static:   "The text is absent.",
		},
		{
			ID: "reserved-words", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "name, url and date are reserved words of DynamoDB",
			Cite:     ap.Line(66, "name, description").And(ap.Line(25, "url"), ap.Line(102, "date (YYYY-MM-DD)")),
			Literal:  "An expression that names such an attribute as it stands is rejected.",
			Resolved: "Every expression gives attribute names by ExpressionAttributeNames.",
		},
		{
			ID: "references-unchecked", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Nothing says that what an item refers to must exist",
			Cite:     ap.Line(46, `**siteId**=SITE#\<siteId\>`).And(ap.Line(75, "groupName"), ap.Line(102, "teamAPlayer1Id"), ap.Line(112, `SQUASH#PLAYER#\<playerId\>`)),
			Literal:  "A rating of a site that does not exist is stored, and listed among the ratings.",
			Resolved: "A condition check on the other item in the same transaction refuses it; adding a member does so, elsewhere the document asks for no check and none is imposed.",
			Claims:   []string{"pattern/add-member"},
		},
		{
			ID: "deletion-leaves-copies", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Deleting a site or a group is not described, and leaves tag items, ratings, comments and memberships behind",
			Cite:     ap.Line(21, "create/update").And(ap.Line(36, `TAG#\<tag\>`), ap.Line(46, `USER#\<id\>`), ap.Line(75, `MEMBERSHIP#\<groupName\>`), ap.Line(121, "add/edit/delete")),
			Literal:  "After the site's own item is gone, byTag and byStars still name the site.",
			Resolved: "A site's tag items share its partition and go in the same transaction; its ratings are found value by value, its comments not at all, so that no pattern for deleting a site is declared.",
		},
		{
			ID: "roles-undefined", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Nobody says who reads and changes groups, memberships and profiles, and how Admin and SuperAdmin relate",
			Cite:     ap.Line(120, "Admins create/update sites", "any logged-in user").And(ap.Line(121, "SuperAdmin and managers"), ap.Line(62, "Custom RBAC group"), ap.Line(86, "**Get profile:**")),
			Literal:  "One reader lets every user add members, and so grant itself the squash section; another lets nobody.",
			Resolved: "Groups and members are an admin's, one's own groups and profile a user's; roles are held to what the lines name.",
			Static:   "The text is absent, and roles are no part of a table.",
		},
	}
}
