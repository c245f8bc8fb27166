package services

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fus is the client of fus-main.md at work.
type fus struct{ product }

func fusSend(do func(f fus) error) plainSend {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error {
		return do(fus{product{ctx, c, t("fus-main")}})
	}
}

// entity is the list of one kind of item.
func (f fus) entity(kind string) *dynamodb.QueryInput {
	return f.partition("byEntity", "entityType", kind)
}

// Sites and their tags.

type fusSite struct {
	id, url, title, about string
	tags                  []string
}

func (s fusSite) pk() string { return "SITE#" + s.id }

func (s fusSite) item(created, updated string) Item {
	return with(primary(s.pk(), "METADATA"), plainAny{
		"url": s.url, "title": s.title, "description": s.about, "tags": s.tags, "createdAt": created, "updatedAt": updated,
		"entityType": "SITE", "entitySk": s.pk(),
	})
}

func (s fusSite) tag(tag string) Item {
	return with(primary(s.pk(), "TAG#"+tag), plainAny{"tag": tag, "siteId": s.pk()})
}

// create stores a site with one item for each of its tags.
func (f fus) create(s fusSite, at string) error {
	items := []Item{s.item(at, at)}
	for _, tag := range s.tags {
		items = append(items, s.tag(tag))
	}
	return f.transact(f.putWrites(items...)...)
}

// retag gives a site other tags: the list in the site and the tag items change together.
func (f fus) retag(s fusSite, at string, tags, come, leave []string) error {
	writes := []types.TransactWriteItem{change(primary(s.pk(), "METADATA"), plainAny{"tags": tags, "updatedAt": at}).write(f.table)}
	for _, tag := range come {
		writes = append(writes, f.putWrite(s.tag(tag)))
	}
	for _, tag := range leave {
		writes = append(writes, f.deleteWrite(keyOf(s.tag(tag))))
	}
	return f.transact(writes...)
}

func (f fus) tagged(tag string) *dynamodb.QueryInput {
	return f.partition("byTag", "tag", tag)
}

// Ratings and comments of a user.

func fusRating(user, site string, stars int, note, at string) Item {
	item := with(primary("USER#"+user, "SITE#"+site), plainAny{
		"stars": stars, "starRating": stars, "siteId": "SITE#" + site, "updatedAt": at,
	})
	if note != "" {
		item["note"] = plainValue(note)
	}
	return item
}

// ratings are a user's own: comments have the same beginning of the sort key, and no starRating.
func (f fus) ratings(user string) *dynamodb.QueryInput {
	in := f.prefix("USER#"+user, "SITE#")
	in.FilterExpression = aws.String("attribute_exists(#starRating)")
	in.ExpressionAttributeNames["#starRating"] = "starRating"
	return in
}

func (f fus) starred(stars int) *dynamodb.QueryInput {
	return f.partition("byStars", "starRating", stars)
}

func fusCommentSK(site, comment string) string { return "SITE#" + site + "#COMMENT#" + comment }

func fusComment(user, site, comment, body, at string) Item {
	return with(primary("USER#"+user, fusCommentSK(site, comment)), plainAny{"body": body, "createdAt": at, "updatedAt": at})
}

// comments are a user's own on one site.
func (f fus) comments(user, site string) *dynamodb.QueryInput {
	return f.prefix("USER#"+user, fusCommentSK(site, ""))
}

// Groups, members, profiles.

func fusGroup(name, about string, permissions []string, at string) Item {
	return with(primary("GROUP#"+name, "METADATA"), plainAny{
		"name": name, "description": about, "permissions": permissions, "createdAt": at, "updatedAt": at, "entityType": "GROUP",
		"entitySk": "GROUP#" + name,
	})
}

func fusMembership(user, group, by, at string) Item {
	return with(primary("USER#"+user, "MEMBERSHIP#"+group), plainAny{
		"groupName": group, "userId": user, "addedAt": at, "addedBy": by,
	})
}

func (f fus) memberships(user string) *dynamodb.QueryInput {
	return f.prefix("USER#"+user, "MEMBERSHIP#")
}

func (f fus) members(group string) *dynamodb.QueryInput {
	return f.partition("byGroup", "groupName", group)
}

func fusProfileKey(user string) Item { return primary("USER#"+user, "PROFILE") }

// Squash.

func fusPlayerPK(player string) string { return "SQUASH#PLAYER#" + player }

func fusPlayer(id, name, at string, more plainAny) Item {
	return with(with(primary(fusPlayerPK(id), "METADATA"), plainAny{
		"name": name, "entityType": "SQUASH_PLAYER", "entitySk": fusPlayerPK(id), "createdAt": at, "updatedAt": at,
	}), more)
}

type fusMatch struct {
	id, date       string
	a1, a2, b1, b2 string
	winner         string
	aGames, bGames int
}

func (m fusMatch) players() []string { return []string{m.a1, m.a2, m.b1, m.b2} }

// items are a match and its four participations.
func (m fusMatch) items(at string) []Item {
	return []Item{m.item(at), m.played(m.a1), m.played(m.a2), m.played(m.b1), m.played(m.b2)}
}

func (m fusMatch) key() Item { return primary("SQUASH#MATCH#"+m.id, "METADATA") }

func (m fusMatch) item(at string) Item {
	return with(m.key(), plainAny{
		"date": m.date, "squashDate": m.date, "matchId": m.id, "teamAPlayer1Id": m.a1, "teamAPlayer2Id": m.a2,
		"teamBPlayer1Id": m.b1, "teamBPlayer2Id": m.b2, "winningTeam": m.winner, "teamAGames": m.aGames, "teamBGames": m.bGames,
		"entityType": "SQUASH_MATCH", "entitySk": "SQUASH#MATCH#" + m.id, "createdAt": at, "updatedAt": at,
	})
}

func (m fusMatch) played(player string) Item {
	return with(primary(fusPlayerPK(player), "MATCH#"+m.id), plainAny{"matchId": m.id, "squashDate": m.date})
}

// add stores a match and its four participations in one transaction.
func (f fus) add(m fusMatch, at string) error {
	return f.transact(f.putWrites(m.items(at)...)...)
}

// drop deletes a match and its four participations in one transaction.
func (f fus) drop(m fusMatch) error {
	return f.transact(f.deleteWrites(m.items("")...)...)
}

// day is the list of the matches of a day: participations are in the same index, and are no matches.
func (f fus) day(date string) *dynamodb.QueryInput {
	in := f.partition("bySquashDate", "squashDate", date)
	in.FilterExpression = aws.String("#entityType = :match")
	in.ExpressionAttributeNames["#entityType"] = "entityType"
	in.ExpressionAttributeValues[":match"] = plainValue("SQUASH_MATCH")
	return in
}

func (f fus) matchesOf(player string) *dynamodb.QueryInput {
	return f.prefix(fusPlayerPK(player), "MATCH#")
}

// FusMain is the client of fus-main.md: a catalogue of sites with tags, ratings and comments, groups of users, and a squash ladder for one of the groups.
func FusMain() Service {
	const ann, bob, sam = "sub-ann", "sub-bob", "sub-sam"
	const ( // players and matches are named by UUIDs: 93, 102
		p1, p2, p3 = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002", "00000000-0000-4000-8000-000000000003"
		p4, p5, p6 = "00000000-0000-4000-8000-000000000004", "00000000-0000-4000-8000-000000000005", "00000000-0000-4000-8000-000000000006"

		match1, match2 = "00000000-0000-4000-8000-000000000011", "00000000-0000-4000-8000-000000000012"
		match3, match4 = "00000000-0000-4000-8000-000000000013", "00000000-0000-4000-8000-000000000014"
	)
	var (
		anybody   = Caller{"everyone", ""}
		admin     = Caller{"admin", "sub-admin"}
		super     = Caller{"SuperAdmin", "sub-super"}
		user      = Caller{"logged-in user", ann}
		other     = Caller{"logged-in user", bob}
		member    = Caller{"user in the Squash group", sam}
		manager   = Caller{"manager in the Squash group", "sub-max"}
		outside   = Caller{"manager", "sub-mel"} // not in the Squash group
		notAdmin  = []Caller{anybody, user}
		notMine   = []Caller{anybody, other}
		noSquash  = []Caller{anybody, user, outside}         // who must not see players and matches
		noReferee = []Caller{anybody, user, outside, member} // who must not change them
	)
	bare := fusSite{"site-1", "https://one.example", "One", "The first.", nil}
	single := fusSite{"site-2", "https://two.example", "Two", "The second.", []string{"javascript"}}
	many := fusSite{"site-3", "https://three.example", "Three", "The third.", []string{"javascript", "css", "html"}}
	brief := fusSite{"site-4", "https://four.example", "Four", "Soon gone.", []string{"css"}}

	m1 := fusMatch{match1, "2026-02-19", p1, p2, p3, p4, "A", 3, 0}
	m2 := fusMatch{match2, "2026-02-19", p1, p3, p2, p4, "B", 2, 3}
	m3 := fusMatch{match3, "2026-02-19", p1, p4, p2, p3, "A", 3, 1}
	m4 := fusMatch{match4, "2026-02-20", p1, p2, p3, p4, "B", 1, 3}
	m4moved := m4 // on another day
	m4moved.date = "2026-02-21"
	m4other := m4moved // with another player
	m4other.b2 = p5

	// What is deleted is what was found before.
	var said []Item

	return Service{Design: "fus-main.md", Days: []Step{
		// First logins.
		{What: "a user logs in for the first time: the profile begins with the login", Cite: "80-86", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.update(change(fusProfileKey(ann), plainAny{"lastLoginAt": "2026-02-18T08:00:00Z", "lastLoginIp": "192.0.2.1"}))
			})},
		{What: "a user's profile after the first login has no picture and no description", Cite: "86", As: user,
			Send: fusSend(func(f fus) error {
				item, err := f.found(fresh(f.at("USER#"+ann, "PROFILE")))
				if err == nil && (text(item, "lastLoginIp") != "192.0.2.1" || item["avatarKey"] != nil || item["description"] != nil) {
					err = fmt.Errorf("the profile holds %v", item)
				}
				return err
			})},
		{What: "a user who has never logged in has no profile", Cite: "86", As: Caller{"logged-in user", "sub-none"}, Not: []Caller{anybody, user},
			Send: fusSend(func(f fus) error { return f.gone(f.at("USER#sub-none", "PROFILE")) })},
		{What: "at every login the groups of a user are read: none yet", Cite: "75-77", As: user,
			Send: fusSend(func(f fus) error { return f.expect(current(f.memberships(ann)), "groupName") })},
		{What: "a user fills in the profile", Cite: "84, 87", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.update(change(fusProfileKey(ann), plainAny{"description": "Likes the web.", "avatarKey": "profile/avatars/sub-ann/00000000-0000-4000-8000-000000000021.png", "updatedAt": "2026-02-18T08:05:00Z"}))
			})},
		{What: "another user sees the picture and the description", Cite: "84, 86", As: other, Not: []Caller{anybody},
			Send: fusSend(func(f fus) error {
				item, err := f.found(f.at("USER#"+ann, "PROFILE", "avatarKey", "description"))
				if err == nil && (len(item) != 2 || text(item, "description") != "Likes the web.") {
					err = fmt.Errorf("the profile shows %v", item)
				}
				return err
			})},
		{What: "a user takes the picture away, changes the description, and the page shows the answer", Cite: "84", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				in := change(fusProfileKey(ann), plainAny{"description": "Likes squash.", "updatedAt": "2026-02-18T08:06:00Z"}, "avatarKey").input(f.table)
				in.ReturnValues = types.ReturnValueAllNew
				out, err := f.c.UpdateItem(f.ctx, in)
				if err == nil && (out.Attributes["avatarKey"] != nil || text(out.Attributes, "lastLoginIp") == "") {
					err = fmt.Errorf("the profile holds %v", out.Attributes)
				}
				return err
			})},
		{What: "a user logs in again", Cite: "84", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return errors.Join(
					f.update(change(fusProfileKey(ann), plainAny{"lastLoginAt": "2026-02-19T08:00:00Z", "lastLoginIp": "192.0.2.2"})),
					f.holds(fresh(f.at("USER#"+ann, "PROFILE")), plainAny{"description": "Likes squash."}),
				)
			})},

		// Sites, with zero, one and many tags.
		{What: "the catalogue is empty", Cite: "21, 28", As: anybody,
			Send: fusSend(func(f fus) error { return f.expect(f.entity("SITE"), "title") })},
		{What: "an admin adds a site without tags", Cite: "19-25, 120", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error { return f.put(bare.item("2026-02-18T09:00:00Z", "2026-02-18T09:00:00Z")) })},
		{What: "the catalogue has one site", Cite: "21, 28", As: anybody,
			Send: fusSend(func(f fus) error { return f.expect(f.entity("SITE"), "title", "One") })},
		{What: "an admin adds a site with one tag", Cite: "19-25, 30-36, 120", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error { return f.create(single, "2026-02-18T09:01:00Z") })},
		{What: "an admin adds a site with many tags; the app loses the answer and sends the same request again", Cite: "19-25, 30-36, 120", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.create(many, "2026-02-18T09:02:00Z"), f.create(many, "2026-02-18T09:02:00Z"))
			})},
		{What: "anybody opens a site", Cite: "21, 27", As: anybody,
			Send: fusSend(func(f fus) error {
				return f.holds(f.at(many.pk(), "METADATA"), plainAny{"title": "Three", "tags": many.tags})
			})},
		{What: "anybody opens a site that is not there", Cite: "27", As: anybody,
			Send: fusSend(func(f fus) error { return f.gone(f.at("SITE#none", "METADATA")) })},
		{What: "anybody lists the sites, in both directions and paged", Cite: "21, 28", As: user,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.expect(paged(f.entity("SITE"), 2), "title", "One", "Two", "Three"),
					f.expect(paged(backwards(f.entity("SITE")), 2), "title", "Three", "Two", "One"))
			})},
		{What: "an admin edits a site; its tags stay", Cite: "21, 25", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary(single.pk(), "METADATA"), plainAny{"title": "Number Two", "description": "Still the second.", "url": "https://2.example", "updatedAt": "2026-02-18T10:00:00Z"}))
			})},
		{What: "a site is scraped anew", Cite: "25", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary(single.pk(), "METADATA"), plainAny{"scrapedContent": "Welcome to Two.", "updatedAt": "2026-02-18T10:01:00Z"}))
			})},
		{What: "an admin stores a site as a whole, its tags unchanged", Cite: "21, 25", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				item := with(single.item("2026-02-18T09:01:00Z", "2026-02-18T10:02:00Z"), plainAny{"scrapedContent": "Welcome to Two."})
				return f.transact(f.putWrite(item), f.putWrite(single.tag("javascript")))
			})},
		{What: "anybody lists the sites of a tag: none, one, many, in both directions and paged", Cite: "34-38", As: anybody,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.expect(f.tagged("rust"), "siteId"), f.expect(f.tagged("css"), "siteId", "SITE#site-3"),
					f.bothWays(f.tagged("javascript"), 1, "siteId", "SITE#site-2", "SITE#site-3"))
			})},
		{What: "a page of a tag shows the titles of its sites", Cite: "27, 38", As: anybody,
			Send: fusSend(func(f fus) error {
				items, err := f.list(f.tagged("javascript"))
				if err != nil {
					return err
				}
				return each(items, func(item Item) error {
					_, err := f.found(f.at(text(item, "siteId"), "METADATA"))
					return err
				})
			})},
		{What: "an admin gives a site its first tag", Cite: "32, 36", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error { return f.retag(bare, "2026-02-18T11:00:00Z", []string{"css"}, []string{"css"}, nil) })},
		{What: "an admin adds many tags", Cite: "32, 36", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return f.retag(bare, "2026-02-18T11:01:00Z", []string{"css", "html", "svg"}, []string{"html", "svg"}, nil)
			})},
		{What: "an admin takes one tag away and brings another", Cite: "32, 36", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return f.retag(bare, "2026-02-18T11:02:00Z", []string{"html", "svg", "wasm"}, []string{"wasm"}, []string{"css"})
			})},
		{What: "an admin takes all tags away", Cite: "32, 36", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return f.retag(many, "2026-02-18T11:03:00Z", nil, nil, []string{"javascript", "css", "html"})
			})},
		{What: "an admin changes a tag by single writes: the site, the new tag, the old one", Cite: "32, 36", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return errors.Join(
					f.update(change(primary(single.pk(), "METADATA"), plainAny{"tags": []string{"typescript"}, "updatedAt": "2026-02-18T11:04:00Z"})),
					f.put(single.tag("typescript")),
					f.remove(keyOf(single.tag("javascript"))),
				)
			})},
		{What: "after that the tags lead where they should", Cite: "38", As: anybody,
			Send: fusSend(func(f fus) error {
				return errors.Join(
					f.expect(f.tagged("javascript"), "siteId"),
					f.expect(f.tagged("css"), "siteId"),
					f.expect(f.tagged("typescript"), "siteId", "SITE#site-2"),
					f.expect(f.tagged("html"), "siteId", "SITE#site-1"),
					f.expect(f.tagged("wasm"), "siteId", "SITE#site-1"))
			})},
		{What: "an admin adds a site by mistake and deletes it with its tags", Cite: "21, 25, 32, 36", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.create(brief, "2026-02-18T12:00:00Z"),
					f.transact(f.deleteWrite(primary(brief.pk(), "METADATA")), f.deleteWrite(keyOf(brief.tag("css")))))
			})},

		// Ratings.
		{What: "a user has rated nothing yet", Cite: "49", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.expect(f.ratings(ann), "siteId") })},
		{What: "a user opens a site without having rated it", Cite: "48", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.gone(f.at("USER#"+ann, "SITE#site-1")) })},
		{What: "a user rates a site without a note", Cite: "40-46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.put(fusRating(ann, "site-1", 5, "", "2026-02-18T13:00:00Z")) })},
		{What: "a user rates two more sites with a note, one of them twice as after a lost answer", Cite: "40-46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.put(fusRating(ann, "site-2", 1, "Not for me.", "2026-02-18T13:01:00Z"),
					fusRating(ann, "site-3", 4, "Good.", "2026-02-18T13:02:00Z"), fusRating(ann, "site-3", 4, "Good.", "2026-02-18T13:02:00Z"))
			})},
		{What: "another user rates the same site", Cite: "40-46, 120", As: other, Not: []Caller{anybody, user},
			Send: fusSend(func(f fus) error { return f.put(fusRating(bob, "site-1", 5, "Best.", "2026-02-18T13:03:00Z")) })},
		{What: "a user changes the stars: both attributes move", Cite: "46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary("USER#"+ann, "SITE#site-3"), plainAny{"stars": 5, "starRating": 5, "updatedAt": "2026-02-18T13:04:00Z"}))
			})},
		{What: "a user edits a note alone, and takes another away", Cite: "46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return errors.Join(
					f.update(change(primary("USER#"+ann, "SITE#site-3"), plainAny{"note": "Very good.", "updatedAt": "2026-02-18T13:05:00Z"})),
					f.update(change(primary("USER#"+ann, "SITE#site-2"), plainAny{"updatedAt": "2026-02-18T13:06:00Z"}, "note")),
				)
			})},
		{What: "a user reads their rating of a site", Cite: "48", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.holds(fresh(f.at("USER#"+ann, "SITE#site-3")), plainAny{"stars": 5, "starRating": 5, "note": "Very good."})
			})},
		{What: "all ratings of five stars: many, in both directions and paged", Cite: "50, 119", As: user,
			Send: fusSend(func(f fus) error {
				// Two ratings of site-1 have the same sort key, so their order is anybody's.
				for _, in := range []*dynamodb.QueryInput{paged(f.starred(5), 1), backwards(f.starred(5))} {
					items, err := f.list(in)
					if err != nil {
						return err
					}
					var sites []string
					for _, item := range items {
						sites = append(sites, text(item, "siteId"))
					}
					want := []string{"SITE#site-1", "SITE#site-1", "SITE#site-3"}
					if in.ScanIndexForward != nil && !*in.ScanIndexForward {
						slices.Reverse(want)
					}
					if !slices.Equal(sites, want) {
						return fmt.Errorf("five stars: expected %q, found %q", want, sites)
					}
				}
				return nil
			})},
		{What: "the ratings of the other values: one and none", Cite: "50, 119", As: user,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.expect(f.starred(1), "siteId", "SITE#site-2"), f.expect(f.starred(2), "siteId"),
					f.expect(f.starred(3), "siteId"), f.expect(f.starred(4), "siteId"))
			})},

		// Comments.
		{What: "a user has not commented on a site", Cite: "52-56", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.expect(f.comments(ann, "site-1"), "body") })},
		{What: "a user comments on a site", Cite: "52-56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.put(fusComment(ann, "site-1", "c1", "First!", "2026-02-18T14:00:00Z")) })},
		{What: "a user comments on the same site again, and on another, that one twice as after a lost answer", Cite: "52-56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.put(fusComment(ann, "site-1", "c2", "Second.", "2026-02-18T14:01:00Z"),
					fusComment(ann, "site-2", "c3", "Hm.", "2026-02-18T14:02:00Z"), fusComment(ann, "site-2", "c3", "Hm.", "2026-02-18T14:02:00Z"))
			})},
		{What: "another user comments on the same site", Cite: "52-56, 120", As: other, Not: []Caller{anybody, user},
			Send: fusSend(func(f fus) error { return f.put(fusComment(bob, "site-1", "c9", "Me too.", "2026-02-18T14:03:00Z")) })},
		{What: "a user edits a comment", Cite: "56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary("USER#"+ann, fusCommentSK("site-1", "c1")), plainAny{"body": "First indeed.", "updatedAt": "2026-02-18T14:04:00Z"}))
			})},
		{What: "a user opens one comment to edit it", Cite: "56", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.holds(fresh(f.at("USER#"+ann, fusCommentSK("site-1", "c1"))), plainAny{"body": "First indeed."})
			})},
		{What: "a user lists their comments on a site, in both directions and paged", Cite: "54-56, 59", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.bothWays(f.comments(ann, "site-1"), 1, "body", "First indeed.", "Second.") })},
		{What: "a user deletes a comment, twice as after a lost answer", Cite: "56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.remove(primary("USER#"+ann, fusCommentSK("site-1", "c2"))),
					f.remove(primary("USER#"+ann, fusCommentSK("site-1", "c2"))))
			})},
		{What: "a user lists their ratings, among which the comments are not, in both directions and paged", Cite: "46-49, 56", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.bothWays(f.ratings(ann), 2, "siteId", "SITE#site-1", "SITE#site-2", "SITE#site-3")
			})},
		{What: "a user takes a rating away", Cite: "46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.remove(primary("USER#"+ann, "SITE#site-2")) })},
		{What: "a rating that was taken away is in no list", Cite: "50", As: user,
			Send: fusSend(func(f fus) error { return f.expect(f.starred(1), "siteId") })},

		// Groups.
		{What: "there are no groups", Cite: "68", As: admin,
			Send: fusSend(func(f fus) error { return f.expect(f.entity("GROUP"), "name") })},
		{What: "an admin creates a group without permissions", Cite: "62-66", As: admin,
			Send: fusSend(func(f fus) error { return f.put(fusGroup("Readers", "Just read.", nil, "2026-02-18T15:00:00Z")) })},
		{What: "an admin creates a group with many permissions, twice as after a lost answer", Cite: "62-66", As: admin,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.put(fusGroup("Editors", "Edit.", []string{"sites:read", "sites:tag", "notes:read"}, "2026-02-18T15:01:00Z")), f.put(fusGroup("Editors", "Edit.", []string{"sites:read", "sites:tag", "notes:read"}, "2026-02-18T15:01:00Z")))
			})},
		{What: "a SuperAdmin creates the Squash group", Cite: "62-66, 121", As: super,
			Send: fusSend(func(f fus) error {
				return f.put(fusGroup("Squash", "Players.", []string{"squash:read"}, "2026-02-18T15:02:00Z"))
			})},
		{What: "groups are listed, in both directions and paged", Cite: "68", As: admin,
			Send: fusSend(func(f fus) error { return f.bothWays(f.entity("GROUP"), 2, "name", "Editors", "Readers", "Squash") })},
		{What: "a group is edited: description, then permissions", Cite: "66", As: admin,
			Send: fusSend(func(f fus) error {
				group, at := primary("GROUP#Editors", "METADATA"), "2026-02-18T15:03:00Z"
				return f.update(change(group, plainAny{"description": "May edit.", "updatedAt": at}),
					change(group, plainAny{"permissions": []string{"sites:read"}, "updatedAt": at}))
			})},
		{What: "one group is read, for its permissions decide", Cite: "69", As: admin,
			Send: fusSend(func(f fus) error {
				return f.holds(fresh(f.at("GROUP#Editors", "METADATA")), plainAny{"description": "May edit.", "permissions": []string{"sites:read"}})
			})},
		{What: "a group without members", Cite: "78", As: admin,
			Send: fusSend(func(f fus) error { return f.expect(f.members("Editors"), "userId") })},
		{What: "an admin adds a first member, twice as after a lost answer", Cite: "71-75", As: admin,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.put(fusMembership(ann, "Editors", admin.User, "2026-02-18T15:04:00Z")), f.put(fusMembership(ann, "Editors", admin.User, "2026-02-18T15:04:00Z")))
			})},
		{What: "a group with one member", Cite: "78", As: admin,
			Send: fusSend(func(f fus) error { return f.expect(f.members("Editors"), "userId", ann) })},
		{What: "an admin adds more members, and one user to a second group", Cite: "71-75", As: admin,
			Send: fusSend(func(f fus) error {
				for _, item := range []Item{fusMembership(bob, "Editors", admin.User, "2026-02-18T15:05:00Z"),
					fusMembership(sam, "Editors", admin.User, "2026-02-18T15:06:00Z"), fusMembership(ann, "Readers", admin.User, "2026-02-18T15:07:00Z")} {
					if err := f.put(item); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "a SuperAdmin adds the squash players' users to the Squash group", Cite: "71-75, 121", As: super,
			Send: fusSend(func(f fus) error {
				for _, sub := range []string{sam, manager.User} {
					if err := f.put(fusMembership(sub, "Squash", super.User, "2026-02-18T15:08:00Z")); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "many members are listed, in both directions and paged", Cite: "78", As: admin,
			Send: fusSend(func(f fus) error { return f.bothWays(f.members("Editors"), 2, "userId", ann, bob, sam) })},
		{What: "a user logs in: which groups?", Cite: "77", As: user,
			Send: fusSend(func(f fus) error { return f.bothWays(f.memberships(ann), 1, "groupName", "Editors", "Readers") })},
		{What: "a user asks for a page of the Squash section: is the user in the group?", Cite: "77, 121", As: member,
			Send: fusSend(func(f fus) error { return f.expect(current(f.memberships(sam)), "groupName", "Editors", "Squash") })},
		{What: "an admin takes a member out", Cite: "75", As: admin,
			Send: fusSend(func(f fus) error { return f.remove(primary("USER#"+ann, "MEMBERSHIP#Readers")) })},
		{What: "an admin deletes a group without members", Cite: "66", As: admin,
			Send: fusSend(func(f fus) error { return f.remove(primary("GROUP#Readers", "METADATA")) })},
		{What: "an admin deletes a group with its members", Cite: "66, 75, 78", As: admin,
			Send: fusSend(func(f fus) error {
				items, err := f.several(paged(f.members("Editors"), 2), 3)
				if err != nil {
					return err
				}
				return f.transact(append([]types.TransactWriteItem{f.deleteWrite(primary("GROUP#Editors", "METADATA"))}, f.deleteWrites(items...)...)...)
			})},

		// Squash: players.
		{What: "the Squash section has no players", Cite: "95, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return f.expect(f.entity("SQUASH_PLAYER"), "name") })},
		{What: "a SuperAdmin adds a player with a name alone", Cite: "93, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error { return f.put(fusPlayer(p1, "Pia", "2026-02-18T16:00:00Z", nil)) })},
		{What: "a manager adds a player with an address, and one who is a user", Cite: "93, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.put(fusPlayer(p2, "Per", "2026-02-18T16:01:00Z", plainAny{"email": "per@example.org"})),
					f.put(fusPlayer(p3, "Sam", "2026-02-18T16:02:00Z", plainAny{"email": "sam@example.org", "userId": sam})))
			})},
		{What: "a manager adds three more, one of them twice as after a lost answer", Cite: "93, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				at := "2026-02-18T16:03:00Z"
				return f.put(fusPlayer(p4, "Tom", at, nil), fusPlayer(p5, "Una", at, nil), fusPlayer(p6, "Vic", at, nil), fusPlayer(p6, "Vic", at, nil))
			})},
		{What: "a user in the group lists the players, in both directions and paged", Cite: "95, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return f.bothWays(f.entity("SQUASH_PLAYER"), 4, "name", "Pia", "Per", "Sam", "Tom", "Una", "Vic")
			})},
		{What: "a SuperAdmin lists the players", Cite: "95, 121", As: super, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return f.expect(f.entity("SQUASH_PLAYER"), "name", "Pia", "Per", "Sam", "Tom", "Una", "Vic")
			})},
		{What: "a user in the group opens a player", Cite: "96, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return f.holds(f.at(fusPlayerPK(p3), "METADATA"), plainAny{"name": "Sam", "userId": sam})
			})},
		{What: "a manager edits a player: another name, a first address, a link with a user", Cite: "93, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary(fusPlayerPK(p1), "METADATA"), plainAny{"name": "Pia P.", "email": "pia@example.org", "userId": "sub-pia", "updatedAt": "2026-02-18T16:10:00Z"}))
			})},
		{What: "a SuperAdmin takes the address and the link away", Cite: "93, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary(fusPlayerPK(p1), "METADATA"), plainAny{"updatedAt": "2026-02-18T16:11:00Z"}, "email", "userId"))
			})},
		{What: "a manager deletes a player who has no matches, twice as after a lost answer", Cite: "93, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.remove(primary(fusPlayerPK(p6), "METADATA")), f.remove(primary(fusPlayerPK(p6), "METADATA")))
			})},

		// Squash: matches. A match and its participations appear, change and go together.
		{What: "a day without matches", Cite: "105, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return f.expect(f.day("2026-02-19"), "matchId") })},
		{What: "a player without matches", Cite: "114, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return f.expect(f.matchesOf(p1), "matchId") })},
		{What: "a manager adds a match with its four participations", Cite: "98-104, 108-112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error { return f.add(m1, "2026-02-19T20:00:00Z") })},
		{What: "a day with one match, which the four participations are not", Cite: "105, 112, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return f.expect(f.day("2026-02-19"), "matchId", m1.id) })},
		{What: "a SuperAdmin adds two more of that day, one of them twice as after a lost answer", Cite: "98-104, 108-112, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return each([]fusMatch{m2, m3, m3}, func(m fusMatch) error { return f.add(m, "2026-02-19T21:00:00Z") })
			})},
		{What: "a manager adds a match of the next day", Cite: "98-104, 108-112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error { return f.add(m4, "2026-02-20T20:00:00Z") })},
		{What: "a day with many matches, in both directions and paged", Cite: "105, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return f.bothWays(f.day("2026-02-19"), 2, "matchId", m1.id, m2.id, m3.id) })},
		{What: "the matches of a range of days: one query a day, both ends included", Cite: "105-106, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.expect(f.day("2026-02-18"), "matchId"), f.expect(f.day("2026-02-19"), "matchId", m1.id, m2.id, m3.id),
					f.expect(f.day("2026-02-20"), "matchId", m4.id))
			})},
		{What: "all matches are listed, in both directions and paged", Cite: "102, 119, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return f.bothWays(f.entity("SQUASH_MATCH"), 3, "matchId", m1.id, m2.id, m3.id, m4.id)
			})},
		{What: "a player's matches, in both directions and paged", Cite: "112-114, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return f.bothWays(f.matchesOf(p1), 3, "matchId", m1.id, m2.id, m3.id, m4.id) })},
		{What: "and the matches themselves, one by one", Cite: "102, 114, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				items, err := f.several(current(f.matchesOf(p4)), 4)
				if err != nil {
					return err
				}
				return each(items, func(item Item) error {
					return f.holds(fresh(f.at("SQUASH#MATCH#"+text(item, "matchId"), "METADATA")), plainAny{"date": text(item, "squashDate")})
				})
			})},
		{What: "a manager reads a day and a player's matches", Cite: "105, 114, 121", As: manager, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.expect(f.day("2026-02-20"), "matchId", m4.id), f.expect(f.matchesOf(p5), "matchId"))
			})},
		{What: "a SuperAdmin reads a day and a player's matches", Cite: "105, 114, 121", As: super, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.expect(f.day("2026-02-20"), "matchId", m4.id), f.expect(f.matchesOf(p5), "matchId"))
			})},
		{What: "a manager corrects a result: the other team has won", Cite: "102-104, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.update(change(m2.key(), plainAny{"winningTeam": "A", "teamAGames": 3, "teamBGames": 2, "updatedAt": "2026-02-20T21:00:00Z"}))
			})},
		{What: "a SuperAdmin corrects the loser's games, with the rest of the result", Cite: "102-104, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.update(change(m1.key(), plainAny{"winningTeam": "A", "teamAGames": 3, "teamBGames": 1, "updatedAt": "2026-02-20T21:01:00Z"}))
			})},
		{What: "a manager moves a match to another day, and its participations with it", Cite: "102, 112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				writes := []types.TransactWriteItem{change(m4.key(), plainAny{"date": m4moved.date, "squashDate": m4moved.date, "updatedAt": "2026-02-20T21:02:00Z"}).write(f.table)}
				for _, player := range m4.players() {
					writes = append(writes, change(keyOf(m4.played(player)), plainAny{"squashDate": m4moved.date}).write(f.table))
				}
				return f.transact(writes...)
			})},
		{What: "a manager puts another player into a match: one participation goes, one comes", Cite: "102-104, 112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.transact(change(m4.key(), plainAny{"teamBPlayer2Id": p5, "updatedAt": "2026-02-20T21:03:00Z"}).write(f.table),
					f.deleteWrite(keyOf(m4moved.played(p4))), f.putWrite(m4other.played(p5)))
			})},
		{What: "a manager stores a match as a whole, with all participations", Cite: "98-104, 108-112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error { return f.add(m4other, "2026-02-20T20:00:00Z") })},
		{What: "after that the days and the players agree", Cite: "105, 114, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.expect(f.day(m4.date), "matchId"), f.expect(f.day(m4moved.date), "matchId", m4.id),
					f.expect(f.matchesOf(p4), "matchId", m1.id, m2.id, m3.id), f.expect(f.matchesOf(p5), "matchId", m4.id))
			})},
		{What: "a manager deletes a match with its participations, twice as after a lost answer", Cite: "102, 112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error { return errors.Join(f.drop(m3), f.drop(m3)) })},
		{What: "a SuperAdmin deletes a player's only match, and then the player", Cite: "93, 102, 112, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error { return errors.Join(f.drop(m4other), f.remove(primary(fusPlayerPK(p5), "METADATA"))) })},
		{What: "what was deleted is in no list", Cite: "95, 105, 119, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return errors.Join(f.expect(f.entity("SQUASH_PLAYER"), "name", "Pia P.", "Per", "Sam", "Tom"),
					f.expect(f.day(m4moved.date), "matchId"), f.expect(f.entity("SQUASH_MATCH"), "matchId", m1.id, m2.id))
			})},
		{What: "a SuperAdmin takes a user out of the Squash group", Cite: "75, 121", As: super,
			Send: fusSend(func(f fus) error { return f.remove(primary("USER#"+sam, "MEMBERSHIP#Squash")) })},

		// The end of an account.
		{What: "an account goes: all that a user has said of sites, ratings and comments alike", Cite: "49, 56", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				var err error
				said, err = f.several(current(f.prefix("USER#"+ann, "SITE#")), 4)
				return err
			})},
		{What: "an account goes: ratings and comments", Cite: "46, 56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				if len(said) == 0 {
					return errors.New("nothing was found to delete")
				}
				return each(said, func(item Item) error { return f.remove(keyOf(item)) })
			})},
		{What: "an account goes: another user's memberships, one", Cite: "75, 77", As: admin,
			Send: fusSend(func(f fus) error {
				items, err := f.several(current(f.memberships(manager.User)), 1)
				if err != nil {
					return err
				}
				return each(items, func(item Item) error { return f.remove(keyOf(item)) })
			})},
		{What: "an account goes: the profile", Cite: "84", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.remove(fusProfileKey(ann)) })},
		{What: "the ratings of the others are still there", Cite: "50", As: other,
			Send: fusSend(func(f fus) error { return f.expect(f.starred(5), "siteId", "SITE#site-1") })},
	}}
}
