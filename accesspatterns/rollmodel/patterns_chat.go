package rollmodel

import ap "dynaproof/accesspatterns"

// ownThread is the ownership check of a chat: messages say whose thread they
// are in nowhere but in the thread's own item.
func ownThread() ap.Step {
	return ap.Step{
		Name: "thread", Cite: ap.Line(25, "PK = USER#{userId}", "SK = AI_THREAD#{threadId}"), StopWhenEmpty: true,
		Read: ap.Get(table, ap.Equals("PK", "USER#{userId}"), ap.Is("SK", "AI_THREAD#{threadId}")),
	}
}

func threadKey() []ap.Equality { return key("USER#{userId}", "AI_THREAD#{threadId}") }

// active moves the thread to the time of a message.
func active() []ap.Assignment {
	return []ap.Assignment{{Attribute: "lastActiveAt", Value: ap.Text("{ISODate}")}}
}

// message puts a message of the flow's thread.
func message(condition []ap.WriteCondition) ap.Action {
	return ap.Action{Kind: ap.Put, Table: table, Entity: "ai-message", Item: "message", Condition: condition,
		With: with("PK", "AI_THREAD#{threadId}", "createdAt", "{ISODate}")}
}

func chatPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "store-ai-thread", Title: "AI chat: store a new thread, alone or with its first message",
			Cite:  ap.Line(203, "AI chat", "store threads/messages", "USER#{userId}"),
			Roles: []string{athlete, user},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(203, "store threads"), Write: []ap.Action{
				{Kind: ap.Put, Table: table, Entity: "ai-thread", Item: "thread", With: with("PK", "USER#{userId}", "SK", "AI_THREAD#{threadId}")},
				{Kind: ap.Put, Table: table, Entity: "ai-message", Item: "message", Times: ap.AtMostOnce, With: with("PK", "AI_THREAD#{threadId}")},
			}}},
		},
		{
			ID: "store-ai-message", Title: "AI chat: store a message in an own thread",
			Cite:  ap.Line(203, "store threads/messages", "AI_THREAD#{threadId}").And(ap.Line(48, "lastActiveAt")).Implied("messages do not say whose they are, so storing one begins with the user's thread; that a message moves lastActiveAt is not said, and may be"),
			Roles: []string{athlete, user, system}, Returns: []string{"ai-thread"},
			Flow: []ap.Step{
				ownThread(),
				{Name: "write", Cite: ap.Line(203, "messages", "AI_THREAD#{threadId}"), Write: []ap.Action{
					message(nil),
					{Kind: ap.Update, Table: table, Item: "thread", Times: ap.AtMostOnce, Key: threadKey(), Set: active()},
				}},
			},
		},
		{
			ID: "store-ai-message-once", Title: "AI chat: store a message while the thread is the user's, and move the thread with it",
			Cite:  ap.Line(203, "store threads/messages", "AI_THREAD#{threadId}").And(ap.Line(48, "lastActiveAt")).Chosen("finding messages-without-owner"),
			Roles: []string{athlete, user, system}, Returns: []string{"ai-thread"},
			Flow: []ap.Step{
				ownThread(),
				{Name: "write", Cite: ap.Line(203, "messages", "AI_THREAD#{threadId}"), Write: []ap.Action{
					{Kind: ap.Update, Table: table, Key: threadKey(), Condition: ap.IfPresent("PK"), Set: active()},
					message(ap.IfAbsent("PK")),
				}},
			},
		},
		{
			ID: "edit-ai-thread", Title: "AI chat: give a thread another title, or say when it was last active",
			Cite:  ap.Line(48, "title", "lastActiveAt").Chosen("finding nothing-is-deleted"),
			Roles: []string{athlete, user},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(48, "title", "lastActiveAt"), Write: []ap.Action{
				{Kind: ap.Update, Table: table, Item: "thread", Key: threadKey(), Edits: []string{"title", "lastActiveAt"}},
			}}},
		},
		{
			ID: "delete-ai-thread", Title: "AI chat: remove a thread with its messages",
			Cite:  ap.Lines(25, 26, "AI_THREAD#{threadId}", "MSG#{ISODate}#{messageId}").Chosen("finding nothing-is-deleted"),
			Roles: []string{athlete, user},
			Flow: []ap.Step{{Name: "write", Cite: ap.Lines(25, 26, "AI_THREAD#{threadId}"), Write: []ap.Action{
				{Kind: ap.Delete, Table: table, Key: threadKey()},
				{Kind: ap.Delete, Table: table, Item: "message", Times: ap.AnyNumber, Key: key("AI_THREAD#{threadId}", "MSG#{ISODate}#{messageId}")},
			}}},
		},
		{
			ID: "list-ai-threads", Title: "AI chat: the user's threads",
			Cite:  ap.Line(203, "AI chat", "USER#{userId}").And(ap.Line(25, "SK = AI_THREAD#{threadId}")).Implied("the line says only that threads are stored; a chat that is stored is read again"),
			Roles: []string{athlete, user, system},
			Read: &ap.Read{Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{userId}"), Sort: ap.BeginsWith("SK", "AI_THREAD#")},
			Returns: []string{"ai-thread"},
		},
		{
			ID: "get-ai-thread", Title: "AI chat: one thread of the user",
			Cite:  ap.Line(25, "PK = USER#{userId}", "SK = AI_THREAD#{threadId}").And(ap.Line(203, "AI_THREAD#{threadId}")).Implied("reading or storing a message begins with the thread's owner"),
			Roles: []string{athlete, user, system}, Read: ownThread().Read, Returns: []string{"ai-thread"},
		},
		{
			ID: "list-ai-messages", Title: "AI chat: the messages of an own thread",
			Cite:  ap.Line(203, "AI chat", "messages", "AI_THREAD#{threadId}").And(ap.Line(26, "SK = MSG#{ISODate}#{messageId}")).Implied("the line says only that messages are stored. The ownership check is the project's: a message item names no user"),
			Roles: []string{athlete, user, system}, Returns: []string{"ai-message"},
			Flow: []ap.Step{
				ownThread(),
				{Name: "messages", Cite: ap.Line(26, "PK = AI_THREAD#{threadId}", "SK = MSG#"),
					Read: &ap.Read{Operation: ap.OpQuery, Table: table,
						Partition: ap.Equals("PK", "AI_THREAD#{threadId}"), Sort: ap.BeginsWith("SK", "MSG#")}},
			},
		},
	}
}
