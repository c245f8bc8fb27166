package commitcollect

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newSessions registers the table of the sign-in sessions.
func newSessions(ctx *pulumi.Context, settings *environment.Settings, opts ...pulumi.ResourceOption) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "CommitCollectSessions", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("CommitCollectSessions")), // commit-collect.md:90

		// commit-collect.md:94-95
		HashKey:  pulumi.String("PK"),
		RangeKey: pulumi.String("SK"),
		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("PK"), Type: pulumi.String("S")},
			&dynamodb.TableAttributeArgs{Name: pulumi.String("SK"), Type: pulumi.String("S")},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // commit-collect.md:195

		// commit-collect.md:101
		Ttl: &dynamodb.TableTtlArgs{AttributeName: pulumi.String("expiresAtUtc"), Enabled: pulumi.Bool(true)},
	}, opts...)
}
