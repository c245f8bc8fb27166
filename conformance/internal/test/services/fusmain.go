package services

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// fus is the client of fus-main.md at work.
type fus struct {
	ctx   context.Context
	c     *dynamodb.Client
	table string
}

func fusSend(do func(f fus) error) func(context.Context, *dynamodb.Client, Tables) error {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error { return do(fus{ctx, c, t("fus-main")}) }
}

func (f fus) put(item Item) error {
	_, err := f.c.PutItem(f.ctx, &dynamodb.PutItemInput{TableName: aws.String(f.table), Item: item})
	return err
}

func (f fus) update(e edit) error {
	_, err := f.c.UpdateItem(f.ctx, e.input(f.table))
	return err
}

func (f fus) remove(key Item) error {
	_, err := f.c.DeleteItem(f.ctx, &dynamodb.DeleteItemInput{TableName: aws.String(f.table), Key: key})
	return err
}

// fresh is a GetItem that sees what was written a moment ago.
func (f fus) fresh(pk, sk string) *dynamodb.GetItemInput {
	in := getInput(f.table, pk, sk)
	in.ConsistentRead = aws.Bool(true)
	return in
}

// holds reads an item and wants a String in an attribute.
func (f fus) holds(pk, sk, attribute, want string) error {
	item, err := found(f.ctx, f.c, f.fresh(pk, sk))
	if err == nil && text(item, attribute) != want {
		err = fmt.Errorf("%s of %s / %s: expected %q, found %q", attribute, pk, sk, want, text(item, attribute))
	}
	return err
}

// entity is the list of one kind of item.
func (f fus) entity(kind string) *dynamodb.QueryInput {
	return partitionInput(f.table, "byEntity", "entityType", S(kind))
}

// Sites and their tags.

type fusSite struct {
	id, url, title, about string
	tags                  []string
}

func (s fusSite) pk() string { return "SITE#" + s.id }

func (s fusSite) item(created, updated string) Item {
	item := primary(s.pk(), "METADATA")
	item["url"] = S(s.url)
	item["title"] = S(s.title)
	item["description"] = S(s.about)
	item["tags"] = texts(s.tags)
	item["createdAt"] = S(created)
	item["updatedAt"] = S(updated)
	item["entityType"] = S("SITE")
	item["entitySk"] = S(s.pk())
	return item
}

func (s fusSite) tag(tag string) Item {
	item := primary(s.pk(), "TAG#"+tag)
	item["tag"] = S(tag)
	item["siteId"] = S(s.pk())
	return item
}

// create stores a site with one item for each of its tags.
func (f fus) create(s fusSite, at string) error {
	writes := []types.TransactWriteItem{putWrite(f.table, s.item(at, at))}
	for _, tag := range s.tags {
		writes = append(writes, putWrite(f.table, s.tag(tag)))
	}
	return transact(f.ctx, f.c, writes...)
}

// retag gives a site other tags: the list in the site and the tag items change together.
func (f fus) retag(s fusSite, at string, tags, come, leave []string) error {
	writes := []types.TransactWriteItem{change(primary(s.pk(), "METADATA"), Item{"tags": texts(tags), "updatedAt": S(at)}).write(f.table)}
	for _, tag := range come {
		writes = append(writes, putWrite(f.table, s.tag(tag)))
	}
	for _, tag := range leave {
		writes = append(writes, deleteWrite(f.table, keyOf(s.tag(tag))))
	}
	return transact(f.ctx, f.c, writes...)
}

func (f fus) tagged(tag string) *dynamodb.QueryInput {
	return partitionInput(f.table, "byTag", "tag", S(tag))
}

// Ratings and comments of a user.

func fusRating(user, site string, stars int, note, at string) Item {
	item := primary("USER#"+user, "SITE#"+site)
	item["stars"] = N(stars)
	item["starRating"] = N(stars)
	item["siteId"] = S("SITE#" + site)
	item["updatedAt"] = S(at)
	if note != "" {
		item["note"] = S(note)
	}
	return item
}

// ratings are a user's own: comments have the same beginning of the sort key, and no starRating.
func (f fus) ratings(user string) *dynamodb.QueryInput {
	in := prefixInput(f.table, "USER#"+user, "SITE#")
	in.FilterExpression = aws.String("attribute_exists(#starRating)")
	in.ExpressionAttributeNames["#starRating"] = "starRating"
	return in
}

func (f fus) starred(stars int) *dynamodb.QueryInput {
	return partitionInput(f.table, "byStars", "starRating", N(stars))
}

func fusCommentSK(site, comment string) string { return "SITE#" + site + "#COMMENT#" + comment }

func fusComment(user, site, comment, body, at string) Item {
	item := primary("USER#"+user, fusCommentSK(site, comment))
	item["body"] = S(body)
	item["createdAt"] = S(at)
	item["updatedAt"] = S(at)
	return item
}

// comments are a user's own on one site.
func (f fus) comments(user, site string) *dynamodb.QueryInput {
	return prefixInput(f.table, "USER#"+user, fusCommentSK(site, ""))
}

// Groups, members, profiles.

func fusGroup(name, about string, permissions []string, at string) Item {
	item := primary("GROUP#"+name, "METADATA")
	item["name"] = S(name)
	item["description"] = S(about)
	item["permissions"] = texts(permissions)
	item["createdAt"] = S(at)
	item["updatedAt"] = S(at)
	item["entityType"] = S("GROUP")
	item["entitySk"] = S("GROUP#" + name)
	return item
}

func fusMembership(user, group, by, at string) Item {
	item := primary("USER#"+user, "MEMBERSHIP#"+group)
	item["groupName"] = S(group)
	item["userId"] = S(user)
	item["addedAt"] = S(at)
	item["addedBy"] = S(by)
	return item
}

func (f fus) memberships(user string) *dynamodb.QueryInput {
	return prefixInput(f.table, "USER#"+user, "MEMBERSHIP#")
}

func (f fus) members(group string) *dynamodb.QueryInput {
	return partitionInput(f.table, "byGroup", "groupName", S(group))
}

func fusProfileKey(user string) Item { return primary("USER#"+user, "PROFILE") }

// Squash.

func fusPlayerPK(player string) string { return "SQUASH#PLAYER#" + player }

func fusPlayer(id, name, at string, more Item) Item {
	item := primary(fusPlayerPK(id), "METADATA")
	item["name"] = S(name)
	item["entityType"] = S("SQUASH_PLAYER")
	item["entitySk"] = S(fusPlayerPK(id))
	item["createdAt"] = S(at)
	item["updatedAt"] = S(at)
	for attribute, value := range more {
		item[attribute] = value
	}
	return item
}

type fusMatch struct {
	id, date       string
	a1, a2, b1, b2 string
	winner         string
	aGames, bGames int
}

func (m fusMatch) players() []string { return []string{m.a1, m.a2, m.b1, m.b2} }

func (m fusMatch) key() Item { return primary("SQUASH#MATCH#"+m.id, "METADATA") }

func (m fusMatch) item(at string) Item {
	item := m.key()
	item["date"] = S(m.date)
	item["squashDate"] = S(m.date)
	item["matchId"] = S(m.id)
	item["teamAPlayer1Id"] = S(m.a1)
	item["teamAPlayer2Id"] = S(m.a2)
	item["teamBPlayer1Id"] = S(m.b1)
	item["teamBPlayer2Id"] = S(m.b2)
	item["winningTeam"] = S(m.winner)
	item["teamAGames"] = N(m.aGames)
	item["teamBGames"] = N(m.bGames)
	item["entityType"] = S("SQUASH_MATCH")
	item["entitySk"] = S("SQUASH#MATCH#" + m.id)
	item["createdAt"] = S(at)
	item["updatedAt"] = S(at)
	return item
}

func (m fusMatch) played(player string) Item {
	item := primary(fusPlayerPK(player), "MATCH#"+m.id)
	item["matchId"] = S(m.id)
	item["squashDate"] = S(m.date)
	return item
}

// add stores a match and its four participations in one transaction.
func (f fus) add(m fusMatch, at string) error {
	writes := []types.TransactWriteItem{putWrite(f.table, m.item(at))}
	for _, player := range m.players() {
		writes = append(writes, putWrite(f.table, m.played(player)))
	}
	return transact(f.ctx, f.c, writes...)
}

// drop deletes a match and its four participations in one transaction.
func (f fus) drop(m fusMatch) error {
	writes := []types.TransactWriteItem{deleteWrite(f.table, m.key())}
	for _, player := range m.players() {
		writes = append(writes, deleteWrite(f.table, keyOf(m.played(player))))
	}
	return transact(f.ctx, f.c, writes...)
}

// day is the list of the matches of a day: participations are in the same index, and are no matches.
func (f fus) day(date string) *dynamodb.QueryInput {
	in := partitionInput(f.table, "bySquashDate", "squashDate", S(date))
	in.FilterExpression = aws.String("#entityType = :match")
	in.ExpressionAttributeNames["#entityType"] = "entityType"
	in.ExpressionAttributeValues[":match"] = S("SQUASH_MATCH")
	return in
}

func (f fus) matchesOf(player string) *dynamodb.QueryInput {
	return prefixInput(f.table, fusPlayerPK(player), "MATCH#")
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
				return f.update(change(fusProfileKey(ann), Item{"lastLoginAt": S("2026-02-18T08:00:00Z"), "lastLoginIp": S("192.0.2.1")}))
			})},
		{What: "a user's profile after the first login has no picture and no description", Cite: "86", As: user,
			Send: fusSend(func(f fus) error {
				item, err := found(f.ctx, f.c, f.fresh("USER#"+ann, "PROFILE"))
				if err == nil && (text(item, "lastLoginIp") != "192.0.2.1" || item["avatarKey"] != nil || item["description"] != nil) {
					err = fmt.Errorf("the profile holds %v", item)
				}
				return err
			})},
		{What: "a user who has never logged in has no profile", Cite: "86", As: Caller{"logged-in user", "sub-none"}, Not: []Caller{anybody, user},
			Send: fusSend(func(f fus) error { return gone(f.ctx, f.c, getInput(f.table, "USER#sub-none", "PROFILE")) })},
		{What: "at every login the groups of a user are read: none yet", Cite: "75-77", As: user,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, current(f.memberships(ann)), "groupName") })},
		{What: "a user fills in the profile", Cite: "84, 87", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.update(change(fusProfileKey(ann), Item{"description": S("Likes the web."), "avatarKey": S("profile/avatars/sub-ann/00000000-0000-4000-8000-000000000021.png"), "updatedAt": S("2026-02-18T08:05:00Z")}))
			})},
		{What: "another user sees the picture and the description", Cite: "84, 86", As: other, Not: []Caller{anybody},
			Send: fusSend(func(f fus) error {
				item, err := found(f.ctx, f.c, getInput(f.table, "USER#"+ann, "PROFILE", "avatarKey", "description"))
				if err == nil && (len(item) != 2 || text(item, "description") != "Likes the web.") {
					err = fmt.Errorf("the profile shows %v", item)
				}
				return err
			})},
		{What: "a user takes the picture away, changes the description, and the page shows the answer", Cite: "84", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				in := change(fusProfileKey(ann), Item{"description": S("Likes squash."), "updatedAt": S("2026-02-18T08:06:00Z")}, "avatarKey").input(f.table)
				in.ReturnValues = types.ReturnValueAllNew
				out, err := f.c.UpdateItem(f.ctx, in)
				if err == nil && (out.Attributes["avatarKey"] != nil || text(out.Attributes, "lastLoginIp") == "") {
					err = fmt.Errorf("the profile holds %v", out.Attributes)
				}
				return err
			})},
		{What: "a user logs in again", Cite: "84", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				if err := f.update(change(fusProfileKey(ann), Item{"lastLoginAt": S("2026-02-19T08:00:00Z"), "lastLoginIp": S("192.0.2.2")})); err != nil {
					return err
				}
				return f.holds("USER#"+ann, "PROFILE", "description", "Likes squash.")
			})},

		// Sites, with zero, one and many tags.
		{What: "the catalogue is empty", Cite: "21, 28", As: anybody,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.entity("SITE"), "title") })},
		{What: "an admin adds a site without tags", Cite: "19-25, 120", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error { return f.put(bare.item("2026-02-18T09:00:00Z", "2026-02-18T09:00:00Z")) })},
		{What: "the catalogue has one site", Cite: "21, 28", As: anybody,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.entity("SITE"), "title", "One") })},
		{What: "an admin adds a site with one tag", Cite: "19-25, 30-36, 120", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error { return f.create(single, "2026-02-18T09:01:00Z") })},
		{What: "an admin adds a site with many tags; the app loses the answer and sends the same request again", Cite: "19-25, 30-36, 120", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				if err := f.create(many, "2026-02-18T09:02:00Z"); err != nil {
					return err
				}
				return f.create(many, "2026-02-18T09:02:00Z")
			})},
		{What: "anybody opens a site", Cite: "21, 27", As: anybody,
			Send: fusSend(func(f fus) error {
				item, err := found(f.ctx, f.c, getInput(f.table, many.pk(), "METADATA"))
				if err == nil && (text(item, "title") != "Three" || length(item, "tags") != 3) {
					err = fmt.Errorf("site-3 holds %v", item)
				}
				return err
			})},
		{What: "anybody opens a site that is not there", Cite: "27", As: anybody,
			Send: fusSend(func(f fus) error { return gone(f.ctx, f.c, getInput(f.table, "SITE#none", "METADATA")) })},
		{What: "anybody lists the sites, in both directions and paged", Cite: "21, 28", As: user,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.entity("SITE"), 2), "title", "One", "Two", "Three"); err != nil {
					return err
				}
				return expect(f.ctx, f.c, paged(backwards(f.entity("SITE")), 2), "title", "Three", "Two", "One")
			})},
		{What: "an admin edits a site; its tags stay", Cite: "21, 25", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary(single.pk(), "METADATA"), Item{"title": S("Number Two"), "description": S("Still the second."), "url": S("https://2.example"), "updatedAt": S("2026-02-18T10:00:00Z")}))
			})},
		{What: "a site is scraped anew", Cite: "25", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary(single.pk(), "METADATA"), Item{"scrapedContent": S("Welcome to Two."), "updatedAt": S("2026-02-18T10:01:00Z")}))
			})},
		{What: "an admin stores a site as a whole, its tags unchanged", Cite: "21, 25", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				item := single.item("2026-02-18T09:01:00Z", "2026-02-18T10:02:00Z")
				item["scrapedContent"] = S("Welcome to Two.")
				return transact(f.ctx, f.c, putWrite(f.table, item), putWrite(f.table, single.tag("javascript")))
			})},
		{What: "anybody lists the sites of a tag: none, one, many, in both directions and paged", Cite: "34-38", As: anybody,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, f.tagged("rust"), "siteId"); err != nil {
					return err
				}
				if err := expect(f.ctx, f.c, f.tagged("css"), "siteId", "SITE#site-3"); err != nil {
					return err
				}
				if err := expect(f.ctx, f.c, paged(f.tagged("javascript"), 1), "siteId", "SITE#site-2", "SITE#site-3"); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.tagged("javascript")), "siteId", "SITE#site-3", "SITE#site-2")
			})},
		{What: "a page of a tag shows the titles of its sites", Cite: "27, 38", As: anybody,
			Send: fusSend(func(f fus) error {
				items, _, err := query(f.ctx, f.c, f.tagged("javascript"))
				if err != nil {
					return err
				}
				for _, item := range items {
					if _, err := found(f.ctx, f.c, getInput(f.table, text(item, "siteId"), "METADATA")); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "an admin gives a site its first tag", Cite: "32, 36", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				return f.retag(bare, "2026-02-18T11:00:00Z", []string{"css"}, []string{"css"}, nil)
			})},
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
				if err := f.update(change(primary(single.pk(), "METADATA"), Item{"tags": texts([]string{"typescript"}), "updatedAt": S("2026-02-18T11:04:00Z")})); err != nil {
					return err
				}
				if err := f.put(single.tag("typescript")); err != nil {
					return err
				}
				return f.remove(keyOf(single.tag("javascript")))
			})},
		{What: "after that the tags lead where they should", Cite: "38", As: anybody,
			Send: fusSend(func(f fus) error {
				for tag, want := range map[string][]string{"javascript": nil, "css": nil, "typescript": {"SITE#site-2"}, "html": {"SITE#site-1"}, "wasm": {"SITE#site-1"}} {
					if err := expect(f.ctx, f.c, f.tagged(tag), "siteId", want...); err != nil {
						return fmt.Errorf("tag %s: %w", tag, err)
					}
				}
				return nil
			})},
		{What: "an admin adds a site by mistake and deletes it with its tags", Cite: "21, 25, 32, 36", As: admin, Not: notAdmin,
			Send: fusSend(func(f fus) error {
				if err := f.create(brief, "2026-02-18T12:00:00Z"); err != nil {
					return err
				}
				return transact(f.ctx, f.c, deleteWrite(f.table, primary(brief.pk(), "METADATA")), deleteWrite(f.table, keyOf(brief.tag("css"))))
			})},

		// Ratings.
		{What: "a user has rated nothing yet", Cite: "49", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.ratings(ann), "siteId") })},
		{What: "a user opens a site without having rated it", Cite: "48", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return gone(f.ctx, f.c, getInput(f.table, "USER#"+ann, "SITE#site-1")) })},
		{What: "a user rates a site without a note", Cite: "40-46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.put(fusRating(ann, "site-1", 5, "", "2026-02-18T13:00:00Z")) })},
		{What: "a user rates two more sites with a note, one of them twice as after a lost answer", Cite: "40-46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				for _, item := range []Item{fusRating(ann, "site-2", 1, "Not for me.", "2026-02-18T13:01:00Z"),
					fusRating(ann, "site-3", 4, "Good.", "2026-02-18T13:02:00Z"), fusRating(ann, "site-3", 4, "Good.", "2026-02-18T13:02:00Z")} {
					if err := f.put(item); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "another user rates the same site", Cite: "40-46, 120", As: other, Not: []Caller{anybody, user},
			Send: fusSend(func(f fus) error { return f.put(fusRating(bob, "site-1", 5, "Best.", "2026-02-18T13:03:00Z")) })},
		{What: "a user changes the stars: both attributes move", Cite: "46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary("USER#"+ann, "SITE#site-3"), Item{"stars": N(5), "starRating": N(5), "updatedAt": S("2026-02-18T13:04:00Z")}))
			})},
		{What: "a user edits a note alone, and takes another away", Cite: "46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				if err := f.update(change(primary("USER#"+ann, "SITE#site-3"), Item{"note": S("Very good."), "updatedAt": S("2026-02-18T13:05:00Z")})); err != nil {
					return err
				}
				return f.update(change(primary("USER#"+ann, "SITE#site-2"), Item{"updatedAt": S("2026-02-18T13:06:00Z")}, "note"))
			})},
		{What: "a user reads their rating of a site", Cite: "48", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				item, err := found(f.ctx, f.c, f.fresh("USER#"+ann, "SITE#site-3"))
				if err == nil && (number(item, "stars") != "5" || number(item, "starRating") != "5" || text(item, "note") != "Very good.") {
					err = fmt.Errorf("the rating holds %v", item)
				}
				return err
			})},
		{What: "all ratings of five stars: many, in both directions and paged", Cite: "50, 119", As: user,
			Send: fusSend(func(f fus) error {
				// Two ratings of site-1 have the same sort key, so their order is anybody's.
				for _, in := range []*dynamodb.QueryInput{paged(f.starred(5), 1), backwards(f.starred(5))} {
					items, _, err := query(f.ctx, f.c, in)
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
				for stars, want := range map[int][]string{1: {"SITE#site-2"}, 2: nil, 3: nil, 4: nil} {
					if err := expect(f.ctx, f.c, f.starred(stars), "siteId", want...); err != nil {
						return fmt.Errorf("%d stars: %w", stars, err)
					}
				}
				return nil
			})},

		// Comments.
		{What: "a user has not commented on a site", Cite: "52-56", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.comments(ann, "site-1"), "body") })},
		{What: "a user comments on a site", Cite: "52-56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.put(fusComment(ann, "site-1", "c1", "First!", "2026-02-18T14:00:00Z"))
			})},
		{What: "a user comments on the same site again, and on another, that one twice as after a lost answer", Cite: "52-56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				for _, item := range []Item{fusComment(ann, "site-1", "c2", "Second.", "2026-02-18T14:01:00Z"),
					fusComment(ann, "site-2", "c3", "Hm.", "2026-02-18T14:02:00Z"), fusComment(ann, "site-2", "c3", "Hm.", "2026-02-18T14:02:00Z")} {
					if err := f.put(item); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "another user comments on the same site", Cite: "52-56, 120", As: other, Not: []Caller{anybody, user},
			Send: fusSend(func(f fus) error {
				return f.put(fusComment(bob, "site-1", "c9", "Me too.", "2026-02-18T14:03:00Z"))
			})},
		{What: "a user edits a comment", Cite: "56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary("USER#"+ann, fusCommentSK("site-1", "c1")), Item{"body": S("First indeed."), "updatedAt": S("2026-02-18T14:04:00Z")}))
			})},
		{What: "a user opens one comment to edit it", Cite: "56", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.holds("USER#"+ann, fusCommentSK("site-1", "c1"), "body", "First indeed.") })},
		{What: "a user lists their comments on a site, in both directions and paged", Cite: "54-56, 59", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.comments(ann, "site-1"), 1), "body", "First indeed.", "Second."); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.comments(ann, "site-1")), "body", "Second.", "First indeed.")
			})},
		{What: "a user deletes a comment, twice as after a lost answer", Cite: "56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				if err := f.remove(primary("USER#"+ann, fusCommentSK("site-1", "c2"))); err != nil {
					return err
				}
				return f.remove(primary("USER#"+ann, fusCommentSK("site-1", "c2")))
			})},
		{What: "a user lists their ratings, among which the comments are not, in both directions and paged", Cite: "46-49, 56", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.ratings(ann), 2), "siteId", "SITE#site-1", "SITE#site-2", "SITE#site-3"); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.ratings(ann)), "siteId", "SITE#site-3", "SITE#site-2", "SITE#site-1")
			})},
		{What: "a user takes a rating away", Cite: "46, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.remove(primary("USER#"+ann, "SITE#site-2")) })},
		{What: "a rating that was taken away is in no list", Cite: "50", As: user,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.starred(1), "siteId") })},

		// Groups.
		{What: "there are no groups", Cite: "68", As: admin,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.entity("GROUP"), "name") })},
		{What: "an admin creates a group without permissions", Cite: "62-66", As: admin,
			Send: fusSend(func(f fus) error { return f.put(fusGroup("Readers", "Just read.", nil, "2026-02-18T15:00:00Z")) })},
		{What: "an admin creates a group with many permissions, twice as after a lost answer", Cite: "62-66", As: admin,
			Send: fusSend(func(f fus) error {
				for range 2 {
					if err := f.put(fusGroup("Editors", "Edit.", []string{"sites:read", "sites:tag", "notes:read"}, "2026-02-18T15:01:00Z")); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "a SuperAdmin creates the Squash group", Cite: "62-66, 121", As: super,
			Send: fusSend(func(f fus) error {
				return f.put(fusGroup("Squash", "Players.", []string{"squash:read"}, "2026-02-18T15:02:00Z"))
			})},
		{What: "groups are listed, in both directions and paged", Cite: "68", As: admin,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.entity("GROUP"), 2), "name", "Editors", "Readers", "Squash"); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.entity("GROUP")), "name", "Squash", "Readers", "Editors")
			})},
		{What: "a group is edited: description, then permissions", Cite: "66", As: admin,
			Send: fusSend(func(f fus) error {
				for _, set := range []Item{{"description": S("May edit.")}, {"permissions": texts([]string{"sites:read"})}} {
					set["updatedAt"] = S("2026-02-18T15:03:00Z")
					if err := f.update(change(primary("GROUP#Editors", "METADATA"), set)); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "one group is read, for its permissions decide", Cite: "69", As: admin,
			Send: fusSend(func(f fus) error {
				item, err := found(f.ctx, f.c, f.fresh("GROUP#Editors", "METADATA"))
				if err == nil && (text(item, "description") != "May edit." || length(item, "permissions") != 1) {
					err = fmt.Errorf("the group holds %v", item)
				}
				return err
			})},
		{What: "a group without members", Cite: "78", As: admin,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.members("Editors"), "userId") })},
		{What: "an admin adds a first member, twice as after a lost answer", Cite: "71-75", As: admin,
			Send: fusSend(func(f fus) error {
				for range 2 {
					if err := f.put(fusMembership(ann, "Editors", admin.User, "2026-02-18T15:04:00Z")); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "a group with one member", Cite: "78", As: admin,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.members("Editors"), "userId", ann) })},
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
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.members("Editors"), 2), "userId", ann, bob, sam); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.members("Editors")), "userId", sam, bob, ann)
			})},
		{What: "a user logs in: which groups?", Cite: "77", As: user,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.memberships(ann), 1), "groupName", "Editors", "Readers"); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.memberships(ann)), "groupName", "Readers", "Editors")
			})},
		{What: "a user asks for a page of the Squash section: is the user in the group?", Cite: "77, 121", As: member,
			Send: fusSend(func(f fus) error {
				return expect(f.ctx, f.c, current(f.memberships(sam)), "groupName", "Editors", "Squash")
			})},
		{What: "an admin takes a member out", Cite: "75", As: admin,
			Send: fusSend(func(f fus) error { return f.remove(primary("USER#"+ann, "MEMBERSHIP#Readers")) })},
		{What: "an admin deletes a group without members", Cite: "66", As: admin,
			Send: fusSend(func(f fus) error { return f.remove(primary("GROUP#Readers", "METADATA")) })},
		{What: "an admin deletes a group with its members", Cite: "66, 75, 78", As: admin,
			Send: fusSend(func(f fus) error {
				items, _, err := query(f.ctx, f.c, paged(f.members("Editors"), 2))
				if err != nil {
					return err
				}
				if len(items) != 3 {
					return fmt.Errorf("members of Editors: expected 3, found %d", len(items))
				}
				writes := []types.TransactWriteItem{deleteWrite(f.table, primary("GROUP#Editors", "METADATA"))}
				for _, item := range items {
					writes = append(writes, deleteWrite(f.table, keyOf(item)))
				}
				return transact(f.ctx, f.c, writes...)
			})},

		// Squash: players.
		{What: "the Squash section has no players", Cite: "95, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.entity("SQUASH_PLAYER"), "name") })},
		{What: "a SuperAdmin adds a player with a name alone", Cite: "93, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error { return f.put(fusPlayer(p1, "Pia", "2026-02-18T16:00:00Z", nil)) })},
		{What: "a manager adds a player with an address, and one who is a user", Cite: "93, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				if err := f.put(fusPlayer(p2, "Per", "2026-02-18T16:01:00Z", Item{"email": S("per@example.org")})); err != nil {
					return err
				}
				return f.put(fusPlayer(p3, "Sam", "2026-02-18T16:02:00Z", Item{"email": S("sam@example.org"), "userId": S(sam)}))
			})},
		{What: "a manager adds three more, one of them twice as after a lost answer", Cite: "93, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				for i, id := range []string{p4, p5, p6, p6} {
					if err := f.put(fusPlayer(id, []string{"Tom", "Una", "Vic", "Vic"}[i], "2026-02-18T16:03:00Z", nil)); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "a user in the group lists the players, in both directions and paged", Cite: "95, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.entity("SQUASH_PLAYER"), 4), "name", "Pia", "Per", "Sam", "Tom", "Una", "Vic"); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.entity("SQUASH_PLAYER")), "name", "Vic", "Una", "Tom", "Sam", "Per", "Pia")
			})},
		{What: "a SuperAdmin lists the players", Cite: "95, 121", As: super, Not: noSquash,
			Send: fusSend(func(f fus) error {
				return expect(f.ctx, f.c, f.entity("SQUASH_PLAYER"), "name", "Pia", "Per", "Sam", "Tom", "Una", "Vic")
			})},
		{What: "a user in the group opens a player", Cite: "96, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				item, err := found(f.ctx, f.c, getInput(f.table, fusPlayerPK(p3), "METADATA"))
				if err == nil && (text(item, "name") != "Sam" || text(item, "userId") != sam) {
					err = fmt.Errorf("p3 holds %v", item)
				}
				return err
			})},
		{What: "a manager edits a player: another name, a first address, a link with a user", Cite: "93, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary(fusPlayerPK(p1), "METADATA"), Item{"name": S("Pia P."), "email": S("pia@example.org"), "userId": S("sub-pia"), "updatedAt": S("2026-02-18T16:10:00Z")}))
			})},
		{What: "a SuperAdmin takes the address and the link away", Cite: "93, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.update(change(primary(fusPlayerPK(p1), "METADATA"), Item{"updatedAt": S("2026-02-18T16:11:00Z")}, "email", "userId"))
			})},
		{What: "a manager deletes a player who has no matches, twice as after a lost answer", Cite: "93, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				for range 2 {
					if err := f.remove(primary(fusPlayerPK(p6), "METADATA")); err != nil {
						return err
					}
				}
				return nil
			})},

		// Squash: matches. A match and its participations appear, change and go together.
		{What: "a day without matches", Cite: "105, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.day("2026-02-19"), "matchId") })},
		{What: "a player without matches", Cite: "114, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.matchesOf(p1), "matchId") })},
		{What: "a manager adds a match with its four participations", Cite: "98-104, 108-112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error { return f.add(m1, "2026-02-19T20:00:00Z") })},
		{What: "a day with one match, which the four participations are not", Cite: "105, 112, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.day("2026-02-19"), "matchId", m1.id) })},
		{What: "a SuperAdmin adds two more of that day, one of them twice as after a lost answer", Cite: "98-104, 108-112, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error {
				for _, m := range []fusMatch{m2, m3, m3} {
					if err := f.add(m, "2026-02-19T21:00:00Z"); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "a manager adds a match of the next day", Cite: "98-104, 108-112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error { return f.add(m4, "2026-02-20T20:00:00Z") })},
		{What: "a day with many matches, in both directions and paged", Cite: "105, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.day("2026-02-19"), 2), "matchId", m1.id, m2.id, m3.id); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.day("2026-02-19")), "matchId", m3.id, m2.id, m1.id)
			})},
		{What: "the matches of a range of days: one query a day, both ends included", Cite: "105-106, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				for _, day := range []struct {
					date string
					want []string
				}{{"2026-02-18", nil}, {"2026-02-19", []string{m1.id, m2.id, m3.id}}, {"2026-02-20", []string{m4.id}}} {
					if err := expect(f.ctx, f.c, f.day(day.date), "matchId", day.want...); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "all matches are listed, in both directions and paged", Cite: "102, 119, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.entity("SQUASH_MATCH"), 3), "matchId", m1.id, m2.id, m3.id, m4.id); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.entity("SQUASH_MATCH")), "matchId", m4.id, m3.id, m2.id, m1.id)
			})},
		{What: "a player's matches, in both directions and paged", Cite: "112-114, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, paged(f.matchesOf(p1), 3), "matchId", m1.id, m2.id, m3.id, m4.id); err != nil {
					return err
				}
				return expect(f.ctx, f.c, backwards(f.matchesOf(p1)), "matchId", m4.id, m3.id, m2.id, m1.id)
			})},
		{What: "and the matches themselves, one by one", Cite: "102, 114, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				items, _, err := query(f.ctx, f.c, current(f.matchesOf(p4)))
				if err != nil {
					return err
				}
				if len(items) != 4 {
					return fmt.Errorf("matches of p4: expected 4, found %d", len(items))
				}
				for _, item := range items {
					if err := f.holds("SQUASH#MATCH#"+text(item, "matchId"), "METADATA", "date", text(item, "squashDate")); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "a manager reads a day and a player's matches", Cite: "105, 114, 121", As: manager, Not: noSquash,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, f.day("2026-02-20"), "matchId", m4.id); err != nil {
					return err
				}
				return expect(f.ctx, f.c, f.matchesOf(p5), "matchId")
			})},
		{What: "a SuperAdmin reads a day and a player's matches", Cite: "105, 114, 121", As: super, Not: noSquash,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, f.day("2026-02-20"), "matchId", m4.id); err != nil {
					return err
				}
				return expect(f.ctx, f.c, f.matchesOf(p5), "matchId")
			})},
		{What: "a manager corrects a result: the other team has won", Cite: "102-104, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.update(change(m2.key(), Item{"winningTeam": S("A"), "teamAGames": N(3), "teamBGames": N(2), "updatedAt": S("2026-02-20T21:00:00Z")}))
			})},
		{What: "a SuperAdmin corrects the loser's games, with the rest of the result", Cite: "102-104, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return f.update(change(m1.key(), Item{"winningTeam": S("A"), "teamAGames": N(3), "teamBGames": N(1), "updatedAt": S("2026-02-20T21:01:00Z")}))
			})},
		{What: "a manager moves a match to another day, and its participations with it", Cite: "102, 112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				writes := []types.TransactWriteItem{change(m4.key(), Item{"date": S(m4moved.date), "squashDate": S(m4moved.date), "updatedAt": S("2026-02-20T21:02:00Z")}).write(f.table)}
				for _, player := range m4.players() {
					writes = append(writes, change(keyOf(m4.played(player)), Item{"squashDate": S(m4moved.date)}).write(f.table))
				}
				return transact(f.ctx, f.c, writes...)
			})},
		{What: "a manager puts another player into a match: one participation goes, one comes", Cite: "102-104, 112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				return transact(f.ctx, f.c, change(m4.key(), Item{"teamBPlayer2Id": S(p5), "updatedAt": S("2026-02-20T21:03:00Z")}).write(f.table),
					deleteWrite(f.table, keyOf(m4moved.played(p4))), putWrite(f.table, m4other.played(p5)))
			})},
		{What: "a manager stores a match as a whole, with all participations", Cite: "98-104, 108-112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error { return f.add(m4other, "2026-02-20T20:00:00Z") })},
		{What: "after that the days and the players agree", Cite: "105, 114, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, f.day(m4.date), "matchId"); err != nil {
					return err
				}
				if err := expect(f.ctx, f.c, f.day(m4moved.date), "matchId", m4.id); err != nil {
					return err
				}
				if err := expect(f.ctx, f.c, f.matchesOf(p4), "matchId", m1.id, m2.id, m3.id); err != nil {
					return err
				}
				return expect(f.ctx, f.c, f.matchesOf(p5), "matchId", m4.id)
			})},
		{What: "a manager deletes a match with its participations, twice as after a lost answer", Cite: "102, 112, 121", As: manager, Not: noReferee,
			Send: fusSend(func(f fus) error {
				for range 2 {
					if err := f.drop(m3); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "a SuperAdmin deletes a player's only match, and then the player", Cite: "93, 102, 112, 121", As: super, Not: noReferee,
			Send: fusSend(func(f fus) error {
				if err := f.drop(m4other); err != nil {
					return err
				}
				return f.remove(primary(fusPlayerPK(p5), "METADATA"))
			})},
		{What: "what was deleted is in no list", Cite: "95, 105, 119, 121", As: member, Not: noSquash,
			Send: fusSend(func(f fus) error {
				if err := expect(f.ctx, f.c, f.entity("SQUASH_PLAYER"), "name", "Pia P.", "Per", "Sam", "Tom"); err != nil {
					return err
				}
				if err := expect(f.ctx, f.c, f.day(m4moved.date), "matchId"); err != nil {
					return err
				}
				return expect(f.ctx, f.c, f.entity("SQUASH_MATCH"), "matchId", m1.id, m2.id)
			})},
		{What: "a SuperAdmin takes a user out of the Squash group", Cite: "75, 121", As: super,
			Send: fusSend(func(f fus) error { return f.remove(primary("USER#"+sam, "MEMBERSHIP#Squash")) })},

		// The end of an account.
		{What: "an account goes: all that a user has said of sites, ratings and comments alike", Cite: "49, 56", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				items, _, err := query(f.ctx, f.c, current(prefixInput(f.table, "USER#"+ann, "SITE#")))
				if err != nil {
					return err
				}
				if len(items) != 4 {
					return fmt.Errorf("expected 2 ratings and 2 comments, found %d items", len(items))
				}
				said = items
				return nil
			})},
		{What: "an account goes: ratings and comments", Cite: "46, 56, 120", As: user, Not: notMine,
			Send: fusSend(func(f fus) error {
				if len(said) == 0 {
					return fmt.Errorf("nothing was found to delete")
				}
				for _, item := range said {
					if err := f.remove(keyOf(item)); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "an account goes: another user's memberships, one", Cite: "75, 77", As: admin,
			Send: fusSend(func(f fus) error {
				items, _, err := query(f.ctx, f.c, current(f.memberships(manager.User)))
				if err == nil && len(items) != 1 {
					err = fmt.Errorf("expected 1 membership, found %d", len(items))
				}
				for _, item := range items {
					if err == nil {
						err = f.remove(keyOf(item))
					}
				}
				return err
			})},
		{What: "an account goes: the profile", Cite: "84", As: user, Not: notMine,
			Send: fusSend(func(f fus) error { return f.remove(fusProfileKey(ann)) })},
		{What: "the ratings of the others are still there", Cite: "50", As: other,
			Send: fusSend(func(f fus) error { return expect(f.ctx, f.c, f.starred(5), "siteId", "SITE#site-1") })},
	}}
}
