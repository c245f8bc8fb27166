package services

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// The tables as the document names them (46, 99, 171, 288, 388, 481).
const (
	osemUsers       = "osem-{env}-Users"
	osemTeams       = "osem-{env}-Teams"
	osemPlans       = "osem-{env}-AssessmentPlans"
	osemAssessments = "osem-{env}-Assessments"
	osemReports     = "osem-{env}-AssessmentReports"
	osemConfigs     = "osem-{env}-ConfigVersions"
)

// osemKey is the partition key of each table (27, 72, 136, 217, 335, 433); none has a sort key (536).
var osemKey = map[string]string{
	osemUsers:       "userId",
	osemTeams:       "teamId",
	osemPlans:       "planId",
	osemAssessments: "assessmentId",
	osemReports:     "reportId",
	osemConfigs:     "configId",
}

// All ids are UUIDs (531, 540).
const (
	osemAda = "a1d3c0de-0001-4a00-8000-00000000a0da" // the administrator
	osemMoe = "a1d3c0de-0002-4a00-8000-00000000a0aa" // manager of two teams
	osemMia = "a1d3c0de-0003-4a00-8000-00000000a1a0" // manager of one team
	osemTia = "a1d3c0de-0004-4a00-8000-000000007ea0"
	osemTim = "a1d3c0de-0005-4a00-8000-0000000071a0"
	osemTom = "a1d3c0de-0006-4a00-8000-0000000070a0"
	osemNil = "a1d3c0de-00ff-4a00-8000-00000000ffff" // in no table

	osemPlatform = "b1d3c0de-0001-4b00-8000-000000000001"
	osemData     = "b1d3c0de-0002-4b00-8000-000000000002"
	osemDesign   = "b1d3c0de-0003-4b00-8000-000000000003"

	osemConfig100 = "c1d3c0de-0001-4c00-8000-000000000100"
	osemConfig110 = "c1d3c0de-0002-4c00-8000-000000000110"
	osemConfig200 = "c1d3c0de-0003-4c00-8000-000000000200"

	osemPlatformQ1 = "d1d3c0de-0001-4d00-8000-000000000001"
	osemPlatformQ2 = "d1d3c0de-0002-4d00-8000-000000000002"
	osemDesignH1   = "d1d3c0de-0003-4d00-8000-000000000003"
	osemDataQ1     = "d1d3c0de-0004-4d00-8000-000000000004"

	osemTomSelf    = "e1d3c0de-0001-4e00-8000-000000000001"
	osemTomManager = "e1d3c0de-0002-4e00-8000-000000000002"
	osemTiaSelf    = "e1d3c0de-0003-4e00-8000-000000000003"
	osemTiaManager = "e1d3c0de-0004-4e00-8000-000000000004"
	osemTomSelf2   = "e1d3c0de-0005-4e00-8000-000000000005"
	osemTomMan2    = "e1d3c0de-0006-4e00-8000-000000000006"

	osemTomReport  = "f1d3c0de-0001-4f00-8000-000000000001"
	osemTiaReport  = "f1d3c0de-0002-4f00-8000-000000000002"
	osemTomReport2 = "f1d3c0de-0003-4f00-8000-000000000003"
)

// osemAt is the start of a day, counted from 2025-11-10, in Unix milliseconds (17, 530).
func osemAt(day int) int { return 1762732800000 + day*86400000 }

// OsemLadders is the client of osem-ladders.md: people sign in, an administrator keeps users, teams and career ladder
// configurations, managers run plans, members and managers assess, and reports are made of both. Nothing is ever deleted (542).
func OsemLadders() Service {
	var days []Step
	add := func(what, cite string, as Caller, send plainSend, not ...Caller) {
		days = append(days, Step{What: what, Cite: cite, As: as, Not: not, Send: send})
	}
	var (
		admin    = Caller{"admin", osemAda}
		moe      = Caller{"manager", osemMoe}
		mia      = Caller{"manager", osemMia}
		tom      = Caller{"team_member", osemTom}
		tia      = Caller{"team_member", osemTia}
		tim      = Caller{"team_member", osemTim}
		everyone = []Caller{admin, moe, tom}
		noAdmin  = []Caller{moe, tom} // "admin only": 63, 127, 511
	)

	// Users: sign in.
	ada := osemUser(osemAda, "ada@example.com", "Ada Admin", 0, "admin")
	add("Ada signs in for the first time: the application looks whether she has a profile, and she has none", "26-27, 61", admin,
		osemGet(osemUsers, osemAda, nil))
	add("A page of users is empty before anybody has a profile", "63", admin,
		plainScan{table: osemUsers, limit: 25, id: "userId"}.send, noAdmin...)
	add("Her first sign-in makes her profile from what Cognito and Microsoft 365 say; a sign-in on a second device must not reset it",
		"24, 33-38", admin, osemNew(osemUsers, ada).send)
	add("The answer to that write is lost and it is sent again: the profile stands already and is the same", "33-38, 61", admin,
		osemNew(osemUsers, ada).again)
	for _, u := range []struct {
		as   Caller
		item plainAny
	}{
		{Caller{"team_member", osemMoe}, osemUser(osemMoe, "moe@example.com", "Moe Manager", 0, "team_member")},
		{tia, osemUser(osemTia, "tia@example.com", "Tia Member", 0, "team_member")},
		{tim, osemUser(osemTim, "tim@example.com", "Tim Member", 0, "team_member")},
		{tom, osemUser(osemTom, "tom@example.com", "Tom Member", 0, "team_member")},
	} {
		add(fmt.Sprintf("%v signs in for the first time and gets a profile as a team member", u.item["name"]), "24, 33-38, 61", u.as,
			plainInOrder(osemGet(osemUsers, u.as.User, nil), osemNew(osemUsers, u.item).send))
	}
	add("Ada enters a manager who has not signed in yet", "33-38", admin,
		osemNew(osemUsers, osemUser(osemMia, "mia@example.com", "Mia Manager", 1, "manager")).send)
	add("Ada makes Moe a manager besides being a team member", "36, 38", admin,
		plainEdit{table: osemUsers, key: osemID(osemUsers, osemMoe), add: plainAny{"roles": plainSet{"manager"}}, set: plainAny{"updatedAt": osemAt(1)}}.send)
	add("Ada gives Tim the manager's role by mistake, setting all his roles at once", "36, 38", admin,
		plainEdit{table: osemUsers, key: osemID(osemUsers, osemTim), set: plainAny{"roles": plainSet{"manager", "team_member"}, "updatedAt": osemAt(1)}}.send)
	add("Ada takes the role from Tim again; one role stays, for a set cannot be empty", "36, 38", admin,
		plainEdit{table: osemUsers, key: osemID(osemUsers, osemTim), del: plainAny{"roles": plainSet{"manager"}}, set: plainAny{"updatedAt": osemAt(1)},
			when: "attribute_exists(#userId) AND size(#roles) > :one", values: plainAny{":one": 1}}.send)
	add("Tom signs in after his name and address changed in Microsoft 365: the profile follows", "34-35, 38", tom,
		plainEdit{table: osemUsers, key: osemID(osemUsers, osemTom), set: plainAny{"name": "Tom M. Member", "email": "tom.member@example.com", "updatedAt": osemAt(2)}}.send)
	add("Ada corrects a display name", "35, 38", admin,
		plainEdit{table: osemUsers, key: osemID(osemUsers, osemTia), set: plainAny{"name": "Tia Teammate", "updatedAt": osemAt(2)}}.send)
	add("Tom sees his own profile and roles", "61", tom,
		osemGet(osemUsers, osemTom, plainAny{"name": "Tom M. Member", "email": "tom.member@example.com", "roles": plainSet{"team_member"}, "createdAt": osemAt(0)}))
	add("Moe sees a member's name on his team's page", "61", moe, osemGet(osemUsers, osemTia, plainAny{"name": "Tia Teammate"}))
	add("Tom sees who his manager is", "61", tom, osemGet(osemUsers, osemMoe, plainAny{"name": "Moe Manager", "roles": plainSet{"manager", "team_member"}}))
	add("Ada opens a user", "61", admin, osemGet(osemUsers, osemTim, plainAny{"roles": plainSet{"team_member"}}))
	add("A link to somebody who is not there leads to no profile", "61", moe, osemGet(osemUsers, osemNil, nil))
	all := []string{osemAda, osemMoe, osemMia, osemTia, osemTim, osemTom}
	add("Ada lists all users, two on a page, to the last page", "63", admin,
		plainScan{table: osemUsers, limit: 2, id: "userId", want: all}.send, noAdmin...)
	add("Ada lists all users on one page", "63", admin,
		plainScan{table: osemUsers, limit: 100, id: "userId", want: all}.send, noAdmin...)

	// Configurations: the ladder that plans refer to. isActive is a Number, 0 or 1, here.
	active := func(id string) plainSend {
		q := plainQuery{table: osemConfigs, index: "isActive-index", key: "#isActive = :isActive", values: plainAny{":isActive": 1}, order: -1, top: 1, id: "configId"}
		if id != "" {
			q.want = []string{id}
		}
		return q.send
	}
	first := osemConfig(osemConfig100, "1.0.0", 2, 0)
	add("No configuration is active yet, so the application says that nobody can plan", "475, 510", admin, active(""))
	add("The list of inactive configurations is empty", "511", admin, osemInactive(0, 0), noAdmin...)
	add("Ada uploads the first ladder, not active yet", "439-445", admin, osemNew(osemConfigs, first).send)
	add("Her upload is sent again after a lost answer and stands once", "439-445, 509", admin, osemNew(osemConfigs, first).again)
	add("Ada activates the first ladder; there is none to deactivate", "445", admin,
		plainTransaction{writes: []plainWrite{osemActivate(osemConfig100)}}.send)
	for _, who := range everyone {
		add("Everybody who opens an assessment needs the active ladder: "+who.Role, "475, 510", who, active(osemConfig100))
	}
	add("Ada publishes the next version as active: the one before becomes inactive with the same transaction", "445", admin,
		plainTransaction{writes: []plainWrite{osemNew(osemConfigs, osemConfig(osemConfig110, "1.1.0", 3, 1)), osemDeactivate(osemConfig100)}}.send)
	add("Ada uploads a third version to look at before it counts", "439-445", admin, osemNew(osemConfigs, osemConfig(osemConfig200, "2.0.0", 4, 0)).send)
	// One token for both attempts, and another for every run: DynamoDB remembers a token for ten minutes.
	change := plainTransaction{token: "osem-" + strconv.FormatInt(time.Now().UnixNano(), 36), writes: []plainWrite{osemActivate(osemConfig200), osemDeactivate(osemConfig110)}}
	add("Ada activates the third version and deactivates the second in one transaction", "445", admin, change.send)
	add("The same activation is sent again after a lost answer: it has happened once and the third version stays active", "445, 510", admin,
		plainInOrder(change.perhaps, active(osemConfig200)))
	add("A second administrator who still saw the second version as active is too late: one active configuration at a time", "445", admin,
		plainTransaction{writes: []plainWrite{osemActivate(osemConfig100), osemDeactivate(osemConfig110)}}.lost)
	add("Ada makes sure that exactly one configuration is active", "445, 475", admin,
		plainQuery{table: osemConfigs, index: "isActive-index", key: "#isActive = :isActive", values: plainAny{":isActive": 1}, id: "configId", want: []string{osemConfig200}}.send)
	add("Ada lists the inactive versions, oldest first", "511", admin, osemInactive(1, 0, osemConfig100, osemConfig110), noAdmin...)
	add("Ada lists the inactive versions, newest first", "511", admin, osemInactive(-1, 0, osemConfig110, osemConfig100), noAdmin...)
	add("Ada leafs through the inactive versions, one on a page", "511", admin, osemInactive(-1, 1, osemConfig110, osemConfig100), noAdmin...)
	add("Ada's list of all versions is both lists, sorted by creation", "511", admin, osemAllConfigs(osemConfig100, osemConfig110, osemConfig200))
	for _, who := range everyone {
		add("Whoever opens an old plan needs the ladder of that time: "+who.Role, "150, 509", who, osemGet(osemConfigs, osemConfig100, plainAny{"version": "1.0.0", "isActive": 0}))
	}
	add("A configuration that is not there is not found", "509", admin, osemGet(osemConfigs, osemNil, nil))
	add("The parser learnt something: the cached structure of a version is written anew", "442", admin,
		plainEdit{table: osemConfigs, key: osemID(osemConfigs, osemConfig200), set: plainAny{"parsedConfig": osemLadder("Writes code that others can change")}}.send)
	add("Ada goes back to the second version", "445", admin,
		plainTransaction{writes: []plainWrite{osemActivate(osemConfig110), osemDeactivate(osemConfig200)}}.send)
	add("The second version is the active one again", "510", moe, active(osemConfig110))

	// Teams.
	platform := osemTeam(osemPlatform, "Platform", "Runs what others build on", osemMoe, osemAda, 3, osemTom)
	managed := func(manager string, page int32, want ...string) plainSend {
		return plainQuery{table: osemTeams, index: "managerId-index", key: "#managerId = :managerId", values: plainAny{":managerId": manager}, page: page, id: "teamId", want: want}.send
	}
	teams := func(limit int32, want ...string) plainSend {
		return plainScan{table: osemTeams, limit: limit, filter: "#isActive = :isActive", values: plainAny{":isActive": true}, id: "teamId", want: want}.send
	}
	add("There are no teams yet", "127", admin, teams(25), noAdmin...)
	add("Moe manages no team yet", "94, 126", moe, managed(osemMoe, 0))
	add("Ada makes a team with one member and a description", "78-86", admin, osemNew(osemTeams, platform).send, tom)
	add("Her request is sent again and there is one team", "78-86, 125", admin, osemNew(osemTeams, platform).again)
	add("Mia has one team, made by Ada", "78-86", admin, osemNew(osemTeams, osemTeam(osemDesign, "Design", "Shapes", osemMia, osemAda, 3, osemTim)).send, tom)
	add("Moe makes a second team himself, with many members and no description", "78-86", moe,
		osemNew(osemTeams, osemTeam(osemData, "Data", "", osemMoe, osemMoe, 3, osemTia, osemTim)).send, tom)
	for _, who := range everyone {
		add("The team's page: "+who.Role, "125", who, osemGet(osemTeams, osemPlatform, plainAny{"teamName": "Platform", "memberIds": plainSet{osemTom}, "isActive": true}))
	}
	add("A team that is not there is not found", "125", tom, osemGet(osemTeams, osemNil, nil))
	add("Moe lists the teams that he manages", "94, 126", moe, managed(osemMoe, 0, osemPlatform, osemData))
	add("Moe leafs through them, one on a page", "94, 126", moe, managed(osemMoe, 1, osemPlatform, osemData))
	add("Mia lists her one team", "94, 126", mia, managed(osemMia, 0, osemDesign))
	add("Ada sees which teams Moe manages", "94, 126", admin, managed(osemMoe, 25, osemPlatform, osemData))
	add("Ada lists all teams, one on a page", "127", admin, teams(1, osemPlatform, osemData, osemDesign), noAdmin...)
	edit := func(team string, day int, e plainEdit) plainSend {
		e.table, e.key = osemTeams, osemID(osemTeams, team)
		if e.set == nil {
			e.set = plainAny{}
		}
		e.set["updatedAt"] = osemAt(day)
		return e.send
	}
	add("Moe renames his team and writes a description", "79-80, 85", moe, edit(osemData, 4, plainEdit{set: plainAny{"teamName": "Data and Search", "description": "Finds things"}}))
	add("Moe takes the description away: it is optional", "80, 85", moe, edit(osemData, 4, plainEdit{remove: []string{"description"}}))
	add("Moe takes Tia into the platform team", "82, 85", moe, edit(osemPlatform, 4, plainEdit{add: plainAny{"memberIds": plainSet{osemTia}}}))
	add("The same again, after a lost answer, changes nothing: it is a set", "82, 85", moe, edit(osemPlatform, 4, plainEdit{add: plainAny{"memberIds": plainSet{osemTia}}}))
	add("Ada takes two people at once into a team", "82, 85", admin, edit(osemDesign, 4, plainEdit{add: plainAny{"memberIds": plainSet{osemTia, osemTom}}}))
	add("Ada takes one of them out again", "82, 85", admin, edit(osemDesign, 4, plainEdit{del: plainAny{"memberIds": plainSet{osemTia}}, when: "attribute_exists(#teamId) AND size(#memberIds) > :one", values: plainAny{":one": 1}}))
	add("Mia sets the members of her team anew from a form", "82, 85", mia, edit(osemDesign, 5, plainEdit{set: plainAny{"memberIds": plainSet{osemTim}}}))
	add("Ada gives a team to another manager", "81, 85", admin, edit(osemData, 5, plainEdit{set: plainAny{"managerId": osemMia}}))
	add("Mia finds it among hers", "94, 126", mia, managed(osemMia, 0, osemData, osemDesign))
	add("and Moe no more among his", "94, 126", moe, managed(osemMoe, 0, osemPlatform))

	// Plans.
	forTeam := func(team string, page int32, want ...string) plainSend {
		return plainQuery{table: osemPlans, index: "teamId-index", key: "#teamId = :teamId", values: plainAny{":teamId": team}, page: page, id: "planId", want: want}.send
	}
	withStatus := func(status string, page int32, want ...string) plainSend {
		return plainQuery{table: osemPlans, index: "status-index", key: "#status = :status", values: plainAny{":status": status}, page: page, id: "planId", want: want}.send
	}
	plan := func(id string, day int, set plainAny, remove ...string) plainSend {
		set["updatedAt"] = osemAt(day)
		return plainEdit{table: osemPlans, key: osemID(osemPlans, id), set: set, remove: remove}.send
	}
	q1 := osemPlan(osemPlatformQ1, osemPlatform, "Q1 Review", "First one", "2026-Q1", osemConfig110, osemMoe, 6)
	add("The team has no plan yet", "160, 206", tom, forTeam(osemPlatform, 0))
	add("No plan is active yet", "165, 207", admin, withStatus("active", 0))
	add("No plan is completed yet", "208", admin, withStatus("completed", 0))
	add("No plan is archived yet", "165", admin, withStatus("archived", 0))
	add("Moe drafts a plan for his team", "142-153", moe, osemNew(osemPlans, q1).send)
	add("His request is sent again and there is one plan", "142-153, 205", moe, osemNew(osemPlans, q1).again)
	add("Moe drafts the next one, without a description", "142-153", moe, osemNew(osemPlans, osemPlan(osemPlatformQ2, osemPlatform, "Q2 Review", "", "2026-Q2", osemConfig110, osemMoe, 6)).send)
	add("Mia drafts hers", "142-153", mia, osemNew(osemPlans, osemPlan(osemDesignH1, osemDesign, "H1 Review", "Half a year", "H1-2026", osemConfig110, osemMia, 6)).send)
	add("Ada drafts one for a team of Mia's", "142-153", admin, osemNew(osemPlans, osemPlan(osemDataQ1, osemData, "Data Q1", "", "2026-Q1", osemConfig110, osemAda, 6)).send)
	for _, who := range everyone {
		add("The plan's page: "+who.Role, "205", who, osemGet(osemPlans, osemPlatformQ1, plainAny{"planName": "Q1 Review", "status": "draft", "configVersion": osemConfig110}))
	}
	add("A plan that is not there is not found", "205", moe, osemGet(osemPlans, osemNil, nil))
	add("Moe renames the plan and describes it", "144-145, 153", moe, plan(osemPlatformQ1, 7, plainAny{"planName": "Q1 2026 Review", "description": "All of platform"}))
	add("Moe takes the description away: it is optional", "145, 153", moe, plan(osemPlatformQ1, 7, plainAny{}, "description"))
	add("Moe moves the plan's season and days", "146-148, 153", moe, plan(osemPlatformQ1, 7, plainAny{"season": "2025-Q4", "startDate": osemAt(8), "endDate": osemAt(90)}))
	add("Moe takes another version of the ladder for a draft", "150, 153", moe, plan(osemPlatformQ2, 7, plainAny{"configVersion": osemConfig200}))
	add("Tom lists his team's plans", "160, 206", tom, forTeam(osemPlatform, 0, osemPlatformQ1, osemPlatformQ2))
	add("Moe leafs through his team's plans, one on a page", "160, 206", moe, forTeam(osemPlatform, 1, osemPlatformQ1, osemPlatformQ2))
	add("Mia lists the one plan of her team", "160, 206", mia, forTeam(osemDesign, 0, osemDesignH1))
	add("Moe starts his plan", "149, 153", moe, plan(osemPlatformQ1, 8, plainAny{"status": "active"}))
	add("One plan is active", "165, 207", tom, withStatus("active", 0, osemPlatformQ1))
	add("Mia starts hers", "149, 153", mia, plan(osemDesignH1, 8, plainAny{"status": "active"}))
	add("Ada starts the third", "149, 153", admin, plan(osemDataQ1, 8, plainAny{"status": "active"}))
	add("Three plans are active, two on a page", "165, 207", admin, withStatus("active", 2, osemPlatformQ1, osemDesignH1, osemDataQ1))
	add("Mia takes one back to the drafts: it was too early", "149, 153", mia, plan(osemDataQ1, 9, plainAny{"status": "draft"}))
	add("Two plans are active", "165, 207", moe, withStatus("active", 0, osemPlatformQ1, osemDesignH1))

	// Assessments.
	ofMember := func(planID, member, kind string, want ...string) plainSend {
		q := plainQuery{table: osemAssessments, index: "planId-teamMemberId-index", key: "#planId = :planId AND #teamMemberId = :teamMemberId",
			values: plainAny{":planId": planID, ":teamMemberId": member}, id: "assessmentId", want: want}
		if kind != "" { // self or manager is told apart by the application (326)
			q.keep = func(item Item) bool { return text(item, "assessmentType") == kind }
		}
		return q.send
	}
	ofUser := func(member string, page int32, want ...string) plainSend {
		return plainQuery{table: osemAssessments, index: "teamMemberId-index", key: "#teamMemberId = :teamMemberId", values: plainAny{":teamMemberId": member}, page: page, id: "assessmentId", want: want}.send
	}
	assess := func(id string, day int, set plainAny, remove ...string) plainSend {
		set["updatedAt"] = osemAt(day)
		return plainEdit{table: osemAssessments, key: osemID(osemAssessments, id), set: set, remove: remove}.send
	}
	tomSelf := osemAssessment(osemTomSelf, osemPlatformQ1, osemPlatform, osemTom, "self", osemTom, "not_started", 8)
	add("Nobody has assessed Tom in this plan yet", "277, 324", tom, ofMember(osemPlatformQ1, osemTom, ""))
	add("Tom has no assessment at all yet", "282, 325", tom, ofUser(osemTom, 0))
	add("Moe opens Tom's self-assessment with the plan", "223-236", moe, osemNew(osemAssessments, tomSelf).send)
	add("The request is sent again and there is one", "223-236, 323", moe, osemNew(osemAssessments, tomSelf).again)
	add("Only the self-assessment is there", "324, 326", tom, ofMember(osemPlatformQ1, osemTom, "", osemTomSelf))
	add("Moe opens his own assessment of Tom", "223-236", moe, osemNew(osemAssessments, osemAssessment(osemTomManager, osemPlatformQ1, osemPlatform, osemTom, "manager", osemMoe, "not_started", 8)).send)
	add("Tia, who joined later, starts her self-assessment on her own", "223-236", tia, osemNew(osemAssessments, osemAssessment(osemTiaSelf, osemPlatformQ1, osemPlatform, osemTia, "self", osemTia, "in_progress", 9)).send)
	add("Both assessments of Tom stand side by side", "277, 324", moe, ofMember(osemPlatformQ1, osemTom, "", osemTomSelf, osemTomManager))
	add("Tom's page shows the self-assessment", "324, 326", tom, ofMember(osemPlatformQ1, osemTom, "self", osemTomSelf))
	add("Moe's page shows the manager's", "324, 326", moe, ofMember(osemPlatformQ1, osemTom, "manager", osemTomManager))
	add("Tom opens his assessment", "323", tom, osemGet(osemAssessments, osemTomSelf, plainAny{"status": "not_started", "assessmentType": "self"}))
	add("An assessment that is not there is not found", "323", tom, osemGet(osemAssessments, osemNil, nil))
	add("Tom begins", "233, 236", tom, assess(osemTomSelf, 9, plainAny{"status": "in_progress"}))
	add("Tom fills in a category", "229, 236, 240-250", tom, assess(osemTomSelf, 9, plainAny{"selections|Technical Execution": plainAny{"Coding": 2}}))
	add("Tom chooses another level for one competency", "229, 236, 240-250", tom, assess(osemTomSelf, 9, plainAny{"selections|Technical Execution|Coding": 3}))
	add("Tom gives a level for one more", "229, 236, 240-250", tom, assess(osemTomSelf, 9, plainAny{"selections|Technical Execution|System Design": 4, "selections|Impact": plainAny{"Project Leadership": 3}}))
	add("Tom takes one choice back", "229, 236", tom, assess(osemTomSelf, 9, plainAny{}, "selections|Impact|Project Leadership"))
	add("Tom writes his evidence for one competency", "230, 236, 252-268", tom, assess(osemTomSelf, 9, plainAny{"feedback|Technical Execution": plainAny{
		"Coding": plainAny{"3": plainAny{"evidence": "Led migration to microservices architecture", "nextLevelFeedback": "Demonstrate system design"}}}}))
	add("Tom corrects the evidence", "230, 236, 252-268", tom, assess(osemTomSelf, 9, plainAny{"feedback|Technical Execution|Coding|3|evidence": "Led the migration"}))
	add("Tom saves the whole form at once", "229-232, 236", tom, assess(osemTomSelf, 10, plainAny{"selections": osemSelections(3, 4, 3), "feedback": osemFeedback(),
		"currentLevel": 3, "wayForward": "Lead a project across teams"}))
	add("Tom takes his notes on the way forward out: they are optional", "232, 236", tom, assess(osemTomSelf, 10, plainAny{}, "wayForward"))
	add("Tom submits", "233-236", tom, assess(osemTomSelf, 10, plainAny{"status": "submitted", "submittedAt": osemAt(10)}))
	add("He presses twice, and it is the same submission", "233-236", tom, assess(osemTomSelf, 10, plainAny{"status": "submitted", "submittedAt": osemAt(10)}))
	add("Moe hands it back: it is no more submitted, so it has no time of submission", "233-236", moe, assess(osemTomSelf, 11, plainAny{"status": "in_progress"}, "submittedAt"))
	add("Tom submits again", "233-236", tom, assess(osemTomSelf, 12, plainAny{"status": "submitted", "submittedAt": osemAt(12), "wayForward": "Lead a project"}))
	add("Moe assesses Tom and submits, in one", "229-236", moe, assess(osemTomManager, 12, plainAny{"selections": osemSelections(4, 4, 2), "feedback": osemFeedback(),
		"currentLevel": 3, "wayForward": "A year more", "status": "submitted", "submittedAt": osemAt(12)}))
	tiaDone := osemAssessment(osemTiaSelf, osemPlatformQ1, osemPlatform, osemTia, "self", osemTia, "submitted", 9)
	tiaDone["selections"], tiaDone["feedback"], tiaDone["currentLevel"] = osemSelections(2, 2, 2), osemFeedback(), 2
	tiaDone["submittedAt"], tiaDone["updatedAt"] = osemAt(13), osemAt(13)
	add("Tia's application writes the whole assessment when she submits", "223-236", tia, plainPut{table: osemAssessments, item: tiaDone}.send)
	tiaManager := osemAssessment(osemTiaManager, osemPlatformQ1, osemPlatform, osemTia, "manager", osemMoe, "submitted", 13)
	tiaManager["selections"], tiaManager["feedback"], tiaManager["currentLevel"], tiaManager["submittedAt"] = osemSelections(2, 3, 2), osemFeedback(), 2, osemAt(13)
	add("Moe enters his assessment of Tia when it is done already", "223-236", moe, osemNew(osemAssessments, tiaManager).send)
	add("Ada looks into an assessment that somebody asks about", "323", admin, osemGet(osemAssessments, osemTiaSelf, plainAny{"status": "submitted", "submittedAt": osemAt(13)}))

	// Reports.
	forPlan := func(id string, page int32, want ...string) plainSend {
		return plainQuery{table: osemReports, index: "planId-index", key: "#planId = :planId", values: plainAny{":planId": id}, page: page, id: "reportId", want: want}.send
	}
	ofReports := func(member string, page int32, want ...string) plainSend {
		return plainQuery{table: osemReports, index: "teamMemberId-index", key: "#teamMemberId = :teamMemberId", values: plainAny{":teamMemberId": member}, page: page, id: "reportId", want: want}.send
	}
	tomReport := osemReport(osemTomReport, osemPlatformQ1, osemTom, osemTomSelf, osemTomManager, 14)
	add("The plan has no reports yet", "377, 423", moe, forPlan(osemPlatformQ1, 0))
	add("Tom has no report yet", "382, 424", tom, ofReports(osemTom, 0))
	add("Moe makes Tom's report of both assessments", "324, 341-349", moe,
		plainInOrder(ofMember(osemPlatformQ1, osemTom, "", osemTomSelf, osemTomManager), osemNew(osemReports, tomReport).send))
	add("The request is sent again and there is one report", "341-349, 422", moe, osemNew(osemReports, tomReport).again)
	add("One report stands for the plan", "377, 423", moe, forPlan(osemPlatformQ1, 0, osemTomReport))
	add("Moe makes Tia's", "341-349", moe, osemNew(osemReports, osemReport(osemTiaReport, osemPlatformQ1, osemTia, osemTiaSelf, osemTiaManager, 14)).send)
	for _, who := range everyone {
		add("The report's page: "+who.Role, "422", who, osemGet(osemReports, osemTomReport, plainAny{"finalLevel": 3, "selfAssessedLevel": 3, "variance": osemVariance()}))
	}
	add("A report that is not there is not found", "422", tom, osemGet(osemReports, osemNil, nil))
	add("Moe lists the plan's reports", "377, 423", moe, forPlan(osemPlatformQ1, 0, osemTomReport, osemTiaReport))
	add("Ada leafs through the plan's reports, one on a page", "377, 423", admin, forPlan(osemPlatformQ1, 1, osemTomReport, osemTiaReport))
	add("Tom exports his report to PDF", "350", tom, plainEdit{table: osemReports, key: osemID(osemReports, osemTomReport), set: plainAny{"exportedAt": osemAt(15)}}.send)
	add("Moe changes his mind on one level after a talk with Tom", "229-236", moe, assess(osemTomManager, 15, plainAny{"selections|Impact|Project Leadership": 3, "currentLevel": 4}))
	add("so the report is made anew, and the new one has not been exported", "346-350", moe, plainEdit{table: osemReports, key: osemID(osemReports, osemTomReport),
		set: plainAny{"finalLevel": 4, "selfAssessedLevel": 3, "variance": osemVariance(), "generatedAt": osemAt(15)}, remove: []string{"exportedAt"}}.send)

	// The plan ends and the next begins.
	add("Moe completes the plan", "149, 153", moe, plan(osemPlatformQ1, 90, plainAny{"status": "completed"}))
	add("One plan is completed", "208", admin, withStatus("completed", 0, osemPlatformQ1))
	add("Mia completes hers", "149, 153", mia, plan(osemDesignH1, 90, plainAny{"status": "completed"}))
	add("Completed plans, one on a page", "208", admin, withStatus("completed", 1, osemPlatformQ1, osemDesignH1))
	add("Ada archives an old plan", "149, 153", admin, plan(osemDesignH1, 91, plainAny{"status": "archived"}))
	add("Ada finds it in the archive", "165", admin, withStatus("archived", 0, osemDesignH1))
	add("Moe starts the next plan", "149, 153", moe, plan(osemPlatformQ2, 92, plainAny{"status": "active"}))
	for _, a := range []plainAny{
		osemAssessment(osemTomSelf2, osemPlatformQ2, osemPlatform, osemTom, "self", osemTom, "not_started", 92),
		osemAssessment(osemTomMan2, osemPlatformQ2, osemPlatform, osemTom, "manager", osemMoe, "not_started", 92),
	} {
		add("and opens the assessments of the next plan", "223-236", moe, osemNew(osemAssessments, a).send)
	}
	add("Ada lets Mia assess Tom, for Moe is away", "228, 236", admin, assess(osemTomMan2, 93, plainAny{"assessorId": osemMia}))
	add("Tom lists all his assessments in all plans", "282, 325", tom, ofUser(osemTom, 0, osemTomSelf, osemTomManager, osemTomSelf2, osemTomMan2))
	add("Moe leafs through them, three on a page", "282, 325", moe, ofUser(osemTom, 3, osemTomSelf, osemTomManager, osemTomSelf2, osemTomMan2))
	add("The next plan's are apart from the last one's", "277, 324", mia, ofMember(osemPlatformQ2, osemTom, "", osemTomSelf2, osemTomMan2))
	add("Tom submits the next one", "229-236", tom, assess(osemTomSelf2, 170, plainAny{"selections": osemSelections(4, 4, 3), "feedback": osemFeedback(),
		"currentLevel": 3, "status": "submitted", "submittedAt": osemAt(170)}))
	add("and so does Mia", "229-236", mia, assess(osemTomMan2, 171, plainAny{"selections": osemSelections(4, 4, 3), "feedback": osemFeedback(),
		"currentLevel": 4, "status": "submitted", "submittedAt": osemAt(171)}))
	add("Mia makes Tom's second report", "341-349", mia, osemNew(osemReports, osemReport(osemTomReport2, osemPlatformQ2, osemTom, osemTomSelf2, osemTomMan2, 180)).send)
	add("Tom sees how he has come along", "382, 424", tom, ofReports(osemTom, 0, osemTomReport, osemTomReport2))
	add("Moe leafs through Tom's reports, one on a page", "382, 424", moe, ofReports(osemTom, 1, osemTomReport, osemTomReport2))
	add("Tia has one report", "382, 424", tia, ofReports(osemTia, 0, osemTiaReport))

	// A team ends and comes back; a member leaves. Nothing is deleted.
	add("Tim leaves the data team", "82, 85", mia, edit(osemData, 181, plainEdit{del: plainAny{"memberIds": plainSet{osemTim}}, when: "attribute_exists(#teamId) AND size(#memberIds) > :one", values: plainAny{":one": 1}}))
	add("Mia's data team is closed; it stays in the table", "86, 542", admin, edit(osemData, 182, plainEdit{set: plainAny{"isActive": false}}))
	add("Ada's list of teams leaves it out", "127", admin, teams(1, osemPlatform, osemDesign), noAdmin...)
	add("Mia's own list has it still, marked as closed: the application hides it", "86, 126", mia, managed(osemMia, 0, osemData, osemDesign))
	add("and its page opens by its id", "86, 125", mia, osemGet(osemTeams, osemData, plainAny{"isActive": false, "memberIds": plainSet{osemTia}}))
	add("Ada archives what the closed team had planned", "149, 153, 206", admin, plainInOrder(forTeam(osemData, 0, osemDataQ1), plan(osemDataQ1, 182, plainAny{"status": "archived"})))
	add("Two plans are in the archive, one on a page", "165", admin, withStatus("archived", 1, osemDesignH1, osemDataQ1))
	add("The team is opened again", "86, 542", admin, edit(osemData, 183, plainEdit{set: plainAny{"isActive": true}}))
	add("and is on Ada's list once more", "127", admin, teams(100, osemPlatform, osemData, osemDesign), noAdmin...)

	return Service{Design: "osem-ladders", Days: days}
}

func osemID(table, id string) plainAny { return plainAny{osemKey[table]: id} }

func osemNew(table string, item plainAny) plainNew {
	return plainNew{table: table, key: []string{osemKey[table]}, item: item}
}

// osemGet wants an item with these attributes, or none where want is nil.
func osemGet(table, id string, want plainAny) plainSend {
	return plainGet{table: table, key: osemID(table, id), want: want}.send
}

func osemUser(id, email, name string, day int, roles ...string) plainAny {
	return plainAny{"userId": id, "email": email, "name": name, "roles": plainSet(roles), "createdAt": osemAt(day), "updatedAt": osemAt(day)}
}

// osemTeam has at least one member: memberIds is required (82), and a set cannot be empty.
func osemTeam(id, name, description, manager, creator string, day int, member string, more ...string) plainAny {
	team := plainAny{"teamId": id, "teamName": name, "managerId": manager, "memberIds": plainSet(append([]string{member}, more...)),
		"createdBy": creator, "createdAt": osemAt(day), "updatedAt": osemAt(day), "isActive": true}
	if description != "" {
		team["description"] = description
	}
	return team
}

// osemPlan refers to its ladder by the id of the configuration: nothing finds a configuration by its version number (150, 509).
func osemPlan(id, team, name, description, season, config, creator string, day int) plainAny {
	plan := plainAny{"planId": id, "teamId": team, "planName": name, "season": season, "startDate": osemAt(day), "endDate": osemAt(day + 84),
		"status": "draft", "configVersion": config, "createdBy": creator, "createdAt": osemAt(day), "updatedAt": osemAt(day)}
	if description != "" {
		plan["description"] = description
	}
	return plan
}

// osemAssessment is an assessment with nothing chosen yet: the required maps are empty and the level is 0.
func osemAssessment(id, plan, team, member, kind, assessor, status string, day int) plainAny {
	return plainAny{"assessmentId": id, "planId": plan, "teamId": team, "teamMemberId": member, "assessmentType": kind, "assessorId": assessor,
		"selections": plainAny{}, "feedback": plainAny{}, "currentLevel": 0, "status": status, "createdAt": osemAt(day), "updatedAt": osemAt(day)}
}

func osemSelections(coding, design, leadership int) plainAny {
	return plainAny{"Technical Execution": plainAny{"Coding": coding, "System Design": design}, "Impact": plainAny{"Project Leadership": leadership}}
}

func osemFeedback() plainAny {
	return plainAny{"Technical Execution": plainAny{
		"Coding":        plainAny{"3": plainAny{"evidence": "Led the migration", "nextLevelFeedback": "Demonstrate system design"}},
		"System Design": plainAny{"4": plainAny{"evidence": "Designed a data pipeline", "nextLevelFeedback": "Lead discussions across teams"}},
	}}
}

func osemReport(id, plan, member, self, manager string, day int) plainAny {
	return plainAny{"reportId": id, "planId": plan, "teamMemberId": member, "selfAssessmentId": self, "managerAssessmentId": manager,
		"finalLevel": 3, "selfAssessedLevel": 3, "variance": osemVariance(), "generatedAt": osemAt(day)}
}

func osemVariance() plainAny {
	score := func(self, manager int) plainAny {
		return plainAny{"selfScore": self, "managerScore": manager, "difference": manager - self}
	}
	return plainAny{"Technical Execution": plainAny{"Coding": score(3, 4), "System Design": score(4, 4)}, "Impact": plainAny{"Project Leadership": score(3, 2)}}
}

func osemConfig(id, version string, day, active int) plainAny {
	return plainAny{"configId": id, "version": version, "configContent": "# Technical Execution\n\n## Coding\n\n1. Writes code\n", "parsedConfig": osemLadder("Writes code"),
		"createdBy": osemAda, "createdAt": osemAt(day), "isActive": active}
}

func osemLadder(description string) plainAny {
	return plainAny{"categories": []any{plainAny{"name": "Technical Execution", "competencies": []any{plainAny{"name": "Coding", "levels": []any{
		plainAny{"level": 1, "description": description}, plainAny{"level": 2, "description": "Reviews code"}}}}}}}
}

// osemActivate and osemDeactivate each want the other state before, so that of two changes at once one fails and one configuration is active (445).
// ConfigVersions has no updatedAt (439-445).
func osemActivate(id string) plainEdit {
	return plainEdit{table: osemConfigs, key: osemID(osemConfigs, id), set: plainAny{"isActive": 1}, when: "#isActive = :before", values: plainAny{":before": 0}}
}

func osemDeactivate(id string) plainEdit {
	return plainEdit{table: osemConfigs, key: osemID(osemConfigs, id), set: plainAny{"isActive": 0}, when: "#isActive = :before", values: plainAny{":before": 1}}
}

func osemInactive(order int, page int32, want ...string) plainSend {
	return plainQuery{table: osemConfigs, index: "isActive-index", key: "#isActive = :isActive", values: plainAny{":isActive": 0}, order: order, page: page, id: "configId", want: want}.send
}

// osemAllConfigs lists every version without a scan: those that are not active, and the one that is, sorted by creation.
func osemAllConfigs(want ...string) plainSend {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error {
		return plainUntil(ctx, func() (string, error) {
			var items []Item
			for _, active := range []int{0, 1} {
				page, err := plainQuery{table: osemConfigs, index: "isActive-index", key: "#isActive = :isActive", values: plainAny{":isActive": active}, order: 1, page: 25}.items(ctx, c, t)
				if err != nil {
					return "", err
				}
				items = append(items, page...)
			}
			slices.SortFunc(items, func(a, b Item) int { // of equal length as text
				return strings.Compare(plainText(a["createdAt"]), plainText(b["createdAt"]))
			})
			return plainIDs(items, "configId", want, true), nil
		})
	}
}
