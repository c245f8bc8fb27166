package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newAssessments registers the table of the self and manager assessments.
func newAssessments(ctx *pulumi.Context, settings *environment.Settings) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "Assessments", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-Assessments")), // osem-ladders.md:288

		HashKey: pulumi.String("assessmentId"), // osem-ladders.md:289-291

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("assessmentId"), Type: pulumi.String("S")}, // osem-ladders.md:293
			&dynamodb.TableAttributeArgs{Name: pulumi.String("planId"), Type: pulumi.String("S")},       // osem-ladders.md:294
			&dynamodb.TableAttributeArgs{Name: pulumi.String("teamMemberId"), Type: pulumi.String("S")}, // osem-ladders.md:295
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:298-305
				Name:           pulumi.String("planId-teamMemberId-index"),
				HashKey:        pulumi.String("planId"),
				RangeKey:       pulumi.String("teamMemberId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:306-312
				Name:           pulumi.String("teamMemberId-index"),
				HashKey:        pulumi.String("teamMemberId"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:314

		// osem-ladders.md:315-318
		Tags: pulumi.StringMap{
			"Environment": pulumi.String(settings.Env),
			"Application": pulumi.String("osem-ladders"),
		},
	})
}
