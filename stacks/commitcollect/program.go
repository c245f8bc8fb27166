// Package commitcollect deploys the design of commit-collect.md: four tables and three global secondary indexes, all
// in one region. Comments cite the document as file:line.
//
// The document names keys and gives templates for their values, but no types and no projections: keys are Strings,
// as their templates are, and every index projects ALL, the only choice that serves every documented read.
package commitcollect

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"dynaproof/stacks/environment"
)

// Region is the AWS region of all four tables, commit-collect.md:27.
const Region = "ap-southeast-2"

// Document is what the document fixes, and what it leaves to the stack.
var Document = environment.Document{
	Design:      "commit-collect",
	TableNameAt: "commit-collect.md:22,90,116,145",
	BillingAt:   "commit-collect.md:26,195",
	Region:      Region,
	RegionAt:    "commit-collect.md:27",
	Guardrails:  true, // commit-collect.md:18, 175: no scans, full table scans are forbidden
}

// Tables are the tables of the domain entities, the sign-in sessions, the audit trail and the events already taken in. The
// document's names hold no environment, so every environment deploys the same names.
func Tables(settings *environment.Settings) []environment.Table {
	return []environment.Table{
		{ID: "CommitCollect", Args: &dynamodb.TableArgs{
			Name: pulumi.String(settings.TableName("CommitCollect")), // commit-collect.md:22
			// commit-collect.md:28-30
			HashKey:    pulumi.String("PK"),
			RangeKey:   pulumi.String("SK"),
			Attributes: environment.Attributes("PK S", "SK S", "GSI1PK S"), // commit-collect.md:29-30, 80-84
			GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
				// commit-collect.md:80-86 gives the index and its one key value, but no attribute: ruled to be GSI1PK, as
				// in commit-collect.md:125, and without a sort key, since none is documented.
				environment.Index("GSI1", "ALL", "GSI1PK"),
			},
			BillingMode: pulumi.String("PAY_PER_REQUEST"), // commit-collect.md:26
		}},
		{ID: "CommitCollectSessions", Args: &dynamodb.TableArgs{
			Name: pulumi.String(settings.TableName("CommitCollectSessions")), // commit-collect.md:90
			// commit-collect.md:94-95
			HashKey:     pulumi.String("PK"),
			RangeKey:    pulumi.String("SK"),
			Attributes:  environment.Attributes("PK S", "SK S"),
			BillingMode: pulumi.String("PAY_PER_REQUEST"), // commit-collect.md:195
			// commit-collect.md:101
			Ttl: &dynamodb.TableTtlArgs{AttributeName: pulumi.String("expiresAtUtc"), Enabled: pulumi.Bool(true)},
		}},
		{ID: "CommitCollectAudit", Args: &dynamodb.TableArgs{
			Name: pulumi.String(settings.TableName("CommitCollectAudit")), // commit-collect.md:116
			// commit-collect.md:120-121
			HashKey:    pulumi.String("PK"),
			RangeKey:   pulumi.String("SK"),
			Attributes: environment.Attributes("PK S", "SK S", "GSI1PK S", "GSI1SK S", "GSI2PK S", "GSI2SK S"), // commit-collect.md:120-121, 125-126, 130-131
			GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
				environment.Index("GSI1", "ALL", "GSI1PK", "GSI1SK"), // commit-collect.md:123-126
				environment.Index("GSI2", "ALL", "GSI2PK", "GSI2SK"), // commit-collect.md:128-131
			},
			BillingMode: pulumi.String("PAY_PER_REQUEST"), // commit-collect.md:195
			// commit-collect.md:133 gives a period of 90 days but no attribute: ruled to be expiresAt, in epoch seconds.
			Ttl: &dynamodb.TableTtlArgs{AttributeName: pulumi.String("expiresAt"), Enabled: pulumi.Bool(true)},
		}},
		{ID: "CommitCollectIdempotency", Args: &dynamodb.TableArgs{
			Name: pulumi.String(settings.TableName("CommitCollectIdempotency")), // commit-collect.md:145
			// commit-collect.md:149; the key is single, and no TTL is documented.
			HashKey:     pulumi.String("IdempotencyKey"),
			Attributes:  environment.Attributes("IdempotencyKey S"),
			BillingMode: pulumi.String("PAY_PER_REQUEST"), // commit-collect.md:195
		}},
	}
}
