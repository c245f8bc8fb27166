// Package personalos deploys the design of personal-os.md: one table with two global secondary indexes. Comments cite
// the document as file:line.
package personalos

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// Document is what the document fixes, and what it leaves to the stack.
var Document = environment.Document{
	Design:            "personal-os",
	TableNameAt:       "personal-os.md:4",
	BillingAt:         "personal-os.md:605",
	OffersProvisioned: true, // personal-os.md:605
}

// Tables are the table personal-os-<environment> alone. It is on demand (personal-os.md:587), or provisioned with one read
// and one write unit (personal-os.md:605) where dynaproof:billingMode says so. No projection is documented; only ALL serves
// every documented read, since the readers expect whole items from the indexes.
func Tables(settings *environment.Settings) []environment.Table {
	first := environment.Index("GSI1", "ALL", "gsi1pk", "gsi1sk")  // personal-os.md:19-24
	second := environment.Index("GSI2", "ALL", "gsi2pk", "gsi2sk") // personal-os.md:28-33
	// Units of the table and of each index, personal-os.md:605. They stay unset on demand, where DynamoDB takes none.
	var units pulumi.IntPtrInput
	if settings.BillingMode == environment.Provisioned {
		units = pulumi.Int(1)
		first.ReadCapacity, first.WriteCapacity, second.ReadCapacity, second.WriteCapacity = units, units, units, units
	}

	return []environment.Table{{ID: "personal-os", Args: &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("personal-os-" + settings.Env)), // personal-os.md:4
		// personal-os.md:14-15
		HashKey:                pulumi.String("pk"),
		RangeKey:               pulumi.String("sk"),
		Attributes:             environment.Attributes("pk S", "sk S", "gsi1pk S", "gsi1sk S", "gsi2pk S", "gsi2sk S"), // personal-os.md:14-15, 23-24, 32-33
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{first, second},
		BillingMode:            pulumi.String(settings.BillingMode), // personal-os.md:587, personal-os.md:605
		ReadCapacity:           units,
		WriteCapacity:          units,
		// personal-os.md:88 and personal-os.md:393
		Ttl: &dynamodb.TableTtlArgs{AttributeName: pulumi.String("ttl"), Enabled: pulumi.Bool(true)},
	}}}
}
