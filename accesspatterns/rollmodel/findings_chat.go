package rollmodel

import ap "dynaproof/accesspatterns"

// The AI chat.
func chatFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "messages-without-owner", Kind: ap.Hazard, Severity: ap.High,
			Title:    "Whoever knows a thread's id reads its messages",
			Cite:     ap.Line(26, "PK = AI_THREAD#{threadId}").And(ap.Line(51, "messageId", "threadId"), ap.Line(203, "AI_THREAD#{threadId}")),
			Literal:  "The messages' partition names no user and neither do the messages: the query answers without regard to who asks.",
			Resolved: "Reading and storing begin with the thread under the user's partition, and stop when it is not there. A message may be stored by itself, as the line says; where the thread must still be there it is written with it.",
			Claims:   []string{"pattern/list-ai-messages", "pattern/store-ai-message", "pattern/store-ai-message-once"},
		},
		{
			ID: "thread-id-of-two-users", Kind: ap.Hazard, Severity: ap.High,
			Title:    "Two users with the same thread id share one partition of messages",
			Cite:     ap.Lines(25, 26, "PK = USER#{userId}", "PK = AI_THREAD#{threadId}"),
			Literal:  "Each user's thread is an item of its own, so both ownership checks pass, and both read the first user's messages.",
			Resolved: "Thread ids are unique over all users (random, never counted). No condition can enforce that with the documented keys.",
		},
		{
			ID: "message-content-is-no-json", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "The content of the example message looks like JSON and is none",
			Cite:     ap.Line(168, "content", `\"extracted_updates\":{...}`, `\"suggested_prompts\":[...]`),
			Literal:  "The value is one String with dots in place of values: nothing in it can be addressed, and a parser fails on it.",
			Resolved: "The content is an opaque string: stored and returned as it is, never parsed.",
			Claims:   []string{"example/msg-777"},
		},
		{
			ID: "threads-not-by-activity", Kind: ap.Hazard, Severity: ap.Low,
			Title:    "Threads sort by id, not by their last activity, and the example's activity is older than its message",
			Cite:     ap.Line(25, "SK = AI_THREAD#{threadId}").And(ap.Line(48, "lastActiveAt"), ap.Line(155, "12:10:00.000Z"), ap.Line(170, "12:11:00.000Z")),
			Literal:  "A query in either direction follows the ids as text: thread-10 stands between thread-1 and thread-2 whatever was active last. That a message moves lastActiveAt is not said, and the example's is a minute older than the message in it.",
			Resolved: "The list has no documented order. A message may move its thread or not; where a reader sorts by lastActiveAt, messages are stored with the thread.",
			Claims:   []string{"pattern/list-ai-threads", "pattern/store-ai-message", "pattern/store-ai-message-once"},
			Open:     []string{"rule/ai-thread/lastActiveAt-of-last-message"},
		},
		{
			ID: "user-or-athlete", Kind: ap.Gap, Severity: ap.Low,
			Title:    "Threads belong to a user, everything else in the partition to an athlete",
			Cite:     ap.Line(25, "USER#{userId}").And(ap.Lines(21, 22, "USER#{athleteId}"), ap.Line(48, "threadId")),
			Literal:  "Both ids fill the same partition. Whether a coach has chats, in a partition of his or her own, is not said; the thread itself names no user.",
			Resolved: "The user id of the example is the athlete's. A user is whoever chats under the own id: a coach has that role beside the coach's own.",
			Claims:   []string{"pattern/store-ai-thread", "policy/confinement/user"},
			Static:   "Two names for one segment: both forms give the same key, so no request tells them apart.",
		},
	}
}
