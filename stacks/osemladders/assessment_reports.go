package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newAssessmentReports registers the table of the final reports.
func newAssessmentReports(ctx *pulumi.Context, settings *environment.Settings) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "AssessmentReports", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-AssessmentReports")), // osem-ladders.md:388

		HashKey: pulumi.String("reportId"), // osem-ladders.md:389-391

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("reportId"), Type: pulumi.String("S")},     // osem-ladders.md:393
			&dynamodb.TableAttributeArgs{Name: pulumi.String("planId"), Type: pulumi.String("S")},       // osem-ladders.md:394
			&dynamodb.TableAttributeArgs{Name: pulumi.String("teamMemberId"), Type: pulumi.String("S")}, // osem-ladders.md:395
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:398-404
				Name:           pulumi.String("planId-index"),
				HashKey:        pulumi.String("planId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:405-411
				Name:           pulumi.String("teamMemberId-index"),
				HashKey:        pulumi.String("teamMemberId"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:413

		// osem-ladders.md:414-417
		Tags: pulumi.StringMap{
			"Environment": pulumi.String(settings.Env),
			"Application": pulumi.String("osem-ladders"),
		},
	})
}
