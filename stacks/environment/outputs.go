package environment

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Export sets the stack's outputs, which are all that other tools learn about a deployment. The keys of tables are the
// tables' logical ids, which are their resource names too.
//
//	tables     logical id to deployed table name
//	tableArns  logical id to ARN
//	indexes    logical id to the sorted names of its global secondary indexes, an empty list where it has none
//	region     the AWS region of the tables
//	guardrails enforce or off: whether the stack attaches policies, which are outputs of their own
func (s *Settings) Export(ctx *pulumi.Context, tables map[string]*dynamodb.Table) {
	names, arns, indexes := pulumi.StringMap{}, pulumi.StringMap{}, pulumi.StringArrayMap{}
	for id, table := range tables {
		names[id] = table.Name
		arns[id] = table.Arn
		indexes[id] = indexNames(table)
	}
	ctx.Export("tables", names)
	ctx.Export("tableArns", arns)
	ctx.Export("indexes", indexes)
	ctx.Export("region", s.regionOf(tables))
	ctx.Export("guardrails", pulumi.String(map[bool]string{true: Enforce, false: Off}[s.Guardrails]))
}

// indexNames reads the names back from the resource, so that the output says what was deployed.
func indexNames(table *dynamodb.Table) pulumi.StringArrayOutput {
	return table.GlobalSecondaryIndexes.ApplyT(func(indexes []dynamodb.TableGlobalSecondaryIndex) []string {
		names := make([]string, 0, len(indexes))
		for _, index := range indexes {
			names = append(names, index.Name)
		}
		slices.Sort(names)
		return names
	}).(pulumi.StringArrayOutput)
}

// regionOf follows the provider's own order: what the document fixes, aws:region, AWS_REGION, AWS_DEFAULT_REGION. Where
// none is set the provider took the region from its profile, which a program cannot see, but the ARN can tell. The ARN
// comes last because engines on a laptop put a word of their own where the region stands.
func (s *Settings) regionOf(tables map[string]*dynamodb.Table) pulumi.StringInput {
	if region := cmp.Or(s.region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")); region != "" {
		return pulumi.String(region)
	}
	first := slices.Min(slices.Collect(maps.Keys(tables)))
	return tables[first].Arn.ApplyT(regionOfARN).(pulumi.StringOutput)
}

// regionOfARN returns the fourth field of arn:<partition>:dynamodb:<region>:<account>:table/<name>.
func regionOfARN(arn string) (string, error) {
	fields := strings.SplitN(arn, ":", 6)
	if len(fields) != 6 || fields[3] == "" {
		return "", fmt.Errorf("region of the stack: expected an ARN arn:<partition>:dynamodb:<region>:<account>:table/<name>, found %q; set aws:region", arn)
	}
	return fields[3], nil
}
