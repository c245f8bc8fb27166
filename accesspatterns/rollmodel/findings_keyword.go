package rollmodel

import ap "dynaproof/accesspatterns"

// The keyword index.
func keywordFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "keyword-prefix", Kind: ap.Hazard, Severity: ap.High,
			Title:    "The documented prefix matches longer tokens",
			Cite:     ap.Line(204, "`KW#{token}` prefix").And(ap.Lines(27, 28, "KW#{token}#TS#")),
			Literal:  "A search for guard returns the items of guard-retention as well.",
			Resolved: "The prefix goes on to the next segment: KW#{token}#TS#.",
			Claims:   []string{"pattern/find-shared-keyword", "pattern/find-private-keyword"},
		},
		{
			ID: "stale-keywords", Kind: ap.Hazard, Severity: ap.High,
			Title:    "An update leaves the keyword items of the old text behind",
			Cite:     ap.Line(90, "updateEntry").And(ap.Lines(27, 28, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}")),
			Literal:  "The text no longer holds the word, and the search still finds the entry. A word that moved from shared to private stays findable in the shared partition.",
			Resolved: "The update removes the stale keyword items in its transaction, none, one or many of them.",
			Claims:   []string{"pattern/update-entry", "pattern/replace-entry", "pattern/update-entry-as-read"},
		},
		{
			ID: "keywords-exceed-a-transaction", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "An entry of more than 98 words does not fit one transaction",
			Cite:     ap.Lines(27, 28, "KW#{token}#TS#{createdAt}#ENTRY#{entryId}").And(ap.Line(90, "createEntry")),
			Literal:  "A transaction holds 100 writes, of which the entry and its meta item take two: with a token for each word a long note is refused as a whole.",
			Resolved: "What a transaction does not hold is written after it, in batches of 25. Until the last batch a search does not find the entry by all of its words.",
			Claims:   []string{"pattern/index-entry-keywords"},
			Static:   "The bound is DynamoDB's; the guard holds every transaction to it before it is sent.",
		},
		{
			ID: "keyword-readers", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "Keyword retrieval names nobody who retrieves",
			Cite:     ap.Line(204, "Keyword retrieval", "(shared)", "(private)").And(ap.Line(207, "AI visibility rules")),
			Literal:  "Other lines name the athlete or the coach, this one none. Whether coaches search, and whether the AI reads private words, cannot be known.",
			Resolved: "The athlete searches both indexes. A linked coach searches the shared one, as shared text is what coaches read. The AI searches neither: on a question of privacy that the document leaves open the project does not allow it.",
			Claims:   []string{"pattern/find-shared-keyword", "pattern/find-private-keyword", "pattern/coach-finds-shared-keyword", "policy/role/system"},
			Static:   "Who reads is absent from the text; the same request answers everybody.",
		},
		{
			ID: "token-with-separator", Kind: ap.Hazard, Severity: ap.Medium,
			Title:    "A token that holds the separator reaches into the next segment",
			Cite:     ap.Lines(27, 28, "KW#{token}#TS#{createdAt}"),
			Literal:  "The item of a token guard#TS#basics is returned by a search for guard, also with the longer prefix.",
			Resolved: "Keys are not built from tokens that contain '#', and such keys do not parse.",
			Claims:   []string{"entity/keyword-shared", "entity/keyword-private"},
		},
		{
			ID: "token-notation", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "How text becomes tokens is not said, and keys compare byte by byte",
			Cite:     ap.Line(204, "KW#{token}").And(ap.Line(178, "KW#guard#"), ap.Line(190, "KW#injury#"), ap.Line(74, "Felt exhausted today...")),
			Literal:  "The example's private token injury does not occur in the private text of its entry, so where tokens come from is open as well. A search for desequilibre finds nothing where déséquilibre was stored, and Guard is another key than guard. Case, accents and terms of several words are left to the writer.",
			Resolved: "Tokens are stored and searched in one notation: lower case, as both examples are, and accents composed.",
			Claims:   []string{"pattern/find-shared-keyword"},
		},
		{
			ID: "keyword-kinds", Kind: ap.Contradiction, Severity: ap.Low,
			Title:    "The keyword index is two entities, one attribute list and one entityType",
			Cite:     ap.Lines(16, 17, "Keyword index (shared)", "Keyword index (private)").And(ap.Line(53, "Keyword index"), ap.Line(179, "KEYWORD_INDEX"), ap.Line(191, "KEYWORD_INDEX")),
			Literal:  "entityType does not tell shared from private; only the partition and visibilityScope do, and nothing says that these agree.",
			Resolved: "Two entities: the scope is shared in the one and private in the other.",
			Claims:   []string{"attribute/keyword-shared/visibilityScope", "attribute/keyword-private/visibilityScope"},
			Static:   "Two counts in the text; both kinds of items are stored and read as documented.",
		},
	}
}
