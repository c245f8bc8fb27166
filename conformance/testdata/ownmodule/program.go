package main

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// program deploys the table of orders.md. The stack orders.dev makes Orders-dev.
func program(ctx *pulumi.Context) error { return orders(ctx, "Orders") }

// orders deploys the table under the logical id by which the contract knows it.
func orders(ctx *pulumi.Context, id string) error {
	settings, err := environment.Read(ctx, environment.Document{Design: "orders", TableNameAt: "orders.md:3", BillingAt: "orders.md:11"})
	if err != nil {
		return err
	}
	table, err := settings.NewTable(ctx, id, &dynamodb.TableArgs{
		Name:     pulumi.String(settings.TableName("Orders-" + settings.Env)),
		HashKey:  pulumi.String("pk"),
		RangeKey: pulumi.String("sk"),
		Attributes: dynamodb.TableAttributeArray{
			&dynamodb.TableAttributeArgs{Name: pulumi.String("pk"), Type: pulumi.String("S")},
			&dynamodb.TableAttributeArgs{Name: pulumi.String("sk"), Type: pulumi.String("S")},
			&dynamodb.TableAttributeArgs{Name: pulumi.String("status"), Type: pulumi.String("S")},
		},
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			&dynamodb.TableGlobalSecondaryIndexArgs{Name: pulumi.String("by-status"), HashKey: pulumi.String("status"), ProjectionType: pulumi.String("ALL")},
		},
		BillingMode: pulumi.String(settings.BillingMode),
		Ttl:         &dynamodb.TableTtlArgs{AttributeName: pulumi.String("ttl"), Enabled: pulumi.Bool(true)},
	})
	if err != nil {
		return err
	}
	settings.Export(ctx, map[string]*dynamodb.Table{id: table})
	return nil
}
