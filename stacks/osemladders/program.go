// Package osemladders deploys the design of osem-ladders.md: six tables and eight global secondary indexes
// (osem-ladders.md:517-527). Comments cite the document as file:line.
//
// No table sets its encryption: osem-ladders.md:18 asks for the default, which is what an unset input means.
package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// Document is what the document fixes, and what it leaves to the stack.
var Document = environment.Document{
	Design:      "osem-ladders",
	TableNameAt: "osem-ladders.md:46,99,171,288,388,481",
	BillingAt:   "osem-ladders.md:15,534",
}

// Tables are the six tables osem-<environment>-<table>.
func Tables(settings *environment.Settings) []environment.Table {
	return []environment.Table{
		table(settings, "Users", // osem-ladders.md:46, 53-57
			"userId",                           // osem-ladders.md:47-49
			environment.Attributes("userId S"), // osem-ladders.md:51
			// It has no index, osem-ladders.md:40.
		),
		table(settings, "Teams", // osem-ladders.md:99, 116-120
			"teamId", // osem-ladders.md:100-102
			environment.Attributes("teamId S", "managerId S"),        // osem-ladders.md:104-105
			environment.Index("managerId-index", "ALL", "managerId"), // osem-ladders.md:108-114
		),
		table(settings, "AssessmentPlans", // osem-ladders.md:171, 196-200
			"planId", // osem-ladders.md:172-174
			environment.Attributes("planId S", "teamId S", "status S"), // osem-ladders.md:176-178
			environment.Index("teamId-index", "ALL", "teamId"),         // osem-ladders.md:181-187
			environment.Index("status-index", "ALL", "status"),         // osem-ladders.md:188-194
		),
		table(settings, "Assessments", // osem-ladders.md:288, 314-318
			"assessmentId", // osem-ladders.md:289-291
			environment.Attributes("assessmentId S", "planId S", "teamMemberId S"),          // osem-ladders.md:293-295
			environment.Index("planId-teamMemberId-index", "ALL", "planId", "teamMemberId"), // osem-ladders.md:298-305
			environment.Index("teamMemberId-index", "ALL", "teamMemberId"),                  // osem-ladders.md:306-312
		),
		table(settings, "AssessmentReports", // osem-ladders.md:388, 413-417
			"reportId", // osem-ladders.md:389-391
			environment.Attributes("reportId S", "planId S", "teamMemberId S"), // osem-ladders.md:393-395
			environment.Index("planId-index", "ALL", "planId"),                 // osem-ladders.md:398-404
			environment.Index("teamMemberId-index", "ALL", "teamMemberId"),     // osem-ladders.md:405-411
		),
		// The configurations of the career ladder. isActive is a Number (osem-ladders.md:472,487): the Boolean of
		// osem-ladders.md:445 cannot be a key in DynamoDB.
		table(settings, "ConfigVersions", // osem-ladders.md:481, 500-504
			"configId", // osem-ladders.md:482-484
			environment.Attributes("configId S", "isActive N", "createdAt N"),   // osem-ladders.md:486-488
			environment.Index("isActive-index", "ALL", "isActive", "createdAt"), // osem-ladders.md:491-498
		),
	}
}

// table is one of the tables, which all have the same billing mode and tags; each cites its own lines for its name and for
// these.
func table(settings *environment.Settings, id, hash string, attributes dynamodb.TableAttributeArray, indexes ...dynamodb.TableGlobalSecondaryIndexInput) environment.Table {
	return environment.Table{ID: id, Args: &dynamodb.TableArgs{
		Name:                   pulumi.String(settings.TableName("osem-" + settings.Env + "-" + id)),
		HashKey:                pulumi.String(hash),
		Attributes:             attributes,
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray(indexes),
		BillingMode:            pulumi.String("PAY_PER_REQUEST"),
		Tags:                   pulumi.StringMap{"Environment": pulumi.String(settings.Env), "Application": pulumi.String("osem-ladders")},
	}}
}
