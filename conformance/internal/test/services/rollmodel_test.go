package services

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// roll is the client of roll-model.md at work.
type roll struct{ product }

func rollSend(do func(r roll) error) plainSend {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error {
		return do(roll{product{ctx, c, t("RollModel")}})
	}
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

func (e rollEntry) metrics(minutes, intensity, rounds int, gi string) plainAny {
	return plainAny{"durationMinutes": minutes, "intensity": intensity, "rounds": rounds, "giOrNoGi": gi, "tags": e.tags}
}

func (e rollEntry) item(updated string) Item {
	return with(e.key(), plainAny{
		"entityType": "ENTRY", "entryId": e.id, "athleteId": e.athlete, "schemaVersion": 1, "createdAt": e.created,
		"updatedAt": updated, "sections": plainAny{"private": e.private, "shared": e.shared},
		"sessionMetrics": e.metrics(90, 7, 8, "gi"), "rawTechniqueMentions": e.mentions,
	})
}

func (e rollEntry) meta() Item {
	return with(e.metaKey(), plainAny{"entityType": "ENTRY_META", "athleteId": e.athlete, "createdAt": e.created})
}

func (e rollEntry) keyword(scope, token string) Item {
	owner := "USER#"
	if scope == "private" {
		owner = "USER_PRIVATE#"
	}
	return with(primary(owner+e.athlete, "KW#"+token+"#TS#"+e.created+"#ENTRY#"+e.id), plainAny{
		"entityType": "KEYWORD_INDEX", "visibilityScope": scope, "entryId": e.id, "createdAt": e.created,
	})
}

func (e rollEntry) keywords(shared, private []string) (items []Item) {
	for _, token := range shared {
		items = append(items, e.keyword("shared", token))
	}
	for _, token := range private {
		items = append(items, e.keyword("private", token))
	}
	return items
}

// putKeywords and dropKeywords are the writes of the keyword items of an entry.
func (r roll) putKeywords(e rollEntry, shared, private []string) []types.TransactWriteItem {
	return r.putWrites(e.keywords(shared, private)...)
}

func (r roll) dropKeywords(e rollEntry, shared, private []string) []types.TransactWriteItem {
	return r.deleteWrites(e.keywords(shared, private)...)
}

// created are the writes of a new entry: the entry, its meta, its keywords.
func (r roll) created(e rollEntry) []types.TransactWriteItem {
	return append(r.putWrites(e.item(e.created), e.meta()), r.putKeywords(e, e.sharedKW, e.privateKW)...)
}

func (r roll) create(e rollEntry) error { return r.transact(r.created(e)...) }

// edited is the update of an entry: every write persists the current schema version.
func (e rollEntry) edited(at string, set plainAny) edit {
	set["updatedAt"], set["schemaVersion"] = at, 1
	return change(e.key(), set)
}

// edit changes an entry whose keywords stay as they are.
func (r roll) edit(e rollEntry, at string, set plainAny) error {
	return r.update(e.edited(at, set))
}

// editAll changes an entry and its keywords in one transaction.
func (r roll) editAll(update edit, keywords ...[]types.TransactWriteItem) error {
	return r.transact(append([]types.TransactWriteItem{update.write(r.table)}, slices.Concat(keywords...)...)...)
}

// current is an entry as readers hold it: version 0 becomes version 1, a version above 1 is an error.
func (r roll) current(item Item) (Item, error) {
	switch version := number(item, "schemaVersion"); version {
	case "":
		item["schemaVersion"] = plainValue(1)
		if item["rawTechniqueMentions"] == nil {
			item["rawTechniqueMentions"] = plainValue([]string{})
		}
	case "1":
	default:
		return nil, fmt.Errorf("entry %s has schema version %s, this reader knows 1", text(item, "entryId"), version)
	}
	return item, nil
}

// entry reads one entry with everything in it.
func (r roll) entry(e rollEntry) (Item, error) {
	item, err := r.found(fresh(r.at(text(e.key(), "PK"), text(e.key(), "SK")))) // an athlete who has saved sees what was saved
	if err != nil {
		return nil, err
	}
	return r.current(item)
}

// entries is the athlete's own list.
func (r roll) entries(athlete string) *dynamodb.QueryInput {
	return r.prefix("USER#"+athlete, "ENTRY#")
}

// rollShared is what a coach may see of an entry: all but sections.private.
var rollShared = []string{"PK", "SK", "entityType", "entryId", "athleteId", "schemaVersion", "createdAt", "updatedAt",
	"sections.shared", "sessionMetrics", "rawTechniqueMentions"}

// linked is the check that every path of a coach starts with. A link removed a moment ago must not count.
func (r roll) linked(athlete, coach string) *dynamodb.GetItemInput {
	return fresh(r.at("USER#"+athlete, "COACH#"+coach))
}

// coached goes on only with a link.
func (r roll) coached(athlete, coach string) error {
	_, err := r.found(r.linked(athlete, coach))
	return err
}

// coachSees reads a list of entries as a coach, after the link check, and wants no private text in it.
func (r roll) coachSees(athlete, coach string, turn func(*dynamodb.QueryInput) *dynamodb.QueryInput, want ...string) error {
	if err := r.coached(athlete, coach); err != nil {
		return err
	}
	return r.journal(turn(r.prefix("USER#"+athlete, "ENTRY#", rollShared...)), false, want...)
}

// journal reads a list of entries, with their private text or without, and wants these.
func (r roll) journal(in *dynamodb.QueryInput, private bool, want ...string) error {
	items, err := r.list(in)
	if err != nil {
		return err
	}
	var got []string
	for _, item := range items {
		if _, err := r.current(item); err != nil {
			return err
		}
		if sections := under(item, "sections"); private != (sections["private"] != nil) || sections["shared"] == nil {
			return fmt.Errorf("entry %s: its reader sees the sections %v", text(item, "entryId"), sections)
		}
		got = append(got, text(item, "entryId"))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("entries: expected %q, found %q", want, got)
	}
	return nil
}

// keywords is the retrieval of one token: with #TS# it does not match longer tokens.
func (r roll) keywords(owner, token string) *dynamodb.QueryInput {
	return r.prefix(owner, "KW#"+token+"#TS#")
}

type rollComment struct{ id, entry, coach, created, body, visibility string }

func (m rollComment) key() Item {
	return primary("ENTRY#"+m.entry, "COMMENT#"+m.created+"#"+m.id)
}

func (m rollComment) item() Item {
	return with(m.key(), plainAny{
		"entityType": "COMMENT", "commentId": m.id, "entryId": m.entry, "coachId": m.coach, "createdAt": m.created,
		"body": m.body, "visibility": m.visibility,
	})
}

// commenting is a write of a coach on an entry that goes through only while the entry and the link are there.
func (r roll) commenting(m rollComment, athlete string, write types.TransactWriteItem) error {
	return r.transact(r.there(primary("ENTRY#"+m.entry, "META")),
		r.there(primary("USER#"+athlete, "COACH#"+m.coach)), write)
}

func (r roll) post(m rollComment, athlete string) error {
	return r.commenting(m, athlete, r.putWrite(m.item()))
}

func (r roll) comments(entry string) *dynamodb.QueryInput {
	return r.prefix("ENTRY#"+entry, "COMMENT#")
}

func rollLink(athlete, coach, created string) Item {
	return with(primary("USER#"+athlete, "COACH#"+coach), plainAny{
		"entityType": "COACH_LINK", "athleteId": athlete, "coachId": coach, "createdAt": created,
	})
}

func (r roll) link(athlete, coach, created string) error {
	return r.put(rollLink(athlete, coach, created))
}

// override is an athlete's or a coach's word on the priority of a gap: new or changed, it keeps the first createdAt.
func rollOverride(athlete, gap, status, at, by, role string, more plainAny, remove ...string) edit {
	set := plainAny{"entityType": "GAP_PRIORITY_OVERRIDE", "gapId": gap, "status": status, "updatedAt": at, "updatedBy": by, "updatedByRole": role}
	maps.Copy(set, more)
	return change(primary("USER#"+athlete, "GAP_PRIORITY#"+gap), set, remove...).first(plainAny{"createdAt": at})
}

func (r roll) gaps(athlete string) *dynamodb.QueryInput {
	return r.prefix("USER#"+athlete, "GAP_PRIORITY#")
}

// rollOverrideSeen is what a coach reads of an override. It is named, because the athlete's partition holds private text as well.
var rollOverrideSeen = []string{"PK", "SK", "entityType", "gapId", "status", "manualPriority", "note", "updatedAt", "updatedBy", "updatedByRole", "createdAt"}

func (r roll) gapsForCoach(athlete string) *dynamodb.QueryInput {
	return r.prefix("USER#"+athlete, "GAP_PRIORITY#", rollOverrideSeen...)
}

func rollThreadKey(user, thread string) Item { return primary("USER#"+user, "AI_THREAD#"+thread) }

func rollThread(user, thread, title, at string) Item {
	return with(rollThreadKey(user, thread), plainAny{
		"entityType": "AI_THREAD", "threadId": thread, "title": title, "createdAt": at, "lastActiveAt": at,
	})
}

func rollMessage(thread, id, role, content, scope, at string) Item {
	return with(primary("AI_THREAD#"+thread, "MSG#"+at+"#"+id), plainAny{
		"entityType": "AI_MESSAGE", "messageId": id, "threadId": thread, "role": role, "content": content,
		"visibilityScope": scope, "createdAt": at,
	})
}

// say stores a message, and that its thread was active then.
func (r roll) say(user string, message Item) error {
	return r.transact(r.putWrite(message),
		change(rollThreadKey(user, text(message, "threadId")), plainAny{"lastActiveAt": message["createdAt"]}).write(r.table))
}

func (r roll) threads(user string) *dynamodb.QueryInput {
	return r.prefix("USER#"+user, "AI_THREAD#")
}

func (r roll) messages(thread string) *dynamodb.QueryInput {
	return r.prefix("AI_THREAD#"+thread, "MSG#")
}

// dropThread deletes a thread and the messages that were found in it.
func (r roll) dropThread(user, thread string, messages []Item) error {
	own := r.deleteIf(rollThreadKey(user, thread), "attribute_exists(#PK)", nil, "PK")
	return r.transact(append([]types.TransactWriteItem{own}, r.deleteWrites(messages...)...)...)
}

// dropEntry deletes an entry with all that stands beside it; the comments are those that were found.
func (r roll) dropEntry(e rollEntry, comments []Item) error {
	meta := r.deleteIf(e.metaKey(), "attribute_not_exists(#PK) OR #athleteId = :athleteId", plainAny{":athleteId": e.athlete}, "PK", "athleteId")
	writes := append([]types.TransactWriteItem{r.deleteWrite(e.key()), meta},
		r.dropKeywords(e, e.sharedKW, e.privateKW)...)
	return r.transact(append(writes, r.deleteWrites(comments...)...)...)
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
	keepComments := func(r roll, entry string, want int) (err error) {
		commentsOf[entry], err = r.several(current(r.comments(entry)), want)
		return err
	}
	keepMessages := func(r roll, thread string, want int) (err error) {
		messagesOf[thread], err = r.several(current(r.messages(thread)), want)
		return err
	}

	return Service{Design: "roll-model.md", Days: []Step{
		// The first login: a journal with nothing in it.
		{What: "an athlete opens the journal for the first time: no entries", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return r.expect(current(r.entries(me)), "entryId") })},
		{What: "an athlete without coaches opens the page of coaches", Cite: "21, 41-42", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.expect(r.prefix("USER#"+me, "COACH#"), "coachId") })},

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
				return each([]string{"first", "again"}, func(string) error {
					_, err := r.c.TransactWriteItems(r.ctx, in)
					return err
				})
			})},
		{What: "another athlete writes an entry with the same keyword", Cite: "22-23, 27", As: stranger, Not: []Caller{athlete},
			Send: rollSend(func(r roll) error { return r.create(theirs) })},

		// Reading the journal.
		{What: "an athlete lists the journal, oldest first", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return r.journal(current(r.entries(me)), true, all...) })},
		{What: "an athlete lists the journal, newest first", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return r.expect(backwards(r.entries(me)), "entryId", reversed(all...)...) })},
		{What: "an athlete pages through the journal", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return r.expect(by2(r.entries(me)), "entryId", all...) })},
		{What: "an athlete pages back through the journal", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return r.expect(back2(r.entries(me)), "entryId", reversed(all...)...) })},
		{What: "an athlete opens one entry", Cite: "22, 32-36", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				item, err := r.entry(e4)
				want := plainAny{"sections": plainAny{"private": e4.private, "shared": e4.shared}, "rawTechniqueMentions": e4.mentions}
				if wrong := plainHas(item, want); err == nil && wrong != "" {
					err = errors.New(wrong)
				}
				return err
			})},
		{What: "a link to an entry holds its id alone: the meta tells whose it is and when it was written", Cite: "23, 39", As: athlete,
			Send: rollSend(func(r roll) error {
				return r.holds(r.at("ENTRY#"+e4.id, "META"), plainAny{"athleteId": me, "createdAt": e4.created})
			})},

		// Keyword retrieval, before any edit.
		{What: "an athlete looks for a shared keyword: the longer token guardpass and the other athlete stay out", Cite: "27, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.expect(r.keywords("USER#"+me, "guard"), "entryId", e2.id, e4.id, e5.id) })},
		{What: "the entries of a shared keyword, newest first and paged", Cite: "27, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.expect(back2(r.keywords("USER#"+me, "guard")), "entryId", e5.id, e4.id, e2.id)
			})},
		{What: "an athlete looks for a keyword of one entry, and opens that entry", Cite: "27, 54, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				items, err := r.several(r.keywords("USER#"+me, "guardpass"), 1)
				if err != nil {
					return err
				}
				item, err := r.entry(rollEntry{athlete: me, id: text(items[0], "entryId"), created: text(items[0], "createdAt")})
				if err == nil && text(item, "entryId") != e5.id {
					err = fmt.Errorf("guardpass leads to %v", item)
				}
				return err
			})},
		{What: "an athlete looks for a keyword that no entry has", Cite: "27, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.expect(r.keywords("USER#"+me, "armbar"), "entryId") })},
		{What: "an athlete looks for a private keyword", Cite: "28, 204", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return r.expect(r.keywords("USER_PRIVATE#"+me, "injury"), "entryId", e3.id, e4.id, e5.id)
			})},
		{What: "the entries of a private keyword, newest first and paged", Cite: "28, 204", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return r.expect(back2(r.keywords("USER_PRIVATE#"+me, "injury")), "entryId", e5.id, e4.id, e3.id)
			})},
		{What: "a shared keyword is not in the private index", Cite: "27-28, 204", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return r.expect(r.keywords("USER_PRIVATE#"+me, "guard"), "entryId") })},

		// Edits.
		{What: "an athlete edits the shared section; there are no keywords", Cite: "33-34, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.edit(e1, "2026-02-10T07:00:00.000Z", plainAny{"sections.shared": "Open mat, six rounds."})
			})},
		{What: "an athlete edits the private section; the keyword is the same and stays untouched", Cite: "33-34, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.edit(e2, "2026-02-10T07:01:00.000Z", plainAny{"sections.private": "Calm and rested."})
			})},
		{What: "an athlete corrects the metrics of a session, and the page shows the answer", Cite: "33, 35, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				in := e3.edited("2026-02-10T07:02:00.000Z", plainAny{"sessionMetrics": e3.metrics(60, 3, 0, "no-gi")}).input(r.table)
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
				return r.edit(e3, "2026-02-10T07:03:00.000Z", plainAny{"sessionMetrics.rounds": 2, "sessionMetrics.intensity": 4})
			})},
		{What: "an athlete takes away all tags and techniques", Cite: "35-36, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.edit(e4, "2026-02-10T07:04:00.000Z", plainAny{"sessionMetrics.tags": []string{}, "rawTechniqueMentions": []string{}})
			})},
		{What: "an edit whose text gives the same keyword writes it again", Cite: "27, 53-54, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e2.edited("2026-02-10T07:05:00.000Z", plainAny{"sections.shared": "Guard all evening, and frames."})
				return r.editAll(update, r.putKeywords(e2, e2.sharedKW, nil))
			})},
		{What: "an edit brings the first keyword of an entry", Cite: "27, 53-54, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e1.edited("2026-02-10T07:06:00.000Z", plainAny{"sections.shared": "Escape drills."})
				return r.editAll(update, r.putKeywords(e1, e1one.sharedKW, nil))
			})},
		{What: "an edit brings many more keywords of both kinds", Cite: "27-28, 53-54, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e1.edited("2026-02-10T07:07:00.000Z", plainAny{"sections": plainAny{"shared": "Escape, armbar, triangle.", "private": "Stress at work."}})
				return r.editAll(update, r.putKeywords(e1, []string{"armbar", "triangle"}, e1many.privateKW))
			})},
		{What: "an edit takes the only keyword of an entry away", Cite: "27, 53-54, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e2.edited("2026-02-10T07:08:00.000Z", plainAny{"sections.shared": "Frames all evening."})
				return r.editAll(update, r.dropKeywords(e2, e2.sharedKW, nil))
			})},
		{What: "an athlete moves a sentence from shared to private, and its keyword with it", Cite: "27-28, 34, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				update := e4.edited("2026-02-10T07:09:00.000Z", plainAny{"sections": plainAny{"shared": "Sparring.", "private": "Injury is better. Guard again."}})
				return r.editAll(update, r.dropKeywords(e4, []string{"guard"}, nil), r.putKeywords(e4, nil, []string{"guard"}))
			})},
		{What: "an athlete writes an entry anew: many keywords go, others come", Cite: "27-28, 34, 90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				writes := append([]types.TransactWriteItem{r.putWrite(e5anew.item("2026-02-10T07:10:00.000Z"))},
					r.dropKeywords(e5, []string{"guard", "guardpass"}, e5.privateKW)...)
				return r.transact(append(writes, r.putKeywords(e5, []string{"halfguard"}, e5anew.privateKW)...)...)
			})},
		{What: "an edit that stores the whole entry again, keywords unchanged", Cite: "89-90", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.put(e3.item("2026-02-10T07:11:00.000Z")) })},
		{What: "after the edits the old keywords lead nowhere", Cite: "27, 204", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.expect(current(r.keywords("USER#"+me, "guard")), "entryId"),
					r.expect(current(r.keywords("USER#"+me, "escape")), "entryId", e1.id))
			})},
		{What: "after the edits the private keywords are the new ones", Cite: "28, 204", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.expect(r.keywords("USER_PRIVATE#"+me, "guard"), "entryId", e4.id),
					r.expect(r.keywords("USER_PRIVATE#"+me, "injury"), "entryId", e3.id, e4.id))
			})},

		// Coaches.
		{What: "a coach who is not linked yet asks for the journal: the check finds no link, and the path ends", Cite: "200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return r.gone(r.linked(me, coach)) })},
		{What: "an athlete links a coach, and once more after a lost answer", Cite: "21, 41-42, 119-129", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.link(me, coach, "2026-02-10T08:00:00.000Z"), r.link(me, coach, "2026-02-10T08:00:00.000Z"))
			})},
		{What: "an athlete lists one coach", Cite: "21, 41-42", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.expect(current(r.prefix("USER#"+me, "COACH#")), "coachId", coach) })},
		{What: "an athlete links a second coach", Cite: "21, 41-42, 119-129", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.link(me, other, "2026-02-10T08:01:00.000Z") })},
		{What: "an athlete lists many coaches, in both directions and paged", Cite: "21, 41-42", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				coaches := func() *dynamodb.QueryInput { return r.prefix("USER#"+me, "COACH#") }
				return r.bothWays(coaches(), 1, "coachId", other, coach)
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
				item, err := r.found(r.at(text(e2.key(), "PK"), text(e2.key(), "SK"), rollShared...))
				if err == nil && (under(item, "sections")["private"] != nil || text(under(item, "sections"), "shared") == "") {
					err = fmt.Errorf("a coach sees the sections %v", under(item, "sections"))
				}
				return err
			})},

		// Comments.
		{What: "a coach who holds an entry's id finds whose it is, and checks the link", Cite: "201", As: trainer,
			Send: rollSend(func(r roll) error {
				meta, err := r.found(r.at("ENTRY#"+e2.id, "META"))
				if err != nil {
					return err
				}
				return r.coached(text(meta, "athleteId"), coach)
			})},
		{What: "a coach opens an entry that nobody has commented on", Cite: "24, 202", As: trainer,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.coached(me, coach), r.expect(current(r.comments(e2.id)), "commentId"))
			})},
		{What: "a coach posts a comment; entry and link are checked in the same transaction", Cite: "24, 45, 131-144, 201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return r.post(first, me) })},
		{What: "an athlete reads one comment", Cite: "24, 202", As: athlete,
			Send: rollSend(func(r roll) error { return r.expect(current(r.comments(e2.id)), "commentId", first.id) })},
		{What: "a coach posts a second comment; the app loses the answer and sends the same request again", Cite: "24, 45, 201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return errors.Join(r.post(second, me), r.post(second, me)) })},
		{What: "the other coach comments on the same entry", Cite: "24, 45, 201", As: Caller{"coach", other}, Not: coaching,
			Send: rollSend(func(r roll) error { return r.post(third, me) })},
		{What: "an athlete reads many comments, in both directions and paged", Cite: "24, 202", As: athlete,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.expect(by2(r.comments(e2.id)), "commentId", first.id, second.id, third.id),
					r.expect(back2(r.comments(e2.id)), "commentId", third.id, second.id, first.id))
			})},
		{What: "a coach reads the comments on an entry of a linked athlete", Cite: "24, 200-202", As: trainer,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.coached(me, coach), r.expect(backwards(r.comments(e2.id)), "commentId", third.id, second.id, first.id))
			})},
		{What: "a coach hides a comment: visibility is there to be changed", Cite: "45, 142, 201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				hide := change(first.key(), plainAny{"visibility": "hidden"}).when("#coachId = :coachId", plainAny{":coachId": coach}, "coachId")
				return r.commenting(first, me, hide.write(r.table))
			})},
		{What: "a coach takes a comment of their own away", Cite: "24, 45", As: trainer,
			Send: rollSend(func(r roll) error {
				return r.transact(r.deleteIf(second.key(), "#coachId = :coachId", plainAny{":coachId": coach}, "coachId"))
			})},
		{What: "a comment on an entry that is not there does not go through", Cite: "201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				lost := first
				lost.entry = "entry-none"
				return cancelled(r.post(lost, me), 0)
			})},

		// Gap priorities.
		{What: "an athlete without overrides opens the gaps", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.expect(r.gaps(me), "gapId") })},
		{What: "an athlete accepts the priority of a gap, without a number or a note", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.update(rollOverride(me, "gap-1", "accepted", "2026-02-12T08:00:00.000Z", me, "athlete", nil))
			})},
		{What: "an athlete watches a gap, with a number and a note", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.update(rollOverride(me, "gap-2", "watch", "2026-02-12T08:01:00.000Z", me, "athlete",
					plainAny{"manualPriority": 2, "note": "Not before the competition."}))
			})},
		{What: "an athlete dismisses a gap with a whole item", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.put(with(primary("USER#"+me, "GAP_PRIORITY#gap-3"), plainAny{"entityType": "GAP_PRIORITY_OVERRIDE", "gapId": "gap-3", "status": "dismissed", "updatedAt": "2026-02-12T08:02:00.000Z",
					"updatedBy": me, "updatedByRole": "athlete", "createdAt": "2026-02-12T08:02:00.000Z"}))
			})},
		{What: "a coach overrides a gap of a linked athlete; the link is checked in the same transaction", Cite: "29, 57-58, 200-201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				return r.transact(r.there(primary("USER#"+me, "COACH#"+coach)),
					rollOverride(me, "gap-1", "watch", "2026-02-12T09:00:00.000Z", coach, "coach", plainAny{"manualPriority": 1, "note": "Frames first."}).write(r.table))
			})},
		{What: "an athlete changes an override, and takes its number and its note away", Cite: "57-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.update(rollOverride(me, "gap-2", "accepted", "2026-02-12T10:00:00.000Z", me, "athlete", nil, "manualPriority", "note"))
			})},
		{What: "an athlete reads one override: the first createdAt is kept, the coach's word stands", Cite: "29, 57-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.holds(r.at("USER#"+me, "GAP_PRIORITY#gap-1"), plainAny{"createdAt": "2026-02-12T08:00:00.000Z", "updatedByRole": "coach", "manualPriority": 1})
			})},
		{What: "an athlete lists many overrides, in both directions and paged", Cite: "29, 56-59", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.expect(by2(r.gaps(me)), "gapId", "gap-1", "gap-2", "gap-3"),
					r.expect(backwards(r.gaps(me)), "gapId", "gap-3", "gap-2", "gap-1"))
			})},
		{What: "a coach lists the overrides of a linked athlete before changing one", Cite: "29, 58, 200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.coached(me, coach), r.expect(r.gapsForCoach(me), "gapId", "gap-1", "gap-2", "gap-3"))
			})},
		{What: "an athlete takes an override away", Cite: "29", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.remove(primary("USER#"+me, "GAP_PRIORITY#gap-3")) })},

		// The chat with the AI.
		{What: "an athlete opens the chat for the first time: no threads", Cite: "25, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.expect(r.threads(me), "threadId") })},
		{What: "an athlete starts a thread", Cite: "25, 48, 146-157, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.put(rollThread(me, "thread-1", "Training Reflection", "2026-02-13T08:00:00.000Z"))
			})},
		{What: "a thread without messages", Cite: "26, 203", As: athlete,
			Send: rollSend(func(r roll) error { return r.expect(r.messages("thread-1"), "messageId") })},
		{What: "an athlete starts a thread with its first message", Cite: "25-26, 47-51, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				at := "2026-02-13T09:00:00.000Z"
				return r.transact(r.putWrite(rollThread(me, "thread-2", "Frames", at)),
					r.putWrite(rollMessage("thread-2", "msg-1", "user", "How do I keep frames?", "shared", at)))
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
				return r.put(rollMessage("thread-1", "msg-3", "user", "And the guard?", "shared", "2026-02-13T08:03:00.000Z"))
			})},
		{What: "the thread's last activity moved alone, and its title changed", Cite: "48", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				thread := rollThreadKey(me, "thread-1")
				return r.update(change(thread, plainAny{"lastActiveAt": "2026-02-13T08:03:00.000Z"}), change(thread, plainAny{"title": "Tired after training"}))
			})},
		{What: "an athlete lists the threads, in both directions and paged", Cite: "25, 203", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.bothWays(r.threads(me), 1, "threadId", "thread-1", "thread-2") })},
		{What: "an athlete opens one thread", Cite: "25, 48", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return r.holds(r.at("USER#"+me, "AI_THREAD#thread-1"), plainAny{"title": "Tired after training", "lastActiveAt": "2026-02-13T08:03:00.000Z"})
			})},
		{What: "an athlete reads the messages of a thread, in both directions and paged", Cite: "26, 203", As: athlete,
			Send: rollSend(func(r roll) error {
				return errors.Join(r.expect(by2(r.messages("thread-1")), "messageId", "msg-1", "msg-2", "msg-3"),
					r.expect(back2(r.messages("thread-1")), "messageId", "msg-3", "msg-2", "msg-1"))
			})},
		{What: "a coach chats too: threads are a user's, not an athlete's alone", Cite: "25-26, 203", As: trainer, Not: []Caller{athlete, unlinked},
			Send: rollSend(func(r roll) error {
				at := "2026-02-13T10:00:00.000Z"
				return r.transact(r.putWrite(rollThread(coach, "thread-8", "Class plan", at)),
					r.putWrite(rollMessage("thread-8", "msg-1", "user", "A plan for frames?", "private", at)))
			})},
		{What: "a coach lists threads, and gets an answer", Cite: "25-26, 203", As: trainer, Not: []Caller{athlete, unlinked},
			Send: rollSend(func(r roll) error {
				return errors.Join(r.expect(r.threads(coach), "threadId", "thread-8"),
					r.say(coach, rollMessage("thread-8", "msg-2", "assistant", `{"text":"..."}`, "private", "2026-02-13T10:01:00.000Z")))
			})},

		// Export.
		{What: "an athlete exports: all own entries, page by page", Cite: "106, 202", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error {
				var err error
				exported, err = r.several(by2(r.entries(me)), len(all))
				return err
			})},
		{What: "and then the comments, entry by entry: none for most, many for one", Cite: "202", As: athlete,
			Send: rollSend(func(r roll) error {
				comments := 0
				for _, entry := range exported {
					if _, err := r.current(entry); err != nil {
						return err
					}
					items, err := r.list(r.comments(text(entry, "entryId")))
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
				return errors.Join(r.remove(primary("USER#"+me, "COACH#"+coach)), r.remove(primary("USER#"+me, "COACH#"+coach)))
			})},
		{What: "the coach asks again: the check finds no link, and the path ends", Cite: "200", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return r.gone(r.linked(me, coach)) })},
		{What: "a comment that was under way when the link went does not go through", Cite: "201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				late := first
				late.id, late.created = "comment-4", "2026-02-14T09:00:00.000Z"
				return cancelled(r.post(late, me), 1)
			})},
		{What: "an override that was under way when the link went does not go through", Cite: "58, 200-201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error {
				return cancelled(r.transact(r.there(primary("USER#"+me, "COACH#"+coach)),
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
			Send: rollSend(func(r roll) error { return errors.Join(r.dropEntry(e3, nil), r.dropEntry(e3, nil)) })},
		{What: "deleted entries are in no list", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return r.expect(current(r.entries(me)), "entryId", e1.id, e4.id, e5.id) })},
		{What: "a late comment on a deleted entry does not go through", Cite: "201", As: trainer, Not: coaching,
			Send: rollSend(func(r roll) error { return cancelled(r.post(first, me), 0) })},
		{What: "before a thread goes its messages are found", Cite: "26, 203", As: athlete,
			Send: rollSend(func(r roll) error { return keepMessages(r, "thread-1", 3) })},
		{What: "an athlete deletes a thread with many messages", Cite: "25-26", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.dropThread(me, "thread-1", messagesOf["thread-1"]) })},

		// An account goes: everything under the user's keys, kind by kind.
		{What: "an account goes: the comments and messages that are left are found", Cite: "24, 26, 202-203", As: athlete,
			Send: rollSend(func(r roll) error {
				return errors.Join(keepComments(r, e1.id, 0), keepComments(r, e4.id, 0), keepComments(r, e5.id, 0), keepMessages(r, "thread-2", 1))
			})},
		{What: "an account goes: every entry with its meta and its keywords", Cite: "22-24, 27-28", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return each([]rollEntry{e1many, e4moved, e5anew}, func(e rollEntry) error { return r.dropEntry(e, commentsOf[e.id]) })
			})},
		{What: "an account goes: its threads", Cite: "25-26", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error { return r.dropThread(me, "thread-2", messagesOf["thread-2"]) })},
		{What: "an account goes: its overrides and its links", Cite: "21, 29", As: athlete, Not: mine,
			Send: rollSend(func(r roll) error {
				return each([]string{"GAP_PRIORITY#", "COACH#"}, func(prefix string) error {
					items, err := r.several(r.prefix("USER#"+me, prefix), 2)
					if err != nil {
						return err
					}
					return each(items, func(item Item) error { return r.remove(keyOf(item)) })
				})
			})},
		{What: "an account goes: its journal is empty", Cite: "199", As: athlete, Not: secret,
			Send: rollSend(func(r roll) error { return r.expect(current(r.entries(me)), "entryId") })},
		{What: "the other athlete's journal is untouched", Cite: "199", As: stranger, Not: []Caller{athlete, trainer},
			Send: rollSend(func(r roll) error { return r.expect(current(r.entries(stranger.User)), "entryId", theirs.id) })},
		{What: "a coach deletes a thread of their own, found with its messages", Cite: "25-26, 203", As: trainer,
			Send: rollSend(func(r roll) error { return keepMessages(r, "thread-8", 2) })},
		{What: "a coach deletes a thread of their own", Cite: "25-26", As: trainer, Not: []Caller{athlete, unlinked},
			Send: rollSend(func(r roll) error { return r.dropThread(coach, "thread-8", messagesOf["thread-8"]) })},
	}}
}
