// Package fusmain deploys the design of fus-main.md: one table with five global secondary indexes. Comments cite the
// document as file:line.
package fusmain

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
	"dynaproof/stacks/policy"
)

// Document is what the document fixes, and what it leaves to the stack.
var Document = environment.Document{
	Design:          "fus-main",
	TableNameAt:     "fus-main.md:3",
	OffersTableName: true, // fus-main.md:3
	BillingAt:       "fus-main.md:5",
}

// Program registers the fus-main table, or the table that dynaproof:tableName names. There is no index bySite: the
// document puts it off (fus-main.md:58-60). No projection is documented: ALL is chosen, so that an index answers with whole
// items.
func Program(ctx *pulumi.Context) error {
	settings, err := environment.Read(ctx, Document)
	if err != nil {
		return err
	}

	tables, err := settings.NewTables(ctx, []environment.Table{{ID: "fus-main", Args: &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("fus-main")), // fus-main.md:3

		// fus-main.md:4
		HashKey:  pulumi.String("PK"),
		RangeKey: pulumi.String("SK"),

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("PK"), Type: pulumi.String("S")},         // fus-main.md:4
			&dynamodb.TableAttributeArgs{Name: pulumi.String("SK"), Type: pulumi.String("S")},         // fus-main.md:4
			&dynamodb.TableAttributeArgs{Name: pulumi.String("entityType"), Type: pulumi.String("S")}, // fus-main.md:11
			&dynamodb.TableAttributeArgs{Name: pulumi.String("entitySk"), Type: pulumi.String("S")},   // fus-main.md:11
			&dynamodb.TableAttributeArgs{Name: pulumi.String("tag"), Type: pulumi.String("S")},        // fus-main.md:12
			&dynamodb.TableAttributeArgs{Name: pulumi.String("siteId"), Type: pulumi.String("S")},     // fus-main.md:12-13
			&dynamodb.TableAttributeArgs{Name: pulumi.String("starRating"), Type: pulumi.String("N")}, // fus-main.md:13
			&dynamodb.TableAttributeArgs{Name: pulumi.String("groupName"), Type: pulumi.String("S")},  // fus-main.md:14
			&dynamodb.TableAttributeArgs{Name: pulumi.String("userId"), Type: pulumi.String("S")},     // fus-main.md:14
			&dynamodb.TableAttributeArgs{Name: pulumi.String("squashDate"), Type: pulumi.String("S")}, // fus-main.md:15
			&dynamodb.TableAttributeArgs{Name: pulumi.String("matchId"), Type: pulumi.String("S")},    // fus-main.md:15
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // fus-main.md:11
				Name:           pulumi.String("byEntity"),
				HashKey:        pulumi.String("entityType"),
				RangeKey:       pulumi.String("entitySk"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // fus-main.md:12
				Name:           pulumi.String("byTag"),
				HashKey:        pulumi.String("tag"),
				RangeKey:       pulumi.String("siteId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // fus-main.md:13
				Name:           pulumi.String("byStars"),
				HashKey:        pulumi.String("starRating"),
				RangeKey:       pulumi.String("siteId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // fus-main.md:14
				Name:           pulumi.String("byGroup"),
				HashKey:        pulumi.String("groupName"),
				RangeKey:       pulumi.String("userId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // fus-main.md:15
				Name:           pulumi.String("bySquashDate"),
				HashKey:        pulumi.String("squashDate"),
				RangeKey:       pulumi.String("matchId"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // fus-main.md:5
	}}})
	if err != nil {
		return err
	}
	settings.Export(ctx, tables)
	return policy.Attach(ctx, settings, tables, guardrails())
}
