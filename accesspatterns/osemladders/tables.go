package osemladders

import ap "dynaproof/accesspatterns"

func tables() []ap.Table {
	return []ap.Table{
		{
			ID: "Users", Name: "osem-{env}-Users",
			Cite:         ap.Line(46, "osem-{env}-Users").And(ap.Line(22, "Users"), ap.Line(10, "6 DynamoDB tables"), ap.Line(517, "Total Tables", "6")),
			PartitionKey: ap.Key{Attribute: "userId", Type: ap.String},
			KeyCite: ap.Line(27, "userId", "String").And(
				ap.Lines(47, 52, "userId", "HASH", `"S"`), ap.Line(522, "userId"), noSortKey()),
			IndexesCite: ap.Line(40, "Global Secondary Indexes", "None").And(ap.Line(522, "| 0 |")),
			Billing:     ap.OnDemand, BillingCite: onDemand(53),
			Encryption: encrypted(),
			Tags:       tags(), TagsCite: ap.Lines(54, 57, "Environment", "{env}", "Application", "osem-ladders"),
		},
		{
			ID: "Teams", Name: "osem-{env}-Teams",
			Cite:         ap.Line(99, "osem-{env}-Teams").And(ap.Line(67, "Teams")),
			PartitionKey: ap.Key{Attribute: "teamId", Type: ap.String},
			KeyCite: ap.Line(72, "teamId", "String").And(
				ap.Lines(100, 106, "teamId", "managerId", "HASH", `"S"`), ap.Line(523, "teamId"), noSortKey()),
			Indexes: []ap.Index{
				{
					Name: "managerId-index", PartitionKey: ap.Key{Attribute: "managerId", Type: ap.String}, Projection: ap.ProjectAll,
					Cite: ap.Lines(90, 93, "managerId-index", "`managerId` (String)", "ALL").And(
						ap.Lines(107, 115, "managerId-index", "HASH", "ALL"), ap.Line(533, "ALL")),
				},
			},
			IndexesCite: ap.Lines(88, 90, "managerId-index").And(ap.Line(523, "| 1 |", "managerId")),
			Billing:     ap.OnDemand, BillingCite: onDemand(116),
			Encryption: encrypted(),
			Tags:       tags(), TagsCite: ap.Lines(117, 120, "Environment", "{env}", "Application", "osem-ladders"),
		},
		{
			ID: "AssessmentPlans", Name: "osem-{env}-AssessmentPlans",
			Cite:         ap.Line(171, "osem-{env}-AssessmentPlans").And(ap.Line(131, "AssessmentPlans")),
			PartitionKey: ap.Key{Attribute: "planId", Type: ap.String},
			KeyCite: ap.Line(136, "planId", "String").And(
				ap.Lines(172, 179, "planId", "teamId", "status", "HASH", `"S"`), ap.Line(524, "planId"), noSortKey()),
			Indexes: []ap.Index{
				{
					Name: "teamId-index", PartitionKey: ap.Key{Attribute: "teamId", Type: ap.String}, Projection: ap.ProjectAll,
					Cite: ap.Lines(157, 160, "teamId-index", "`teamId` (String)", "ALL").And(
						ap.Lines(181, 187, "teamId-index", "HASH", "ALL"), ap.Line(533, "ALL")),
				},
				{
					Name: "status-index", PartitionKey: ap.Key{Attribute: "status", Type: ap.String}, Projection: ap.ProjectAll,
					Cite: ap.Lines(162, 165, "status-index", "`status` (String)", "ALL").And(
						ap.Lines(188, 194, "status-index", "HASH", "ALL"), ap.Line(533, "ALL")),
				},
			},
			IndexesCite: ap.Lines(155, 162, "teamId-index", "status-index").And(ap.Line(524, "| 2 |", "teamId, status")),
			Billing:     ap.OnDemand, BillingCite: onDemand(196),
			Encryption: encrypted(),
			Tags:       tags(), TagsCite: ap.Lines(197, 200, "Environment", "{env}", "Application", "osem-ladders"),
		},
		{
			ID: "Assessments", Name: "osem-{env}-Assessments",
			Cite:         ap.Line(288, "osem-{env}-Assessments").And(ap.Line(212, "Assessments")),
			PartitionKey: ap.Key{Attribute: "assessmentId", Type: ap.String},
			KeyCite: ap.Line(217, "assessmentId", "String").And(
				ap.Lines(289, 296, "assessmentId", "planId", "teamMemberId", "HASH", `"S"`), ap.Line(525, "assessmentId"), noSortKey()),
			Indexes: []ap.Index{
				{
					Name:         "planId-teamMemberId-index",
					PartitionKey: ap.Key{Attribute: "planId", Type: ap.String},
					SortKey:      &ap.Key{Attribute: "teamMemberId", Type: ap.String},
					Projection:   ap.ProjectAll,
					Cite: ap.Lines(273, 277, "planId-teamMemberId-index", "`planId` (String)", "`teamMemberId` (String)", "ALL").And(
						ap.Lines(298, 305, "planId-teamMemberId-index", "HASH", "RANGE", "ALL"), ap.Line(533, "ALL")),
				},
				{
					Name: "teamMemberId-index", PartitionKey: ap.Key{Attribute: "teamMemberId", Type: ap.String}, Projection: ap.ProjectAll,
					Cite: ap.Lines(279, 282, "teamMemberId-index", "`teamMemberId` (String)", "ALL").And(
						ap.Lines(306, 312, "teamMemberId-index", "HASH", "ALL"), ap.Line(533, "ALL")),
				},
			},
			IndexesCite: ap.Lines(271, 279, "planId-teamMemberId-index", "teamMemberId-index").And(
				ap.Line(525, "| 2 |", "planId (+sort: teamMemberId), teamMemberId")),
			Billing: ap.OnDemand, BillingCite: onDemand(314),
			Encryption: encrypted(),
			Tags:       tags(), TagsCite: ap.Lines(315, 318, "Environment", "{env}", "Application", "osem-ladders"),
		},
		{
			ID: "AssessmentReports", Name: "osem-{env}-AssessmentReports",
			Cite:         ap.Line(388, "osem-{env}-AssessmentReports").And(ap.Line(330, "AssessmentReports")),
			PartitionKey: ap.Key{Attribute: "reportId", Type: ap.String},
			KeyCite: ap.Line(335, "reportId", "String").And(
				ap.Lines(389, 396, "reportId", "planId", "teamMemberId", "HASH", `"S"`), ap.Line(526, "reportId"), noSortKey()),
			Indexes: []ap.Index{
				{
					Name: "planId-index", PartitionKey: ap.Key{Attribute: "planId", Type: ap.String}, Projection: ap.ProjectAll,
					Cite: ap.Lines(374, 377, "planId-index", "`planId` (String)", "ALL").And(
						ap.Lines(398, 404, "planId-index", "HASH", "ALL"), ap.Line(533, "ALL")),
				},
				{
					Name: "teamMemberId-index", PartitionKey: ap.Key{Attribute: "teamMemberId", Type: ap.String}, Projection: ap.ProjectAll,
					Cite: ap.Lines(379, 382, "teamMemberId-index", "`teamMemberId` (String)", "ALL").And(
						ap.Lines(405, 411, "teamMemberId-index", "HASH", "ALL"), ap.Line(533, "ALL")),
				},
			},
			IndexesCite: ap.Lines(372, 379, "planId-index", "teamMemberId-index").And(ap.Line(526, "| 2 |", "planId, teamMemberId")),
			Billing:     ap.OnDemand, BillingCite: onDemand(413),
			Encryption: encrypted(),
			Tags:       tags(), TagsCite: ap.Lines(414, 417, "Environment", "{env}", "Application", "osem-ladders"),
		},
		{
			ID: "ConfigVersions", Name: "osem-{env}-ConfigVersions",
			Cite:         ap.Line(481, "osem-{env}-ConfigVersions").And(ap.Line(428, "ConfigVersions")),
			PartitionKey: ap.Key{Attribute: "configId", Type: ap.String},
			KeyCite: ap.Line(433, "configId", "String").And(
				ap.Lines(482, 489, "configId", "isActive", "createdAt", "HASH", `"S"`, `"N"`), ap.Line(527, "configId"), noSortKey()),
			Indexes: []ap.Index{
				{
					// isActive is a Number here although line 445 calls it a Boolean:
					// a Boolean cannot be a key (finding config-is-active-type).
					Name:         "isActive-index",
					PartitionKey: ap.Key{Attribute: "isActive", Type: ap.Number},
					SortKey:      &ap.Key{Attribute: "createdAt", Type: ap.Number},
					Projection:   ap.ProjectAll,
					Cite: ap.Lines(471, 474, "isActive-index", "`isActive` (Number: 0 or 1)", "`createdAt` (Number)", "ALL").And(
						ap.Lines(490, 498, "isActive-index", "HASH", "RANGE", "ALL"), ap.Line(533, "ALL")),
				},
			},
			IndexesCite: ap.Lines(469, 471, "isActive-index").And(ap.Line(527, "| 1 |", "isActive (+sort: createdAt)")),
			Billing:     ap.OnDemand, BillingCite: onDemand(500),
			Encryption: encrypted(),
			Tags:       tags(), TagsCite: ap.Lines(501, 504, "Environment", "{env}", "Application", "osem-ladders"),
		},
	}
}

// What all six tables share.

func tags() map[string]ap.NameTemplate {
	return map[string]ap.NameTemplate{"Environment": "{env}", "Application": "osem-ladders"}
}

func encrypted() *ap.Promise {
	return &ap.Promise{Cite: ap.Line(18, "Encryption at rest", "AWS-managed keys").And(
		ap.Line(535, "All tables", "AWS-managed encryption at rest"))}
}

func onDemand(line int) ap.Citation {
	return ap.Line(line, "PAY_PER_REQUEST").And(ap.Line(15, "On-demand billing"), ap.Line(534, "All tables", "On-demand"))
}

func noSortKey() ap.Citation {
	return ap.Line(536, "No sort keys on base table").And(ap.Line(13, "Single-attribute partition keys"))
}
