package target

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"dynaproof/accesspatterns/designtest"
)

// An answer that lacks what DynamoDB always says, or that is not the one its checksum was made of, is none.
func TestStrangeAnswers(t *testing.T) {
	describe := &dynamodb.DescribeTableInput{TableName: aws.String("t")}
	expiry := &dynamodb.DescribeTimeToLiveInput{TableName: aws.String("t")}
	backups := &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String("t")}
	list := &dynamodb.ListTablesInput{}
	put := &dynamodb.PutItemInput{TableName: aws.String("t"), Item: map[string]types.AttributeValue{}}
	from := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "a"}}
	query := &dynamodb.QueryInput{TableName: aws.String("t"), ExclusiveStartKey: from}
	scan := &dynamodb.ScanInput{TableName: aws.String("t"), ExclusiveStartKey: from}
	further := &dynamodb.ListTablesInput{ExclusiveStartTableName: aws.String("a")}
	tags := &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String("t"), NextToken: aws.String("a")}
	tagged := &dynamodb.ListTagsOfResourceInput{ResourceArn: aws.String("t")}
	policy := &dynamodb.GetResourcePolicyInput{ResourceArn: aws.String("t")}
	insights := &dynamodb.DescribeContributorInsightsInput{TableName: aws.String("t")}
	batch := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"t": {Keys: []map[string]types.AttributeValue{from}}}}
	transaction := &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: aws.String("t"), Key: from}}}}
	first := func(in dynamodb.QueryInput) *dynamodb.QueryInput {
		in.TableName, in.KeyConditionExpression = aws.String("t"), aws.String("PK = :a")
		in.ExpressionAttributeValues = map[string]types.AttributeValue{":a": from["PK"]}
		return &in
	}
	anew, projected := first(dynamodb.QueryInput{}), first(dynamodb.QueryInput{ProjectionExpression: aws.String("PK, title")})
	onward := first(dynamodb.QueryInput{ExclusiveStartKey: map[string]types.AttributeValue{"PK": from["PK"], "SK": from["PK"]}})
	writes := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"t": {
		{PutRequest: &types.PutRequest{Item: from}}, {DeleteRequest: &types.DeleteRequest{Key: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberN{Value: "1"}}}},
	}}}
	get := &dynamodb.GetItemInput{TableName: aws.String("t"), Key: from}
	byARN := &dynamodb.GetItemInput{TableName: aws.String("arn:aws:dynamodb:eu-west-1:123456789012:table/t"), Key: from}
	indexed := first(dynamodb.QueryInput{IndexName: aws.String("i")})
	returning := func(returns types.ReturnValue) any {
		return &dynamodb.UpdateItemInput{TableName: aws.String("t"), Key: from, ReturnValues: returns}
	}
	const ab = `"Items":[{"PK":{"S":"a"},"SK":{"S":"b"},"title":{"S":"c"}}],"Count":1,"ScannedCount":1,`
	for _, row := range []struct {
		name    string
		ask     any
		body    string
		header  string
		strange bool
	}{
		{"no table", describe, `{}`, "", true},
		{"nothing", describe, ``, "", true},
		{"a table without a status", describe, `{"Table":{"KeySchema":[{}]}}`, "", true},
		{"a table without a key", describe, `{"Table":{"TableStatus":"ACTIVE"}}`, "", true},
		{"a table", describe, `{"Table":{"TableStatus":"ACTIVE","KeySchema":[{}]}}`, "", false},
		{"another table", describe, `{"Table":{"TableName":"u","TableStatus":"ACTIVE","KeySchema":[{}]}}`, "", true},
		{"the table", describe, `{"Table":{"TableName":"t","TableStatus":"ACTIVE","KeySchema":[{}]}}`, "", false},
		{"no expiry", expiry, `{}`, "", true},
		{"expiry without a status", expiry, `{"TimeToLiveDescription":{}}`, "", true},
		{"expiry by nothing", expiry, `{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED"}}`, "", true},
		{"expiry that begins, by nothing", expiry, `{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLING"}}`, "", true},
		{"expiry of a status that nobody knows", expiry, `{"TimeToLiveDescription":{"TimeToLiveStatus":"PAUSED","AttributeName":"a"}}`, "", true},
		{"expiry that ends", expiry, `{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLING","AttributeName":"a"}}`, "", false},
		{"no expiry, said", expiry, `{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}`, "", false},
		{"no backups", backups, `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED"}}`, "", true},
		{"backups of a status that nobody knows", backups, `{"ContinuousBackupsDescription":{"PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"ON"}}}`, "", true},
		{"insights of a status that nobody knows", insights, `{"ContributorInsightsStatus":"ON"}`, "", true},
		{"insights", insights, `{"ContributorInsightsStatus":"DISABLED"}`, "", false},
		{"no policy", policy, `{"RevisionId":"1"}`, "", true},
		{"a policy", policy, `{"Policy":"{}"}`, "", false},
		{"a batch of nothing", batch, `{}`, "", true},
		{"a batch without items", batch, `{"Responses":{"t":[]}}`, "", false},
		{"a batch that was not processed", batch, `{"UnprocessedKeys":{"t":{"Keys":[{"PK":{"S":"a"}}]}}}`, "", false},
		{"a transaction of fewer items than asked", transaction, `{"Responses":[]}`, "", true},
		{"a transaction without the item", transaction, `{"Responses":[{}]}`, "", false},
		{"no list of tables", list, `{}`, "", true},
		{"no tables", list, `{"TableNames":[]}`, "", false},
		{"no list of tags", tagged, `{}`, "", true},
		{"no tags", tagged, `{"Tags":[]}`, "", false},
		{"another body than that of the checksum", put, `{}`, "1", true},
		{"a checksum that is no number", put, `{}`, "x", true},
		{"the body of the checksum", put, `{}`, "2745614147", false},
		{"items without counts", query, `{"Items":[]}`, "", true},
		{"items without what was inspected", query, `{"Items":[],"Count":0}`, "", true},
		{"items of a scan without counts", scan, `{"Items":[]}`, "", true},
		{"items with counts", query, `{"Items":[],"Count":0,"ScannedCount":0}`, "", false},
		{"a page that ends where it starts", query, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"a"}}}`, "", true},
		{"a page of a scan that does", scan, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"a"}}}`, "", true},
		{"a page that moves", query, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"b"}}}`, "", false},
		{"a page that ends in another partition", anew, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"b"},"SK":{"S":"b"}}}`, "", true},
		{"a page that ends in none", anew, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"SK":{"S":"b"}}}`, "", true},
		{"a page that ends in a partition of another type", anew, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"B":"YQ=="},"SK":{"S":"b"}}}`, "", true},
		{"a page that ends in its partition", anew, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"a"},"SK":{"S":"b"}}}`, "", false},
		{"a page that ends before its last item", anew, `{` + ab + `"LastEvaluatedKey":{"PK":{"S":"a"},"SK":{"S":"a"}}}`, "", true},
		{"a page that ends at an attribute that its last item lacks", anew, `{` + ab + `"LastEvaluatedKey":{"PK":{"S":"a"},"SK":{"S":"b"},"GSI1PK":{"S":"b"}}}`, "", true},
		{"a page that ends at one that was not asked for", projected, `{` + ab + `"LastEvaluatedKey":{"PK":{"S":"a"},"SK":{"S":"b"},"GSI1PK":{"S":"b"}}}`, "", false},
		{"a page that ends at its last item", anew, `{` + ab + `"LastEvaluatedKey":{"PK":{"S":"a"},"SK":{"S":"b"}}}`, "", false},
		{"a page that ends behind what a filter left out", anew, `{"Items":[{"PK":{"S":"a"},"SK":{"S":"b"}}],"Count":1,"ScannedCount":2,"LastEvaluatedKey":{"PK":{"S":"a"},"SK":{"S":"c"}}}`, "", false},
		{"a page that ends at an attribute more than it starts from", onward, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"a"},"SK":{"S":"b"},"GSI1PK":{"S":"b"}}}`, "", true},
		{"a page that ends at one less", onward, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"a"}}}`, "", true},
		{"a page of a scan that ends at one more", scan, `{"Items":[],"Count":0,"ScannedCount":0,"LastEvaluatedKey":{"PK":{"S":"a"},"SK":{"S":"b"}}}`, "", true},
		{"a batch of which more is left than was asked", batch, `{"Responses":{},"UnprocessedKeys":{"t":{"Keys":[{"PK":{"S":"a"}},{"PK":{"S":"a"}}]}}}`, "", true},
		{"a batch of which another key is left", batch, `{"Responses":{},"UnprocessedKeys":{"t":{"Keys":[{"PK":{"S":"b"}}]}}}`, "", true},
		{"a batch of which another table is left", batch, `{"Responses":{},"UnprocessedKeys":{"u":{"Keys":[{"PK":{"S":"a"}}]}}}`, "", true},
		{"writes of which some are left", writes, `{"UnprocessedItems":{"t":[{"DeleteRequest":{"Key":{"PK":{"N":"1.0"}}}},{"PutRequest":{"Item":{"PK":{"S":"a"},"by":{"S":"x"}}}}]}}`, "", false},
		{"writes of which another is left", writes, `{"UnprocessedItems":{"t":[{"DeleteRequest":{"Key":{"PK":{"N":"2"}}}}]}}`, "", true},
		{"a table of which nothing is left", batch, `{"Responses":{},"UnprocessedKeys":{"t":{"Keys":[]}}}`, "", true},
		{"another table of which nothing is left", writes, `{"UnprocessedItems":{"u":[]}}`, "", true},
		{"a batch with items of another table", batch, `{"Responses":{"t":[],"u":[{"PK":{"S":"a"}}]}}`, "", true},
		{"an error with the status of an answer", get, `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"}`, "", true},
		{"an error with the status of an answer, without its type", get, `{"message":"The conditional request failed"}`, "", true},
		{"an answer that is cut off", get, `{"Item":{"PK":{"S":"a"}}`, "", true},
		{"more behind an answer", get, `{"Item":{"PK":{"S":"a"}}} {"Item":{}}`, "", true},
		{"an answer in gzip", get, "\x1f\x8b\x08", "", true},
		{"no answer to a put", put, ``, "", true},
		{"null", put, `null`, "", true},
		{"nothing, where nothing is to be told", &dynamodb.TagResourceInput{ResourceArn: aws.String("t"), Tags: []types.Tag{}}, ``, "", false},
		{"an answer with a member more", get, `{"Item":{"PK":{"S":"a"}},"AddedByAWS":1}`, "", false},
		{"an item twice", get, `{"Item":{"PK":{"S":"a"}},"Item":{}}`, "", true},
		{"an item twice, once in small letters", get, `{"Item":{"PK":{"S":"a"}},"item":{}}`, "", true},
		{"an attribute twice", get, `{"Item":{"PK":{"S":"a"},"PK":{"S":"b"}}}`, "", true},
		{"attributes that differ in case", get, `{"Item":{"PK":{"S":"a"},"pk":{"S":"b"}}}`, "", false},
		{"counts twice, once in small letters", query, `{"Items":[],"Count":0,"ScannedCount":0,"scannedCount":9}`, "", true},
		{"a count that is no integer", query, `{"Items":[],"Count":0.5,"ScannedCount":1}`, "", true},
		{"a count of a float", query, `{"Items":[],"Count":0.0,"ScannedCount":0}`, "", true},
		{"attributes for which nobody asked", returning(""), `{"Attributes":{"PK":{"S":"a"}}}`, "", true},
		{"attributes where none were to be returned", returning(types.ReturnValueNone), `{"Attributes":{"PK":{"S":"a"}}}`, "", true},
		{"attributes for which somebody asked", returning(types.ReturnValueAllOld), `{"Attributes":{"PK":{"S":"a"}}}`, "", false},
		{"capacity of another table", get, `{"ConsumedCapacity":{"TableName":"u","CapacityUnits":1}}`, "", true},
		{"capacity of the table", get, `{"ConsumedCapacity":{"TableName":"t","CapacityUnits":1}}`, "", false},
		{"capacity of the table that was named by its ARN", byARN, `{"ConsumedCapacity":{"TableName":"t","CapacityUnits":1}}`, "", false},
		{"capacity of an index that was not read", indexed, `{"Items":[],"Count":0,"ScannedCount":0,"ConsumedCapacity":{"TableName":"t","GlobalSecondaryIndexes":{"j":{"CapacityUnits":1}}}}`, "", true},
		{"capacity of a local index where none was read", get, `{"ConsumedCapacity":{"TableName":"t","LocalSecondaryIndexes":{"j":{"CapacityUnits":1}}}}`, "", true},
		{"capacity of the index", indexed, `{"Items":[],"Count":0,"ScannedCount":0,"ConsumedCapacity":{"TableName":"t","GlobalSecondaryIndexes":{"i":{"CapacityUnits":1}}}}`, "", false},
		{"capacity of the indexes that a write changes", returning(""), `{"ConsumedCapacity":{"TableName":"t","GlobalSecondaryIndexes":{"i":{"CapacityUnits":1}}}}`, "", false},
		{"capacity of a table that no action of a batch names", batch, `{"Responses":{},"ConsumedCapacity":[{"TableName":"t"},{"TableName":"u"}]}`, "", true},
		{"capacity of a table that no action of a transaction names", transaction, `{"Responses":[{}],"ConsumedCapacity":[{"TableName":"u"}]}`, "", true},
		{"tables that end where they start", further, `{"TableNames":[],"LastEvaluatedTableName":"a"}`, "", true},
		{"tags that do", tags, `{"Tags":[],"NextToken":"a"}`, "", true},
		{"no checksum", put, `{}`, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if row.header != "" {
					w.Header().Set("X-Amz-Crc32", row.header)
				}
				_, _ = w.Write([]byte(row.body))
			}))
			defer server.Close()
			_, err := designtest.Send(t.Context(), NewClient(server.URL, "eu-west-1"), row.ask)
			var strange *StrangeAnswer
			if errors.As(err, &strange) != row.strange || err != nil && !row.strange {
				t.Errorf("expected strange %t, found %v", row.strange, err)
			}
		})
	}
}

// What is in the way and keeps answers serves one again, of success or refusal, with the id of its request.
func TestAnAnswerThatIsServedAgain(t *testing.T) {
	id, status := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amzn-RequestId", id)
		w.Header().Set("X-Amzn-ErrorType", "ConditionalCheckFailedException")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	client := NewClient(server.URL, "eu-west-1")
	for i, row := range []struct {
		id      string
		status  int
		strange bool
	}{{"a", 200, false}, {"b", 400, false}, {"c", 200, false}, {"a", 200, true}, {"b", 400, true}, {"c", 400, true}, {"", 200, false}, {"", 200, false}, {"d", 200, false}} {
		id, status = row.id, row.status
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("t"), Item: map[string]types.AttributeValue{}})
		if _, strange := errors.AsType[*StrangeAnswer](err); strange != row.strange {
			t.Errorf("answer %d, %s: expected strange %t, found %v", i, row.id, row.strange, err)
		}
	}
	known := &requestIDs{}
	for i := range 1 << 16 {
		if known.again(strconv.Itoa(i)) {
			t.Fatalf("expected %d to be new", i)
		}
	}
	if !known.again(strconv.Itoa(1<<15)) || len(known.recent)+len(known.older) > 1<<16 {
		t.Errorf("expected the last 32768 ids to be known, and no more than 65536 to be kept, found %d", len(known.recent)+len(known.older))
	}
}

// TestPagesThatGoRound follows pages that end at two places by turns, which no page alone tells.
func TestPagesThatGoRound(t *testing.T) {
	for operation, body := range map[string]string{"ListTables": `{"TableNames":["t"],"LastEvaluatedTableName":"%d"}`, "ListTagsOfResource": `{"Tags":[],"NextToken":"%d"}`} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, body, asked%2)
			asked++
		}))
		defer server.Close()
		var err error
		if client := NewClient(server.URL, "eu-west-1"); operation == "ListTables" {
			_, err = TableNames(t.Context(), client)
		} else {
			_, err = TableTags(t.Context(), client, "arn")
		}
		if _, strange := errors.AsType[*StrangeAnswer](err); !strange || asked != 3 {
			t.Errorf("%s: expected a strange answer at the third page, found %v after %d", operation, err, asked)
		}
	}
}

// Pages each of which ends somewhere else come to an end too.
func TestPagesWithoutAnEnd(t *testing.T) {
	ends, n := Ends{}, 0
	for ; n <= 20_000 && ends.Add("ListTables", strconv.Itoa(n)) == nil; n++ {
	}
	assert.Equal(t, 10_000, n)
}
