package fusmain

import ap "dynaproof/accesspatterns"

func siteFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "site-list-order", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "Sites sort by their id, or by a creation time that entitySk does not hold",
			Cite:     ap.Line(28, "(or add createdAt to entitySk for ordering)").And(ap.Line(25, `**entitySk**=SITE#\<id\>`)),
			Literal:  "Two writers that choose differently mix two forms in one index partition, and the list has no order.",
			Resolved: "entitySk is SITE# and the id, as the item table says.",
			Claims:   []string{"entity/site", "pattern/list-sites"},
			Static:   "It is a choice between two forms of the key; the sentence offers both.",
		},
		{
			ID: "site-id-has-two-forms", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "siteId is the bare id in keys and SITE# with the id in the attribute of that name",
			Cite:     ap.Line(46, `SITE#\<siteId\>`, `**siteId**=SITE#\<siteId\>`).And(ap.Line(36, `**siteId**=SITE#\<id\>`), ap.Line(48, `SK=SITE#\<siteId\>`)),
			Literal:  "The value of siteId put into the documented key gives SITE#SITE#1, and a bare id in byStars finds nothing.",
			Resolved: "Parameters are bare; the attribute siteId is SITE# and the id. userId and matchId are bare everywhere.",
		},
		{
			ID: "site-id-with-hash", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "A site id that holds '#' turns the key of a rating into that of a comment",
			Cite:     ap.Line(46, `SITE#\<siteId\>`).And(ap.Line(56, `SITE#\<siteId\>#COMMENT#\<commentId\>`)),
			Literal:  "Asking for my rating of site 1#COMMENT#1 returns a comment on site 1.",
			Resolved: "An id in a key holds no '#': a rule of ratings, and a refusal to build where a further segment follows.",
			Claims:   []string{"rule/rating/site-id-is-one-segment"},
		},
		{
			ID: "tag-list-and-tag-items", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "A site's tags stand twice, in its list and in items of their own, and nothing ties them",
			Cite:     ap.Line(32, "Write when a site's tags change").And(ap.Line(25, "tags (list)"), ap.Line(36, `**tag**=\<tag\>`)),
			Literal:  "A site whose list changes alone is still found by its old tag, and not by its new one.",
			Resolved: "List and tag items change in one transaction.",
			Claims:   []string{"pattern/change-site-tags"},
		},
		{
			ID: "tag-spelling", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "Tags are keys: each spelling is a tag of its own",
			Cite:     ap.Line(38, `tag=\<tagValue\>`).And(ap.Line(12, "`tag=javascript`")),
			Literal:  "JavaScript and javascript find different sites.",
			Resolved: "Tags are compared byte by byte; a spelling is not normalised, because the document names none.",
		},
		{
			ID: "sites-by-tag-without-sites", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Sites by tag returns tag items, which hold no more than the site's id",
			Cite:     ap.Line(38, "**Sites by tag:**").And(ap.Line(36, `**tag**=\<tag\>`, `**siteId**=SITE#\<id\>`), ap.Line(12, "Sites by tag")),
			Literal:  "The answer has neither title nor url.",
			Resolved: "Each site is read by the siteId of its tag item.",
			Claims:   []string{"pattern/sites-by-tag-with-details"},
		},
		{
			ID: "scraped-content-in-lists", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Listing sites reads the scraped content of every site",
			Cite:     ap.Line(28, "**byEntity**").And(ap.Line(25, "scrapedContent")),
			Literal:  "Each item comes with its scrapedContent, which counts towards the 1 MB of a page and an item's 400 KB.",
			Resolved: "A projection expression keeps it out of the answer, though not out of what is read; the pattern stays as documented, without one.",
		},
		{
			ID: "my-ratings-include-comments", Kind: ap.Hazard, Severity: ap.High,
			Title:    "The user's partition, and the prefix SITE# in it, hold more than ratings",
			Cite:     ap.Line(49, `PK=USER#\<userId\>`, "SITE#...").And(ap.Line(56, `SITE#\<siteId\>#COMMENT#\<commentId\>`), ap.Line(75, "MEMBERSHIP#"), ap.Line(84, "PROFILE")),
			Literal:  "The documented Query returns profile, memberships and comments too; with the prefix SITE# it still returns comments.",
			Resolved: "The prefix SITE# with a declared filter on the presence of starRating.",
			Grows:    []string{"my-ratings"},
			Claims:   []string{"pattern/my-ratings"},
		},
		{
			ID: "stars-stand-twice", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "stars and starRating hold one value, and each can change alone",
			Cite:     ap.Line(46, "stars (1–5)", "**starRating** (same as stars)"),
			Literal:  "After an update of stars alone, byStars still lists the rating under its old value.",
			Resolved: "A rating is written whole, and both must be equal.",
			Claims:   []string{"pattern/rate-site", "rule/rating/star-rating-is-stars"},
		},
		{
			ID: "half-stars", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Whether stars may have a fraction is not said, and byStars is read by whole values",
			Cite:     ap.Line(46, "stars (1–5)").And(ap.Line(119, "ratings by 1–5")),
			Literal:  "A rating of 4.5 is stored, and stands under none of the five values.",
			Resolved: "stars is an integer from 1 to 5.",
			Claims:   []string{"attribute/rating/stars"},
		},
		{
			ID: "ratings-show-users-and-notes", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "Ratings by value hand every user's note and sub to whoever asks",
			Cite:     ap.Line(50, "**All 5-star ratings:**").And(ap.Line(46, `USER#\<id\>`, "note"), ap.Line(48, "**My rating for a site:**")),
			Literal:  "The answer holds the notes of other users and, in PK, who they are; the document does not say whether notes are private.",
			Resolved: "Open to logged-in users as documented; a projection expression leaves note and keys out where they must not be seen.",
		},
		{
			ID: "ratings-of-a-site", Kind: ap.Gap, Severity: ap.Low,
			Title:    "No pattern gives all ratings of one site or its average",
			Cite:     ap.Line(13, "starRating (N)", "siteId (S)").And(ap.Lines(48, 50, "My rating for a site", "My ratings", "All 5-star ratings")),
			Literal:  "byStars has siteId as its sort key, which no documented pattern uses: one site takes five queries.",
			Resolved: "None is declared.",
			Static:   "The text is absent.",
		},
	}
}

func commentFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "comments-for-site-deferred", Kind: ap.Contradiction, Severity: ap.High,
			Title:    "Comments for a site are read where they are not stored, through an index that does not exist, or later",
			Cite:     ap.Lines(58, 60, `PK=SITE#\<siteId\>`, "COMMENT#", "**bySite**", "For v1").And(ap.Line(56, `USER#\<id\>`)),
			Literal:  "The Query under the site finds nothing, because comments stand under their users; a Query of bySite is rejected.",
			Resolved: "No such pattern in version 1, and no index bySite; a user's own comments on a site are readable.",
			Claims:   []string{"table/fus-main/indexes", "pattern/my-comments-for-site"},
		},
		{
			ID: "comment-lacks-index-attributes", Kind: ap.Contradiction, Severity: ap.Medium,
			Title:    "The proposed index needs attributes that a comment does not have",
			Cite:     ap.Line(59, `PK=siteId, SK=COMMENT#\<id\>`).And(ap.Line(56, "body, createdAt, updatedAt"), ap.Line(36, "**siteId**"), ap.Line(46, "**siteId**")),
			Literal:  "A comment holds its site, its author and its id inside its keys only; tag items and ratings do have siteId, and would be in the index.",
			Resolved: "Comments stay as documented; an index would ask for attributes of their own first.",
			Lacks:    []string{"comment.siteId", "comment.commentId", "comment.userId", "comment.entityType"},
			Static:   "The index is a proposal; both places are cited.",
		},
		{
			ID: "comments-per-user-per-site", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "The heading speaks of a comment per user and site, the key allows any number",
			Cite:     ap.Line(52, "Comment (per user per site)").And(ap.Line(56, `#COMMENT#\<commentId\>`)),
			Literal:  "One user's three comments on one site are stored side by side.",
			Resolved: "Any number, told apart by commentId.",
			Claims:   []string{"pattern/my-comments-for-site"},
		},
		{
			ID: "all-my-comments", Kind: ap.Gap, Severity: ap.Low,
			Title:    "A user's comments on all sites have no key condition of their own",
			Cite:     ap.Line(56, `SITE#\<siteId\>#COMMENT#\<commentId\>`).And(ap.Line(120, "their own ratings and comments")),
			Literal:  "The site stands before COMMENT# in the key: no prefix selects comments, and SITE# selects ratings too.",
			Resolved: "Comments are read site by site; no filtered list is declared.",
			Claims:   []string{"pattern/my-comments-for-site"},
		},
	}
}
