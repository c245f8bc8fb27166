package osemladders

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// newUsers registers the table of the user profiles; it has no index (osem-ladders.md:40).
func newUsers(ctx *pulumi.Context, settings *environment.Settings) (*dynamodb.Table, error) {
	return settings.NewTable(ctx, "Users", &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("osem-" + settings.Env + "-Users")), // osem-ladders.md:46

		HashKey: pulumi.String("userId"), // osem-ladders.md:47-49

		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("userId"), Type: pulumi.String("S")}, // osem-ladders.md:51
		},

		BillingMode: pulumi.String("PAY_PER_REQUEST"), // osem-ladders.md:53

		// osem-ladders.md:54-57
		Tags: pulumi.StringMap{
			"Environment": pulumi.String(settings.Env),
			"Application": pulumi.String("osem-ladders"),
		},
	})
}
