package commitcollect

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newIdempotency registers the table of the events already taken in.
func newIdempotency(ctx *pulumi.Context, settings *environment.Settings, opts ...pulumi.ResourceOption) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "CommitCollectIdempotency", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("CommitCollectIdempotency")), // commit-collect.md:145

		// commit-collect.md:149; the key is single, and no TTL is documented.
		HashKey: pulumi.String("IdempotencyKey"),
		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("IdempotencyKey"), Type: pulumi.String("S")},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // commit-collect.md:195
	}, opts...)
}
