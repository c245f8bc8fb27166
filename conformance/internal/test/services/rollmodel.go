package services

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// roll is the client of roll-model.md at work.
type roll struct {
	ctx   context.Context
	c     *dynamodb.Client
	table string
}

func rollSend(do func(r roll) error) func(context.Context, *dynamodb.Client, Tables) error {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error { return do(roll{ctx, c, t("RollModel")}) }
}

// rollEntry is one journal entry. The timestamp of its keys is its createdAt.
type rollEntry struct {
	athlete, id, created string
	private, shared      string
	tags, mentions       []string
	sharedKW, privateKW  []string // the tokens found in the shared and in the private section
}

func (e rollEntry) key() Item { return primary("USER#"+e.athlete, "ENTRY#"+e.created+"#"+e.id) }

func (e rollEntry) metaKey() Item { return primary("ENTRY#"+e.id, "META") }

func (e rollEntry) metrics(minutes, intensity, rounds int, gi string) types.AttributeValue {
	return M(Item{"durationMinutes": N(minutes), "intensity": N(intensity), "rounds": N(rounds), "giOrNoGi": S(gi), "tags": texts(e.tags)})
}

func (e rollEntry) item(updated string) Item {
	item := e.key()
	item["entityType"] = S("ENTRY")
	item["entryId"] = S(e.id)
	item["athleteId"] = S(e.athlete)
	item["schemaVersion"] = N(1)
	item["createdAt"] = S(e.created)
	item["updatedAt"] = S(updated)
	item["sections"] = M(Item{"private": S(e.private), "shared": S(e.shared)})
	item["sessionMetrics"] = e.metrics(90, 7, 8, "gi")
	item["rawTechniqueMentions"] = texts(e.mentions)
	return item
}

func (e rollEntry) meta() Item {
	item := e.metaKey()
	item["entityType"] = S("ENTRY_META")
	item["athleteId"] = S(e.athlete)
	item["createdAt"] = S(e.created)
	return item
}

func (e rollEntry) keywordKey(scope, token string) Item {
	owner := "USER#"
	if scope == "private" {
		owner = "USER_PRIVATE#"
	}
	return primary(owner+e.athlete, "KW#"+token+"#TS#"+e.created+"#ENTRY#"+e.id)
}

func (e rollEntry) keyword(scope, token string) Item {
	item := e.keywordKey(scope, token)
	item["entityType"] = S("KEYWORD_INDEX")
	item["visibilityScope"] = S(scope)
	item["entryId"] = S(e.id)
	item["createdAt"] = S(e.created)
	return item
}

// putKeywords and dropKeywords are the writes of the keyword items of an entry.
func (r roll) putKeywords(e rollEntry, shared, private []string) (writes []types.TransactWriteItem) {
	for _, token := range shared {
		writes = append(writes, putWrite(r.table, e.keyword("shared", token)))
	}
	for _, token := range private {
		writes = append(writes, putWrite(r.table, e.keyword("private", token)))
	}
	return writes
}

func (r roll) dropKeywords(e rollEntry, shared, private []string) (writes []types.TransactWriteItem) {
	for _, token := range shared {
		writes = append(writes, deleteWrite(r.table, e.keywordKey("shared", token)))
	}
	for _, token := range private {
		writes = append(writes, deleteWrite(r.table, e.keywordKey("private", token)))
	}
	return writes
}

// created are the writes of a new entry: the entry, its meta, its keywords.
func (r roll) created(e rollEntry) []types.TransactWriteItem {
	return append([]types.TransactWriteItem{putWrite(r.table, e.item(e.created)), putWrite(r.table, e.meta())},
		r.putKeywords(e, e.sharedKW, e.privateKW)...)
}

func (r roll) create(e rollEntry) error { return transact(r.ctx, r.c, r.created(e)...) }

// edited is the update of an entry: every write persists the current schema version.
func (e rollEntry) edited(at string, set Item) edit {
	set["updatedAt"], set["schemaVersion"] = S(at), N(1)
	return change(e.key(), set)
}

// edit changes an entry whose keywords stay as they are.
func (r roll) edit(e rollEntry, at string, set Item) error {
	_, err := r.c.UpdateItem(r.ctx, e.edited(at, set).input(r.table))
	return err
}

// current is an entry as readers hold it: version 0 becomes version 1, a version above 1 is an error.
func (r roll) current(item Item) (Item, error) {
	switch version := number(item, "schemaVersion"); version {
	case "":
		item["schemaVersion"] = N(1)
		if length(item, "rawTechniqueMentions") < 0 {
			item["rawTechniqueMentions"] = L()
		}
	case "1":
	default:
		return nil, fmt.Errorf("entry %s has schema version %s, this reader knows 1", text(item, "entryId"), version)
	}
	return item, nil
}

// entry reads one entry with everything in it.
func (r roll) entry(e rollEntry) (Item, error) {
	in := getInput(r.table, text(e.key(), "PK"), text(e.key(), "SK"))
	in.ConsistentRead = aws.Bool(true) // an athlete who has saved sees what was saved
	item, err := found(r.ctx, r.c, in)
	if err != nil {
		return nil, err
	}
	return r.current(item)
}

// entries is the athlete's own list.
func (r roll) entries(athlete string) *dynamodb.QueryInput {
	return prefixInput(r.table, "USER#"+athlete, "ENTRY#")
}

// rollShared is what a coach may see of an entry: all but sections.private.
var rollShared = []string{"PK", "SK", "entityType", "entryId", "athleteId", "schemaVersion", "createdAt", "updatedAt",
	"sections.shared", "sessionMetrics", "rawTechniqueMentions"}

// linked is the check that every path of a coach starts with.
func (r roll) linked(athlete, coach string) (bool, error) {
	in := getInput(r.table, "USER#"+athlete, "COACH#"+coach)
	in.ConsistentRead = aws.Bool(true) // a link removed a moment ago must not count
	item, err := get(r.ctx, r.c, in)
	return item != nil, err
}

// coached is linked where the product goes on only with a link.
func (r roll) coached(athlete, coach string) error {
	ok, err := r.linked(athlete, coach)
	if err == nil && !ok {
		err = fmt.Errorf("coach %s has no link with athlete %s", coach, athlete)
	}
	return err
}

// coachSees reads a list of entries as a coach, after the link check, and wants no private text in it.
func (r roll) coachSees(athlete, coach string, turn func(*dynamodb.QueryInput) *dynamodb.QueryInput, want ...string) error {
	if err := r.coached(athlete, coach); err != nil {
		return err
	}
	items, _, err := query(r.ctx, r.c, turn(prefixInput(r.table, "USER#"+athlete, "ENTRY#", rollShared...)))
	if err != nil {
		return err
	}
	var got []string
	for _, item := range items {
		if _, err := r.current(item); err != nil {
			return err
		}
		if sections := under(item, "sections"); sections["private"] != nil || sections["shared"] == nil {
			return fmt.Errorf("entry %s: a coach sees the sections %v", text(item, "entryId"), sections)
		}
		got = append(got, text(item, "entryId"))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("entries of a coach: expected %q, found %q", want, got)
	}
	return nil
}

// keywords is the retrieval of one token: with #TS# it does not match longer tokens.
func (r roll) keywords(owner, token string) *dynamodb.QueryInput {
	return prefixInput(r.table, owner, "KW#"+token+"#TS#")
}

type rollComment struct{ id, entry, coach, created, body, visibility string }

func (m rollComment) key() Item {
	return primary("ENTRY#"+m.entry, "COMMENT#"+m.created+"#"+m.id)
}

func (m rollComment) item() Item {
	item := m.key()
	item["entityType"] = S("COMMENT")
	item["commentId"] = S(m.id)
	item["entryId"] = S(m.entry)
	item["coachId"] = S(m.coach)
	item["createdAt"] = S(m.created)
	item["body"] = S(m.body)
	item["visibility"] = S(m.visibility)
	return item
}

// commenting is a write of a coach on an entry that goes through only while the entry and the link are there.
func (r roll) commenting(m rollComment, athlete string, write types.TransactWriteItem) error {
	return transact(r.ctx, r.c, there(r.table, primary("ENTRY#"+m.entry, "META")),
		there(r.table, primary("USER#"+athlete, "COACH#"+m.coach)), write)
}

func (r roll) post(m rollComment, athlete string) error {
	return r.commenting(m, athlete, putWrite(r.table, m.item()))
}

func (r roll) comments(entry string) *dynamodb.QueryInput {
	return prefixInput(r.table, "ENTRY#"+entry, "COMMENT#")
}

func rollLink(athlete, coach, created string) Item {
	item := primary("USER#"+athlete, "COACH#"+coach)
	item["entityType"] = S("COACH_LINK")
	item["athleteId"] = S(athlete)
	item["coachId"] = S(coach)
	item["createdAt"] = S(created)
	return item
}

func (r roll) link(athlete, coach, created string) error {
	_, err := r.c.PutItem(r.ctx, &dynamodb.PutItemInput{TableName: aws.String(r.table), Item: rollLink(athlete, coach, created)})
	return err
}

func (r roll) remove(key Item) error {
	_, err := r.c.DeleteItem(r.ctx, &dynamodb.DeleteItemInput{TableName: aws.String(r.table), Key: key})
	return err
}

// override is an athlete's or a coach's word on the priority of a gap: new or changed, it keeps the first createdAt.
func rollOverride(athlete, gap, status, at, by, role string, more Item, remove ...string) edit {
	set := Item{"entityType": S("GAP_PRIORITY_OVERRIDE"), "gapId": S(gap), "status": S(status), "updatedAt": S(at), "updatedBy": S(by), "updatedByRole": S(role)}
	for name, value := range more {
		set[name] = value
	}
	return change(primary("USER#"+athlete, "GAP_PRIORITY#"+gap), set, remove...).first(Item{"createdAt": S(at)})
}

func (r roll) override(e edit) error {
	_, err := r.c.UpdateItem(r.ctx, e.input(r.table))
	return err
}

func (r roll) gaps(athlete string) *dynamodb.QueryInput {
	return prefixInput(r.table, "USER#"+athlete, "GAP_PRIORITY#")
}

// rollOverrideSeen is what a coach reads of an override. It is named, because the athlete's partition holds private text as well.
var rollOverrideSeen = []string{"PK", "SK", "entityType", "gapId", "status", "manualPriority", "note", "updatedAt", "updatedBy", "updatedByRole", "createdAt"}

func (r roll) gapsForCoach(athlete string) *dynamodb.QueryInput {
	return prefixInput(r.table, "USER#"+athlete, "GAP_PRIORITY#", rollOverrideSeen...)
}

func rollThreadKey(user, thread string) Item { return primary("USER#"+user, "AI_THREAD#"+thread) }

func rollThread(user, thread, title, at string) Item {
	item := rollThreadKey(user, thread)
	item["entityType"] = S("AI_THREAD")
	item["threadId"] = S(thread)
	item["title"] = S(title)
	item["createdAt"] = S(at)
	item["lastActiveAt"] = S(at)
	return item
}

func rollMessage(thread, id, role, content, scope, at string) Item {
	item := primary("AI_THREAD#"+thread, "MSG#"+at+"#"+id)
	item["entityType"] = S("AI_MESSAGE")
	item["messageId"] = S(id)
	item["threadId"] = S(thread)
	item["role"] = S(role)
	item["content"] = S(content)
	item["visibilityScope"] = S(scope)
	item["createdAt"] = S(at)
	return item
}

// say stores a message, and that its thread was active then.
func (r roll) say(user string, message Item) error {
	return transact(r.ctx, r.c, putWrite(r.table, message),
		change(rollThreadKey(user, text(message, "threadId")), Item{"lastActiveAt": message["createdAt"]}).write(r.table))
}

func (r roll) threads(user string) *dynamodb.QueryInput {
	return prefixInput(r.table, "USER#"+user, "AI_THREAD#")
}

func (r roll) messages(thread string) *dynamodb.QueryInput {
	return prefixInput(r.table, "AI_THREAD#"+thread, "MSG#")
}

// dropThread deletes a thread and the messages that were found in it.
func (r roll) dropThread(user, thread string, messages []Item) error {
	writes := []types.TransactWriteItem{deleteWrite(r.table, rollThreadKey(user, thread))}
	for _, message := range messages {
		writes = append(writes, deleteWrite(r.table, keyOf(message)))
	}
	return transact(r.ctx, r.c, writes...)
}

// dropEntry deletes an entry with all that stands beside it; the comments are those that were found.
func (r roll) dropEntry(e rollEntry, comments []Item) error {
	writes := append([]types.TransactWriteItem{deleteWrite(r.table, e.key()), deleteWrite(r.table, e.metaKey())},
		r.dropKeywords(e, e.sharedKW, e.privateKW)...)
	for _, comment := range comments {
		writes = append(writes, deleteWrite(r.table, keyOf(comment)))
	}
	return transact(r.ctx, r.c, writes...)
}

// RollModel is the client of roll-model.md: a training journal of an athlete, a coach who may see the shared part, and an AI to chat with.
func RollModel() Service {
	const (
		me    = "athlete-123"
		coach = "coach-999"
		other = "coach-998"
	)
	var (
		athlete  = Caller{"athlete", me}
		stranger = Caller{"athlete", "athlete-456"}
		mine     = []Caller{stranger}
		secret   = []Caller{stranger, {"coach", coach}} // requests whose answers hold private text
		trainer  = Caller{"coach", coach}
		unlinked = Caller{"coach", "coach-777"}
		coaching = []Caller{stranger, unlinked}
	)
	e1 := rollEntry{athlete: me, id: "entry-1", created: "2026-02-01T08:00:00.000Z", private: "Tired.", shared: "Open mat."}
	e2 := rollEntry{athlete: me, id: "entry-2", created: "2026-02-03T08:00:00.000Z", private: "Calm.", shared: "Guard all evening.",
		tags: []string{"guard"}, mentions: []string{"knee cut"}, sharedKW: []string{"guard"}}
	e3 := rollEntry{athlete: me, id: "entry-3", created: "2026-02-05T08:00:00.000Z", private: "Injury of the knee.", shared: "Light drills.",
		tags: []string{"drills"}, mentions: []string{"shrimp"}, privateKW: []string{"injury"}}
	e4 := rollEntry{athlete: me, id: "entry-4", created: "2026-02-07T08:00:00.000Z", private: "Injury is better.", shared: "Guard again.",
		tags: []string{"guard", "sparring"}, mentions: []string{"knee cut", "crossface"}, sharedKW: []string{"guard"}, privateKW: []string{"injury"}}
	e5 := rollEntry{athlete: me, id: "entry-5", created: "2026-02-09T08:00:00.000Z", private: "Injury gone, bad sleep.", shared: "Guard, guardpass, frames.",
		tags: []string{"guard", "sparring", "frames"}, mentions: []string{"knee cut", "crossface", "frame"},
		sharedKW: []string{"guard", "guardpass", "frames"}, privateKW: []string{"injury", "sleep"}}
	// The same entries after their edits.
	e1one, e1many, e2none, e4moved, e5anew := e1, e1, e2, e4, e5
	e1one.sharedKW = []string{"escape"}
	e1many.sharedKW, e1many.privateKW = []string{"escape", "armbar", "triangle"}, []string{"stress"}
	e2none.sharedKW = nil
	e4moved.sharedKW, e4moved.privateKW = nil, []string{"injury", "guard"}
	e5anew.shared, e5anew.private, e5anew.sharedKW, e5anew.privateKW = "Halfguard, frames.", "Knee is fine.", []string{"frames", "halfguard"}, []string{"knee"}
	theirs := rollEntry{athlete: stranger.User, id: "entry-9", created: "2026-02-04T08:00:00.000Z", private: "Mine.", shared: "Guard too.", sharedKW: []string{"guard"}}

	first := rollComment{"comment-1", e2.id, coach, "2026-02-10T09:00:00.000Z", "Good focus on frames.", "visible"}
	second := rollComment{"comment-2", e2.id, coach, "2026-02-10T10:00:00.000Z", "Add hip-escape reps.", "visible"}
	third := rollComment{"comment-3", e2.id, other, "2026-02-11T09:00:00.000Z", "Nice.", "visible"}

	straight := func(in *dynamodb.QueryInput) *dynamodb.QueryInput { return in }
	by2 := func(in *dynamodb.QueryInput) *dynamodb.QueryInput { return paged(in, 2) }
	back2 := func(in *dynamodb.QueryInput) *dynamodb.QueryInput { return paged(backwards(in), 2) }
	all := []string{e1.id, e2.id, e3.id, e4.id, e5.id}

	// What later steps delete is what earlier steps found, as in a product that reads first.
	var (
		commentsOf = map[string][]Item{}
		messagesOf = map[string][]Item{}
		exported   []Item
	)
	keepComments := func(r roll, entry string, want int) error {
		items, _, err := query(r.ctx, r.c, current(r.comments(entry)))
		if err == nil && len(items) != want {
			err = fmt.Errorf("comments of %s: expected %d, found %d", entry, want, len(items))
		}
		if err == nil {
			commentsOf[entry] = items
		}
		return err
	}
	keepMessages := func(r roll, thread string, want int) error {
		items, _, err := query(r.ctx, r.c, current(r.messages(thread)))
		if err == nil && len(items) != want {
			err = fmt.Errorf("messages of %s: expected %d, found %d", thread, want, len(items))
		}
		if err == nil {
			messagesOf[thread] = items
		}
		return err
	}

	return Service{Design: "roll-model.md", Days: []Step{
		// The first login: a journal with nothing in it.
		{What: "an athlete opens the journal for the first time: no entries", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return expect(r.ctx, r.c, current(r.entries(me)), "entryId") })},
		{What: "an athlete without coaches opens the page of coaches", Cite: "21, 41-42", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, prefixInput(r.table, "USER#"+me, "COACH#"), "coachId")
			})},

		// Entries, with zero, one and many keywords. Entry, meta and keywords appear together or not at all.
		{What: "an athlete writes an entry without keywords, tags or techniques", Cite: "22-23, 31-39, 62-86, 90, 108-117", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.create(e1) })},
		{What: "an athlete writes an entry with one shared keyword", Cite: "22-23, 27, 62-86, 174-184", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.create(e2) })},
		{What: "an athlete writes an entry with one private keyword", Cite: "22-23, 28, 62-86, 186-196", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.create(e3) })},
		{What: "an athlete writes an entry with a keyword of each kind", Cite: "22-23, 27-28, 62-86", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.create(e4) })},
		{What: "an athlete writes an entry with many keywords of both kinds; the app loses the answer and sends the same request again",
			Cite: "22-23, 27-28, 62-86", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				in := &dynamodb.TransactWriteItemsInput{TransactItems: r.created(e5), ClientRequestToken: aws.String("create-entry-5")}
				for range 2 {
					if _, err := r.c.TransactWriteItems(r.ctx, in); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "another athlete writes an entry with the same keyword", Cite: "22-23, 27", As: stranger, Not: []Caller{athlete},
			Send: rollSend(func(r roll) error { return r.create(theirs) })},

		// Reading the journal.
		{What: "an athlete lists the journal, oldest first", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				items, _, err := query(r.ctx, r.c, current(r.entries(me)))
				if err != nil {
					return err
				}
				var got []string
				for _, item := range items {
					if item, err = r.current(item); err != nil {
						return err
					}
					if under(item, "sections")["private"] == nil {
						return fmt.Errorf("entry %s without its private section", text(item, "entryId"))
					}
					got = append(got, text(item, "entryId"))
				}
				if !slices.Equal(got, all) {
					return fmt.Errorf("entries: expected %q, found %q", all, got)
				}
				return nil
			})},
		{What: "an athlete lists the journal, newest first", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, backwards(r.entries(me)), "entryId", reversed(all...)...)
			})},
		{What: "an athlete pages through the journal", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return expect(r.ctx, r.c, by2(r.entries(me)), "entryId", all...) })},
		{What: "an athlete pages back through the journal", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, back2(r.entries(me)), "entryId", reversed(all...)...)
			})},
		{What: "an athlete opens one entry", Cite: "22, 32-36", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				item, err := r.entry(e4)
				if err == nil && (text(under(item, "sections"), "private") != e4.private || length(item, "rawTechniqueMentions") != 2) {
					err = fmt.Errorf("entry-4 holds %v", item)
				}
				return err
			})},
		{What: "a link to an entry holds its id alone: the meta tells whose it is and when it was written", Cite: "23, 39", As: athlete,
			Send: rollSend(func(r roll) error {
				meta, err := found(r.ctx, r.c, getInput(r.table, "ENTRY#"+e4.id, "META"))
				if err == nil && (text(meta, "athleteId") != me || text(meta, "createdAt") != e4.created) {
					err = fmt.Errorf("meta of entry-4 holds %v", meta)
				}
				return err
			})},

		// Keyword retrieval, before any edit.
		{What: "an athlete looks for a shared keyword: the longer token guardpass and the other athlete stay out", Cite: "27, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, r.keywords("USER#"+me, "guard"), "entryId", e2.id, e4.id, e5.id)
			})},
		{What: "the entries of a shared keyword, newest first and paged", Cite: "27, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, back2(r.keywords("USER#"+me, "guard")), "entryId", e5.id, e4.id, e2.id)
			})},
		{What: "an athlete looks for a keyword of one entry, and opens that entry", Cite: "27, 54, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				items, _, err := query(r.ctx, r.c, r.keywords("USER#"+me, "guardpass"))
				if err != nil {
					return err
				}
				if len(items) != 1 {
					return fmt.Errorf("guardpass: expected 1 entry, found %d", len(items))
				}
				item, err := r.entry(rollEntry{athlete: me, id: text(items[0], "entryId"), created: text(items[0], "createdAt")})
				if err == nil && text(item, "entryId") != e5.id {
					err = fmt.Errorf("guardpass leads to %v", item)
				}
				return err
			})},
		{What: "an athlete looks for a keyword that no entry has", Cite: "27, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, r.keywords("USER#"+me, "armbar"), "entryId")
			})},
		{What: "an athlete looks for a private keyword", Cite: "28, 204", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, r.keywords("USER_PRIVATE#"+me, "injury"), "entryId", e3.id, e4.id, e5.id)
			})},
		{What: "the entries of a private keyword, newest first and paged", Cite: "28, 204", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, back2(r.keywords("USER_PRIVATE#"+me, "injury")), "entryId", e5.id, e4.id, e3.id)
			})},
		{What: "a shared keyword is not in the private index", Cite: "27-28, 204", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, r.keywords("USER_PRIVATE#"+me, "guard"), "entryId")
			})},

		// Edits.
		{What: "an athlete edits the shared section; there are no keywords", Cite: "33-34, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.edit(e1, "2026-02-10T07:00:00.000Z", Item{"sections.shared": S("Open mat, six rounds.")})
			})},
		{What: "an athlete edits the private section; the keyword is the same and stays untouched", Cite: "33-34, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.edit(e2, "2026-02-10T07:01:00.000Z", Item{"sections.private": S("Calm and rested.")})
			})},
		{What: "an athlete corrects the metrics of a session, and the page shows the answer", Cite: "33, 35, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				in := e3.edited("2026-02-10T07:02:00.000Z", Item{"sessionMetrics": e3.metrics(60, 3, 0, "no-gi")}).input(r.table)
				in.ReturnValues = types.ReturnValueAllNew
				out, err := r.c.UpdateItem(r.ctx, in)
				if err != nil {
					return err
				}
				if got := number(under(out.Attributes, "sessionMetrics"), "durationMinutes"); got != "60" {
					return fmt.Errorf("durationMinutes: expected 60, found %q", got)
				}
				return nil
			})},
		{What: "an athlete corrects one metric alone", Cite: "33, 35, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.edit(e3, "2026-02-10T07:03:00.000Z", Item{"sessionMetrics.rounds": N(2), "sessionMetrics.intensity": N(4)})
			})},
		{What: "an athlete takes away all tags and techniques", Cite: "35-36, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.edit(e4, "2026-02-10T07:04:00.000Z", Item{"sessionMetrics.tags": L(), "rawTechniqueMentions": L()})
			})},
		{What: "an edit whose text gives the same keyword writes it again", Cite: "27, 53-54, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e2.edited("2026-02-10T07:05:00.000Z", Item{"sections.shared": S("Guard all evening, and frames.")})
				return transact(r.ctx, r.c, append([]types.TransactWriteItem{update.write(r.table)}, r.putKeywords(e2, e2.sharedKW, nil)...)...)
			})},
		{What: "an edit brings the first keyword of an entry", Cite: "27, 53-54, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e1.edited("2026-02-10T07:06:00.000Z", Item{"sections.shared": S("Escape drills.")})
				return transact(r.ctx, r.c, append([]types.TransactWriteItem{update.write(r.table)}, r.putKeywords(e1, e1one.sharedKW, nil)...)...)
			})},
		{What: "an edit brings many more keywords of both kinds", Cite: "27-28, 53-54, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e1.edited("2026-02-10T07:07:00.000Z", Item{"sections": M(Item{"shared": S("Escape, armbar, triangle."), "private": S("Stress at work.")})})
				return transact(r.ctx, r.c, append([]types.TransactWriteItem{update.write(r.table)},
					r.putKeywords(e1, []string{"armbar", "triangle"}, e1many.privateKW)...)...)
			})},
		{What: "an edit takes the only keyword of an entry away", Cite: "27, 53-54, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e2.edited("2026-02-10T07:08:00.000Z", Item{"sections.shared": S("Frames all evening.")})
				return transact(r.ctx, r.c, append([]types.TransactWriteItem{update.write(r.table)}, r.dropKeywords(e2, e2.sharedKW, nil)...)...)
			})},
		{What: "an athlete moves a sentence from shared to private, and its keyword with it", Cite: "27-28, 34, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e4.edited("2026-02-10T07:09:00.000Z", Item{"sections": M(Item{"shared": S("Sparring."), "private": S("Injury is better. Guard again.")})})
				writes := append([]types.TransactWriteItem{update.write(r.table)}, r.dropKeywords(e4, []string{"guard"}, nil)...)
				return transact(r.ctx, r.c, append(writes, r.putKeywords(e4, nil, []string{"guard"})...)...)
			})},
		{What: "an athlete writes an entry anew: many keywords go, others come", Cite: "27-28, 34, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				writes := append([]types.TransactWriteItem{putWrite(r.table, e5anew.item("2026-02-10T07:10:00.000Z"))},
					r.dropKeywords(e5, []string{"guard", "guardpass"}, e5.privateKW)...)
				return transact(r.ctx, r.c, append(writes, r.putKeywords(e5, []string{"halfguard"}, e5anew.privateKW)...)...)
			})},
		{What: "an edit that stores the whole entry again, keywords unchanged", Cite: "89-90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				_, err := r.c.PutItem(r.ctx, &dynamodb.PutItemInput{TableName: aws.String(r.table), Item: e3.item("2026-02-10T07:11:00.000Z")})
				return err
			})},
		{What: "after the edits the old keywords lead nowhere", Cite: "27, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				if err := expect(r.ctx, r.c, current(r.keywords("USER#"+me, "guard")), "entryId"); err != nil {
					return err
				}
				return expect(r.ctx, r.c, current(r.keywords("USER#"+me, "escape")), "entryId", e1.id)
			})},
		{What: "after the edits the private keywords are the new ones", Cite: "28, 204", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				if err := expect(r.ctx, r.c, r.keywords("USER_PRIVATE#"+me, "guard"), "entryId", e4.id); err != nil {
					return err
				}
				return expect(r.ctx, r.c, r.keywords("USER_PRIVATE#"+me, "injury"), "entryId", e3.id, e4.id)
			})},

		// Coaches.
		{What: "a coach who is not linked yet asks for the journal: the check finds no link, and the path ends", Cite: "200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				ok, err := r.linked(me, coach)
				if err == nil && ok {
					err = fmt.Errorf("a link before there is one")
				}
				return err
			})},
		{What: "an athlete links a coach, and once more after a lost answer", Cite: "21, 41-42, 119-129", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				if err := r.link(me, coach, "2026-02-10T08:00:00.000Z"); err != nil {
					return err
				}
				return r.link(me, coach, "2026-02-10T08:00:00.000Z")
			})},
		{What: "an athlete lists one coach", Cite: "21, 41-42", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, current(prefixInput(r.table, "USER#"+me, "COACH#")), "coachId", coach)
			})},
		{What: "an athlete links a second coach", Cite: "21, 41-42, 119-129", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.link(me, other, "2026-02-10T08:01:00.000Z") })},
		{What: "an athlete lists many coaches, in both directions and paged", Cite: "21, 41-42", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				coaches := func() *dynamodb.QueryInput { return prefixInput(r.table, "USER#"+me, "COACH#") }
				if err := expect(r.ctx, r.c, paged(coaches(), 1), "coachId", other, coach); err != nil {
					return err
				}
				return expect(r.ctx, r.c, backwards(coaches()), "coachId", coach, other)
			})},
		{What: "a coach lists the entries of a linked athlete, without their private sections", Cite: "200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return r.coachSees(me, coach, straight, all...) })},
		{What: "a coach lists them newest first", Cite: "200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return r.coachSees(me, coach, backwards, reversed(all...)...) })},
		{What: "a coach pages through them", Cite: "200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return r.coachSees(me, coach, by2, all...) })},
		{What: "a coach pages back through them", Cite: "200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return r.coachSees(me, coach, back2, reversed(all...)...) })},
		{What: "a coach opens one entry of a linked athlete, without its private section", Cite: "22, 200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				if err := r.coached(me, coach); err != nil {
					return err
				}
				item, err := found(r.ctx, r.c, getInput(r.table, text(e2.key(), "PK"), text(e2.key(), "SK"), rollShared...))
				if err == nil && (under(item, "sections")["private"] != nil || text(under(item, "sections"), "shared") == "") {
					err = fmt.Errorf("a coach sees the sections %v", under(item, "sections"))
				}
				return err
			})},

		// Comments.
		{What: "a coach who holds an entry's id finds whose it is, and checks the link", Cite: "201", As: trainer,
			Send: rollSend(func(r roll) error {
				meta, err := found(r.ctx, r.c, getInput(r.table, "ENTRY#"+e2.id, "META"))
				if err != nil {
					return err
				}
				return r.coached(text(meta, "athleteId"), coach)
			})},
		{What: "a coach opens an entry that nobody has commented on", Cite: "24, 202", As: trainer,
			Send: rollSend(func(r roll) error {
				if err := r.coached(me, coach); err != nil {
					return err
				}
				return expect(r.ctx, r.c, current(r.comments(e2.id)), "commentId")
			})},
		{What: "a coach posts a comment; entry and link are checked in the same transaction", Cite: "24, 45, 131-144, 201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return r.post(first, me) })},
		{What: "an athlete reads one comment", Cite: "24, 202", As: athlete,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, current(r.comments(e2.id)), "commentId", first.id)
			})},
		{What: "a coach posts a second comment; the app loses the answer and sends the same request again", Cite: "24, 45, 201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				if err := r.post(second, me); err != nil {
					return err
				}
				return r.post(second, me)
			})},
		{What: "the other coach comments on the same entry", Cite: "24, 45, 201", As: Caller{"coach", other}, Not: coaching,
			Send: rollSend(func(r roll) error { return r.post(third, me) })},
		{What: "an athlete reads many comments, in both directions and paged", Cite: "24, 202", As: athlete,
			Send: rollSend(func(r roll) error {
				if err := expect(r.ctx, r.c, by2(r.comments(e2.id)), "commentId", first.id, second.id, third.id); err != nil {
					return err
				}
				return expect(r.ctx, r.c, back2(r.comments(e2.id)), "commentId", third.id, second.id, first.id)
			})},
		{What: "a coach reads the comments on an entry of a linked athlete", Cite: "24, 200-202", As: trainer,
			Send: rollSend(func(r roll) error {
				if err := r.coached(me, coach); err != nil {
					return err
				}
				return expect(r.ctx, r.c, backwards(r.comments(e2.id)), "commentId", third.id, second.id, first.id)
			})},
		{What: "a coach hides a comment: visibility is there to be changed", Cite: "45, 142, 201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				return r.commenting(first, me, change(first.key(), Item{"visibility": S("hidden")}).write(r.table))
			})},
		{What: "a coach takes a comment of their own away", Cite: "24, 45", As: trainer,
			Send: rollSend(func(r roll) error { return r.remove(second.key()) })},
		{What: "a comment on an entry that is not there does not go through", Cite: "201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				lost := first
				lost.entry = "entry-none"
				return cancelled(r.post(lost, me), 0)
			})},

		// Gap priorities.
		{What: "an athlete without overrides opens the gaps", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return expect(r.ctx, r.c, r.gaps(me), "gapId") })},
		{What: "an athlete accepts the priority of a gap, without a number or a note", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.override(rollOverride(me, "gap-1", "accepted", "2026-02-12T08:00:00.000Z", me, "athlete", nil))
			})},
		{What: "an athlete watches a gap, with a number and a note", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.override(rollOverride(me, "gap-2", "watch", "2026-02-12T08:01:00.000Z", me, "athlete",
					Item{"manualPriority": N(2), "note": S("Not before the competition.")}))
			})},
		{What: "an athlete dismisses a gap with a whole item", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				item := primary("USER#"+me, "GAP_PRIORITY#gap-3")
				for name, value := range map[string]string{"entityType": "GAP_PRIORITY_OVERRIDE", "gapId": "gap-3", "status": "dismissed", "updatedAt": "2026-02-12T08:02:00.000Z",
					"updatedBy": me, "updatedByRole": "athlete", "createdAt": "2026-02-12T08:02:00.000Z"} {
					item[name] = S(value)
				}
				_, err := r.c.PutItem(r.ctx, &dynamodb.PutItemInput{TableName: aws.String(r.table), Item: item})
				return err
			})},
		{What: "a coach overrides a gap of a linked athlete; the link is checked in the same transaction", Cite: "29, 57-58, 200-201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				return transact(r.ctx, r.c, there(r.table, primary("USER#"+me, "COACH#"+coach)),
					rollOverride(me, "gap-1", "watch", "2026-02-12T09:00:00.000Z", coach, "coach", Item{"manualPriority": N(1), "note": S("Frames first.")}).write(r.table))
			})},
		{What: "an athlete changes an override, and takes its number and its note away", Cite: "57-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.override(rollOverride(me, "gap-2", "accepted", "2026-02-12T10:00:00.000Z", me, "athlete", nil, "manualPriority", "note"))
			})},
		{What: "an athlete reads one override: the first createdAt is kept, the coach's word stands", Cite: "29, 57-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				item, err := found(r.ctx, r.c, getInput(r.table, "USER#"+me, "GAP_PRIORITY#gap-1"))
				if err == nil && (text(item, "createdAt") != "2026-02-12T08:00:00.000Z" || text(item, "updatedByRole") != "coach" || number(item, "manualPriority") != "1") {
					err = fmt.Errorf("gap-1 holds %v", item)
				}
				return err
			})},
		{What: "an athlete lists many overrides, in both directions and paged", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				if err := expect(r.ctx, r.c, by2(r.gaps(me)), "gapId", "gap-1", "gap-2", "gap-3"); err != nil {
					return err
				}
				return expect(r.ctx, r.c, backwards(r.gaps(me)), "gapId", "gap-3", "gap-2", "gap-1")
			})},
		{What: "a coach lists the overrides of a linked athlete before changing one", Cite: "29, 58, 200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				if err := r.coached(me, coach); err != nil {
					return err
				}
				return expect(r.ctx, r.c, r.gapsForCoach(me), "gapId", "gap-1", "gap-2", "gap-3")
			})},
		{What: "an athlete takes an override away", Cite: "29", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.remove(primary("USER#"+me, "GAP_PRIORITY#gap-3")) })},

		// The chat with the AI.
		{What: "an athlete opens the chat for the first time: no threads", Cite: "25, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return expect(r.ctx, r.c, r.threads(me), "threadId") })},
		{What: "an athlete starts a thread", Cite: "25, 48, 146-157, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				_, err := r.c.PutItem(r.ctx, &dynamodb.PutItemInput{TableName: aws.String(r.table),
					Item: rollThread(me, "thread-1", "Training Reflection", "2026-02-13T08:00:00.000Z")})
				return err
			})},
		{What: "a thread without messages", Cite: "26, 203", As: athlete,
			Send: rollSend(func(r roll) error { return expect(r.ctx, r.c, r.messages("thread-1"), "messageId") })},
		{What: "an athlete starts a thread with its first message", Cite: "25-26, 47-51, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				at := "2026-02-13T09:00:00.000Z"
				return transact(r.ctx, r.c, putWrite(r.table, rollThread(me, "thread-2", "Frames", at)),
					putWrite(r.table, rollMessage("thread-2", "msg-1", "user", "How do I keep frames?", "shared", at)))
			})},
		{What: "an athlete sends a message, and the thread is active", Cite: "26, 48, 51, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.say(me, rollMessage("thread-1", "msg-1", "user", "I felt tired.", "private", "2026-02-13T08:01:00.000Z"))
			})},
		{What: "the answer of the assistant is stored for the athlete", Cite: "26, 51, 159-172, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.say(me, rollMessage("thread-1", "msg-2", "assistant", `{"text":"...","extracted_updates":{...},"suggested_prompts":[...]}`, "private", "2026-02-13T08:02:00.000Z"))
			})},
		{What: "a message stored alone", Cite: "26, 51, 159-172, 203", As: athlete,
			Send: rollSend(func(r roll) error {
				_, err := r.c.PutItem(r.ctx, &dynamodb.PutItemInput{TableName: aws.String(r.table),
					Item: rollMessage("thread-1", "msg-3", "user", "And the guard?", "shared", "2026-02-13T08:03:00.000Z")})
				return err
			})},
		{What: "the thread's last activity moved alone, and its title changed", Cite: "48", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				for _, set := range []Item{{"lastActiveAt": S("2026-02-13T08:03:00.000Z")}, {"title": S("Tired after training")}} {
					if _, err := r.c.UpdateItem(r.ctx, change(rollThreadKey(me, "thread-1"), set).input(r.table)); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "an athlete lists the threads, in both directions and paged", Cite: "25, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				if err := expect(r.ctx, r.c, paged(r.threads(me), 1), "threadId", "thread-1", "thread-2"); err != nil {
					return err
				}
				return expect(r.ctx, r.c, backwards(r.threads(me)), "threadId", "thread-2", "thread-1")
			})},
		{What: "an athlete opens one thread", Cite: "25, 48", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				item, err := found(r.ctx, r.c, getInput(r.table, "USER#"+me, "AI_THREAD#thread-1"))
				if err == nil && (text(item, "title") != "Tired after training" || text(item, "lastActiveAt") != "2026-02-13T08:03:00.000Z") {
					err = fmt.Errorf("thread-1 holds %v", item)
				}
				return err
			})},
		{What: "an athlete reads the messages of a thread, in both directions and paged", Cite: "26, 203", As: athlete,
			Send: rollSend(func(r roll) error {
				if err := expect(r.ctx, r.c, by2(r.messages("thread-1")), "messageId", "msg-1", "msg-2", "msg-3"); err != nil {
					return err
				}
				return expect(r.ctx, r.c, back2(r.messages("thread-1")), "messageId", "msg-3", "msg-2", "msg-1")
			})},
		{What: "a coach chats too: threads are a user's, not an athlete's alone", Cite: "25-26, 203", As: trainer, Not: []Caller{athlete, unlinked},
			Send: rollSend(func(r roll) error {
				at := "2026-02-13T10:00:00.000Z"
				return transact(r.ctx, r.c, putWrite(r.table, rollThread(coach, "thread-8", "Class plan", at)),
					putWrite(r.table, rollMessage("thread-8", "msg-1", "user", "A plan for frames?", "private", at)))
			})},
		{What: "a coach lists threads, and gets an answer", Cite: "25-26, 203", As: trainer, Not: []Caller{athlete, unlinked},
			Send: rollSend(func(r roll) error {
				if err := expect(r.ctx, r.c, r.threads(coach), "threadId", "thread-8"); err != nil {
					return err
				}
				return r.say(coach, rollMessage("thread-8", "msg-2", "assistant", `{"text":"..."}`, "private", "2026-02-13T10:01:00.000Z"))
			})},

		// Export.
		{What: "an athlete exports: all own entries, page by page", Cite: "106, 202", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				items, _, err := query(r.ctx, r.c, by2(r.entries(me)))
				if err != nil {
					return err
				}
				if len(items) != len(all) {
					return fmt.Errorf("export: expected %d entries, found %d", len(all), len(items))
				}
				exported = items
				return nil
			})},
		{What: "and then the comments, entry by entry: none for most, many for one", Cite: "202", As: athlete,
			Send: rollSend(func(r roll) error {
				comments := 0
				for _, entry := range exported {
					if _, err := r.current(entry); err != nil {
						return err
					}
					items, _, err := query(r.ctx, r.c, r.comments(text(entry, "entryId")))
					if err != nil {
						return err
					}
					comments += len(items)
				}
				if comments != 2 {
					return fmt.Errorf("export: expected 2 comments, found %d", comments)
				}
				return nil
			})},

		// The end of a link.
		{What: "an athlete unlinks a coach, twice as after a lost answer", Cite: "21, 200", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				if err := r.remove(primary("USER#"+me, "COACH#"+coach)); err != nil {
					return err
				}
				return r.remove(primary("USER#"+me, "COACH#"+coach))
			})},
		{What: "the coach asks again: the check finds no link, and the path ends", Cite: "200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				ok, err := r.linked(me, coach)
				if err == nil && ok {
					err = fmt.Errorf("a link after it was removed")
				}
				return err
			})},
		{What: "a comment that was under way when the link went does not go through", Cite: "201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				late := first
				late.id, late.created = "comment-4", "2026-02-14T09:00:00.000Z"
				return cancelled(r.post(late, me), 1)
			})},
		{What: "an override that was under way when the link went does not go through", Cite: "58, 200-201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				return cancelled(transact(r.ctx, r.c, there(r.table, primary("USER#"+me, "COACH#"+coach)),
					rollOverride(me, "gap-2", "dismissed", "2026-02-14T09:00:00.000Z", coach, "coach", nil).write(r.table)), 0)
			})},
		{What: "an athlete links the coach again", Cite: "21, 41-42", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.link(me, coach, "2026-02-15T08:00:00.000Z") })},

		// Deletions: a journal with private text must be erasable.
		{What: "before an entry goes its comments are found", Cite: "24, 202", As: athlete,
			Send: rollSend(func(r roll) error { return keepComments(r, e2.id, 2) })},
		{What: "an athlete deletes an entry with many comments and no keywords", Cite: "22-24", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.dropEntry(e2none, commentsOf[e2.id]) })},
		{What: "an athlete deletes an entry with one keyword and no comments, twice as after a lost answer", Cite: "22-23, 28", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				if err := r.dropEntry(e3, nil); err != nil {
					return err
				}
				return r.dropEntry(e3, nil)
			})},
		{What: "deleted entries are in no list", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, current(r.entries(me)), "entryId", e1.id, e4.id, e5.id)
			})},
		{What: "a late comment on a deleted entry does not go through", Cite: "201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return cancelled(r.post(first, me), 0) })},
		{What: "before a thread goes its messages are found", Cite: "26, 203", As: athlete,
			Send: rollSend(func(r roll) error { return keepMessages(r, "thread-1", 3) })},
		{What: "an athlete deletes a thread with many messages", Cite: "25-26", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.dropThread(me, "thread-1", messagesOf["thread-1"]) })},

		// An account goes: everything under the user's keys, kind by kind.
		{What: "an account goes: the comments and messages that are left are found", Cite: "24, 26, 202-203", As: athlete,
			Send: rollSend(func(r roll) error {
				for _, e := range []rollEntry{e1, e4, e5} {
					if err := keepComments(r, e.id, 0); err != nil {
						return err
					}
				}
				return keepMessages(r, "thread-2", 1)
			})},
		{What: "an account goes: every entry with its meta and its keywords", Cite: "22-24, 27-28", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				for _, e := range []rollEntry{e1many, e4moved, e5anew} {
					if err := r.dropEntry(e, commentsOf[e.id]); err != nil {
						return err
					}
				}
				return nil
			})},
		{What: "an account goes: its threads", Cite: "25-26", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.dropThread(me, "thread-2", messagesOf["thread-2"]) })},
		{What: "an account goes: its overrides and its links", Cite: "21, 29", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				for _, prefix := range []string{"GAP_PRIORITY#", "COACH#"} {
					items, _, err := query(r.ctx, r.c, prefixInput(r.table, "USER#"+me, prefix))
					if err != nil {
						return err
					}
					if len(items) != 2 {
						return fmt.Errorf("%s: expected 2 items, found %d", prefix, len(items))
					}
					for _, item := range items {
						if err := r.remove(keyOf(item)); err != nil {
							return err
						}
					}
				}
				return nil
			})},
		{What: "an account goes: its journal is empty", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return expect(r.ctx, r.c, current(r.entries(me)), "entryId") })},
		{What: "the other athlete's journal is untouched", Cite: "199", As: stranger, Not: []Caller{athlete, trainer},
			Send: rollSend(func(r roll) error {
				return expect(r.ctx, r.c, current(r.entries(stranger.User)), "entryId", theirs.id)
			})},
		{What: "a coach deletes a thread of their own, found with its messages", Cite: "25-26, 203", As: trainer,
			Send: rollSend(func(r roll) error { return keepMessages(r, "thread-8", 2) })},
		{What: "a coach deletes a thread of their own", Cite: "25-26", As: trainer, Not: []Caller{athlete, unlinked},
			Send: rollSend(func(r roll) error { return r.dropThread(coach, "thread-8", messagesOf["thread-8"]) })},
	}}
}
