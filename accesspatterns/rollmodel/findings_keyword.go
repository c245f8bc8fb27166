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
			Resolved: "The update removes the stale keyword items in its transaction, which holds at most 100 writes.",
			Claims:   []string{"pattern/update-entry"},
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
			Cite:     ap.Line(204, "KW#{token}").And(ap.Line(178, "KW#guard#"), ap.Line(190, "KW#injury#")),
			Literal:  "A search for desequilibre finds nothing where déséquilibre was stored, and Guard is another key than guard. Case, accents and terms of several words are left to the writer.",
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
