package commitcollect

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newAudit registers the table of the audit trail.
func newAudit(ctx *pulumi.Context, settings *environment.Settings, opts ...pulumi.ResourceOption) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "CommitCollectAudit", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("CommitCollectAudit")), // commit-collect.md:116

		// commit-collect.md:120-121
		HashKey:  pulumi.String("PK"),
		RangeKey: pulumi.String("SK"),

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("PK"), Type: pulumi.String("S")},     // commit-collect.md:120
			&dynamodb.TableAttributeArgs{Name: pulumi.String("SK"), Type: pulumi.String("S")},     // commit-collect.md:121
			&dynamodb.TableAttributeArgs{Name: pulumi.String("GSI1PK"), Type: pulumi.String("S")}, // commit-collect.md:125
			&dynamodb.TableAttributeArgs{Name: pulumi.String("GSI1SK"), Type: pulumi.String("S")}, // commit-collect.md:126
			&dynamodb.TableAttributeArgs{Name: pulumi.String("GSI2PK"), Type: pulumi.String("S")}, // commit-collect.md:130
			&dynamodb.TableAttributeArgs{Name: pulumi.String("GSI2SK"), Type: pulumi.String("S")}, // commit-collect.md:131
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // commit-collect.md:123-126
				Name:           pulumi.String("GSI1"),
				HashKey:        pulumi.String("GSI1PK"),
				RangeKey:       pulumi.String("GSI1SK"),
				ProjectionType: pulumi.String("ALL"),
			},
			&dynamodb.TableGlobalSecondaryIndexArgs{ // commit-collect.md:128-131
				Name:           pulumi.String("GSI2"),
				HashKey:        pulumi.String("GSI2PK"),
				RangeKey:       pulumi.String("GSI2SK"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // commit-collect.md:195

		// commit-collect.md:133 gives a period of 90 days but no attribute: ruled to be expiresAt, in epoch seconds.
		Ttl: &dynamodb.TableTtlArgs{AttributeName: pulumi.String("expiresAt"), Enabled: pulumi.Bool(true)},
	}, opts...)
}
