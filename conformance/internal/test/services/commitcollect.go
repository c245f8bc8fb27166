package services

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// collect is the client of commit-collect.md at work.
type collect struct {
	ctx                            context.Context
	c                              *dynamodb.Client
	main, sessions, audit, replays string
}

func collectSend(do func(r collect) error) func(context.Context, *dynamodb.Client, Tables) error {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error {
		return do(collect{ctx, c, t("CommitCollect"), t("CommitCollectSessions"), t("CommitCollectAudit"), t("CommitCollectIdempotency")})
	}
}

// collectMostWorkouts is MaxWorkoutsToInspect: items inspected over all pages of one read.
const collectMostWorkouts = 3000

// user is the partition of a user.
func collectUser(user string) string { return "USER#" + user }

// put stores an item.
func (r collect) put(table string, item Item) error {
	_, err := r.c.PutItem(r.ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item})
	return err
}

// putNew stores an item unless one is there; key is the partition key's name.
func (r collect) putNew(table, key string, item Item) error {
	_, err := r.c.PutItem(r.ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item,
		ConditionExpression: aws.String("attribute_not_exists(#" + key + ")"), ExpressionAttributeNames: names(key)})
	return err
}

func (r collect) update(table string, e edit) error {
	_, err := r.c.UpdateItem(r.ctx, e.input(table))
	return err
}

func (r collect) remove(table string, key Item) error {
	_, err := r.c.DeleteItem(r.ctx, &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: key})
	return err
}

// Models.

func collectModel(model, name string, parts int) Item {
	item := primary("MODEL#"+model, "META")
	item["modelId"] = S(model)
	item["name"] = S(name)
	item["partCount"] = N(parts)
	return item
}

func collectPart(model string, index int) Item {
	item := primary("MODEL#"+model, "PART#"+strconv.Itoa(index))
	item["modelId"] = S(model)
	item["index"] = N(index)
	item["title"] = S("Part " + strconv.Itoa(index))
	item["imageKey"] = S(fmt.Sprintf("models/%s/%d.png", model, index))
	return item
}

func (r collect) parts(model string) *dynamodb.QueryInput {
	return prefixInput(r.main, "MODEL#"+model, "PART#", "SK", "index", "title", "imageKey")
}

// Sessions. The user's partition holds a reference to each session, so that a deletion of the account finds them.

func collectSession(user, session string, now time.Time, stays time.Duration) Item {
	item := primary("SESSION#"+session, "META")
	item["userId"] = S(user)
	item["createdAtUtc"] = S(now.Format(time.RFC3339))
	item["expiresAtUtc"] = N(now.Add(stays).Unix())
	return item
}

func (r collect) login(user, session string) error {
	reference := primary(collectUser(user), "SESSION#"+session)
	reference["sessionId"] = S(session)
	return transact(r.ctx, r.c, putWrite(r.sessions, collectSession(user, session, time.Now().UTC(), 30*24*time.Hour)), putWrite(r.main, reference))
}

func (r collect) logout(user, session string) error {
	return transact(r.ctx, r.c, deleteWrite(r.sessions, primary("SESSION#"+session, "META")),
		deleteWrite(r.main, primary(collectUser(user), "SESSION#"+session)))
}

// resolve gives the user of a session, or "" where there is none or it has expired.
func (r collect) resolve(session string) (string, error) {
	in := getInput(r.sessions, "SESSION#"+session, "META", "userId", "expiresAtUtc")
	in.ConsistentRead = aws.Bool(true) // the first page after a login, the last one after a logout
	item, err := get(r.ctx, r.c, in)
	if err != nil || item == nil {
		return "", err
	}
	if until, err := strconv.ParseInt(number(item, "expiresAtUtc"), 10, 64); err != nil || until <= time.Now().Unix() {
		return "", err
	}
	return text(item, "userId"), nil
}

func (r collect) resolved(session, want string) error {
	user, err := r.resolve(session)
	if err == nil && user != want {
		err = fmt.Errorf("session %s: expected user %q, found %q", session, want, user)
	}
	return err
}

func (r collect) references(user string) *dynamodb.QueryInput {
	return prefixInput(r.main, collectUser(user), "SESSION#", "PK", "SK", "sessionId")
}

// The Strava connection and the owner of an athlete.

func collectConnection(user, athlete, token string) Item {
	item := primary(collectUser(user), "STRAVA#CONNECTION")
	item["GSI1PK"] = S("STRAVA#ATHLETE#" + athlete)
	item["userId"] = S(user)
	item["athleteId"] = S(athlete)
	item["accessToken"] = S(token)
	item["refreshToken"] = S("refresh-" + token)
	item["tokenExpiresAtUtc"] = S("2026-02-21T06:00:00Z")
	return item
}

// claim is the write of an owner that must be nobody or the same user.
func (r collect) claim(user, athlete string) types.TransactWriteItem {
	owner := primary("STRAVA#ATHLETE#"+athlete, "OWNER")
	owner["userId"] = S(user)
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String(r.main), Item: owner,
		ConditionExpression:       aws.String("attribute_not_exists(#PK) OR #userId = :userId"),
		ExpressionAttributeNames:  names("PK", "userId"),
		ExpressionAttributeValues: Item{":userId": S(user)}}}
}

func (r collect) connect(user, athlete, token string) error {
	return transact(r.ctx, r.c, putWrite(r.main, collectConnection(user, athlete, token)), r.claim(user, athlete))
}

// letGo is the deletion of an owner that must be nobody or this user.
func (r collect) letGo(user, athlete string) types.TransactWriteItem {
	write := deleteWrite(r.main, primary("STRAVA#ATHLETE#"+athlete, "OWNER"))
	write.Delete.ConditionExpression = aws.String("attribute_not_exists(#PK) OR #userId = :userId")
	write.Delete.ExpressionAttributeNames = names("PK", "userId")
	write.Delete.ExpressionAttributeValues = Item{":userId": S(user)}
	return write
}

func (r collect) disconnect(user, athlete string, more ...types.TransactWriteItem) error {
	return transact(r.ctx, r.c, append(more, deleteWrite(r.main, primary(collectUser(user), "STRAVA#CONNECTION")), r.letGo(user, athlete))...)
}

// tokens are what a refresh at Strava brings.
func collectTokens(user, token string) edit {
	return change(primary(collectUser(user), "STRAVA#CONNECTION"), Item{"accessToken": S(token), "refreshToken": S("refresh-" + token),
		"tokenExpiresAtUtc": S("2026-02-21T12:00:00Z")})
}

// athlete asks the index whose a Strava athlete is; the answer is one item at most.
func (r collect) athlete(athlete string, want ...string) error {
	return expect(r.ctx, r.c, partitionInput(r.main, "GSI1", "GSI1PK", S("STRAVA#ATHLETE#"+athlete), "userId"), "userId", want...)
}

// owner asks the owner item whose a Strava athlete is.
func (r collect) owner(athlete string) *dynamodb.GetItemInput {
	return getInput(r.main, "STRAVA#ATHLETE#"+athlete, "OWNER", "userId")
}

// Workouts and events.

func collectWorkoutKey(user string, activity int) Item {
	return primary(collectUser(user), "WORKOUT#STRAVA#"+strconv.Itoa(activity))
}

func collectWorkout(user string, activity int, name string) Item {
	item := collectWorkoutKey(user, activity)
	item["activityId"] = S(strconv.Itoa(activity))
	item["name"] = S(name)
	item["type"] = S("Run")
	item["distanceMetres"] = N(5000)
	item["startedAtUtc"] = S("2026-02-20T20:00:00Z")
	return item
}

// event is the write that takes the key of an event, once.
func (r collect) event(key string) types.TransactWriteItem {
	return newWrite(r.replays, "IdempotencyKey", collectEvent(key, "done"))
}

func collectEvent(key, status string) Item {
	return Item{"IdempotencyKey": S(key), "status": S(status), "createdAtUtc": S("2026-02-21T00:00:00Z")}
}

func (r collect) eventStatus(key string) (string, error) {
	out, err := r.c.GetItem(r.ctx, &dynamodb.GetItemInput{TableName: aws.String(r.replays), Key: Item{"IdempotencyKey": S(key)}, ConsistentRead: aws.Bool(true),
		ProjectionExpression: aws.String("#status"), ExpressionAttributeNames: names("status")})
	if err != nil {
		return "", err
	}
	return text(out.Item, "status"), nil
}

func (r collect) workouts(user string) *dynamodb.QueryInput {
	in := prefixInput(r.main, collectUser(user), "WORKOUT#STRAVA#", "activityId", "name", "type", "distanceMetres", "startedAtUtc")
	in.Limit = aws.Int32(collectMostWorkouts) // one page must not inspect more, either
	return in
}

// inspect reads workouts page by page and stops at the most that one read may inspect; cut says that it did.
func (r collect) inspect(in *dynamodb.QueryInput, size int) (items []Item, cut bool, err error) {
	for inspected := 0; ; {
		page := paged(in, int32(min(size, collectMostWorkouts-inspected)))
		out, err := r.c.Query(r.ctx, page)
		if err != nil {
			return nil, false, err
		}
		items = append(items, out.Items...)
		inspected += int(out.ScannedCount)
		if len(out.LastEvaluatedKey) == 0 {
			return items, false, nil
		}
		if inspected >= collectMostWorkouts {
			return items, true, nil
		}
		next := *in
		next.ExclusiveStartKey = out.LastEvaluatedKey
		in = &next
	}
}

// Milestones and awards.

func collectMilestoneKey(user, milestone string) Item {
	return primary(collectUser(user), "MILESTONE#"+milestone)
}

func collectMilestone(user, milestone, title string) Item {
	item := collectMilestoneKey(user, milestone)
	item["milestoneId"] = S(milestone)
	item["modelId"] = S("shuttle")
	item["title"] = S(title)
	item["status"] = S("ACTIVE")
	item["partsAwarded"] = N(0)
	item["version"] = N(1)
	return item
}

// versioned changes a milestone that still has the version that was read.
func collectVersioned(user, milestone string, version int, set Item) edit {
	set["version"] = N(version + 1)
	return change(collectMilestoneKey(user, milestone), set).when("#version = :read", Item{":read": N(version)}, "version")
}

// award is an award with what the model's part says of itself.
func collectAward(user, milestone string, part Item) Item {
	item := primary(collectUser(user), "MILESTONE#"+milestone+"#AWARD#"+number(part, "index"))
	item["milestoneId"] = S(milestone)
	item["partIndex"] = part["index"]
	item["title"] = part["title"]
	item["imageKey"] = part["imageKey"]
	item["awardedAtUtc"] = S("2026-02-21T01:00:00Z")
	return item
}

// mint moves a milestone on by some awards, or does nothing at all.
func (r collect) mint(user, milestone string, version, awarded int, parts ...Item) error {
	writes := []types.TransactWriteItem{collectVersioned(user, milestone, version, Item{"partsAwarded": N(awarded)}).write(r.main)}
	for _, part := range parts {
		if part == nil {
			return fmt.Errorf("award of %s: the model's part was not read", milestone)
		}
		writes = append(writes, newWrite(r.main, "PK", collectAward(user, milestone, part)))
	}
	return transact(r.ctx, r.c, writes...)
}

func (r collect) awards(user, milestone string) *dynamodb.QueryInput {
	return prefixInput(r.main, collectUser(user), "MILESTONE#"+milestone+"#AWARD#", "PK", "SK", "partIndex", "title", "imageKey", "awardedAtUtc")
}

// milestones reads milestones and awards in one list, and splits them: an award has a partIndex.
func (r collect) milestones(in *dynamodb.QueryInput) (milestones, awards []string, err error) {
	items, _, err := query(r.ctx, r.c, in)
	for _, item := range items {
		if number(item, "partIndex") != "" {
			awards = append(awards, text(item, "milestoneId")+"/"+number(item, "partIndex"))
		} else {
			milestones = append(milestones, text(item, "milestoneId"))
		}
	}
	return milestones, awards, err
}

func (r collect) allMilestones(user string) *dynamodb.QueryInput {
	return prefixInput(r.main, collectUser(user), "MILESTONE#", "SK", "milestoneId", "title", "status", "partsAwarded", "version", "partIndex")
}

func (r collect) version(user, milestone, want string) error {
	in := getInput(r.main, collectUser(user), "MILESTONE#"+milestone, "milestoneId", "title", "status", "partsAwarded", "version")
	in.ConsistentRead = aws.Bool(true) // the version that the next write will name
	item, err := found(r.ctx, r.c, in)
	if err == nil && number(item, "version") != want {
		err = fmt.Errorf("milestone %s: expected version %s, found %s", milestone, want, number(item, "version"))
	}
	return err
}

// Audit.

const collectAuditDays = 90

func collectAudit(user, event, correlation, request string, at time.Time) Item {
	sk := fmt.Sprintf("AUDIT#%d#%s", at.Unix(), request)
	item := primary(collectUser(user), sk)
	item["GSI1PK"] = S("CORR#" + correlation)
	item["GSI1SK"] = S(sk)
	item["GSI2PK"] = S("EVENT#" + event + "#" + at.Format("200601"))
	item["GSI2SK"] = S(sk)
	item["expiresAt"] = N(at.Add(collectAuditDays * 24 * time.Hour).Unix())
	item["eventType"] = S(event)
	item["correlationId"] = S(correlation)
	item["requestId"] = S(request)
	item["userId"] = S(user)
	return item
}

var collectAuditShown = []string{"SK", "userId", "eventType", "correlationId", "requestId"}

func (r collect) byCorrelation(correlation string) *dynamodb.QueryInput {
	return partitionInput(r.audit, "GSI1", "GSI1PK", S("CORR#"+correlation), collectAuditShown...)
}

func (r collect) byEvent(event string, month time.Time) *dynamodb.QueryInput {
	return partitionInput(r.audit, "GSI2", "GSI2PK", S("EVENT#"+event+"#"+month.Format("200601")), collectAuditShown...)
}

// everything is a user's whole partition, by its keys alone.
func (r collect) everything(user string) *dynamodb.QueryInput {
	return current(partitionInput(r.main, "", "PK", S(collectUser(user)), "PK", "SK"))
}

// dropAll deletes what a list holds, in chunks.
func (r collect) dropAll(in *dynamodb.QueryInput, want int) error {
	items, _, err := query(r.ctx, r.c, in)
	if err != nil {
		return err
	}
	if len(items) != want {
		return fmt.Errorf("expected %d items to delete, found %d", want, len(items))
	}
	var requests []types.WriteRequest
	for _, item := range items {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf(item)}})
	}
	return batch(r.ctx, r.c, r.main, requests)
}

func (r collect) dropSessions(user string, want int) error {
	items, _, err := query(r.ctx, r.c, current(r.references(user)))
	if err != nil {
		return err
	}
	if len(items) != want {
		return fmt.Errorf("sessions of %s: expected %d, found %d", user, want, len(items))
	}
	for _, item := range items {
		if err := r.logout(user, text(item, "sessionId")); err != nil {
			return err
		}
	}
	return nil
}

// CommitCollect is the client of commit-collect.md: users who collect parts of models for the workouts that Strava reports.
func CommitCollect() Service {
	const (
		me, you         = "user-1", "user-2"
		athlete, second = "700001", "700002"
	)
	var (
		user     = Caller{"user", me}
		stranger = Caller{"user", you}
		bff      = Caller{"BFF", ""}       // knows a cookie, and not yet a user
		intake   = Caller{"ingestion", ""} // knows a Strava athlete, and not yet a user
		ingest   = Caller{"ingestion", me} // for the user that the athlete belongs to
		operator = Caller{"operator", ""}  // publishes models, reads the audit
		mine     = []Caller{stranger}      // another user's partition is nobody's business
		today    = time.Now().UTC().Truncate(24 * time.Hour)
		before   = today.Add(-40 * 24 * time.Hour) // another month, and still kept
	)
	profile := func(u, name string) Item {
		item := primary(collectUser(u), "PROFILE")
		item["userId"] = S(u)
		item["displayName"] = S(name)
		item["createdAtUtc"] = S("2026-02-21T00:00:00Z")
		return item
	}
	imported := func(first, n int) (requests []types.WriteRequest) {
		for i := range n {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: collectWorkout(me, first+i, "Imported")}})
		}
		return requests
	}
	activities := func(first, n int) (ids []string) {
		for i := range n {
			ids = append(ids, strconv.Itoa(first+i))
		}
		return ids
	}
	auditOf := func(trail func(r collect) *dynamodb.QueryInput, want ...string) func(r collect) error {
		return func(r collect) error { return expect(r.ctx, r.c, trail(r), "requestId", want...) }
	}
	noted := func(item Item) func(r collect) error {
		return func(r collect) error { return r.put(r.audit, item) }
	}
	// What the model says of its parts is read before an award copies it.
	part := map[int]Item{}
	readParts := func(r collect, want int) error {
		items, _, err := query(r.ctx, r.c, r.parts("shuttle"))
		if err != nil {
			return err
		}
		if len(items) != want {
			return fmt.Errorf("parts of shuttle: expected %d, found %d", want, len(items))
		}
		for _, item := range items {
			index, err := strconv.Atoi(number(item, "index"))
			if err != nil {
				return err
			}
			part[index] = item
		}
		return nil
	}

	return Service{Design: "commit-collect.md", Days: []Step{
		// Models: static definitions, published before the first user comes.
		{What: "a model is published that has no parts yet", Cite: "64-66, 73", As: operator,
			Send: collectSend(func(r collect) error { return r.put(r.main, collectModel("sketch", "Sketch", 0)) })},
		{What: "a model is published with one part", Cite: "64-66, 73, 170", As: operator,
			Send: collectSend(func(r collect) error {
				return transact(r.ctx, r.c, putWrite(r.main, collectModel("badge", "Badge", 1)), putWrite(r.main, collectPart("badge", 1)))
			})},
		{What: "a model is published with many parts, in chunks", Cite: "64-66, 73, 171", As: operator,
			Send: collectSend(func(r collect) error {
				requests := []types.WriteRequest{{PutRequest: &types.PutRequest{Item: collectModel("shuttle", "Shuttle", 30)}}}
				for i := 1; i <= 30; i++ {
					requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: collectPart("shuttle", i)}})
				}
				return batch(r.ctx, r.c, r.main, requests)
			})},
		{What: "a model gets another name, a part another picture, and a part goes", Cite: "64-66, 73", As: operator,
			Send: collectSend(func(r collect) error {
				if err := r.update(r.main, change(primary("MODEL#shuttle", "META"), Item{"name": S("Space Shuttle"), "partCount": N(29)})); err != nil {
					return err
				}
				if err := r.update(r.main, change(primary("MODEL#shuttle", "PART#2"), Item{"imageKey": S("models/shuttle/wing.png")})); err != nil {
					return err
				}
				return r.remove(r.main, primary("MODEL#shuttle", "PART#30"))
			})},
		{What: "anybody opens a model", Cite: "64-65, 73", As: user,
			Send: collectSend(func(r collect) error {
				item, err := found(r.ctx, r.c, getInput(r.main, "MODEL#shuttle", "META", "modelId", "name", "partCount"))
				if err == nil && text(item, "name") != "Space Shuttle" {
					err = fmt.Errorf("the model is called %q", text(item, "name"))
				}
				return err
			})},
		{What: "anybody lists the parts of a model: none, one, many, in both directions and paged", Cite: "64-66, 73, 167-169, 193-194", As: user,
			Send: collectSend(func(r collect) error {
				if err := expect(r.ctx, r.c, r.parts("sketch"), "title"); err != nil {
					return err
				}
				if err := expect(r.ctx, r.c, r.parts("badge"), "title", "Part 1"); err != nil {
					return err
				}
				for _, in := range []*dynamodb.QueryInput{paged(r.parts("shuttle"), 10), backwards(r.parts("shuttle"))} {
					items, _, err := query(r.ctx, r.c, in)
					if err != nil {
						return err
					}
					if len(items) != 29 {
						return fmt.Errorf("parts of shuttle: expected 29, found %d", len(items))
					}
				}
				return nil
			})},
		{What: "anybody opens one part", Cite: "66", As: user,
			Send: collectSend(func(r collect) error {
				item, err := found(r.ctx, r.c, getInput(r.main, "MODEL#shuttle", "PART#2", "index", "title", "imageKey"))
				if err == nil && text(item, "imageKey") != "models/shuttle/wing.png" {
					err = fmt.Errorf("part 2 holds %v", item)
				}
				return err
			})},

		// Sign-up, profile, sessions.
		{What: "a user signs up, and once more after a lost answer: the profile of the first time stays", Cite: "42, 46, 213, 221", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.putNew(r.main, "PK", profile(me, "Ann")); err != nil {
					return err
				}
				return conditionFailed(r.putNew(r.main, "PK", profile(me, "Ann again")))
			})},
		{What: "a second user signs up", Cite: "42, 46", As: stranger, Not: []Caller{user},
			Send: collectSend(func(r collect) error { return r.putNew(r.main, "PK", profile(you, "Bob")) })},
		{What: "a user edits the profile", Cite: "46", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.update(r.main, change(primary(collectUser(me), "PROFILE"), Item{"displayName": S("Anna"), "units": S("km")}))
			})},
		{What: "a user opens the profile", Cite: "46, 169, 194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				item, err := found(r.ctx, r.c, getInput(r.main, collectUser(me), "PROFILE", "userId", "displayName", "units"))
				if err == nil && text(item, "displayName") != "Anna" {
					err = fmt.Errorf("the profile holds %v", item)
				}
				return err
			})},
		{What: "a cookie that nobody has given out", Cite: "92-107", As: bff,
			Send: collectSend(func(r collect) error { return r.resolved("none", "") })},
		{What: "a user without sessions", Cite: "42, 112", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return expect(r.ctx, r.c, current(r.references(me)), "sessionId") })},
		{What: "a user logs in, and once more after a lost answer", Cite: "92-107", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.login(me, "s-1"); err != nil {
					return err
				}
				return r.login(me, "s-1")
			})},
		{What: "the BFF resolves the cookie of a session to its user", Cite: "97-107", As: bff,
			Send: collectSend(func(r collect) error { return r.resolved("s-1", me) })},
		{What: "a user logs in on two more devices", Cite: "92-107", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.login(me, "s-2"); err != nil {
					return err
				}
				return r.login(me, "s-3")
			})},
		{What: "a user's sessions are found, in both directions and paged", Cite: "42, 112, 167-169", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := expect(r.ctx, r.c, paged(r.references(me), 2), "sessionId", "s-1", "s-2", "s-3"); err != nil {
					return err
				}
				return expect(r.ctx, r.c, backwards(r.references(me)), "sessionId", "s-3", "s-2", "s-1")
			})},
		{What: "a user logs out, twice as after a lost answer", Cite: "109-111", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.logout(me, "s-3"); err != nil {
					return err
				}
				return r.logout(me, "s-3")
			})},
		{What: "the cookie of a session that was ended", Cite: "109-111", As: bff,
			Send: collectSend(func(r collect) error { return r.resolved("s-3", "") })},

		// Linking Strava.
		{What: "a user without a connection opens the settings", Cite: "47", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return gone(r.ctx, r.c, getInput(r.main, collectUser(me), "STRAVA#CONNECTION", "athleteId", "tokenExpiresAtUtc"))
			})},
		{What: "OAuth comes back with an athlete that nobody owns, by either route", Cite: "67-68, 72, 80-86", As: user,
			Send: collectSend(func(r collect) error {
				if err := r.athlete(athlete); err != nil {
					return err
				}
				return gone(r.ctx, r.c, r.owner(athlete))
			})},
		{What: "a user links Strava, and once more after a lost answer: connection and owner in one transaction", Cite: "47, 67-68, 80-86, 170, 221", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.connect(me, athlete, "token-1"); err != nil {
					return err
				}
				return r.connect(me, athlete, "token-1")
			})},
		{What: "the athlete resolves to the user, by either route", Cite: "67-68, 72, 80-86", As: user,
			Send: collectSend(func(r collect) error {
				if err := r.athlete(athlete, me); err != nil {
					return err
				}
				item, err := found(r.ctx, r.c, r.owner(athlete))
				if err == nil && text(item, "userId") != me {
					err = fmt.Errorf("the owner is %v", item)
				}
				return err
			})},
		{What: "another user tries to link the same athlete: it has an owner", Cite: "56, 67-68, 219", As: stranger, Not: []Caller{user},
			Send: collectSend(func(r collect) error { return cancelled(r.connect(you, athlete, "token-9"), 1) })},
		{What: "a page needs Strava: the tokens have run out and are refreshed", Cite: "47", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.update(r.main, collectTokens(me, "token-2")) })},
		{What: "a user reads the connection", Cite: "47, 169, 194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				in := getInput(r.main, collectUser(me), "STRAVA#CONNECTION", "athleteId", "accessToken", "refreshToken", "tokenExpiresAtUtc")
				in.ConsistentRead = aws.Bool(true) // Strava takes a refresh token once
				item, err := found(r.ctx, r.c, in)
				if err == nil && text(item, "accessToken") != "token-2" {
					err = fmt.Errorf("the connection holds %v", item)
				}
				return err
			})},

		// Workouts: first none, then by webhook, then by import.
		{What: "a user opens the workouts: none yet", Cite: "48, 167-169, 192-194", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return expect(r.ctx, r.c, r.workouts(me), "activityId") })},
		{What: "a webhook names an athlete: whose is it?", Cite: "72, 80-86", As: intake,
			Send: collectSend(func(r collect) error { return r.athlete(athlete, me) })},
		{What: "the intake asks the owner item instead", Cite: "67-68, 72", As: intake,
			Send: collectSend(func(r collect) error { _, err := found(r.ctx, r.c, r.owner(athlete)); return err })},
		{What: "ingestion reads the connection and refreshes its tokens before it asks Strava", Cite: "47", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				if _, err := found(r.ctx, r.c, getInput(r.main, collectUser(me), "STRAVA#CONNECTION", "athleteId", "accessToken", "refreshToken", "tokenExpiresAtUtc")); err != nil {
					return err
				}
				return r.update(r.main, collectTokens(me, "token-3"))
			})},
		{What: "a new activity arrives: its event is taken and its workout stored in one transaction", Cite: "48, 147-159, 170, 185", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				return transact(r.ctx, r.c, r.event("strava#create#900000001"), putWrite(r.main, collectWorkout(me, 900000001, "Morning run")))
			})},
		{What: "the same webhook is delivered again: nothing is stored twice", Cite: "151-159, 185, 207", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				return cancelled(transact(r.ctx, r.c, r.event("strava#create#900000001"), putWrite(r.main, collectWorkout(me, 900000001, "Morning run"))), 0)
			})},
		{What: "a user opens the workouts: one", Cite: "48, 167-169, 192-194", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return expect(r.ctx, r.c, r.workouts(me), "activityId", "900000001") })},
		{What: "an activity is renamed at Strava", Cite: "48, 151-159, 185", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				return transact(r.ctx, r.c, r.event("strava#update#900000001#1771632000"),
					change(collectWorkoutKey(me, 900000001), Item{"name": S("Long run"), "type": S("TrailRun")}).write(r.main))
			})},
		{What: "a user opens one workout", Cite: "48, 169, 194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				item, err := found(r.ctx, r.c, getInput(r.main, collectUser(me), "WORKOUT#STRAVA#900000001", "activityId", "name", "distanceMetres"))
				if err == nil && text(item, "name") != "Long run" {
					err = fmt.Errorf("the workout holds %v", item)
				}
				return err
			})},
		{What: "an activity is deleted at Strava", Cite: "48, 151-159, 186", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				return transact(r.ctx, r.c, r.event("strava#delete#900000001"), deleteWrite(r.main, collectWorkoutKey(me, 900000001)))
			})},
		{What: "a webhook of an athlete that nobody owns: looked up in vain, and its event is taken all the same", Cite: "80-86, 151-159", As: intake,
			Send: collectSend(func(r collect) error {
				if err := r.athlete("799999"); err != nil {
					return err
				}
				return r.putNew(r.replays, "IdempotencyKey", collectEvent("strava#create#999", "ignored"))
			})},
		{What: "a request with an idempotency key is taken, done and answered; sent again it finds its answer", Cite: "147-159, 211-213", As: user,
			Send: collectSend(func(r collect) error {
				key := "import#user-1#2026-02-21"
				if err := r.putNew(r.replays, "IdempotencyKey", collectEvent(key, "started")); err != nil {
					return err
				}
				if err := r.update(r.replays, change(Item{"IdempotencyKey": S(key)}, Item{"status": S("done")})); err != nil {
					return err
				}
				if err := conditionFailed(r.putNew(r.replays, "IdempotencyKey", collectEvent(key, "started"))); err != nil {
					return err
				}
				status, err := r.eventStatus(key)
				if err == nil && status != "done" {
					err = fmt.Errorf("event %s: expected done, found %q", key, status)
				}
				return err
			})},
		{What: "the history is imported, in chunks of 25", Cite: "48, 171", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return batch(r.ctx, r.c, r.main, imported(800000001, 60)) })},
		{What: "the same import runs again, with one activity more", Cite: "48, 171, 221", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return batch(r.ctx, r.c, r.main, imported(800000001, 61)) })},
		{What: "a user lists the workouts, by ascending activity and paged", Cite: "48, 167-169, 193-194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return expect(r.ctx, r.c, paged(r.workouts(me), 20), "activityId", activities(800000001, 61)...)
			})},
		{What: "a user lists the workouts, the latest activity first and paged", Cite: "48, 167-169, 193-194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return expect(r.ctx, r.c, paged(backwards(r.workouts(me)), 20), "activityId", reversed(activities(800000001, 61)...)...)
			})},
		{What: "a user's distance is summed over all workouts, of which no more than 3000 are inspected", Cite: "54, 192-193", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				items, cut, err := r.inspect(r.workouts(me), 25)
				if err != nil {
					return err
				}
				metres := 0
				for _, item := range items {
					n, err := strconv.Atoi(number(item, "distanceMetres"))
					if err != nil {
						return err
					}
					metres += n
				}
				if metres != 61*5000 || cut {
					return fmt.Errorf("expected 305000 metres, found %d (cut: %v)", metres, cut)
				}
				return nil
			})},

		// Milestones.
		{What: "a user opens the milestones: none", Cite: "49, 167-169", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				milestones, awards, err := r.milestones(r.allMilestones(me))
				if err == nil && len(milestones)+len(awards) != 0 {
					err = fmt.Errorf("found %q and %q", milestones, awards)
				}
				return err
			})},
		{What: "a user creates a milestone, and once more after a lost answer", Cite: "49, 183, 221", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.putNew(r.main, "PK", collectMilestone(me, "m-1", "Run 100 km")); err != nil {
					return err
				}
				return conditionFailed(r.putNew(r.main, "PK", collectMilestone(me, "m-1", "Run 100 km")))
			})},
		{What: "a user creates two more, one of which has the first one's id as a prefix", Cite: "49", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.putNew(r.main, "PK", collectMilestone(me, "m-10", "Run 1000 km")); err != nil {
					return err
				}
				return r.putNew(r.main, "PK", collectMilestone(me, "m-2", "Ride 100 km"))
			})},
		{What: "a user edits a milestone: the version moves on", Cite: "183", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.update(r.main, collectVersioned(me, "m-1", 1, Item{"title": S("Run 120 km")}))
			})},
		{What: "another tab edits the version of before: it is told, and reads again", Cite: "183, 204", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := conditionFailed(r.update(r.main, collectVersioned(me, "m-1", 1, Item{"title": S("Run 110 km")}))); err != nil {
					return err
				}
				return r.version(me, "m-1", "2")
			})},
		{What: "a milestone without awards", Cite: "50", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return expect(r.ctx, r.c, r.awards(me, "m-1"), "title") })},
		{What: "progress that is not enough for an award", Cite: "183", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.update(r.main, collectVersioned(me, "m-1", 2, Item{"progressMetres": N(4000)}))
			})},
		{What: "before awards are minted the parts of the model are read, for their metadata is copied", Cite: "64-66, 74", As: user,
			Send: collectSend(func(r collect) error { return readParts(r, 29) })},
		{What: "one award is minted with the milestone's progress, in one transaction", Cite: "50, 74, 183-184", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.mint(me, "m-1", 3, 1, part[1]) })},
		{What: "the same minting is tried again: the milestone has moved on, and nothing is minted twice", Cite: "184, 204-206", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return cancelled(r.mint(me, "m-1", 3, 1, part[1]), 0) })},
		{What: "one award", Cite: "50", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return expect(r.ctx, r.c, r.awards(me, "m-1"), "title", "Part 1") })},
		{What: "a webhook's workout earns many awards at once", Cite: "50, 74, 183-185", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error { return r.mint(me, "m-1", 4, 4, part[2], part[3], part[4]) })},
		{What: "an award for a part that was minted before, by a milestone of the right version", Cite: "184", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return cancelled(r.mint(me, "m-1", 5, 5, part[4]), 1) })},
		{What: "an award of the milestone with the longer id", Cite: "50, 183-184", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.mint(me, "m-10", 1, 1, part[1]) })},
		{What: "many awards, in both directions and paged; those of the longer id stay out", Cite: "50, 167-169", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := expect(r.ctx, r.c, paged(r.awards(me, "m-1"), 2), "title", "Part 1", "Part 2", "Part 3", "Part 4"); err != nil {
					return err
				}
				return expect(r.ctx, r.c, backwards(r.awards(me, "m-1")), "title", "Part 4", "Part 3", "Part 2", "Part 1")
			})},
		{What: "a user opens one award", Cite: "50", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				item, err := found(r.ctx, r.c, getInput(r.main, collectUser(me), "MILESTONE#m-1#AWARD#2", "partIndex", "title", "imageKey"))
				if err == nil && text(item, "imageKey") != "models/shuttle/wing.png" {
					err = fmt.Errorf("the award holds %v", item)
				}
				return err
			})},
		{What: "a user lists milestones and awards, and the reader splits them", Cite: "49-50, 54, 167-169", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				for _, in := range []*dynamodb.QueryInput{r.allMilestones(me), paged(backwards(r.allMilestones(me)), 3)} {
					milestones, awards, err := r.milestones(in)
					if err != nil {
						return err
					}
					slices.Sort(milestones)
					if !slices.Equal(milestones, []string{"m-1", "m-10", "m-2"}) || len(awards) != 5 {
						return fmt.Errorf("found milestones %q and awards %q", milestones, awards)
					}
				}
				return nil
			})},
		{What: "a milestone is reached", Cite: "183, 220", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.update(r.main, collectVersioned(me, "m-1", 5, Item{"status": S("COMPLETED"), "completedAtUtc": S("2026-02-21T02:00:00Z")})); err != nil {
					return err
				}
				return r.version(me, "m-1", "6")
			})},
		{What: "a user deletes a milestone that has no awards, twice as after a lost answer", Cite: "49, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.remove(r.main, collectMilestoneKey(me, "m-2")); err != nil {
					return err
				}
				return r.remove(r.main, collectMilestoneKey(me, "m-2"))
			})},
		{What: "a user deletes a milestone with its awards", Cite: "49-50, 170, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				awards, _, err := query(r.ctx, r.c, current(r.awards(me, "m-10")))
				if err != nil {
					return err
				}
				if len(awards) != 1 {
					return fmt.Errorf("awards of m-10: expected 1, found %d", len(awards))
				}
				writes := []types.TransactWriteItem{deleteWrite(r.main, collectMilestoneKey(me, "m-10"))}
				for _, award := range awards {
					writes = append(writes, deleteWrite(r.main, keyOf(award)))
				}
				return transact(r.ctx, r.c, writes...)
			})},

		// Audit: each record alone, never in a transaction of the business.
		{What: "a login is noted", Cite: "116-141", As: user, Not: mine,
			Send: collectSend(noted(collectAudit(me, "LOGIN", "corr-1", "req-1", today)))},
		{What: "the same record is written again after a lost answer", Cite: "116-141, 221", As: user, Not: mine,
			Send: collectSend(noted(collectAudit(me, "LOGIN", "corr-1", "req-1", today)))},
		{What: "a second event of the same request chain is noted", Cite: "116-141", As: user, Not: mine,
			Send: collectSend(noted(collectAudit(me, "STRAVA_LINKED", "corr-1", "req-2", today.Add(time.Second))))},
		{What: "ingestion notes what it did for a user", Cite: "116-141", As: ingest, Not: mine,
			Send: collectSend(noted(collectAudit(me, "WORKOUT_INGESTED", "corr-2", "req-3", today.Add(2*time.Second))))},
		{What: "another user's login is noted, and one of another month", Cite: "116-141", As: stranger, Not: []Caller{user},
			Send: collectSend(func(r collect) error {
				if err := noted(collectAudit(you, "LOGIN", "corr-3", "req-4", today.Add(3*time.Second)))(r); err != nil {
					return err
				}
				return noted(collectAudit(you, "LOGIN", "corr-0", "req-0", before))(r)
			})},
		{What: "an operator follows a user's trail", Cite: "120-121, 137", As: operator, Not: mine,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput {
				return prefixInput(r.audit, collectUser(me), "AUDIT#", collectAuditShown...)
			}, "req-1", "req-2", "req-3"))},
		{What: "an operator follows it back, page by page", Cite: "120-121, 137, 193", As: operator, Not: mine,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput {
				return paged(backwards(prefixInput(r.audit, collectUser(me), "AUDIT#", collectAuditShown...)), 2)
			}, "req-3", "req-2", "req-1"))},
		{What: "an operator traces a correlation: many records", Cite: "123-126, 138", As: operator,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput { return paged(r.byCorrelation("corr-1"), 1) }, "req-1", "req-2"))},
		{What: "an operator traces it back", Cite: "123-126, 138", As: operator,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput { return backwards(r.byCorrelation("corr-1")) }, "req-2", "req-1"))},
		{What: "an operator traces a correlation that left no record", Cite: "123-126, 138", As: operator,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput { return r.byCorrelation("corr-none") }))},
		{What: "compliance lists the logins of a month", Cite: "128-131, 139", As: operator,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput { return r.byEvent("LOGIN", today) }, "req-1", "req-4"))},
		{What: "compliance lists them back, page by page", Cite: "128-131, 139, 193", As: operator,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput { return paged(backwards(r.byEvent("LOGIN", today)), 1) }, "req-4", "req-1"))},
		{What: "compliance lists the logins of another month", Cite: "128-131, 139", As: operator,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput { return r.byEvent("LOGIN", before) }, "req-0"))},

		// Strava ends a connection, the user makes another.
		{What: "a user unlinks Strava, twice as after a lost answer", Cite: "47, 67-68, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.disconnect(me, athlete); err != nil {
					return err
				}
				return r.disconnect(me, athlete)
			})},
		{What: "the athlete belongs to nobody", Cite: "67-68, 80-86", As: intake,
			Send: collectSend(func(r collect) error {
				if err := r.athlete(athlete); err != nil {
					return err
				}
				return gone(r.ctx, r.c, r.owner(athlete))
			})},
		{What: "the other user links that athlete now", Cite: "47, 67-68", As: stranger, Not: []Caller{user},
			Send: collectSend(func(r collect) error { return r.connect(you, athlete, "token-9") })},
		{What: "a user links another athlete", Cite: "47, 67-68", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.connect(me, second, "token-4") })},
		{What: "the other user takes the app's access away at Strava: the webhook ends the connection", Cite: "47, 67-68, 151-159, 185", As: Caller{"ingestion", you}, Not: []Caller{user},
			Send: collectSend(func(r collect) error {
				return r.disconnect(you, athlete, r.event("strava#deauthorize#700001#1771635600"))
			})},

		// Export and the end of an account.
		{What: "a user exports everything: the keys of the whole partition tell what there is", Cite: "42, 54, 167, 169", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				items, _, err := query(r.ctx, r.c, paged(r.everything(me), 30))
				// The profile, the connection, two sessions, 61 workouts, a milestone and its four awards.
				if err == nil && len(items) != 1+1+2+61+5 {
					err = fmt.Errorf("expected 70 items, found %d", len(items))
				}
				return err
			})},
		{What: "an account goes: its sessions", Cite: "109-112, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.dropSessions(me, 2) })},
		{What: "the cookie of a deleted account", Cite: "109-112", As: bff,
			Send: collectSend(func(r collect) error { return r.resolved("s-1", "") })},
		{What: "an account goes: its milestones and awards", Cite: "49-50, 171, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.dropAll(prefixInput(r.main, collectUser(me), "MILESTONE#", "PK", "SK"), 5)
			})},
		{What: "an account goes, and the deletion stops half-way: 25 workouts are gone", Cite: "48, 171, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				in := paged(prefixInput(r.main, collectUser(me), "WORKOUT#STRAVA#", "PK", "SK"), 25)
				out, err := r.c.Query(r.ctx, in)
				if err != nil {
					return err
				}
				var requests []types.WriteRequest
				for _, item := range out.Items {
					requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf(item)}})
				}
				return batch(r.ctx, r.c, r.main, requests)
			})},
		{What: "the deletion runs again from the start, and comes to the end of the workouts", Cite: "48, 171, 186, 192", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.dropSessions(me, 0); err != nil {
					return err
				}
				return r.dropAll(paged(prefixInput(r.main, collectUser(me), "WORKOUT#STRAVA#", "PK", "SK"), 25), 36)
			})},
		{What: "an account goes: the profile, and last the connection with the owner", Cite: "46-47, 67-68, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				connection, err := found(r.ctx, r.c, getInput(r.main, collectUser(me), "STRAVA#CONNECTION", "athleteId"))
				if err != nil {
					return err
				}
				if err := r.remove(r.main, primary(collectUser(me), "PROFILE")); err != nil {
					return err
				}
				return r.disconnect(me, text(connection, "athleteId"))
			})},
		{What: "nothing of the account is left, and the deletion may run once more", Cite: "167, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				if err := r.dropAll(r.everything(me), 0); err != nil {
					return err
				}
				return r.remove(r.main, primary(collectUser(me), "PROFILE"))
			})},
		{What: "a user who has nothing but a profile deletes the account", Cite: "46, 186", As: stranger, Not: []Caller{user},
			Send: collectSend(func(r collect) error {
				if err := r.dropSessions(you, 0); err != nil {
					return err
				}
				return r.dropAll(r.everything(you), 1)
			})},
		{What: "the deletion of an account is noted; the trail stays its ninety days", Cite: "116-141", As: user, Not: mine,
			Send: collectSend(noted(collectAudit(me, "ACCOUNT_DELETED", "corr-9", "req-9", today.Add(9*time.Second))))},
	}}
}
