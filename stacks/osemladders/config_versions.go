package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newConfigVersions registers the table of the career ladder's configurations. Its isActive is a Number
// (osem-ladders.md:472,487): the Boolean of osem-ladders.md:445 cannot be a key in DynamoDB.
func newConfigVersions(ctx *pulumi.Context, settings *environment.Settings) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "ConfigVersions", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-ConfigVersions")), // osem-ladders.md:481

		HashKey: pulumi.String("configId"), // osem-ladders.md:482-484

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("configId"), Type: pulumi.String("S")},  // osem-ladders.md:486
			&dynamodb.TableAttributeArgs{Name: pulumi.String("isActive"), Type: pulumi.String("N")},  // osem-ladders.md:487
			&dynamodb.TableAttributeArgs{Name: pulumi.String("createdAt"), Type: pulumi.String("N")}, // osem-ladders.md:488
		},

		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{ // osem-ladders.md:491-498
				Name:           pulumi.String("isActive-index"),
				HashKey:        pulumi.String("isActive"),
				RangeKey:       pulumi.String("createdAt"),
				ProjectionType: pulumi.String("ALL"),
			},
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:500

		// osem-ladders.md:501-504
		Tags: pulumi.StringMap{
			"Environment": pulumi.String(settings.Env),
			"Application": pulumi.String("osem-ladders"),
		},
	})
}
