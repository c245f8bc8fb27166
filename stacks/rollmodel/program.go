// Package rollmodel deploys the design of roll-model.md: one table without indexes. Comments cite the document as
// file:line.
package rollmodel

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// Document is what the document fixes, and what it leaves to the stack.
var Document = environment.Document{
	Design:      "roll-model",
	TableNameAt: "roll-model.md:4",
	BillingAt:   "roll-model.md:6",
}

// Tables are the table RollModel alone. The document's name holds no environment, so every environment deploys the same
// name.
func Tables(settings *environment.Settings) []environment.Table {
	return []environment.Table{{ID: "RollModel", Args: &dynamodb.TableArgs{
		Name: pulumi.String(settings.TableName("RollModel")), // roll-model.md:4
		// roll-model.md:5
		HashKey:     pulumi.String("PK"),
		RangeKey:    pulumi.String("SK"),
		Attributes:  environment.Attributes("PK S", "SK S"),
		BillingMode: pulumi.String("PAY_PER_REQUEST"), // roll-model.md:6
		// roll-model.md:7; the recovery period is not documented and stays AWS's default.
		PointInTimeRecovery: &dynamodb.TablePointInTimeRecoveryArgs{Enabled: pulumi.Bool(true)},
	}}}
}
