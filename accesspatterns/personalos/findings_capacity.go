package personalos

import ap "dynaproof/accesspatterns"

// capacityFindings are about the two billing modes.
func capacityFindings() []ap.Finding {
	return []ap.Finding{
		{
			ID: "billing-two-modes", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "two billing modes are documented, and the change between them is left to judgement",
			Cite:     ap.Line(587, "On-Demand Mode").And(ap.Line(594, "Provisioned Mode"), ap.Line(605, "Start with On-Demand", "Provisioned (1 RCU, 1 WCU)", "after usage patterns are clear")),
			Literal:  "Which mode a table is in depends on when one looks.",
			Resolved: "On demand is deployed and checked; provisioned with 1 read and 1 write unit is an option of the stack, off by default.",
			Claims:   []string{"table/personal-os/billing"},
			Static:   "the text asks for a judgement, not for a request",
		},
		{
			ID: "provisioned-without-index-capacity", Kind: ap.Gap, Severity: ap.Medium,
			Title:    "the provisioned mode gives the indexes no capacity",
			Cite:     ap.Line(605, "1 RCU, 1 WCU").And(ap.Line(17, "Global Secondary Indexes")),
			Literal:  "Each index needs units of its own; without them the table cannot be created, and an index with fewer units than the table throttles it.",
			Resolved: "Whoever chooses the provisioned mode has to give every index units of its own; the documented mode to start with is on demand.",
			Static:   "no provisioned table is deployed",
		},
		{
			ID: "capacity-figures", Kind: ap.Gap, Severity: ap.Low,
			Title:    "the capacity figures leave out the indexes and the size of a list",
			Cite:     ap.Lines(598, 603, "Read tasks", "~0.01 RCU", "Create task", "~0.01 WCU").And(ap.Lines(150, 153, "`gsi1pk`", "`gsi2pk`")),
			Literal:  "A task is written to the table and to two indexes, which is three write units or more; a list costs half a unit or one for each 4 KB. An average over the day says nothing about the second in which a dashboard is read.",
			Resolved: "The figures are not asserted.",
			Static:   "they are estimates for a user whom the document does not describe further",
		},
	}
}
