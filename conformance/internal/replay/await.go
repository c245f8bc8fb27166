package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// activeTime bounds the wait for tables and indexes to be active, backfill
// included; tables of a run are empty when their indexes are made.
const activeTime = 10 * time.Minute

// awaitActive waits until tables and their indexes are active and no index is being
// filled: who deployed them may have ended before they were. It returns their ARNs, by
// name.
func (r *Replay) awaitActive(ctx context.Context, client *dynamodb.Client, names []string) (arns map[string]string, err error) {
	bounded, cancel := context.WithTimeout(ctx, activeTime)
	defer cancel()
	arns = map[string]string{}
	for _, name := range slices.Sorted(slices.Values(names)) {
		for {
			answer, err := client.DescribeTable(bounded, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
			if err != nil {
				return nil, fmt.Errorf("waiting for table %s: %w", name, err)
			}
			waitsFor := notActive(answer.Table)
			if waitsFor == "" {
				arns[name] = aws.ToString(answer.Table.TableArn)
				break
			}
			r.progress("%s: waiting for %s", name, waitsFor)
			select {
			case <-bounded.Done():
				return nil, errors.Join(fmt.Errorf("table %s: expected it to be active within %s, found %s", name, activeTime, waitsFor), ctx.Err())
			case <-time.After(r.options.Bounds.Poll):
			}
		}
	}
	return arns, nil
}

// notActive says what of a table is not ready, or nothing.
func notActive(table *types.TableDescription) string {
	if table.TableStatus != types.TableStatusActive {
		return "the table, which is " + string(table.TableStatus)
	}
	for _, index := range table.GlobalSecondaryIndexes {
		if aws.ToBool(index.Backfilling) {
			return "index " + aws.ToString(index.IndexName) + ", which is being filled"
		}
		if index.IndexStatus != "" && index.IndexStatus != types.IndexStatusActive {
			return "index " + aws.ToString(index.IndexName) + ", which is " + string(index.IndexStatus)
		}
	}
	return ""
}
