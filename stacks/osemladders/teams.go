package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newTeams registers the table of the teams.
func newTeams(ctx *pulumi.Context, settings *environment.Settings) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "Teams", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-Teams")), // osem-ladders.md:99

		HashKey: pulumi.String("teamId"), // osem-ladders.md:100-102

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("teamId"), Type: pulumi.String("S")},    // osem-ladders.md:104
			&dynamodb.TableAttributeArgs{Name: pulumi.String("managerId"), Type: pulumi.String("S")}, // osem-ladders.md:105
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:108-114
				Name:           pulumi.String("managerId-index"),
				HashKey:        pulumi.String("managerId"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:116

		// osem-ladders.md:117-120
		Tags: pulumi.StringMap{
			"Environment": pulumi.String(settings.Env),
			"Application": pulumi.String("osem-ladders"),
		},
	})
}
