package own

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/accesspatterns"
	"dynaproof/stacks/environment"
)

// provisionedUnits are the units of a provisioned table of which the contract gives none.
const provisionedUnits = 5

// tablesOf is a program that makes the tables of a contract, for runs in which nobody
// else deployed any. What it deploys proves nothing about the tables.
func tablesOf(design *accesspatterns.Design, document environment.Document) pulumi.RunFunc {
	document.OffersProvisioned = true
	return func(ctx *pulumi.Context) error {
		settings, err := environment.Read(ctx, document)
		if err != nil {
			return err
		}
		var all []environment.Table
		for i := range design.Tables {
			table := &design.Tables[i]
			for j := range table.Indexes {
				if table.Indexes[j].Composite() {
					return fmt.Errorf("index %s of table %s has a key of several attributes, and no table with one can be made from a contract; let your own tool make it, by --deploy, or audit what is deployed", table.Indexes[j].Name, table.ID)
				}
				if table.Indexes[j].Local {
					return fmt.Errorf("table %s has a local secondary index, %s, and no table with one can be made from a contract; let your own tool make it, by --deploy", table.ID, table.Indexes[j].Name)
				}
			}
			all = append(all, environment.Table{ID: table.ID, Args: argsOf(table, settings)})
		}
		tables, err := settings.NewTables(ctx, all)
		if err != nil {
			return err
		}
		settings.Export(ctx, tables)
		ctx.Export("guardrails", pulumi.String(environment.Off)) // a contract has no policies to attach
		return nil
	}
}

func argsOf(table *accesspatterns.Table, settings *environment.Settings) *dynamodb.TableArgs {
	args := &dynamodb.TableArgs{
		Name:    pulumi.String(settings.TableName(table.Name.In(settings.Env))),
		HashKey: pulumi.String(table.PartitionKey.Attribute), BillingMode: pulumi.String(environment.PayPerRequest),
	}
	provisioned := table.Billing == accesspatterns.Provisioned
	if provisioned {
		read, write := provisionedUnits, provisionedUnits
		if table.Units != nil {
			read, write = int(table.Units.ReadUnits), int(table.Units.WriteUnits)
		}
		args.BillingMode, args.ReadCapacity, args.WriteCapacity = pulumi.String(environment.Provisioned), pulumi.Int(read), pulumi.Int(write)
	}
	if table.SortKey != nil {
		args.RangeKey = pulumi.String(table.SortKey.Attribute)
	}
	types := table.AttributeDefinitions()
	var attributes dynamodb.TableAttributeArray
	for _, name := range slices.Sorted(maps.Keys(types)) {
		attributes = append(attributes, &dynamodb.TableAttributeArgs{Name: pulumi.String(name), Type: pulumi.String(types[name])})
	}
	args.Attributes = attributes
	var indexes dynamodb.TableGlobalSecondaryIndexArray
	for i := range table.Indexes {
		index := &table.Indexes[i]
		made := &dynamodb.TableGlobalSecondaryIndexArgs{
			Name: pulumi.String(index.Name), HashKey: pulumi.String(index.PartitionKey.Attribute), ProjectionType: pulumi.String(index.Projection),
		}
		if index.SortKey != nil {
			made.RangeKey = pulumi.String(index.SortKey.Attribute)
		}
		if index.Projection == accesspatterns.ProjectInclude {
			made.NonKeyAttributes = pulumi.ToStringArray(index.NonKeyAttributes)
		}
		if provisioned {
			made.ReadCapacity, made.WriteCapacity = pulumi.Int(provisionedUnits), pulumi.Int(provisionedUnits)
		}
		indexes = append(indexes, made)
	}
	if indexes != nil {
		args.GlobalSecondaryIndexes = indexes
	}
	if table.TTL != nil {
		args.Ttl = &dynamodb.TableTtlArgs{AttributeName: pulumi.String(table.TTL.Attribute), Enabled: pulumi.Bool(true)}
	}
	if table.PITR != nil {
		args.PointInTimeRecovery = &dynamodb.TablePointInTimeRecoveryArgs{Enabled: pulumi.Bool(true)}
	}
	if len(table.Tags) > 0 {
		tags := pulumi.StringMap{}
		for key, value := range table.Tags {
			tags[key] = pulumi.String(value.In(settings.Env))
		}
		args.Tags = tags
	}
	return args
}
