package rollmodel

import ap "dynaproof/accesspatterns"

// The eight items that the document writes out, each in a code fence of its own.
// Seven of them stand below headings of other sections.
func examples() []ap.Example {
	return []ap.Example{
		{ID: "entry-abc", Entity: "entry", Cite: ap.Lines(64, 85, `"entryId": "entry-abc"`, `"schemaVersion": 1`, `"ENTRY"`)},
		{ID: "entry-abc-meta", Entity: "entry-meta", Cite: ap.Lines(110, 116, `"ENTRY#entry-abc"`, `"META"`, `"ENTRY_META"`)},
		{ID: "link-coach-999", Entity: "coach-athlete-link", Cite: ap.Lines(121, 128, `"COACH#coach-999"`, `"COACH_LINK"`)},
		{ID: "comment-456", Entity: "comment", Cite: ap.Lines(133, 143, `"commentId": "comment-456"`, `"COMMENT"`, `"visible"`)},
		{ID: "thread-555", Entity: "ai-thread", Cite: ap.Lines(148, 156, `"threadId": "thread-555"`, `"AI_THREAD"`)},
		{ID: "msg-777", Entity: "ai-message", Cite: ap.Lines(161, 171, `"messageId": "msg-777"`, `"AI_MESSAGE"`, `"assistant"`)},
		{ID: "keyword-guard", Entity: "keyword-shared", Cite: ap.Lines(176, 183, `"USER#athlete-123"`, "KW#guard#TS#", `"shared"`)},
		{ID: "keyword-injury", Entity: "keyword-private", Cite: ap.Lines(188, 195, `"USER_PRIVATE#athlete-123"`, "KW#injury#TS#", `"private"`)},
	}
}
