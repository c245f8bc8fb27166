package commitcollect

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newPrimary registers the table of the domain entities.
func newPrimary(ctx *pulumi.Context, settings *environment.Settings, opts ...pulumi.ResourceOption) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "CommitCollect", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("CommitCollect")), // commit-collect.md:22

		// commit-collect.md:28-30
		HashKey:  pulumi.String("PK"),
		RangeKey: pulumi.String("SK"),

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("PK"), Type: pulumi.String("S")},     // commit-collect.md:29
			&dynamodb.TableAttributeArgs{Name: pulumi.String("SK"), Type: pulumi.String("S")},     // commit-collect.md:30
			&dynamodb.TableAttributeArgs{Name: pulumi.String("GSI1PK"), Type: pulumi.String("S")}, // commit-collect.md:80-84
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			// commit-collect.md:80-86 gives the index and its one key value, but no attribute: ruled to be GSI1PK, as
			// in commit-collect.md:125, and without a sort key, since none is documented.
			&dynamodb.TableGlobalSecondaryIndexArgs{
				Name:           pulumi.String("GSI1"),
				HashKey:        pulumi.String("GSI1PK"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // commit-collect.md:26
	}, opts...)
}
