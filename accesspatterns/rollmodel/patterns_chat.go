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

func chatPatterns() []ap.Pattern {
	return []ap.Pattern{
		{
			ID: "store-ai-thread", Title: "AI chat: store a new thread",
			Cite:  ap.Line(203, "AI chat", "store threads", "USER#{userId}"),
			Roles: []string{athlete},
			Flow: []ap.Step{{Name: "write", Cite: ap.Line(203, "store threads"), Write: []ap.Action{
				{Kind: ap.Put, Table: table, Entity: "ai-thread", Item: "thread", Condition: ap.IfAbsent("PK")},
			}}},
		},
		{
			ID: "store-ai-message", Title: "AI chat: store a message in an own thread",
			Cite:  ap.Line(203, "store threads/messages", "AI_THREAD#{threadId}").And(ap.Line(48, "lastActiveAt")),
			Roles: []string{athlete, system}, Returns: []string{"ai-thread"},
			Flow: []ap.Step{
				ownThread(),
				{Name: "write", Cite: ap.Line(203, "messages", "AI_THREAD#{threadId}"), Write: []ap.Action{
					// The name lastActiveAt says that a message moves it.
					{Kind: ap.Update, Table: table, Key: key("USER#{userId}", "AI_THREAD#{threadId}"), Condition: ap.IfPresent("PK"),
						Set: []ap.Assignment{{Attribute: "lastActiveAt", Value: ap.Text("{ISODate}")}}},
					{Kind: ap.Put, Table: table, Entity: "ai-message", Item: "message", Condition: ap.IfAbsent("PK")},
				}},
			},
		},
		{
			ID: "list-ai-threads", Title: "AI chat: the user's threads",
			Cite:  ap.Line(203, "AI chat", "USER#{userId}").And(ap.Line(25, "SK = AI_THREAD#{threadId}")).Implied("the line says only that threads are stored; a chat that is stored is read again"),
			Roles: []string{athlete, system},
			Read: &ap.Read{Operation: ap.OpQuery, Table: table,
				Partition: ap.Equals("PK", "USER#{userId}"), Sort: ap.BeginsWith("SK", "AI_THREAD#")},
			Returns: []string{"ai-thread"},
		},
		{
			ID: "get-ai-thread", Title: "AI chat: one thread of the user",
			Cite:  ap.Line(25, "PK = USER#{userId}", "SK = AI_THREAD#{threadId}").And(ap.Line(203, "AI_THREAD#{threadId}")).Implied("reading or storing a message begins with the thread's owner"),
			Roles: []string{athlete, system}, Read: ownThread().Read, Returns: []string{"ai-thread"},
		},
		{
			ID: "list-ai-messages", Title: "AI chat: the messages of an own thread",
			Cite:  ap.Line(203, "AI chat", "messages", "AI_THREAD#{threadId}").And(ap.Line(26, "SK = MSG#{ISODate}#{messageId}")).Implied("the line says only that messages are stored. The ownership check is the project's: a message item names no user"),
			Roles: []string{athlete, system}, Returns: []string{"ai-message"},
			Flow: []ap.Step{
				ownThread(),
				{Name: "messages", Cite: ap.Line(26, "PK = AI_THREAD#{threadId}", "SK = MSG#"),
					Read: &ap.Read{Operation: ap.OpQuery, Table: table,
						Partition: ap.Equals("PK", "AI_THREAD#{threadId}"), Sort: ap.BeginsWith("SK", "MSG#")}},
			},
		},
	}
}
