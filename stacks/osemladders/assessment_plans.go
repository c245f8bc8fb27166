package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newAssessmentPlans registers the table of the review plans of a team.
func newAssessmentPlans(ctx *pulumi.Context, settings *environment.Settings) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "AssessmentPlans", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-AssessmentPlans")), // osem-ladders.md:171

		HashKey: pulumi.String("planId"), // osem-ladders.md:172-174

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("planId"), Type: pulumi.String("S")}, // osem-ladders.md:176
			&dynamodb.TableAttributeArgs{Name: pulumi.String("teamId"), Type: pulumi.String("S")}, // osem-ladders.md:177
			&dynamodb.TableAttributeArgs{Name: pulumi.String("status"), Type: pulumi.String("S")}, // osem-ladders.md:178
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:181-187
				Name:           pulumi.String("teamId-index"),
				HashKey:        pulumi.String("teamId"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:188-194
				Name:           pulumi.String("status-index"),
				HashKey:        pulumi.String("status"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:196

		// osem-ladders.md:197-200
		Tags: pulumi.StringMap{
			"Environment": pulumi.String(settings.Env),
			"Application": pulumi.String("osem-ladders"),
		},
	})
}
