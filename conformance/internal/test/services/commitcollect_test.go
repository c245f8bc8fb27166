package services

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// collect is the client of commit-collect.md at work, first on its main table.
type collect struct {
	product
	sessions, audit, replays string
}

func collectSend(do func(r collect) error) plainSend {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error {
		return do(collect{product{ctx, c, t("CommitCollect")}, t("CommitCollectSessions"), t("CommitCollectAudit"), t("CommitCollectIdempotency")})
	}
}

// collectMostWorkouts is MaxWorkoutsToInspect: items inspected over all pages of one read.
const collectMostWorkouts = 3000

// user is the partition of a user.
func collectUser(user string) string { return "USER#" + user }

// Models.

func collectModel(model, name string, parts int) Item {
	return with(primary("MODEL#"+model, "META"), plainAny{"modelId": model, "name": name, "partCount": parts})
}

func collectPart(model string, index int) Item {
	return with(primary("MODEL#"+model, "PART#"+strconv.Itoa(index)), plainAny{
		"modelId": model, "index": index, "title": "Part " + strconv.Itoa(index),
		"imageKey": fmt.Sprintf("models/%s/%d.png", model, index),
	})
}

func (r collect) parts(model string) *dynamodb.QueryInput {
	return r.prefix("MODEL#"+model, "PART#", "SK", "index", "title", "imageKey")
}

// Sessions. The user's partition holds a reference to each session, so that a deletion of the account finds them.

func collectSession(user, session string, now time.Time, stays time.Duration) Item {
	return with(primary("SESSION#"+session, "META"), plainAny{
		"userId": user, "createdAtUtc": now.Format(time.RFC3339), "expiresAtUtc": int(now.Add(stays).Unix()),
	})
}

func (r collect) login(user, session string) error {
	reference := with(primary(collectUser(user), "SESSION#"+session), plainAny{"sessionId": session})
	return r.transact(r.on(r.sessions).putWrite(collectSession(user, session, time.Now().UTC(), 30*24*time.Hour)), r.putWrite(reference))
}

func (r collect) logout(user, session string) error {
	return r.transact(r.on(r.sessions).deleteWrite(primary("SESSION#"+session, "META")),
		r.deleteWrite(primary(collectUser(user), "SESSION#"+session)))
}

// resolve gives the user of a session, or "" where there is none or it has expired.
func (r collect) resolve(session string) (string, error) {
	// The first page after a login, the last one after a logout.
	item, err := r.get(fresh(r.on(r.sessions).at("SESSION#"+session, "META", "userId", "expiresAtUtc")))
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
	return r.prefix(collectUser(user), "SESSION#", "PK", "SK", "sessionId")
}

// The Strava connection and the owner of an athlete.

func collectConnection(user, athlete, token string) Item {
	return with(primary(collectUser(user), "STRAVA#CONNECTION"), plainAny{
		"GSI1PK": "STRAVA#ATHLETE#" + athlete, "userId": user, "athleteId": athlete, "accessToken": token,
		"refreshToken": "refresh-" + token, "tokenExpiresAtUtc": "2026-02-21T06:00:00Z",
	})
}

func (r collect) connection(user string) *dynamodb.GetItemInput {
	return r.at(collectUser(user), "STRAVA#CONNECTION", "athleteId", "accessToken", "refreshToken", "tokenExpiresAtUtc")
}

// claim is the write of an owner that must be nobody or the same user.
func (r collect) claim(user, athlete string) types.TransactWriteItem {
	owner := with(primary("STRAVA#ATHLETE#"+athlete, "OWNER"), plainAny{"userId": user})
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String(r.table), Item: owner,
		ConditionExpression:       aws.String("attribute_not_exists(#PK) OR #userId = :userId"),
		ExpressionAttributeNames:  names("PK", "userId"),
		ExpressionAttributeValues: plainValues(plainAny{":userId": user})}}
}

func (r collect) connect(user, athlete, token string) error {
	return r.transact(r.putWrite(collectConnection(user, athlete, token)), r.claim(user, athlete))
}

// letGo is the deletion of an owner that must be nobody or this user.
func (r collect) letGo(user, athlete string) types.TransactWriteItem {
	return r.deleteIf(primary("STRAVA#ATHLETE#"+athlete, "OWNER"), "attribute_not_exists(#PK) OR #userId = :userId", plainAny{":userId": user}, "PK", "userId")
}

func (r collect) disconnect(user, athlete string, more ...types.TransactWriteItem) error {
	return r.transact(append(more, r.deleteWrite(primary(collectUser(user), "STRAVA#CONNECTION")), r.letGo(user, athlete))...)
}

// tokens are what a refresh at Strava brings.
func collectTokens(user, token string) edit {
	return change(primary(collectUser(user), "STRAVA#CONNECTION"), plainAny{"accessToken": token, "refreshToken": "refresh-" + token,
		"tokenExpiresAtUtc": "2026-02-21T12:00:00Z"})
}

// athlete asks the index whose a Strava athlete is; the answer is one item at most.
func (r collect) athlete(athlete string, want ...string) error {
	return r.expect(r.partition("GSI1", "GSI1PK", "STRAVA#ATHLETE#"+athlete, "userId"), "userId", want...)
}

// owner asks the owner item whose a Strava athlete is.
func (r collect) owner(athlete string) *dynamodb.GetItemInput {
	return r.at("STRAVA#ATHLETE#"+athlete, "OWNER", "userId")
}

// Workouts and events.

func collectWorkoutKey(user string, activity int) Item {
	return primary(collectUser(user), "WORKOUT#STRAVA#"+strconv.Itoa(activity))
}

func collectWorkout(user string, activity int, name string) Item {
	return with(collectWorkoutKey(user, activity), plainAny{
		"activityId": strconv.Itoa(activity), "name": name, "type": "Run", "distanceMetres": 5000,
		"startedAtUtc": "2026-02-20T20:00:00Z",
	})
}

// event is the write that takes the key of an event, once.
func (r collect) event(key string) types.TransactWriteItem {
	return r.on(r.replays).newWrite("IdempotencyKey", collectEvent(key, "done"))
}

func collectEvent(key, status string) Item {
	return plainValues(plainAny{"IdempotencyKey": key, "status": status, "createdAtUtc": "2026-02-21T00:00:00Z"})
}

func (r collect) workouts(user string) *dynamodb.QueryInput {
	in := r.prefix(collectUser(user), "WORKOUT#STRAVA#", "activityId", "name", "type", "distanceMetres", "startedAtUtc")
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
	return with(collectMilestoneKey(user, milestone), plainAny{
		"milestoneId": milestone, "modelId": "shuttle", "title": title, "status": "ACTIVE", "partsAwarded": 0, "version": 1,
	})
}

// versioned changes a milestone that still has the version that was read.
func collectVersioned(user, milestone string, version int, set plainAny) edit {
	set["version"] = version + 1
	return change(collectMilestoneKey(user, milestone), set).when("#version = :read", plainAny{":read": version}, "version")
}

// award is an award with what the model's part says of itself.
func collectAward(user, milestone string, part Item) Item {
	return with(primary(collectUser(user), "MILESTONE#"+milestone+"#AWARD#"+number(part, "index")), plainAny{
		"milestoneId": milestone, "partIndex": part["index"], "title": part["title"], "imageKey": part["imageKey"],
		"awardedAtUtc": "2026-02-21T01:00:00Z",
	})
}

// mint moves a milestone on by some awards, or does nothing at all.
func (r collect) mint(user, milestone string, version, awarded int, parts ...Item) error {
	writes := []types.TransactWriteItem{collectVersioned(user, milestone, version, plainAny{"partsAwarded": awarded}).write(r.table)}
	for _, part := range parts {
		if part == nil {
			return fmt.Errorf("award of %s: the model's part was not read", milestone)
		}
		writes = append(writes, r.newWrite("PK", collectAward(user, milestone, part)))
	}
	return r.transact(writes...)
}

func (r collect) awards(user, milestone string) *dynamodb.QueryInput {
	return r.prefix(collectUser(user), "MILESTONE#"+milestone+"#AWARD#", "PK", "SK", "partIndex", "title", "imageKey", "awardedAtUtc")
}

// milestones reads milestones and awards in one list, and splits them: an award has a partIndex.
func (r collect) milestones(in *dynamodb.QueryInput) (milestones, awards []string, err error) {
	items, err := r.list(in)
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
	return r.prefix(collectUser(user), "MILESTONE#", "SK", "milestoneId", "title", "status", "partsAwarded", "version", "partIndex")
}

func (r collect) version(user, milestone string, want int) error {
	in := r.at(collectUser(user), "MILESTONE#"+milestone, "milestoneId", "title", "status", "partsAwarded", "version")
	return r.holds(fresh(in), plainAny{"version": want}) // the version that the next write will name
}

// Audit.

const collectAuditDays = 90

func collectAudit(user, event, correlation, request string, at time.Time) Item {
	sk := fmt.Sprintf("AUDIT#%d#%s", at.Unix(), request)
	return with(primary(collectUser(user), sk), plainAny{
		"GSI1PK": "CORR#" + correlation, "GSI1SK": sk, "GSI2PK": "EVENT#" + event + "#" + at.Format("200601"), "GSI2SK": sk,
		"expiresAt": int(at.Add(collectAuditDays * 24 * time.Hour).Unix()), "eventType": event, "correlationId": correlation,
		"requestId": request, "userId": user,
	})
}

var collectAuditShown = []string{"SK", "userId", "eventType", "correlationId", "requestId"}

func (r collect) byCorrelation(correlation string) *dynamodb.QueryInput {
	return r.on(r.audit).partition("GSI1", "GSI1PK", "CORR#"+correlation, collectAuditShown...)
}

func (r collect) byEvent(event string, month time.Time) *dynamodb.QueryInput {
	return r.on(r.audit).partition("GSI2", "GSI2PK", "EVENT#"+event+"#"+month.Format("200601"), collectAuditShown...)
}

// everything is a user's whole partition, by its keys alone.
func (r collect) everything(user string) *dynamodb.QueryInput {
	return current(r.partition("", "PK", collectUser(user), "PK", "SK"))
}

// dropAll deletes what a list holds, in chunks.
func (r collect) dropAll(in *dynamodb.QueryInput, want int) error {
	items, err := r.several(in, want)
	if err != nil {
		return err
	}
	return r.batch(collectDeletes(items))
}

func collectDeletes(items []Item) (requests []types.WriteRequest) {
	for _, item := range items {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf(item)}})
	}
	return requests
}

func (r collect) dropSessions(user string, want int) error {
	items, err := r.several(current(r.references(user)), want)
	if err != nil {
		return err
	}
	return each(items, func(item Item) error { return r.logout(user, text(item, "sessionId")) })
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
		return with(primary(collectUser(u), "PROFILE"), plainAny{
			"userId": u, "displayName": name, "createdAtUtc": "2026-02-21T00:00:00Z",
		})
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
		return func(r collect) error { return r.expect(trail(r), "requestId", want...) }
	}
	noted := func(item Item) func(r collect) error {
		return func(r collect) error { return r.on(r.audit).put(item) }
	}
	// What the model says of its parts is read before an award copies it.
	part := map[int]Item{}
	readParts := func(r collect, want int) error {
		items, err := r.several(r.parts("shuttle"), want)
		if err != nil {
			return err
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
			Send: collectSend(func(r collect) error { return r.put(collectModel("sketch", "Sketch", 0)) })},
		{What: "a model is published with one part", Cite: "64-66, 73, 170", As: operator,
			Send: collectSend(func(r collect) error {
				return r.transact(r.putWrite(collectModel("badge", "Badge", 1)), r.putWrite(collectPart("badge", 1)))
			})},
		{What: "a model is published with many parts, in chunks", Cite: "64-66, 73, 171", As: operator,
			Send: collectSend(func(r collect) error {
				requests := []types.WriteRequest{{PutRequest: &types.PutRequest{Item: collectModel("shuttle", "Shuttle", 30)}}}
				for i := 1; i <= 30; i++ {
					requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: collectPart("shuttle", i)}})
				}
				return r.batch(requests)
			})},
		{What: "a model gets another name, a part another picture, and a part goes", Cite: "64-66, 73", As: operator,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.update(change(primary("MODEL#shuttle", "META"), plainAny{"name": "Space Shuttle", "partCount": 29})),
					r.update(change(primary("MODEL#shuttle", "PART#2"), plainAny{"imageKey": "models/shuttle/wing.png"})),
					r.remove(primary("MODEL#shuttle", "PART#30")))
			})},
		{What: "anybody opens a model", Cite: "64-65, 73", As: user,
			Send: collectSend(func(r collect) error {
				return r.holds(r.at("MODEL#shuttle", "META", "modelId", "name", "partCount"), plainAny{"name": "Space Shuttle"})
			})},
		{What: "anybody lists the parts of a model: none, one, many, in both directions and paged", Cite: "64-66, 73, 167-169, 193-194", As: user,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.expect(r.parts("sketch"), "title"), r.expect(r.parts("badge"), "title", "Part 1"),
					r.counts(paged(r.parts("shuttle"), 10), 29), r.counts(backwards(r.parts("shuttle")), 29))
			})},
		{What: "anybody opens one part", Cite: "66", As: user,
			Send: collectSend(func(r collect) error {
				return r.holds(r.at("MODEL#shuttle", "PART#2", "index", "title", "imageKey"), plainAny{"imageKey": "models/shuttle/wing.png"})
			})},

		// Sign-up, profile, sessions.
		{What: "a user signs up, and once more after a lost answer: the profile of the first time stays", Cite: "42, 46, 213, 221", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.putNew("PK", profile(me, "Ann")), conditionFailed(r.putNew("PK", profile(me, "Ann again"))))
			})},
		{What: "a second user signs up", Cite: "42, 46", As: stranger, Not: []Caller{user},
			Send: collectSend(func(r collect) error { return r.putNew("PK", profile(you, "Bob")) })},
		{What: "a user edits the profile", Cite: "46", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.update(change(primary(collectUser(me), "PROFILE"), plainAny{"displayName": "Anna", "units": "km"}))
			})},
		{What: "a user opens the profile", Cite: "46, 169, 194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.holds(r.at(collectUser(me), "PROFILE", "userId", "displayName", "units"), plainAny{"displayName": "Anna"})
			})},
		{What: "a cookie that nobody has given out", Cite: "92-107", As: bff,
			Send: collectSend(func(r collect) error { return r.resolved("none", "") })},
		{What: "a user without sessions", Cite: "42, 112", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.expect(current(r.references(me)), "sessionId") })},
		{What: "a user logs in, and once more after a lost answer", Cite: "92-107", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return errors.Join(r.login(me, "s-1"), r.login(me, "s-1")) })},
		{What: "the BFF resolves the cookie of a session to its user", Cite: "97-107", As: bff,
			Send: collectSend(func(r collect) error { return r.resolved("s-1", me) })},
		{What: "a user logs in on two more devices", Cite: "92-107", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return errors.Join(r.login(me, "s-2"), r.login(me, "s-3")) })},
		{What: "a user's sessions are found, in both directions and paged", Cite: "42, 112, 167-169", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.bothWays(r.references(me), 2, "sessionId", "s-1", "s-2", "s-3") })},
		{What: "a user logs out, twice as after a lost answer", Cite: "109-111", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return errors.Join(r.logout(me, "s-3"), r.logout(me, "s-3")) })},
		{What: "the cookie of a session that was ended", Cite: "109-111", As: bff,
			Send: collectSend(func(r collect) error { return r.resolved("s-3", "") })},

		// Linking Strava.
		{What: "a user without a connection opens the settings", Cite: "47", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.gone(r.at(collectUser(me), "STRAVA#CONNECTION", "athleteId", "tokenExpiresAtUtc"))
			})},
		{What: "OAuth comes back with an athlete that nobody owns, by either route", Cite: "67-68, 72, 80-86", As: user,
			Send: collectSend(func(r collect) error { return errors.Join(r.athlete(athlete), r.gone(r.owner(athlete))) })},
		{What: "a user links Strava, and once more after a lost answer: connection and owner in one transaction", Cite: "47, 67-68, 80-86, 170, 221", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.connect(me, athlete, "token-1"), r.connect(me, athlete, "token-1"))
			})},
		{What: "the athlete resolves to the user, by either route", Cite: "67-68, 72, 80-86", As: user,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.athlete(athlete, me), r.holds(r.owner(athlete), plainAny{"userId": me}))
			})},
		{What: "another user tries to link the same athlete: it has an owner", Cite: "56, 67-68, 219", As: stranger, Not: []Caller{user},
			Send: collectSend(func(r collect) error { return cancelled(r.connect(you, athlete, "token-9"), 1) })},
		{What: "a page needs Strava: the tokens have run out and are refreshed", Cite: "47", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.update(collectTokens(me, "token-2")) })},
		{What: "a user reads the connection", Cite: "47, 169, 194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.holds(fresh(r.connection(me)), plainAny{"accessToken": "token-2"}) // Strava takes a refresh token once
			})},

		// Workouts: first none, then by webhook, then by import.
		{What: "a user opens the workouts: none yet", Cite: "48, 167-169, 192-194", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.expect(r.workouts(me), "activityId") })},
		{What: "a webhook names an athlete: whose is it?", Cite: "72, 80-86", As: intake,
			Send: collectSend(func(r collect) error { return r.athlete(athlete, me) })},
		{What: "the intake asks the owner item instead", Cite: "67-68, 72", As: intake,
			Send: collectSend(func(r collect) error { _, err := r.found(r.owner(athlete)); return err })},
		{What: "ingestion reads the connection and refreshes its tokens before it asks Strava", Cite: "47", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				_, err := r.found(r.connection(me))
				return errors.Join(err, r.update(collectTokens(me, "token-3")))
			})},
		{What: "a new activity arrives: its event is taken and its workout stored in one transaction", Cite: "48, 147-159, 170, 185", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.transact(r.event("strava#create#900000001"), r.putWrite(collectWorkout(me, 900000001, "Morning run")))
			})},
		{What: "the same webhook is delivered again: nothing is stored twice", Cite: "151-159, 185, 207", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				return cancelled(r.transact(r.event("strava#create#900000001"), r.putWrite(collectWorkout(me, 900000001, "Morning run"))), 0)
			})},
		{What: "a user opens the workouts: one", Cite: "48, 167-169, 192-194", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.expect(r.workouts(me), "activityId", "900000001") })},
		{What: "an activity is renamed at Strava", Cite: "48, 151-159, 185", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.transact(r.event("strava#update#900000001#1771632000"),
					change(collectWorkoutKey(me, 900000001), plainAny{"name": "Long run", "type": "TrailRun"}).write(r.table))
			})},
		{What: "a user opens one workout", Cite: "48, 169, 194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.holds(r.at(collectUser(me), "WORKOUT#STRAVA#900000001", "activityId", "name", "distanceMetres"), plainAny{"name": "Long run"})
			})},
		{What: "an activity is deleted at Strava", Cite: "48, 151-159, 186", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.transact(r.event("strava#delete#900000001"), r.deleteWrite(collectWorkoutKey(me, 900000001)))
			})},
		{What: "a webhook of an athlete that nobody owns: looked up in vain, and its event is taken all the same", Cite: "80-86, 151-159", As: intake,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.athlete("799999"),
					r.on(r.replays).putNew("IdempotencyKey", collectEvent("strava#create#999", "ignored")))
			})},
		{What: "a request with an idempotency key is taken, done and answered; sent again it finds its answer", Cite: "147-159, 211-213", As: user,
			Send: collectSend(func(r collect) error {
				replays, key := r.on(r.replays), plainValues(plainAny{"IdempotencyKey": "import#user-1#2026-02-21"})
				started := with(key, plainAny{"status": "started", "createdAtUtc": "2026-02-21T00:00:00Z"})
				return errors.Join(replays.putNew("IdempotencyKey", started), replays.update(change(key, plainAny{"status": "done"})),
					conditionFailed(replays.putNew("IdempotencyKey", started)),
					replays.holds(fresh(&dynamodb.GetItemInput{TableName: new(r.replays), Key: key,
						ProjectionExpression: projection([]string{"status"}), ExpressionAttributeNames: names("status")}), plainAny{"status": "done"}))
			})},
		{What: "the history is imported, in chunks of 25", Cite: "48, 171", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.batch(imported(800000001, 60)) })},
		{What: "the same import runs again, with one activity more", Cite: "48, 171, 221", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.batch(imported(800000001, 61)) })},
		{What: "a user lists the workouts, by ascending activity and paged", Cite: "48, 167-169, 193-194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.expect(paged(r.workouts(me), 20), "activityId", activities(800000001, 61)...)
			})},
		{What: "a user lists the workouts, the latest activity first and paged", Cite: "48, 167-169, 193-194", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.expect(paged(backwards(r.workouts(me)), 20), "activityId", reversed(activities(800000001, 61)...)...)
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
				return errors.Join(r.putNew("PK", collectMilestone(me, "m-1", "Run 100 km")),
					conditionFailed(r.putNew("PK", collectMilestone(me, "m-1", "Run 100 km"))))
			})},
		{What: "a user creates two more, one of which has the first one's id as a prefix", Cite: "49", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.putNew("PK", collectMilestone(me, "m-10", "Run 1000 km")),
					r.putNew("PK", collectMilestone(me, "m-2", "Ride 100 km")))
			})},
		{What: "a user edits a milestone: the version moves on", Cite: "183", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.update(collectVersioned(me, "m-1", 1, plainAny{"title": "Run 120 km"}))
			})},
		{What: "another tab edits the version of before: it is told, and reads again", Cite: "183, 204", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return errors.Join(conditionFailed(r.update(collectVersioned(me, "m-1", 1, plainAny{"title": "Run 110 km"}))),
					r.version(me, "m-1", 2))
			})},
		{What: "a milestone without awards", Cite: "50", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.expect(r.awards(me, "m-1"), "title") })},
		{What: "progress that is not enough for an award", Cite: "183", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.update(collectVersioned(me, "m-1", 2, plainAny{"progressMetres": 4000}))
			})},
		{What: "before awards are minted the parts of the model are read, for their metadata is copied", Cite: "64-66, 74", As: user,
			Send: collectSend(func(r collect) error { return readParts(r, 29) })},
		{What: "one award is minted with the milestone's progress, in one transaction", Cite: "50, 74, 183-184", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error { return r.mint(me, "m-1", 3, 1, part[1]) })},
		{What: "the same minting is tried again: the milestone has moved on, and nothing is minted twice", Cite: "184, 204-206", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error { return cancelled(r.mint(me, "m-1", 3, 1, part[1]), 0) })},
		{What: "one award", Cite: "50", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.expect(r.awards(me, "m-1"), "title", "Part 1") })},
		{What: "a webhook's workout earns many awards at once", Cite: "50, 74, 183-185", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error { return r.mint(me, "m-1", 4, 4, part[2], part[3], part[4]) })},
		{What: "an award for a part that was minted before, by a milestone of the right version", Cite: "184", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error { return cancelled(r.mint(me, "m-1", 5, 5, part[4]), 1) })},
		{What: "an award of the milestone with the longer id", Cite: "50, 183-184", As: ingest, Not: mine,
			Send: collectSend(func(r collect) error { return r.mint(me, "m-10", 1, 1, part[1]) })},
		{What: "many awards, in both directions and paged; those of the longer id stay out", Cite: "50, 167-169", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.bothWays(r.awards(me, "m-1"), 2, "title", "Part 1", "Part 2", "Part 3", "Part 4")
			})},
		{What: "a user opens one award", Cite: "50", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return r.holds(r.at(collectUser(me), "MILESTONE#m-1#AWARD#2", "partIndex", "title", "imageKey"), plainAny{"imageKey": "models/shuttle/wing.png"})
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
				return errors.Join(
					r.update(collectVersioned(me, "m-1", 5, plainAny{"status": "COMPLETED", "completedAtUtc": "2026-02-21T02:00:00Z"})),
					r.version(me, "m-1", 6),
				)
			})},
		{What: "a user deletes a milestone that has no awards, twice as after a lost answer", Cite: "49, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.remove(collectMilestoneKey(me, "m-2")), r.remove(collectMilestoneKey(me, "m-2")))
			})},
		{What: "a user deletes a milestone with its awards", Cite: "49-50, 170, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				awards, err := r.several(current(r.awards(me, "m-10")), 1)
				if err != nil {
					return err
				}
				return r.transact(append([]types.TransactWriteItem{r.deleteWrite(collectMilestoneKey(me, "m-10"))}, r.deleteWrites(awards...)...)...)
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
				return errors.Join(noted(collectAudit(you, "LOGIN", "corr-3", "req-4", today.Add(3*time.Second)))(r),
					noted(collectAudit(you, "LOGIN", "corr-0", "req-0", before))(r))
			})},
		{What: "an operator follows a user's trail", Cite: "120-121, 137", As: operator, Not: mine,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput {
				return r.on(r.audit).prefix(collectUser(me), "AUDIT#", collectAuditShown...)
			}, "req-1", "req-2", "req-3"))},
		{What: "an operator follows it back, page by page", Cite: "120-121, 137, 193", As: operator, Not: mine,
			Send: collectSend(auditOf(func(r collect) *dynamodb.QueryInput {
				return paged(backwards(r.on(r.audit).prefix(collectUser(me), "AUDIT#", collectAuditShown...)), 2)
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
			Send: collectSend(func(r collect) error { return errors.Join(r.disconnect(me, athlete), r.disconnect(me, athlete)) })},
		{What: "the athlete belongs to nobody", Cite: "67-68, 80-86", As: intake,
			Send: collectSend(func(r collect) error { return errors.Join(r.athlete(athlete), r.gone(r.owner(athlete))) })},
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
				// The profile, the connection, two sessions, 61 workouts, a milestone and its four awards.
				return r.counts(paged(r.everything(me), 30), 1+1+2+61+5)
			})},
		{What: "an account goes: its sessions", Cite: "109-112, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.dropSessions(me, 2) })},
		{What: "the cookie of a deleted account", Cite: "109-112", As: bff,
			Send: collectSend(func(r collect) error { return r.resolved("s-1", "") })},
		{What: "an account goes: its milestones and awards", Cite: "49-50, 171, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error { return r.dropAll(r.prefix(collectUser(me), "MILESTONE#", "PK", "SK"), 5) })},
		{What: "an account goes, and the deletion stops half-way: 25 workouts are gone", Cite: "48, 171, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				in := paged(r.prefix(collectUser(me), "WORKOUT#STRAVA#", "PK", "SK"), 25)
				out, err := r.c.Query(r.ctx, in)
				if err != nil {
					return err
				}
				return r.batch(collectDeletes(out.Items))
			})},
		{What: "the deletion runs again from the start, and comes to the end of the workouts", Cite: "48, 171, 186, 192", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.dropSessions(me, 0),
					r.dropAll(paged(r.prefix(collectUser(me), "WORKOUT#STRAVA#", "PK", "SK"), 25), 36))
			})},
		{What: "an account goes: the profile, and last the connection with the owner", Cite: "46-47, 67-68, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				connection, err := r.found(r.at(collectUser(me), "STRAVA#CONNECTION", "athleteId"))
				if err != nil {
					return err
				}
				return errors.Join(r.remove(primary(collectUser(me), "PROFILE")), r.disconnect(me, text(connection, "athleteId")))
			})},
		{What: "nothing of the account is left, and the deletion may run once more", Cite: "167, 186", As: user, Not: mine,
			Send: collectSend(func(r collect) error {
				return errors.Join(r.dropAll(r.everything(me), 0), r.remove(primary(collectUser(me), "PROFILE")))
			})},
		{What: "a user who has nothing but a profile deletes the account", Cite: "46, 186", As: stranger, Not: []Caller{user},
			Send: collectSend(func(r collect) error { return errors.Join(r.dropSessions(you, 0), r.dropAll(r.everything(you), 1)) })},
		{What: "the deletion of an account is noted; the trail stays its ninety days", Cite: "116-141", As: user, Not: mine,
			Send: collectSend(noted(collectAudit(me, "ACCOUNT_DELETED", "corr-9", "req-9", today.Add(9*time.Second))))},
	}}
}
