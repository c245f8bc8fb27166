package services

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// personalTable is the one table, as the document names it (4).
const personalTable = "personal-os-{stage}"

// User ids are those of Cognito (81).
const (
	personalAnn = "7c9e6679-0001-4a00-8000-000000000a11" // uses everything
	personalBen = "7c9e6679-0002-4a00-8000-000000000be1" // has a little of his own, in the same areas and states as Ann
	personalCyn = "7c9e6679-0003-4a00-8000-000000000c11" // signs up and never comes back
)

// PersonalOS is the client of personal-os.md: a user keeps tasks, goals, metrics, habits, projects, a logbook and rewards, earns points and spends them.
// The document knows users alone: each has a partition of his own (43-53), so nobody sends a request for another's. The partitions of a
// goal, a task, a metric, a habit or a project (54-63) do not say whose they are: steps on those alone name nobody who must not.
func PersonalOS() Service {
	var days []Step
	var as, other Caller
	add := func(what, cite string, send plainSend, not ...Caller) {
		days = append(days, Step{What: what, Cite: cite, As: as, Not: not, Send: send})
	}
	own := func(what, cite string, send plainSend) { add(what, cite, send, other) }
	ann, ben, cyn := Caller{"user", personalAnn}, Caller{"user", personalBen}, Caller{"user", personalCyn}
	me := "USER#" + personalAnn
	as, other = ann, ben

	// list wants the items under a key prefix, by sort key.
	list := func(pk, prefix string, order int, page int32, want ...string) plainSend {
		return personalList(pk, prefix, order, page, want...).send
	}
	get := func(sk string, want plainAny) plainSend {
		return plainGet{table: personalTable, key: personalID(me, sk), want: want}.send
	}
	edit := func(sk, at string, set plainAny, remove ...string) plainEdit {
		all := plainAny{"updatedAt": at}
		maps.Copy(all, set)
		return plainEdit{table: personalTable, key: personalID(me, sk), set: all, remove: remove}
	}
	drop := func(pk, sk string) plainSend { return plainDelete{personalTable, personalID(pk, sk)}.send }

	// Signing up.
	profile := personalItem("", me, "PROFILE", "USER", "2026-01-01T00:00:00Z", plainAny{ // as the example has it: without a userId
		"email": "ann@example.com", "displayName": "Ann", "preferences": plainAny{"theme": "dark", "defaultArea": "Health"}})
	own("Ann signs in for the first time: she has no profile yet", "43", get("PROFILE", nil))
	own("The first sign-in makes her profile; a second device must not reset it", "93-119", personalNew(profile).send)
	own("The answer is lost and the profile is sent again: it stands already", "43, 93-119", personalNew(profile).again)
	wallet := personalWallet(personalAnn, "2026-01-01T00:00:00Z")
	own("She has no wallet yet", "52", get("WALLET", nil))
	own("With the profile goes an empty wallet", "514-523", personalNew(wallet).send)
	own("The wallet is sent again and keeps its points", "52, 514-523", personalNew(wallet).again)
	as, other = ben, ann
	own("Ben signs up", "74-88, 93-103, 514-523", plainInOrder(
		personalNew(personalItem(personalBen, "USER#"+personalBen, "PROFILE", "USER", "2026-01-02T00:00:00Z", plainAny{"email": "ben@example.com", "displayName": "Ben", "preferences": plainAny{}})).send,
		personalNew(personalWallet(personalBen, "2026-01-02T00:00:00Z")).send))
	own("and notes a task", "126-153", personalNew(personalTask(personalBen, "task-ben-run", "Run", "Health", "NotStarted", "2026-01-10T09:30:00Z", nil)).send)
	own("and a goal", "216-236", personalNew(personalGoal(personalBen, "goal-ben-read", "Read more", "Health", "Active", "2026-01-12T08:30:00Z", nil)).send)
	as, other = cyn, ben
	own("Cyn signs up and never comes back", "93-103, 514-523", plainInOrder(
		personalNew(personalItem(personalCyn, "USER#"+personalCyn, "PROFILE", "USER", "2026-01-03T00:00:00Z", plainAny{"email": "cyn@example.com", "displayName": "Cyn"})).send,
		personalNew(personalWallet(personalCyn, "2026-01-03T00:00:00Z")).send))
	for _, l := range []struct{ prefix, name, cite string }{
		{"TASK#", "tasks", "44"}, {"GOAL#", "goals", "46"}, {"METRIC#", "metrics", "48"}, {"HABIT#", "habits", "49"}, {"PROJECT#", "projects", "50"},
		{"LOGBOOK#", "logbook", "51"}, {"REWARD#", "rewards", "53"}, {"WALLET_TXN#", "wallet's transactions", "532"},
	} {
		own("A newcomer's dashboard: no "+l.name, l.cite+", 603", list("USER#"+personalCyn, l.prefix, 0, 0))
	}
	as, other = ann, ben
	own("Ann sees her profile", "43", get("PROFILE", plainAny{"displayName": "Ann", "email": "ann@example.com"}))
	own("She changes her name and address", "100-101, 83", edit("PROFILE", "2026-01-10T07:00:00Z", plainAny{"displayName": "Ann B.", "email": "ann.b@example.com"}).send)
	own("She changes the theme alone", "102, 83", edit("PROFILE", "2026-01-10T07:01:00Z", plainAny{"preferences|theme": "light"}).send)
	own("She takes back her default area", "102, 83", edit("PROFILE", "2026-01-10T07:02:00Z", nil, "preferences|defaultArea").send)
	own("She saves all preferences from the form", "102, 83", edit("PROFILE", "2026-01-10T07:03:00Z", plainAny{"preferences": plainAny{"theme": "dark", "notifications": true}}).send)

	// Tasks. The state and the area stand in index keys too and move with them (23-33, 150-153).
	status := func(sk, state, created, at string, set plainAny) plainEdit {
		all := plainAny{"status": state, "gsi1sk": state + "#" + created}
		maps.Copy(all, set)
		return edit(sk, at, all)
	}
	byStatus := func(user, kind, state string, order int, page int32, want ...string) plainSend {
		return plainQuery{table: personalTable, index: "GSI1", key: "#gsi1pk = :gsi1pk AND begins_with(#gsi1sk, :gsi1sk)", filter: "#userId = :userId",
			values: plainAny{":gsi1pk": kind, ":gsi1sk": state + "#", ":userId": user}, order: order, page: page, id: "sk", want: want}.send
	}
	byArea := func(user, area, kind string, order int, page int32, want ...string) plainSend {
		q := plainQuery{table: personalTable, index: "GSI2", key: "#gsi2pk = :gsi2pk", filter: "#userId = :userId",
			values: plainAny{":gsi2pk": area, ":userId": user}, order: order, page: page, id: "sk", want: want}
		if kind != "" {
			q.key += " AND begins_with(#gsi2sk, :gsi2sk)"
			q.values[":gsi2sk"] = kind + "#"
		}
		return q.send
	}
	const call, gym, meal, report, taxes = "TASK#task-call", "TASK#task-gym", "TASK#task-meal", "TASK#task-report", "TASK#task-taxes"
	full := personalTask(personalAnn, "task-taxes", "Review Q1 financials", "Wealth", "InProgress", "2026-01-11T10:00:00Z", plainAny{
		"description": "Analyze quarterly spending", "extendedDescription": "All accounts", "subCategory": "Income", "priority": "P2", "size": 60, "dueDate": "2026-01-15",
		"scheduledDate": "2026-01-14", "completedDate": nil, "isRecurring": false, "recurrenceRule": nil, "pointValue": 120, "pointsAwarded": false, "notes": "Ask the bank",
		"goalIds": []string{}, "projectIds": []string{}})
	own("Ann writes down a task with everything that the form has", "126-185", personalNew(full).send)
	own("The request is sent again and there is one task", "45, 126-185", personalNew(full).again)
	own("One task is listed", "44, 546-552", list(me, "TASK#", 0, 0, taxes))
	own("She writes down a task with little", "126-153", personalNew(personalTask(personalAnn, "task-gym", "Go to the gym", "Health", "NotStarted", "2026-01-10T09:00:00Z",
		plainAny{"pointValue": 120, "pointsAwarded": false})).send)
	own("She writes down another", "126-153", personalNew(personalTask(personalAnn, "task-meal", "Plan meals", "Health", "NotStarted", "2026-01-10T10:00:00Z", plainAny{"priority": "P4"})).send)
	own("She notes a thought that belongs to no area yet: it has no key of the area's index", "84-87, 126-151",
		personalNew(personalTask(personalAnn, "task-call", "Call mother", "", "NotStarted", "2026-01-10T08:00:00Z", nil)).send)
	own("She writes down a task that comes back every month", "143-144", personalNew(personalTask(personalAnn, "task-report", "Monthly report", "Wealth", "NotStarted", "2026-01-11T09:00:00Z",
		plainAny{"isRecurring": true, "recurrenceRule": plainAny{"frequency": "monthly", "interval": 1, "endDate": "2026-12-31"}})).send)
	own("She opens a task", "45", get(taxes, plainAny{"title": "Review Q1 financials", "completedDate": nil, "size": 60, "gsi1sk": "InProgress#2026-01-11T10:00:00Z"}))
	own("A task that is not there is not found", "45", get("TASK#task-none", nil))
	own("She lists her tasks", "44, 546-552", list(me, "TASK#", 1, 0, call, gym, meal, report, taxes))
	own("She lists them the other way round", "44", list(me, "TASK#", -1, 0, taxes, report, meal, gym, call))
	own("She leafs through them, two on a page", "44, 600", list(me, "TASK#", 0, 2, call, gym, meal, report, taxes))
	own("She edits a task's words", "132-134, 147, 83", edit(taxes, "2026-01-11T11:00:00Z", plainAny{"title": "Review the finances", "description": "January to March", "extendedDescription": "Also the old bank", "notes": "Statements are in the drawer"}).send)
	own("She edits its plan", "136-141, 145, 83", edit(taxes, "2026-01-11T11:01:00Z", plainAny{"subCategory": "Savings", "priority": "P1", "size": 90, "dueDate": "2026-01-20", "scheduledDate": "2026-01-18", "pointValue": 180}).send)
	own("She takes the dates off", "140-141, 83", edit(taxes, "2026-01-11T11:02:00Z", plainAny{"dueDate": nil, "scheduledDate": nil}).send)
	own("She takes the notes off", "147, 83", edit(taxes, "2026-01-11T11:03:00Z", nil, "notes").send)
	own("She makes it come back every quarter", "143-144, 83", edit(taxes, "2026-01-11T11:04:00Z", plainAny{"isRecurring": true, "recurrenceRule": plainAny{"frequency": "monthly", "interval": 3}}).send)
	own("and changes the interval", "144, 83", edit(taxes, "2026-01-11T11:05:00Z", plainAny{"recurrenceRule|interval": 4}).send)
	own("and lets it be once only", "143-144, 83", edit(taxes, "2026-01-11T11:06:00Z", plainAny{"isRecurring": false, "recurrenceRule": nil}).send)
	own("Her tasks of an area, oldest first", "35, 66", byArea(personalAnn, "Health", "TASK", 1, 25, gym, meal))
	own("She puts the thought into an area: its keys follow", "135, 152-153", edit(call, "2026-01-11T12:00:00Z", plainAny{"area": "Health", "gsi2pk": "Health", "gsi2sk": "TASK#2026-01-10T08:00:00Z"}).send)
	own("Her tasks of the area, newest first", "35, 66", byArea(personalAnn, "Health", "TASK", -1, 25, meal, gym, call))
	own("She takes the area away again: the index keys go, they are never empty", "84-87, 135", edit(call, "2026-01-11T12:01:00Z", nil, "area", "gsi2pk", "gsi2sk").send)
	own("She moves a task to another area", "135, 152-153", edit(report, "2026-01-11T12:02:00Z", plainAny{"area": "Health", "gsi2pk": "Health", "gsi2sk": "TASK#2026-01-11T09:00:00Z"}).send)
	own("Her tasks of the area, one on a page", "35, 66", byArea(personalAnn, "Health", "TASK", 1, 1, gym, meal, report))
	own("An area without tasks", "66", byArea(personalAnn, "Family", "TASK", 0, 25))
	own("What she has not begun, oldest first", "26, 64, 555-562", byStatus(personalAnn, "TASK", "NotStarted", 1, 25, call, gym, meal, report))
	own("What she has not begun, newest first", "26, 64", byStatus(personalAnn, "TASK", "NotStarted", -1, 25, report, meal, gym, call))
	own("What she has not begun, two on a page: Ben's task in between is none of hers", "26, 64", byStatus(personalAnn, "TASK", "NotStarted", 1, 2, call, gym, meal, report))
	own("Nothing is blocked", "64", byStatus(personalAnn, "TASK", "Blocked", 0, 25))
	own("One task is in progress", "26, 64, 555-562", byStatus(personalAnn, "TASK", "InProgress", 0, 25, taxes))
	const gymAt = "2026-01-10T09:00:00Z"
	own("She begins a task", "138, 150-151", status(gym, "InProgress", gymAt, "2026-01-12T07:00:00Z", nil).send)
	own("Two are in progress, by creation", "26, 64", byStatus(personalAnn, "TASK", "InProgress", 1, 25, gym, taxes))
	own("It is blocked", "138, 150-151", status(gym, "Blocked", gymAt, "2026-01-12T07:01:00Z", nil).send)
	own("It is in the list of blocked tasks", "64", byStatus(personalAnn, "TASK", "Blocked", 0, 25, gym))
	own("It is on hold", "138, 150-151", status(gym, "OnHold", gymAt, "2026-01-12T07:02:00Z", nil).send)
	own("The list of what is on hold", "64", byStatus(personalAnn, "TASK", "OnHold", 0, 25, gym))
	own("It is done, and when", "138, 142, 150-151", status(gym, "Done", gymAt, "2026-01-12T07:03:00Z", plainAny{"completedDate": "2026-01-12T07:03:00Z"}).send)
	own("She opens it again: it has no time of completion", "138, 142, 150-151", status(gym, "InProgress", gymAt, "2026-01-12T07:04:00Z", plainAny{"completedDate": nil}).send)
	own("and is done with it", "138, 142, 150-151", status(gym, "Done", gymAt, "2026-01-12T08:00:00Z", plainAny{"completedDate": "2026-01-12T08:00:00Z"}).send)
	own("The same is sent again", "138, 142, 150-151", status(gym, "Done", gymAt, "2026-01-12T08:00:00Z", plainAny{"completedDate": "2026-01-12T08:00:00Z"}).send)
	own("What is done", "64", byStatus(personalAnn, "TASK", "Done", -1, 25, gym))
	own("She cancels a task", "138, 150-151", status(meal, "Cancelled", "2026-01-10T10:00:00Z", "2026-01-12T08:01:00Z", nil).send)
	own("What is cancelled", "64", byStatus(personalAnn, "TASK", "Cancelled", 0, 25, meal))
	as, other = ben, ann
	own("Ben's list of what he has not begun is his", "64", byStatus(personalBen, "TASK", "NotStarted", 1, 25, "TASK#task-ben-run"))
	own("and so is his area", "66", byArea(personalBen, "Health", "", 1, 25, "GOAL#goal-ben-read", "TASK#task-ben-run"))
	as, other = ann, ben

	// Dependencies.
	dependency := plainAny{"pk": report, "sk": "DEP#task-taxes", "entityType": "TASK_DEPENDENCY", "taskId": "task-report", "dependsOnTaskId": "task-taxes", "createdAt": "2026-01-12T09:00:00Z"}
	add("A task depends on none", "59", list(report, "DEP#", 0, 0))
	add("Ann makes the report wait for the taxes, as the example writes it", "192-209", personalNew(dependency).send)
	add("It is sent again and stands once", "192-209", personalNew(dependency).again)
	add("The report waits for one task", "59", list(report, "DEP#", 0, 0, "DEP#task-taxes"))
	for _, on := range []string{"task-gym", "task-taxes"} {
		add("Another task waits for "+on+", with the attributes that all items have", "74-88, 192-198", personalNew(personalItem(personalAnn, call, "DEP#"+on, "TASK_DEPENDENCY", "2026-01-12T09:01:00Z",
			plainAny{"taskId": "task-call", "dependsOnTaskId": on})).send)
	}
	add("It waits for two", "59", list(call, "DEP#", 1, 0, "DEP#task-gym", "DEP#task-taxes"))
	add("one on a page", "59", list(call, "DEP#", -1, 1, "DEP#task-taxes", "DEP#task-gym"))
	add("One is no more in the way", "192-198", drop(call, "DEP#task-gym"))
	add("The removal is sent again", "192-198", drop(call, "DEP#task-gym"))
	add("One stays", "59", list(call, "DEP#", 0, 0, "DEP#task-taxes"))

	// Goals. They carry index keys like tasks.
	const marathon, savings, weight = "GOAL#goal-marathon", "GOAL#goal-savings", "GOAL#goal-weight"
	const savingsAt = "2026-01-12T09:00:00Z"
	criterion := func(id, text string, order int) plainAny {
		return plainAny{"id": id, "text": text, "isCompleted": false, "completedAt": nil, "linkedMetricId": "metric-weight", "linkedTaskId": nil, "targetDate": "2026-06-01", "order": order}
	}
	goal := personalGoal(personalAnn, "goal-weight", "Lose weight", "Health", "Active", "2026-01-12T08:00:00Z", plainAny{
		"description": "Slowly", "subCategory": "Body", "timeHorizon": "Yearly", "priority": "P1", "targetDate": "2026-06-01", "completedDate": nil,
		"successCriteria": []any{criterion("criteria-1", "Reach 180 lbs", 1), criterion("criteria-2", "Stay there", 2)},
		"progressConfig":  plainAny{"criteriaWeight": 40, "tasksWeight": 30, "metricsWeight": 20, "habitsWeight": 10, "manualOverride": nil},
		"cachedProgress":  0, "parentGoalId": nil, "lastActivityAt": "2026-01-12T08:00:00Z", "notes": "For the knees"})
	own("Ann has no goals yet", "46", list(me, "GOAL#", 0, 0))
	own("She sets a goal with everything that the form has", "216-263", personalNew(goal).send)
	own("It is sent again and there is one goal", "47, 216-263", personalNew(goal).again)
	own("One goal is listed", "46", list(me, "GOAL#", 0, 0, weight))
	own("She sets a goal with little", "216-236", personalNew(personalGoal(personalAnn, "goal-savings", "Save", "Wealth", "Planning", savingsAt, nil)).send)
	own("She sets a goal below another", "234", personalNew(personalGoal(personalAnn, "goal-marathon", "Run a marathon", "Health", "Planning", "2026-01-12T10:00:00Z",
		plainAny{"parentGoalId": "goal-weight", "timeHorizon": "Quarterly", "successCriteria": []any{}})).send)
	own("She opens a goal", "47", get(weight, plainAny{"title": "Lose weight", "cachedProgress": 0, "parentGoalId": nil}))
	own("A goal that is not there is not found", "47", get("GOAL#goal-none", nil))
	own("She lists her goals", "46", list(me, "GOAL#", 1, 0, marathon, savings, weight))
	own("She lists them the other way round, two on a page", "46", list(me, "GOAL#", -1, 2, weight, savings, marathon))
	own("She edits a goal", "222-223, 225-229, 236", edit(weight, "2026-01-13T07:00:00Z", plainAny{"title": "Lose ten pounds", "description": "Before summer", "subCategory": "Shape", "timeHorizon": "Quarterly",
		"priority": "P2", "targetDate": "2026-05-01", "notes": "No rush"}).send)
	own("She ticks off a criterion", "231, 240-250", edit(weight, "2026-01-13T07:01:00Z", plainAny{"successCriteria[0]|isCompleted": true, "successCriteria[0]|completedAt": "2026-01-13T07:01:00Z"}).send)
	own("She takes the tick back", "231, 240-250", edit(weight, "2026-01-13T07:02:00Z", plainAny{"successCriteria[0]|isCompleted": false, "successCriteria[0]|completedAt": nil}).send)
	own("She rewrites the list of criteria", "231, 240-250", edit(weight, "2026-01-13T07:03:00Z", plainAny{"successCriteria": []any{criterion("criteria-2", "Stay there", 1), criterion("criteria-3", "Sleep well", 2)}}).send)
	own("She deletes a criterion", "231", edit(weight, "2026-01-13T07:04:00Z", nil, "successCriteria[1]").send)
	own("She weighs progress otherwise", "232, 255-263", edit(weight, "2026-01-13T07:05:00Z", plainAny{"progressConfig": plainAny{"criteriaWeight": 25, "tasksWeight": 25, "metricsWeight": 25, "habitsWeight": 25, "manualOverride": nil}}).send)
	own("She sets progress by hand", "232, 255-263", edit(weight, "2026-01-13T07:06:00Z", plainAny{"progressConfig|manualOverride": 35}).send)
	own("The application keeps the progress that it has worked out", "233, 235", edit(weight, "2026-01-13T07:07:00Z", plainAny{"cachedProgress": 35, "lastActivityAt": "2026-01-13T07:07:00Z"}).send)
	own("She takes a goal from below the other, and puts it back", "234", plainInOrder(
		edit(marathon, "2026-01-13T07:08:00Z", plainAny{"parentGoalId": nil}).send, edit(marathon, "2026-01-13T07:09:00Z", plainAny{"parentGoalId": "goal-weight"}).send))
	own("Her active goals; Ben's is none of them", "65", byStatus(personalAnn, "GOAL", "Active", 0, 25, weight))
	own("What she is planning, oldest first", "65", byStatus(personalAnn, "GOAL", "Planning", 1, 25, savings, marathon))
	own("What she is planning, newest first, one on a page", "65", byStatus(personalAnn, "GOAL", "Planning", -1, 1, marathon, savings))
	own("No goal is at risk", "65", byStatus(personalAnn, "GOAL", "AtRisk", 0, 25))
	own("The goals of an area", "35, 66", byArea(personalAnn, "Health", "GOAL", 1, 25, weight, marathon))
	for i, state := range []string{"Active", "OnTrack", "AtRisk"} {
		at := fmt.Sprintf("2026-01-13T08:0%d:00Z", i)
		own("A goal moves to "+state+" and its index key with it", "228, 23-24, 65", plainInOrder(status(savings, state, savingsAt, at, nil).send))
	}
	own("It is found at risk", "65", byStatus(personalAnn, "GOAL", "AtRisk", 0, 25, savings))
	own("It is achieved, and when", "228, 230, 23-24", status(savings, "Achieved", savingsAt, "2026-01-13T08:05:00Z", plainAny{"completedDate": "2026-01-13"}).send)
	own("Another is abandoned", "228, 23-24", status(marathon, "Abandoned", "2026-01-12T10:00:00Z", "2026-01-13T08:06:00Z", nil).send)
	own("She moves a goal to another area, and back", "224, 30-33", plainInOrder(
		edit(savings, "2026-01-13T08:07:00Z", plainAny{"area": "Health", "gsi2pk": "Health", "gsi2sk": "GOAL#" + savingsAt}).send,
		edit(savings, "2026-01-13T08:08:00Z", plainAny{"area": "Wealth", "gsi2pk": "Wealth", "gsi2sk": "GOAL#" + savingsAt}).send))

	// Metrics.
	const hours, steps, kilos = "METRIC#metric-hours", "METRIC#metric-steps", "METRIC#metric-weight"
	metric := personalKept(personalAnn, "METRIC", "metric-steps", "Health", "2026-01-13T08:00:00Z", plainAny{"name": "Steps", "description": "By the watch", "subCategory": "Body", "unit": "count",
		"customUnit": "steps", "direction": "Higher", "targetValue": 10000, "thresholdLow": 3000, "thresholdHigh": 30000, "source": "Device", "status": "Active", "cachedStreak": 0, "cachedTrend": "Stable"})
	own("Ann measures nothing yet", "48", list(me, "METRIC#", 0, 0))
	own("She starts to count her steps", "312-331", personalNew(metric).send)
	own("It is sent again and there is one metric", "312-331", personalNew(metric).again)
	own("She starts to weigh herself, with little in the form", "312-331", personalNew(personalKept(personalAnn, "METRIC", "metric-weight", "Health", "2026-01-13T09:00:00Z", plainAny{"name": "Weight", "unit": "kg", "direction": "Lower", "source": "Manual", "status": "Active"})).send)
	own("and to count her hours", "312-331", personalNew(personalKept(personalAnn, "METRIC", "metric-hours", "Wealth", "2026-01-13T10:00:00Z", plainAny{"name": "Hours", "unit": "hours", "direction": "Target", "targetValue": 8, "source": "App", "status": "Active"})).send)
	own("She lists her metrics", "48", list(me, "METRIC#", 1, 0, hours, steps, kilos))
	own("the other way round, one on a page", "48", list(me, "METRIC#", -1, 1, kilos, steps, hours))
	own("She opens one", "316-317", get(steps, plainAny{"name": "Steps", "targetValue": 10000}))
	own("She edits a metric", "320-321, 323-328", edit(steps, "2026-01-14T07:00:00Z", plainAny{"name": "Daily steps", "description": "By watch or phone", "subCategory": "Legs", "unit": "count", "customUnit": "st.", "direction": "Target",
		"targetValue": 12000, "thresholdLow": 4000, "thresholdHigh": 25000, "source": "App"}).send)
	own("She pauses it", "329", edit(steps, "2026-01-14T07:01:00Z", plainAny{"status": "Paused"}).send)
	own("and goes on", "329", edit(steps, "2026-01-14T07:02:00Z", plainAny{"status": "Active"}).send)
	own("She archives another", "329", edit(hours, "2026-01-14T07:03:00Z", plainAny{"status": "Archived"}).send)
	own("The metrics of an area", "35, 66", byArea(personalAnn, "Health", "METRIC", 1, 25, steps, kilos))
	own("She moves a metric to another area", "322, 30-33", edit(hours, "2026-01-14T07:04:00Z", plainAny{"area": "Health", "gsi2pk": "Health", "gsi2sk": "METRIC#2026-01-13T10:00:00Z"}).send)
	own("and takes it out of all areas", "84-87", edit(hours, "2026-01-14T07:05:00Z", nil, "area", "gsi2pk", "gsi2sk").send)

	// Metric logs.
	log := func(at string, value int) plainAny { // as the example has it: without updatedAt
		return plainAny{"pk": steps, "sk": "LOG#" + at, "entityType": "METRIC_LOG", "id": "log-" + at, "metricId": "metric-steps", "value": value, "notes": "Walked to work", "loggedAt": at, "userId": personalAnn, "createdAt": at}
	}
	add("Nothing is logged yet", "54", list(steps, "LOG#", 0, 0))
	first := log("2026-01-10T18:00:00Z", 10500)
	add("Ann logs her steps", "339-361", personalNew(first).send)
	add("The watch sends the same value again", "339-361", personalNew(first).again)
	add("One value is logged", "54", list(steps, "LOG#", 0, 0, "LOG#2026-01-10T18:00:00Z"))
	for i, at := range []string{"2026-01-11T18:00:00Z", "2026-01-12T07:00:00Z", "2026-01-12T19:00:00Z"} {
		add("Another value is logged", "339-346", personalNew(log(at, 9000+i)).send)
	}
	bare := personalItem(personalAnn, kilos, "LOG#2026-01-12T07:00:00Z", "METRIC_LOG", "2026-01-12T07:00:00Z", plainAny{"id": "log-kilos", "metricId": "metric-weight", "value": 84, "loggedAt": "2026-01-12T07:00:00Z"})
	add("A value without notes, with the attributes that all items have", "74-88, 339-346", personalNew(bare).send)
	logs := []string{"LOG#2026-01-10T18:00:00Z", "LOG#2026-01-11T18:00:00Z", "LOG#2026-01-12T07:00:00Z", "LOG#2026-01-12T19:00:00Z"}
	newest := slices.Clone(logs)
	slices.Reverse(newest)
	add("The chart wants all values, oldest first", "54", list(steps, "LOG#", 1, 0, logs...))
	add("The list wants the newest first, two on a page", "54", list(steps, "LOG#", -1, 2, newest...))
	add("The tile wants the last value", "54", plainQuery{table: personalTable, key: personalUnder, values: plainAny{":pk": steps, ":sk": "LOG#"}, order: -1, top: 1, id: "sk", want: newest[:1]}.send)
	between := func(from, to string, order int, page int32, want ...string) plainSend {
		return plainQuery{table: personalTable, key: "#pk = :pk AND #sk BETWEEN :from AND :to", values: plainAny{":pk": steps, ":from": "LOG#" + from, ":to": "LOG#" + to}, order: order, page: page, id: "sk", want: want}.send
	}
	add("The values of two days, to the last second of the second", "573-581", between("2026-01-10T00:00:00Z", "2026-01-11T23:59:59Z", 1, 0, logs[:2]...))
	add("The values of three days, newest first, three on a page", "573-581", between("2026-01-10T00:00:00Z", "2026-01-12T23:59:59Z", -1, 3, newest...))
	add("A month without values", "573-581", between("2026-02-01T00:00:00Z", "2026-02-28T23:59:59Z", 0, 0))
	add("She corrects a value", "344-345", plainEdit{table: personalTable, key: personalID(steps, logs[1]), set: plainAny{"value": 9500, "notes": "The watch was off", "updatedAt": "2026-01-12T20:00:00Z"}}.send)
	add("She deletes a value", "339-346", drop(steps, logs[2]))
	add("Three stay", "54", list(steps, "LOG#", 1, 0, logs[0], logs[1], logs[3]))
	own("The application keeps streak and trend", "330-331", edit(steps, "2026-01-12T20:01:00Z", plainAny{"cachedStreak": 3, "cachedTrend": "Declining"}).send)

	// Insights are a cache: each item says when it is no longer good, and who reads it must look, for DynamoDB deletes in its own time.
	now := time.Now()
	insight := func(kind, at string, good time.Duration, content plainAny) plainAny {
		until := now.Add(good)
		return personalItem(personalAnn, steps, "INSIGHT#"+kind+"#"+at, "METRIC_INSIGHT", at, plainAny{"type": kind, "content": content, "cachedAt": at,
			"expiresAt": until.UTC().Format(time.RFC3339), "ttl": int(until.Unix())})
	}
	insights := func(order int, page int32, want ...string) plainSend {
		q := personalList(steps, "INSIGHT#", order, page, want...)
		q.keep = func(item map[string]types.AttributeValue) bool {
			n, ok := item["ttl"].(*types.AttributeValueMemberN)
			if !ok {
				return false
			}
			ttl, err := strconv.ParseInt(n.Value, 10, 64)
			return err == nil && ttl > now.Unix()
		}
		return q.send
	}
	add("No insight is cached", "62", insights(0, 0))
	add("The application caches what the model found", "384-393", plainPut{personalTable, insight("pattern", "2026-01-12T21:00:00Z", 24*time.Hour, plainAny{"text": "More on Mondays", "confidence": 80})}.send)
	add("One insight is cached", "62", insights(0, 0, "INSIGHT#pattern#2026-01-12T21:00:00Z"))
	for _, kind := range []string{"anomaly", "correlation", "prediction"} {
		add("The application caches one of kind "+kind, "384-393", plainPut{personalTable, insight(kind, "2026-01-12T21:01:00Z", 24*time.Hour, plainAny{"text": "Something"})}.send)
	}
	add("One is over already", "384-393", plainPut{personalTable, insight("pattern", "2026-01-01T21:00:00Z", -24*time.Hour, plainAny{"text": "Old"})}.send)
	add("The reader sees those that are good", "62, 393", insights(1, 2, "INSIGHT#anomaly#2026-01-12T21:01:00Z", "INSIGHT#correlation#2026-01-12T21:01:00Z", "INSIGHT#pattern#2026-01-12T21:00:00Z", "INSIGHT#prediction#2026-01-12T21:01:00Z"))
	add("The same result is cached for longer", "384-393", plainPut{personalTable, insight("pattern", "2026-01-12T21:00:00Z", 48*time.Hour, plainAny{"text": "More on Mondays", "confidence": 90})}.send)
	add("A value was corrected, so an insight is thrown away", "384-393", drop(steps, "INSIGHT#anomaly#2026-01-12T21:01:00Z"))

	// Habits.
	const read, smoke, walk = "HABIT#habit-read", "HABIT#habit-smoke", "HABIT#habit-walk"
	habit := personalKept(personalAnn, "HABIT", "habit-walk", "Health", "2026-01-14T08:00:00Z", plainAny{"name": "Walk", "description": "Round the lake", "subCategory": "Legs", "habitType": "Build", "frequency": "Daily", "trigger": "After lunch",
		"action": "Put on shoes", "reward": "Coffee", "frictionUp": "", "frictionDown": "Shoes by the door", "status": "Active", "cachedStreak": 0, "cachedLongestStreak": 0, "goalIds": []string{}})
	own("Ann has no habits yet", "49", list(me, "HABIT#", 0, 0))
	own("She takes up a habit", "401-419", personalNew(habit).send)
	own("It is sent again and there is one habit", "401-419", personalNew(habit).again)
	own("She wants to quit one, with little in the form", "401-419", personalNew(personalKept(personalAnn, "HABIT", "habit-smoke", "Health", "2026-01-14T09:00:00Z", plainAny{"name": "Smoke", "habitType": "Quit", "frequency": "Daily", "status": "Active"})).send)
	own("and to keep one", "401-419", personalNew(personalKept(personalAnn, "HABIT", "habit-read", "Wealth", "2026-01-14T10:00:00Z", plainAny{"name": "Read", "habitType": "Maintain", "frequency": "Weekly", "status": "Active"})).send)
	own("She lists her habits", "49", list(me, "HABIT#", 1, 0, read, smoke, walk))
	own("the other way round, two on a page", "49", list(me, "HABIT#", -1, 2, walk, smoke, read))
	own("She opens one", "401-402", get(walk, plainAny{"name": "Walk", "trigger": "After lunch"}))
	own("She edits a habit", "405-406, 408-415", edit(walk, "2026-01-15T07:00:00Z", plainAny{"name": "Walk a mile", "description": "Round the block", "subCategory": "Body", "habitType": "Maintain", "frequency": "Custom", "trigger": "After work",
		"action": "Leave the bus early", "reward": "Tea", "frictionUp": "No bus ticket", "frictionDown": "Good shoes"}).send)
	own("She pauses a habit", "416", edit(smoke, "2026-01-15T07:01:00Z", plainAny{"status": "Paused"}).send)
	own("goes on", "416", edit(smoke, "2026-01-15T07:02:00Z", plainAny{"status": "Active"}).send)
	own("She archives one", "416", edit(read, "2026-01-15T07:03:00Z", plainAny{"status": "Archived"}).send)
	own("She moves a habit to another area, and back", "407, 30-33", plainInOrder(
		edit(smoke, "2026-01-15T07:04:00Z", plainAny{"area": "Wealth", "gsi2pk": "Wealth", "gsi2sk": "HABIT#2026-01-14T09:00:00Z"}).send,
		edit(smoke, "2026-01-15T07:05:00Z", plainAny{"area": "Health", "gsi2pk": "Health", "gsi2sk": "HABIT#2026-01-14T09:00:00Z"}).send))
	own("The habits of an area", "35, 66", byArea(personalAnn, "Health", "HABIT", -1, 25, smoke, walk))
	habitLog := func(day string, done bool, notes string) plainPut {
		item := personalItem(personalAnn, walk, "LOG#"+day, "HABIT_LOG", day+"T20:00:00Z", plainAny{"habitId": "habit-walk", "date": day, "completed": done})
		if notes != "" {
			item["notes"] = notes
		}
		return plainPut{personalTable, item}
	}
	add("The habit has no days yet", "55", list(walk, "LOG#", 0, 0))
	add("Ann ticks off a day", "427-433", habitLog("2026-01-15", true, "").send)
	add("One day is there", "55", list(walk, "LOG#", 0, 0, "LOG#2026-01-15"))
	add("She ticks it twice: a day has one item", "427-433", habitLog("2026-01-15", true, "").send)
	add("She did not manage on the next", "427-433", habitLog("2026-01-16", false, "Rain").send)
	add("The rain stopped: the day's item is written anew", "427-433", habitLog("2026-01-16", true, "After all").send)
	add("She changes the notes of a day", "432-433", plainEdit{table: personalTable, key: personalID(walk, "LOG#2026-01-16"), set: plainAny{"completed": true, "notes": "Half a mile", "updatedAt": "2026-01-16T22:00:00Z"}}.send)
	add("A third day", "427-433", habitLog("2026-01-17", true, "").send)
	add("The streak wants the last days first", "55", list(walk, "LOG#", -1, 0, "LOG#2026-01-17", "LOG#2026-01-16", "LOG#2026-01-15"))
	add("The calendar wants them in order, two on a page", "55", list(walk, "LOG#", 1, 2, "LOG#2026-01-15", "LOG#2026-01-16", "LOG#2026-01-17"))
	own("The application keeps the streaks", "417-418", edit(walk, "2026-01-17T20:01:00Z", plainAny{"cachedStreak": 3, "cachedLongestStreak": 3}).send)
	add("She takes a tick back", "427-433", drop(walk, "LOG#2026-01-17"))

	// Projects.
	const garden, kitchen = "PROJECT#project-garden", "PROJECT#project-kitchen"
	project := personalKept(personalAnn, "PROJECT", "project-kitchen", "Wealth", "2026-01-16T09:00:00Z", plainAny{"name": "New kitchen", "description": "Before Easter", "subCategory": "House", "priority": "P2", "status": "Planning", "impact": 4,
		"startDate": "2026-02-01", "endDate": "2026-04-01", "completedDate": nil, "notes": "Ask Jo", "cachedHealth": "green", "cachedProgress": 0, "goalIds": []string{}})
	own("Ann has no projects yet", "50", list(me, "PROJECT#", 0, 0))
	own("She plans a project", "441-458", personalNew(project).send)
	own("It is sent again and there is one project", "441-458", personalNew(project).again)
	own("She plans another with little", "441-458", personalNew(personalKept(personalAnn, "PROJECT", "project-garden", "Health", "2026-01-16T08:00:00Z", plainAny{"name": "Garden", "status": "Planning"})).send)
	own("She lists her projects", "50", list(me, "PROJECT#", 1, 0, garden, kitchen))
	own("the other way round, one on a page", "50", list(me, "PROJECT#", -1, 1, kitchen, garden))
	own("She opens one", "441-442", get(kitchen, plainAny{"name": "New kitchen", "impact": 4}))
	own("She edits a project", "445-446, 448-449, 451-453, 455", edit(kitchen, "2026-01-17T07:00:00Z", plainAny{"name": "Kitchen", "description": "Before May", "subCategory": "Home", "priority": "P1", "impact": 5, "startDate": "2026-02-15", "endDate": "2026-05-01", "notes": "Jo knows"}).send)
	for i, state := range []string{"Active", "OnHold", "Active"} {
		own("The project moves to "+state, "450", edit(kitchen, fmt.Sprintf("2026-01-17T07:0%d:30Z", i), plainAny{"status": state}).send)
	}
	own("It is completed, and when", "450, 454", edit(kitchen, "2026-01-17T07:10:00Z", plainAny{"status": "Completed", "completedDate": "2026-01-17"}).send)
	own("The other is cancelled", "450", edit(garden, "2026-01-17T07:11:00Z", plainAny{"status": "Cancelled"}).send)
	own("The application keeps health and progress", "456-457", edit(kitchen, "2026-01-17T07:12:00Z", plainAny{"cachedHealth": "yellow", "cachedProgress": 100}).send)
	own("The projects of an area", "35, 66", byArea(personalAnn, "Health", "PROJECT", 0, 25, garden))
	own("She moves a project to another area, and back", "447, 30-33", plainInOrder(
		edit(garden, "2026-01-17T07:13:00Z", plainAny{"area": "Wealth", "gsi2pk": "Wealth", "gsi2sk": "PROJECT#2026-01-16T08:00:00Z"}).send,
		edit(garden, "2026-01-17T07:14:00Z", plainAny{"area": "Health", "gsi2pk": "Health", "gsi2sk": "PROJECT#2026-01-16T08:00:00Z"}).send))
	health := []string{weight, marathon, walk, smoke, steps, kilos, garden, gym, meal, report}
	own("All of an area on one page, by kind and date", "35, 66", byArea(personalAnn, "Health", "", 1, 100, health...))
	backward := slices.Clone(health)
	slices.Reverse(backward)
	own("All of an area, the other way round, four on a page", "35, 66", byArea(personalAnn, "Health", "", -1, 4, backward...))
	own("An area with nothing in it", "66", byArea(personalAnn, "Family", "", 0, 25))

	// Links stand as items of the goal or the project, and as lists of ids in what is linked.
	link := func(from, to, kind string) plainNew {
		return personalNew(personalItem(personalAnn, from, to, kind, "2026-01-18T08:00:00Z", nil))
	}
	for _, l := range []struct{ prefix, cite string }{{"TASK#", "56"}, {"METRIC#", "57"}, {"HABIT#", "58"}, {"ACTIVITY#", "63"}} {
		add("A goal without anything under "+l.prefix, l.cite, list(weight, l.prefix, 0, 0))
	}
	add("A project without tasks", "60", list(kitchen, "TASK#", 0, 0))
	bareLink := plainNew{personalTable, []string{"pk", "sk"}, plainAny{"pk": weight, "sk": meal, "entityType": "GOAL_TASK"}}
	add("Ann links a task to a goal: the link has no more than its key and kind", "271-275", bareLink.send)
	add("The link is sent again and stands once", "56, 271-275", bareLink.again)
	own("and the task knows its goal", "148", edit(meal, "2026-01-18T08:00:00Z", plainAny{"goalIds": []string{"goal-weight"}}).send)
	add("One task is linked to the goal", "56, 564-571", list(weight, "TASK#", 0, 0, meal))
	linking := plainTransaction{writes: []plainWrite{link(weight, gym, "GOAL_TASK"), edit(gym, "2026-01-18T08:01:00Z", plainAny{"goalIds": []string{"goal-weight"}})}}
	own("She links another, both sides at once", "148, 271-275", linking.send)
	own("The request is sent again: the link stands", "148, 271-275", linking.lost)
	own("She writes down a task that belongs to a goal and a project from the start", "126-153, 271-275, 464-468", plainTransaction{writes: []plainWrite{
		personalNew(personalTask(personalAnn, "task-tiles", "Choose tiles", "Wealth", "NotStarted", "2026-01-18T08:02:00Z", plainAny{"goalIds": []string{"goal-weight"}, "projectIds": []string{"project-kitchen"}})),
		link(weight, "TASK#task-tiles", "GOAL_TASK"), link(kitchen, "TASK#task-tiles", "PROJECT_TASK")}}.send)
	add("Three tasks are linked to the goal", "56, 564-571", list(weight, "TASK#", 1, 0, gym, meal, "TASK#task-tiles"))
	add("the other way round, two on a page", "56", list(weight, "TASK#", -1, 2, "TASK#task-tiles", meal, gym))
	add("She links a metric to the goal", "279-283", link(weight, kilos, "GOAL_METRIC").send)
	add("One metric is linked", "57", list(weight, "METRIC#", 0, 0, kilos))
	add("She links another metric", "279-283", link(weight, steps, "GOAL_METRIC").send)
	add("Two are linked, one on a page", "57", list(weight, "METRIC#", 1, 1, steps, kilos))
	add("She links a habit to the goal", "287-291", link(weight, walk, "GOAL_HABIT").send)
	own("and the habit knows its goal", "419", edit(walk, "2026-01-18T08:03:00Z", plainAny{"goalIds": []string{"goal-weight"}}).send)
	add("One habit is linked", "58", list(weight, "HABIT#", 0, 0, walk))
	own("She links another habit, both sides at once", "287-291, 419", plainTransaction{writes: []plainWrite{
		link(weight, smoke, "GOAL_HABIT"), edit(smoke, "2026-01-18T08:04:00Z", plainAny{"goalIds": []string{"goal-weight"}})}}.send)
	add("Two habits are linked", "58", list(weight, "HABIT#", -1, 0, walk, smoke))
	add("She links a task to the project", "464-468", link(kitchen, taxes, "PROJECT_TASK").send)
	own("and the task knows its project", "149", edit(taxes, "2026-01-18T08:05:00Z", plainAny{"projectIds": []string{"project-kitchen"}}).send)
	add("Two tasks are linked to the project", "60", list(kitchen, "TASK#", 1, 0, taxes, "TASK#task-tiles"))
	add("the other way round, one on a page", "60", list(kitchen, "TASK#", -1, 1, "TASK#task-tiles", taxes))
	own("A project knows its goals", "458", edit(kitchen, "2026-01-18T08:06:00Z", plainAny{"goalIds": []string{"goal-savings", "goal-weight"}}).send)
	own("She unlinks a task from the goal, both sides at once", "148, 271-275", plainTransaction{writes: []plainWrite{
		plainDelete{personalTable, personalID(weight, gym)}, edit(gym, "2026-01-18T08:07:00Z", plainAny{"goalIds": []string{}})}}.send)
	add("She unlinks a metric", "279-283", drop(weight, steps))
	add("The removal is sent again", "279-283", drop(weight, steps))
	add("She unlinks a habit", "287-291", drop(weight, smoke))
	own("and the habit forgets the goal", "419", edit(smoke, "2026-01-18T08:08:00Z", plainAny{"goalIds": []string{}}).send)
	add("She unlinks a task from the project", "464-468", drop(kitchen, taxes))
	own("and the task forgets the project", "149", edit(taxes, "2026-01-18T08:09:00Z", plainAny{"projectIds": []string{}}).send)
	add("What is linked is what was not unlinked", "56-58, 60", plainInOrder(list(weight, "TASK#", 0, 0, meal, "TASK#task-tiles"), list(weight, "METRIC#", 0, 0, kilos),
		list(weight, "HABIT#", 0, 0, walk), list(kitchen, "TASK#", 0, 0, "TASK#task-tiles")))

	// Goal activities.
	activity := func(at, kind, title string, more plainAny) plainNew {
		item := personalItem(personalAnn, weight, "ACTIVITY#"+at, "GOAL_ACTIVITY", at, plainAny{"type": kind, "title": title})
		maps.Copy(item, more)
		return personalNew(item)
	}
	did := activity("2026-01-18T09:00:00Z", "task_completed", "Went to the gym", plainAny{"description": "An hour", "relatedEntityType": "TASK", "relatedEntityId": "task-gym"})
	add("What happens to a goal is kept", "299-306", did.send)
	add("It is sent again and stands once", "299-306", did.again)
	add("One activity is there", "63", list(weight, "ACTIVITY#", 0, 0, "ACTIVITY#2026-01-18T09:00:00Z"))
	add("An activity that is related to nothing", "299-306", activity("2026-01-18T09:01:00Z", "note_added", "Wrote a note", nil).send)
	add("A third", "299-306", activity("2026-01-18T09:02:00Z", "criterion_completed", "Reached 180 lbs", plainAny{"relatedEntityType": "GOAL", "relatedEntityId": "goal-weight"}).send)
	add("The goal's page shows the newest first, two on a page", "63", list(weight, "ACTIVITY#", -1, 2, "ACTIVITY#2026-01-18T09:02:00Z", "ACTIVITY#2026-01-18T09:01:00Z", "ACTIVITY#2026-01-18T09:00:00Z"))
	add("or the story from its beginning", "63", list(weight, "ACTIVITY#", 1, 0, "ACTIVITY#2026-01-18T09:00:00Z", "ACTIVITY#2026-01-18T09:01:00Z", "ACTIVITY#2026-01-18T09:02:00Z"))
	add("She deletes one that she did not mean", "299-300", drop(weight, "ACTIVITY#2026-01-18T09:01:00Z"))
	add("Two activities stay", "63", list(weight, "ACTIVITY#", 1, 0, "ACTIVITY#2026-01-18T09:00:00Z", "ACTIVITY#2026-01-18T09:02:00Z"))
	own("and the goal says when it last moved", "235", edit(weight, "2026-01-18T09:02:00Z", plainAny{"lastActivityAt": "2026-01-18T09:02:00Z"}).send)

	// Logbook: one entry a day.
	entry := personalItem(personalAnn, me, "LOGBOOK#2026-01-10", "LOGBOOK", "2026-01-10T21:00:00Z", plainAny{"id": "entry-1", "date": "2026-01-10", "title": "A good day", "notes": "# Today\n\nWalked.", "mood": "High", "energy": 8,
		"linkedTaskIds": []string{"task-gym", "task-meal"}, "linkedGoalIds": []string{"goal-weight"}, "linkedHabitIds": []string{"habit-walk"}, "linkedProjectIds": []string{"project-kitchen"}})
	own("Ann has written nothing yet", "51", list(me, "LOGBOOK#", 0, 0))
	own("and nothing today", "476-477", get("LOGBOOK#2026-01-10", nil))
	own("She writes her day down", "476-488", personalNew(entry).send)
	own("It is sent again and there is one entry", "476-488", personalNew(entry).again)
	own("One entry is listed", "51", list(me, "LOGBOOK#", 0, 0, "LOGBOOK#2026-01-10"))
	own("She writes a short one", "476-484", personalNew(personalItem(personalAnn, me, "LOGBOOK#2026-01-11", "LOGBOOK", "2026-01-11T21:00:00Z", plainAny{"id": "entry-2", "date": "2026-01-11", "mood": "Low", "energy": 2})).send)
	own("and another, from the form that saves as she types", "476-484", plainPut{personalTable, personalItem(personalAnn, me, "LOGBOOK#2026-01-12", "LOGBOOK", "2026-01-12T21:00:00Z",
		plainAny{"id": "entry-3", "date": "2026-01-12", "title": "So so", "notes": "", "mood": "Steady", "energy": 5, "linkedTaskIds": []string{}})}.send)
	own("She leafs back, two on a page", "51", list(me, "LOGBOOK#", -1, 2, "LOGBOOK#2026-01-12", "LOGBOOK#2026-01-11", "LOGBOOK#2026-01-10"))
	own("She reads from the beginning", "51", list(me, "LOGBOOK#", 1, 0, "LOGBOOK#2026-01-10", "LOGBOOK#2026-01-11", "LOGBOOK#2026-01-12"))
	own("She edits an entry", "481-488", edit("LOGBOOK#2026-01-11", "2026-01-12T21:05:00Z", plainAny{"title": "Tired", "notes": "Slept badly", "mood": "Steady", "energy": 3,
		"linkedTaskIds": []string{"task-call"}, "linkedGoalIds": []string{}, "linkedHabitIds": []string{"habit-read"}, "linkedProjectIds": []string{}}).send)
	own("She opens that day", "476-477", get("LOGBOOK#2026-01-11", plainAny{"title": "Tired", "energy": 3, "linkedTaskIds": []string{"task-call"}}))
	own("She deletes an entry", "476-477", drop(me, "LOGBOOK#2026-01-12"))

	// Rewards.
	const coffee, massage = "REWARD#reward-coffee", "REWARD#reward-massage"
	reward := personalItem(personalAnn, me, coffee, "REWARD", "2026-01-19T08:00:00Z", plainAny{"id": "reward-coffee", "title": "Coffee out", "description": "With cake", "category": "Quick Treat", "pointCost": 80, "icon": "☕",
		"imageUrl": "https://example.com/coffee.png", "isAutomated": false, "automationInstructions": "", "cooldownHours": 4, "maxRedemptionsPerDay": 2, "status": "Active"})
	own("Ann has thought of no rewards yet", "53", list(me, "REWARD#", 0, 0))
	own("She thinks of a reward", "496-510", personalNew(reward).send)
	own("It is sent again and there is one reward", "496-510", personalNew(reward).again)
	own("One reward is listed", "53", list(me, "REWARD#", 0, 0, coffee))
	own("She thinks of another, with little", "496-510", personalNew(personalItem(personalAnn, me, massage, "REWARD", "2026-01-19T08:01:00Z", plainAny{"id": "reward-massage", "title": "Massage", "category": "Weekly Reward", "pointCost": 500, "status": "Active"})).send)
	own("She lists her rewards", "53", list(me, "REWARD#", 1, 0, coffee, massage))
	own("the other way round, one on a page", "53", list(me, "REWARD#", -1, 1, massage, coffee))
	own("She edits a reward", "500-509", edit(massage, "2026-01-19T08:02:00Z", plainAny{"title": "A massage", "description": "An hour", "category": "Daily Delight", "pointCost": 450, "icon": "💆", "imageUrl": "https://example.com/m.png",
		"isAutomated": true, "automationInstructions": "Book it", "cooldownHours": 48, "maxRedemptionsPerDay": 1}).send)
	own("She archives it, and takes it up again", "510", plainInOrder(edit(massage, "2026-01-19T08:03:00Z", plainAny{"status": "Archived"}).send, edit(massage, "2026-01-19T08:04:00Z", plainAny{"status": "Active"}).send))

	// The wallet: the balance, its cause and the entry that explains it change together, or a retry would pay twice.
	points := func(at string, amount int, when string, values plainAny) plainEdit {
		set := plainAny{"balance": plainPlus(amount)}
		if amount > 0 {
			set["lifetimeEarned"] = plainPlus(amount)
		} else {
			set["lifetimeSpent"] = plainPlus(-amount)
		}
		e := edit("WALLET", at, set)
		e.when, e.values = when, values
		return e
	}
	entryOf := func(at string, amount int, kind, reason string, more plainAny) plainNew {
		item := personalItem(personalAnn, me, "WALLET_TXN#"+at, "WALLET_TRANSACTION", at, plainAny{"id": "txn-" + at, "amount": amount, "type": kind, "reason": reason})
		maps.Copy(item, more)
		return personalNew(item)
	}
	balance := func(now, earned, spent int) plainSend {
		return plainGet{table: personalTable, key: personalID(me, "WALLET"), want: plainAny{"balance": now, "lifetimeEarned": earned, "lifetimeSpent": spent}, strong: true}.send
	}
	own("Ann's wallet is empty", "52", get("WALLET", plainAny{"balance": 0, "lifetimeEarned": 0, "lifetimeSpent": 0}))
	own("and has no history", "531-532", list(me, "WALLET_TXN#", 0, 0))
	awarded := edit(gym, "2026-01-20T08:00:00Z", plainAny{"pointsAwarded": true})
	awarded.when, awarded.values = "#pointsAwarded = :not", plainAny{":not": false}
	award := plainTransaction{writes: []plainWrite{awarded, points("2026-01-20T08:00:00Z", 120, "", nil),
		entryOf("2026-01-20T08:00:00Z", 120, "earned", "Task done", plainAny{"taskId": "task-gym"})}}
	own("A task that is done earns its points, once", "145-146, 518-523, 531-538", award.send)
	own("It is sent again and earns nothing more", "52, 146", plainInOrder(award.lost, balance(120, 120, 0)))
	own("One entry is in the history", "531-532", list(me, "WALLET_TXN#", 0, 0, "WALLET_TXN#2026-01-20T08:00:00Z"))
	add("A metric without milestones", "61", list(steps, "MILESTONE#", 0, 0))
	milestone := func(id, kind string, value, points int, at string) plainNew {
		return personalNew(personalItem(personalAnn, steps, "MILESTONE#"+id, "METRIC_MILESTONE", at, plainAny{"id": id, "metricId": "metric-steps", "type": kind, "value": value, "achievedAt": at, "pointsAwarded": points}))
	}
	reached := plainTransaction{writes: []plainWrite{milestone("streak_7", "streak", 7, 50, "2026-01-20T08:10:00Z"), points("2026-01-20T08:10:00Z", 50, "", nil),
		entryOf("2026-01-20T08:10:00Z", 50, "earned", "Seven days on end", plainAny{"metricId": "metric-steps"})}}
	own("A milestone earns points, once", "370-378, 518-523, 531-539", reached.send)
	own("It is sent again and earns nothing more", "52, 370-378", plainInOrder(reached.lost, balance(170, 170, 0)))
	add("One milestone is reached", "61", list(steps, "MILESTONE#", 0, 0, "MILESTONE#streak_7"))
	quiet := milestone("target_1", "target_reached", 10000, 0, "2026-01-20T08:11:00Z")
	add("A milestone that earns nothing", "370-378", quiet.send)
	add("It is sent again and stands once", "370-378", quiet.again)
	add("Two milestones are reached, one on a page", "61", list(steps, "MILESTONE#", 1, 1, "MILESTONE#streak_7", "MILESTONE#target_1"))
	add("the other way round", "61", list(steps, "MILESTONE#", -1, 0, "MILESTONE#target_1", "MILESTONE#streak_7"))
	own("She gives herself points by hand", "518-523, 531-537", plainTransaction{writes: []plainWrite{points("2026-01-20T08:20:00Z", 30, "", nil), entryOf("2026-01-20T08:20:00Z", 30, "manual", "Helped a neighbour", nil)}}.send)
	redeem := func(at string, cost int, id string) plainTransaction {
		return plainTransaction{writes: []plainWrite{points(at, -cost, "#balance >= :cost", plainAny{":cost": cost}), entryOf(at, -cost, "spent", "Reward", plainAny{"rewardId": id})}}
	}
	own("Before she redeems a reward, its cost, its pause and what was redeemed today are looked up", "52, 503, 508-509, 531-532", plainInOrder(
		get(coffee, plainAny{"pointCost": 80, "cooldownHours": 4, "maxRedemptionsPerDay": 2, "status": "Active"}), balance(200, 200, 0),
		list(me, "WALLET_TXN#", -1, 0, "WALLET_TXN#2026-01-20T08:20:00Z", "WALLET_TXN#2026-01-20T08:10:00Z", "WALLET_TXN#2026-01-20T08:00:00Z")))
	spend := redeem("2026-01-20T09:00:00Z", 80, "reward-coffee")
	own("She redeems it", "503, 518-523, 531-540", spend.send)
	own("It is sent again and costs nothing more", "52, 531-540", plainInOrder(spend.lost, balance(120, 200, 80)))
	own("She has not enough points for the other: nothing changes", "503, 521", plainInOrder(redeem("2026-01-20T09:10:00Z", 450, "reward-massage").lost, balance(120, 200, 80)))
	own("She takes points off by hand", "518-523, 531-537", plainTransaction{writes: []plainWrite{points("2026-01-20T09:20:00Z", -20, "#balance >= :cost", plainAny{":cost": 20}), entryOf("2026-01-20T09:20:00Z", -20, "manual", "Skipped a day", nil)}}.send)
	own("Her wallet", "52", get("WALLET", plainAny{"balance": 100, "lifetimeEarned": 200, "lifetimeSpent": 100}))
	own("The history, newest first, two on a page", "531-532", list(me, "WALLET_TXN#", -1, 2, "WALLET_TXN#2026-01-20T09:20:00Z", "WALLET_TXN#2026-01-20T09:00:00Z",
		"WALLET_TXN#2026-01-20T08:20:00Z", "WALLET_TXN#2026-01-20T08:10:00Z", "WALLET_TXN#2026-01-20T08:00:00Z"))
	own("The history from its beginning", "531-532", list(me, "WALLET_TXN#", 1, 0, "WALLET_TXN#2026-01-20T08:00:00Z", "WALLET_TXN#2026-01-20T08:10:00Z",
		"WALLET_TXN#2026-01-20T08:20:00Z", "WALLET_TXN#2026-01-20T09:00:00Z", "WALLET_TXN#2026-01-20T09:20:00Z"))
	own("A task that comes back is done, and the next is written down", "138, 142-144", plainInOrder(
		status(report, "Done", "2026-01-11T09:00:00Z", "2026-01-31T08:00:00Z", plainAny{"completedDate": "2026-01-31T08:00:00Z"}).send,
		personalNew(personalTask(personalAnn, "task-report-2", "Monthly report", "Health", "NotStarted", "2026-01-31T08:00:00Z",
			plainAny{"isRecurring": true, "recurrenceRule": plainAny{"frequency": "monthly", "interval": 1, "endDate": "2026-12-31"}})).send))

	// Single things are deleted, with what hangs on them.
	add("Ann deletes a task: first its links", "56, 271-275", drop(weight, meal))
	add("and what it waited for", "59, 192-198", personalClear(meal, "DEP#"))
	own("then the task", "128-129", drop(me, meal))
	own("The deletion is sent again", "128-129", drop(me, meal))
	own("and the task is gone from the list", "44", list(me, "TASK#", 1, 0, call, gym, report, "TASK#task-report-2", taxes, "TASK#task-tiles"))
	add("She deletes a task for which others wait: they wait no more", "59, 192-198", plainInOrder(drop(report, "DEP#task-taxes"), drop(call, "DEP#task-taxes")))
	own("then the task", "128-129", drop(me, taxes))
	own("She deletes a goal: goals below it are below none", "46, 234", plainInOrder(list(me, "GOAL#", 0, 0, marathon, savings, weight), edit(marathon, "2026-02-01T08:00:00Z", plainAny{"parentGoalId": nil}).send))
	own("what was linked forgets it", "148, 419, 458", plainInOrder(edit("TASK#task-tiles", "2026-02-01T08:01:00Z", plainAny{"goalIds": []string{}}).send,
		edit(walk, "2026-02-01T08:02:00Z", plainAny{"goalIds": []string{}}).send, edit(kitchen, "2026-02-01T08:03:00Z", plainAny{"goalIds": []string{"goal-savings"}}).send,
		edit("LOGBOOK#2026-01-10", "2026-02-01T08:04:00Z", plainAny{"linkedGoalIds": []string{}}).send))
	add("its links and activities go", "56-58, 63", plainInOrder(personalClear(weight, "TASK#"), personalClear(weight, "METRIC#"), personalClear(weight, "HABIT#"), personalClear(weight, "ACTIVITY#")))
	own("then the goal", "218-219", drop(me, weight))
	add("She deletes a metric: its values, milestones and insights go", "54, 61-62", plainInOrder(personalClear(kilos, "LOG#"), personalClear(kilos, "MILESTONE#"), personalClear(kilos, "INSIGHT#")))
	own("then the metric", "316-317", drop(me, kilos))
	add("She deletes a habit: its days go", "55", personalClear(smoke, "LOG#"))
	own("then the habit", "401-402", drop(me, smoke))
	add("She deletes a project: its links go", "60", personalClear(kitchen, "TASK#"))
	own("the tasks forget it, then the project goes", "149, 441-442", plainInOrder(edit("TASK#task-tiles", "2026-02-01T08:05:00Z", plainAny{"projectIds": []string{}}).send, drop(me, kitchen)))
	own("She deletes a reward", "496-497", drop(me, massage))
	add("She deletes a milestone of a value that was wrong", "370-371", drop(steps, "MILESTONE#target_1"))

	// An account is deleted: first what hangs on the user's items, for it cannot be found without them; the profile goes last, so that a deletion that stopped can be run again.
	under := []struct {
		what, cite, kind string
		prefixes         []string
	}{
		{"links and activities of her goals", "46, 56-58, 63", "GOAL#", []string{"TASK#", "METRIC#", "HABIT#", "ACTIVITY#"}},
		{"dependencies of her tasks", "44, 59", "TASK#", []string{"DEP#"}},
		{"values, milestones and insights of her metrics", "48, 54, 61-62", "METRIC#", []string{"LOG#", "MILESTONE#", "INSIGHT#"}},
		{"days of her habits", "49, 55", "HABIT#", []string{"LOG#"}},
		{"links of her projects", "50, 60", "PROJECT#", []string{"TASK#"}},
	}
	kinds := []string{"TASK#", "GOAL#", "METRIC#", "HABIT#", "PROJECT#", "LOGBOOK#", "REWARD#", "WALLET_TXN#"}
	for _, who := range []struct {
		as, other Caller
		name      string
	}{{ann, ben, "Ann"}, {cyn, ann, "Cyn"}} {
		as, other = who.as, who.other
		pk := "USER#" + as.User
		for _, u := range under {
			add(who.name+" deletes her account: "+u.what, u.cite, personalClearUnder(pk, u.kind, u.prefixes...))
		}
		var clear, gone []plainSend
		for _, kind := range kinds {
			clear = append(clear, personalClear(pk, kind))
			gone = append(gone, list(pk, kind, 0, 0))
		}
		last := plainInOrder(append(clear, drop(pk, "WALLET"), drop(pk, "PROFILE"))...)
		own("and all that is in her partition, the profile last", "43-53, 518-519, 531-532", last)
		own("The deletion is run again and finds nothing to do", "43-53, 518-519, 531-532", last)
		gone = append(gone, plainGet{table: personalTable, key: personalID(pk, "WALLET")}.send, plainGet{table: personalTable, key: personalID(pk, "PROFILE")}.send)
		own("Nothing of hers is left", "43-53", plainInOrder(gone...))
	}
	add("Nor is anything left below her metric", "54, 61-62", plainInOrder(list(steps, "LOG#", 0, 0), list(steps, "MILESTONE#", 0, 0), list(steps, "INSIGHT#", 0, 0)))
	as, other = ben, ann
	own("Ben has what he had", "43-44, 46, 52", plainInOrder(plainGet{table: personalTable, key: personalID("USER#"+personalBen, "PROFILE"), want: plainAny{"displayName": "Ben"}}.send,
		plainGet{table: personalTable, key: personalID("USER#"+personalBen, "WALLET"), want: plainAny{"balance": 0}}.send,
		list("USER#"+personalBen, "TASK#", 0, 0, "TASK#task-ben-run"), list("USER#"+personalBen, "GOAL#", 0, 0, "GOAL#goal-ben-read")))

	return Service{Design: "personal-os", Days: days}
}

const personalUnder = "#pk = :pk AND begins_with(#sk, :sk)"

func personalID(pk, sk string) plainAny { return plainAny{"pk": pk, "sk": sk} }

func personalNew(item plainAny) plainNew {
	return plainNew{table: personalTable, key: []string{"pk", "sk"}, item: item}
}

func personalList(pk, prefix string, order int, page int32, want ...string) plainQuery {
	return plainQuery{table: personalTable, key: personalUnder, values: plainAny{":pk": pk, ":sk": prefix}, order: order, page: page, id: "sk", want: want}
}

// personalItem has the attributes of all items (74-88); the owner is left out where user is empty.
func personalItem(user, pk, sk, kind, created string, more plainAny) plainAny {
	item := plainAny{"pk": pk, "sk": sk, "entityType": kind, "createdAt": created, "updatedAt": created}
	if user != "" {
		item["userId"] = user
	}
	maps.Copy(item, more)
	return item
}

func personalWallet(user, created string) plainAny {
	return personalItem(user, "USER#"+user, "WALLET", "WALLET", created, plainAny{"balance": 0, "lifetimeEarned": 0, "lifetimeSpent": 0})
}

// personalKept is something that a user keeps and that has an area: all of them are found by it (30-35, 66).
func personalKept(user, kind, id, area, created string, more plainAny) plainAny {
	item := personalItem(user, "USER#"+user, kind+"#"+id, kind, created, plainAny{"id": id})
	if area != "" {
		item["area"], item["gsi2pk"], item["gsi2sk"] = area, area, kind+"#"+created
	}
	maps.Copy(item, more)
	return item
}

// personalTask and personalGoal are found by their state too (23-26, 64-65).
func personalTask(user, id, title, area, status, created string, more plainAny) plainAny {
	item := personalKept(user, "TASK", id, area, created, plainAny{"title": title, "status": status, "gsi1pk": "TASK", "gsi1sk": status + "#" + created})
	maps.Copy(item, more)
	return item
}

func personalGoal(user, id, title, area, status, created string, more plainAny) plainAny {
	item := personalKept(user, "GOAL", id, area, created, plainAny{"title": title, "status": status, "gsi1pk": "GOAL", "gsi1sk": status + "#" + created})
	maps.Copy(item, more)
	return item
}

// personalClear deletes whatever has a key prefix.
func personalClear(pk, prefix string) plainSend {
	return personalEach(pk, prefix, func(sk string) plainSend { return plainDelete{personalTable, personalID(pk, sk)}.send })
}

// personalClearUnder deletes what hangs on each of a user's items of one kind: the sort key of those is the partition key of these.
func personalClearUnder(pk, kind string, prefixes ...string) plainSend {
	return personalEach(pk, kind, func(sk string) plainSend {
		var clear []plainSend
		for _, prefix := range prefixes {
			clear = append(clear, personalClear(sk, prefix))
		}
		return plainInOrder(clear...)
	})
}

// personalEach does something with the sort key of whatever has a key prefix.
func personalEach(pk, prefix string, do func(sk string) plainSend) plainSend {
	return func(ctx context.Context, c *dynamodb.Client, t Tables) error {
		q := personalList(pk, prefix, 0, 25)
		q.strong = true
		items, err := q.items(ctx, c, t)
		if err != nil {
			return err
		}
		return each(items, func(item Item) error { return do(text(item, "sk"))(ctx, c, t) })
	}
}
