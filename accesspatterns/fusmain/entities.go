package fusmain

import (
	"slices"

	ap "dynaproof/accesspatterns"
)

// Which attributes an item must carry is decided in one way throughout, because
// the document marks only two as optional (finding presence-undefined): what
// keys, rules and listings rest on is required, with the timestamps that stand
// beside it; free text, pictures and all that section 1 calls examples is
// optional.
//
// Timestamps are Strings without a checked notation: the document gives none
// (finding timestamp-notation-undefined).
func entities() []ap.Entity {
	return slices.Concat(siteEntities(), userEntities(), squashEntities())
}

func siteEntities() []ap.Entity {
	oneStar, fiveStars := ap.Between(1, 5)
	return []ap.Entity{
		{
			ID: "site", Title: "Site (catalog entry)", Table: table,
			Cite: ap.Lines(19, 25, "### 1. Site (catalog entry)", "METADATA"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "SITE#{siteId}", Cite: ap.Line(25, `SITE#\<id\>`)},
				{Attribute: "SK", Template: "METADATA", Cite: ap.Line(25, "METADATA")},
				{Attribute: "entityType", Template: "SITE", Cite: ap.Line(25, "**entityType**=SITE")},
				{Attribute: "entitySk", Template: "SITE#{siteId}", Cite: ap.Line(25, `**entitySk**=SITE#\<id\>`)},
			},
			Attributes: []ap.Attribute{
				{Name: "url", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(25, "url")},
				{Name: "title", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(25, "title")},
				{Name: "description", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(25, "description")},
				{Name: "scrapedContent", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(25, "scrapedContent")},
				{Name: "tags", Type: ap.List, Presence: ap.Optional, Cite: ap.Line(25, "tags (list)")},
				// An element is what a tag item repeats in its String key.
				{Name: "tags[]", Type: ap.String, NotEmpty: true, Cite: ap.Line(25, "tags (list)").And(ap.Line(12, "tag (S)"), ap.Line(32, "site's tags"))},
				{Name: "createdAt", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(25, "createdAt")},
				{Name: "updatedAt", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(25, "updatedAt")},
			},
		},
		{
			ID: "site-tag", Title: "Site–tag (for query by tag)", Table: table,
			Cite: ap.Lines(30, 36, "### 2. Site–tag", `TAG#\<tag\>`),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "SITE#{siteId}", Cite: ap.Line(36, `SITE#\<id\>`)},
				{Attribute: "SK", Template: "TAG#{tag}", Cite: ap.Line(36, `TAG#\<tag\>`)},
				{Attribute: "tag", Template: "{tag}", Cite: ap.Line(36, `**tag**=\<tag\>`)},
				{Attribute: "siteId", Template: "SITE#{siteId}", Cite: ap.Line(36, `**siteId**=SITE#\<id\>`)},
			},
		},
		{
			ID: "rating", Title: "User rating (stars + note)", Table: table,
			Cite: ap.Lines(40, 46, "### 3. User rating", `SITE#\<siteId\>`),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER#{userId}", Cite: ap.Line(46, `USER#\<id\>`)},
				{Attribute: "SK", Template: "SITE#{siteId}", Cite: ap.Line(46, `SITE#\<siteId\>`)},
				{Attribute: "starRating", Template: "{starRating}", Type: ap.Number, Cite: ap.Line(46, "**starRating**").And(ap.Line(13, "starRating (N)"))},
				{Attribute: "siteId", Template: "SITE#{siteId}", Cite: ap.Line(46, `**siteId**=SITE#\<siteId\>`)},
			},
			Attributes: []ap.Attribute{
				{Name: "stars", Type: ap.Number, Minimum: oneStar, Maximum: fiveStars, Format: ap.Integer, Cite: ap.Line(46, "stars (1–5)").And(ap.Line(119, "ratings by 1–5"))},
				{Name: "note", Type: ap.String, Presence: ap.Optional, Cite: ap.Line(46, "note")},
				{Name: "updatedAt", Type: ap.String, Cite: ap.Line(46, "updatedAt")},
			},
			Rules: []ap.Rule{
				{
					ID: "star-rating-is-stars", Statement: "starRating repeats stars", Attribute: "starRating", EqualTo: "stars",
					Cite: ap.Line(46, "**starRating** (same as stars)"),
				},
				{
					ID: "site-id-is-one-segment", Statement: "the site's id holds no '#', or the key could be that of a comment",
					Attribute: "SK", Check: siteIDIsOneSegment,
					Cite: ap.Line(46, `SITE#\<siteId\>`).And(ap.Line(56, `SITE#\<siteId\>#COMMENT#\<commentId\>`)),
				},
			},
		},
		{
			ID: "comment", Title: "Comment (per user per site)", Table: table,
			Cite: ap.Lines(52, 56, "### 4. Comment", "#COMMENT#"),
			Keys: []ap.KeyAttribute{
				{Attribute: "PK", Template: "USER#{userId}", Cite: ap.Line(56, `USER#\<id\>`)},
				{Attribute: "SK", Template: "SITE#{siteId}#COMMENT#{commentId}", Cite: ap.Line(56, `SITE#\<siteId\>#COMMENT#\<commentId\>`)},
			},
			Attributes: []ap.Attribute{
				{Name: "body", Type: ap.String, Cite: ap.Line(56, "body")},
				{Name: "createdAt", Type: ap.String, Cite: ap.Line(56, "createdAt")},
				{Name: "updatedAt", Type: ap.String, Cite: ap.Line(56, "updatedAt")},
			},
		},
	}
}
