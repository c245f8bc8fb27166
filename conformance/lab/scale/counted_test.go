package scale

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/target"
)

// The figures are the embedded engine's, which counts as AWS documents: a read by 4 KB of the items that it looks at, added up before
// they are rounded, half of it where it is eventually consistent; a write by 1 KB; a page ends at its limit, or before 1 MB.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func TestTheEngineCountsAsAWSDocuments(t *testing.T) {
	client := target.NewClient(tables.Engine(t), "us-east-1")
	counted := tabletest.Read[struct {
		Tables []map[string]any
		Reads  []struct {
			Name, Partition string
			Consistent      bool
			Limit           int32
			Units           float64
			Scanned         []int32
		}
	}](t, "counted.yaml")
	designtest.SendAll(t, client, counted.Tables)
	// sized is an item of so many bytes.
	sized := func(partition, name string, bytes int) accesspatterns.Item {
		item := accesspatterns.Item{"PK": text(partition), "SK": text(name), "n": digits("27"), "t": text("")}
		item["t"] = text(strings.Repeat("x", bytes-dynamo.Size(item)))
		return item
	}
	written := map[int]float64{}
	put := func(partition string, count, bytes int) {
		for i := range count {
			answer, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("sized"), Item: sized(partition, fmt.Sprintf("%04d", i), bytes), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes})
			require.NoError(t, err)
			written[bytes] = aws.ToFloat64(answer.ConsumedCapacity.Table.CapacityUnits)
			require.InDelta(t, written[bytes], aws.ToFloat64(answer.ConsumedCapacity.GlobalSecondaryIndexes["turned"].CapacityUnits), 0, "what an index takes of a write of %d bytes", bytes)
		}
	}
	for partition, of := range map[string]struct{ count, bytes int }{"small": {1, 1024}, "more": {1, 1025}, "page": {1, 4096}, "beyond": {1, 4097}, "three": {3, 3000}, "many": {260, 4097}} {
		put(partition, of.count, of.bytes)
	}
	assert.Equal(t, map[int]float64{1024: 1, 1025: 2, 3000: 3, 4096: 4, 4097: 5}, written, "units of a write, by its bytes")
	for partition, want := range map[string]float64{"nobody": 1, "page": 1, "beyond": 2} {
		answer, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{
			TableName: aws.String("sized"), Key: accesspatterns.Item{"PK": text(partition), "SK": text("0000")}, ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		require.NoError(t, err)
		assert.InDelta(t, want, aws.ToFloat64(answer.ConsumedCapacity.CapacityUnits), 0, "read units of the item of %s", partition)
	}
	for _, row := range counted.Reads {
		t.Run(row.Name, func(t *testing.T) {
			input := &dynamodb.QueryInput{
				TableName: aws.String("sized"), KeyConditionExpression: aws.String("PK = :p"), ExpressionAttributeValues: accesspatterns.Item{":p": text(row.Partition)},
				ConsistentRead: &row.Consistent, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
			}
			if row.Limit > 0 {
				input.Limit = &row.Limit
			}
			units, scanned := 0.0, []int32{}
			for pages := dynamodb.NewQueryPaginator(client, input); pages.HasMorePages(); {
				page := tabletest.Must(pages.NextPage(t.Context()))(t)
				units, scanned = units+aws.ToFloat64(page.ConsumedCapacity.CapacityUnits), append(scanned, page.ScannedCount)
			}
			assert.InDelta(t, row.Units, units, 0, "read units")
			assert.Equal(t, row.Scanned, scanned, "scanned counts of the pages")
		})
	}
}

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
func digits(value string) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: value}
}

func TestWriteUnits(t *testing.T) {
	for bytes, want := range map[int]float64{1: 1, 1024: 1, 1025: 2} { // a key alone, 1 KB, and a byte more
		assert.InDelta(t, want, writeUnits(bytes), 0, "units of %d bytes", bytes)
	}
}

// The cost of a larger result is at most that of its bytes: an engine, or a read, that takes more has read something else too.
func TestJudgeOwn(t *testing.T) {
	measured := func(units float64) []string {
		own := OwnPoint{Own: 10, Figures: Figures{ReadUnits: units, Scanned: 11, Pages: 1}}
		return judgeOwn(&accesspatterns.Read{}, []OwnPoint{{Figures: Figures{ReadUnits: 1, Scanned: 1, Pages: 1}}, own}, []int{0, 10 * readBytes})
	}
	for units, problems := range map[float64]int{0.5: 1, 1: 0, 13: 0, 13.5: 1} {
		assert.Len(t, measured(units), problems, "%g units: expected %d problems", units, problems)
	}
}
