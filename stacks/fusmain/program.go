// Package fusmain deploys the design of fus-main.md: one table with five global secondary indexes. Comments cite the
// document as file:line.
package fusmain

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// Document is what the document fixes, and what it leaves to the stack.
var Document = environment.Document{
	Design:          "fus-main",
	TableNameAt:     "fus-main.md:3",
	OffersTableName: true, // fus-main.md:3
	BillingAt:       "fus-main.md:5",
}

// Tables are the table fus-main, or the one that dynaproof:tableName names, alone. There is no index bySite: the document
// puts it off (fus-main.md:58-60). No projection is documented: ALL is chosen, so that an index answers with whole items.
func Tables(settings *environment.Settings) []environment.Table {
	return []environment.Table{{ID: "fus-main", Args: &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("fus-main")), // fus-main.md:3
		// fus-main.md:4
		HashKey:  pulumi.String("PK"),
		RangeKey: pulumi.String("SK"),
		Attributes: environment.Attributes("PK S", "SK S", "entityType S", "entitySk S", "tag S", "siteId S", "starRating N", "groupName S",
			"userId S", "squashDate S", "matchId S"), // fus-main.md:4, 11-15
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			environment.Index("byEntity", "ALL", "entityType", "entitySk"),    // fus-main.md:11
			environment.Index("byTag", "ALL", "tag", "siteId"),                // fus-main.md:12
			environment.Index("byStars", "ALL", "starRating", "siteId"),       // fus-main.md:13
			environment.Index("byGroup", "ALL", "groupName", "userId"),        // fus-main.md:14
			environment.Index("bySquashDate", "ALL", "squashDate", "matchId"), // fus-main.md:15
		},
		BillingMode: pulumi.String("PAY_PER_REQUEST"), // fus-main.md:5
	}}}
}
