package target

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/input"
	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/sdk"
)

// StrangeAnswer is an answer that is none of DynamoDB's: it lacks what DynamoDB always says, says what nobody asked for, its body is
// not the one that its checksum was made of, or it was given before. Whatever is in the way may have made it, so it decides nothing.
type StrangeAnswer struct{ Operation, Expected, Found string }

// Error implements error.
func (s *StrangeAnswer) Error() string {
	return fmt.Sprintf("the answer to %s is none of DynamoDB's: expected %s, found %s; look for what answers in its place, such as a gateway", s.Operation, s.Expected, s.Found)
}

// onlyWholeAnswers lets a client, which has the ids for itself, take no strange answer for one of DynamoDB's.
func (seen *requestIDs) onlyWholeAnswers(stack *middleware.Stack) error {
	// The SDK compares the checksum when the body is closed, and drops what it finds.
	checksum := middleware.DeserializeMiddlewareFunc("DynaproofChecksum",
		func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (out middleware.DeserializeOutput, metadata middleware.Metadata, err error) {
			out, metadata, err = next.HandleDeserialize(ctx, in)
			response, is := out.RawResponse.(*smithyhttp.Response)
			if err != nil || !is {
				return out, metadata, err
			}
			content, err := io.ReadAll(response.Body)
			if err != nil {
				return out, metadata, err
			}
			operation := middleware.GetOperationName(ctx)
			if expected, found := garbled(operation, response, content); expected != "" {
				return out, metadata, &StrangeAnswer{operation, expected, found}
			}
			if seen.again(response.Header.Get("X-Amzn-Requestid")) {
				return out, metadata, &StrangeAnswer{operation, "an answer with a request id of its own", "one with the id of an earlier answer"}
			}
			if asks, is := ctx.Value(asking{}).(*unknown); is {
				asks.content = content
			}
			response.Body = struct {
				io.Reader
				io.Closer
			}{bytes.NewReader(content), response.Body}
			return out, metadata, nil
		})
	whole := middleware.InitializeMiddlewareFunc("DynaproofWholeAnswer",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (out middleware.InitializeOutput, metadata middleware.Metadata, err error) {
			out, metadata, err = next.HandleInitialize(ctx, in)
			if err != nil {
				return out, metadata, err
			}
			expected, found := lacking(out.Result)
			if expected == "" {
				expected, found = unlike(in.Parameters, out.Result)
			}
			if expected != "" {
				return out, metadata, &StrangeAnswer{middleware.GetOperationName(ctx), expected, found}
			}
			if asks, is := ctx.Value(asking{}).(*unknown); is {
				asks.find(out.Result)
			}
			return out, metadata, nil
		})
	return errors.Join(stack.Initialize.Add(whole, middleware.After), stack.Deserialize.Add(checksum, middleware.After))
}

// garbled says how a body is none of those that DynamoDB sends, whatever was asked; "" where it may be. Of a name that stands twice each
// reader takes another, and so may the ledger and the SDK.
func garbled(operation string, response *smithyhttp.Response, content []byte) (expected, found string) {
	if told, made := response.Header.Get("X-Amz-Crc32"), crc32.ChecksumIEEE(content); told != "" && told != strconv.FormatUint(uint64(made), 10) {
		return "a body with the checksum of its X-Amz-Crc32, " + told, fmt.Sprint(made)
	}
	answered, members := response.StatusCode == http.StatusOK, map[string]json.RawMessage{}
	if input.Exactly(content, &members) != nil || members == nil {
		if answered && (len(content) > 0 || operation != "TagResource" && operation != "UntagResource") {
			return "one JSON object", "none, or more behind it" // the SDK takes nothing for one without members, and reads none behind it
		}
		return "", ""
	}
	names := map[string]bool{}
	for name := range members {
		names[strings.ToLower(name)] = true
	}
	switch twice := input.Twice(content); {
	case twice != "" || len(names) < len(members):
		return "each name once", "one that stands twice"
	case answered && (names["__type"] || names["message"]):
		return "an answer", "an error with the status of one"
	case answered && (operation == "Query" || operation == "Scan") && !counted(members):
		return "Count and ScannedCount", "one without"
	}
	return "", ""
}

// requestIDs are the ids of the latest answers of a client, each of which DynamoDB gives once: who gives one again has kept an answer.
type requestIDs struct {
	mu            sync.Mutex
	recent, older map[string]bool
}

// again notes an id, and reports whether it is known. An answer without one tells nothing.
func (seen *requestIDs) again(id string) bool {
	const most = 1 << 15
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if seen.recent[id] || seen.older[id] || id == "" {
		return id != ""
	}
	if len(seen.recent) == 0 || len(seen.recent) == most {
		seen.recent, seen.older = map[string]bool{}, seen.recent
	}
	seen.recent[strings.Clone(id)] = true
	return false
}

// lacking says what DynamoDB always answers and an answer does not; "" for none.
func lacking(answer any) (expected, found string) {
	switch answer := answer.(type) {
	case *dynamodb.DescribeTableOutput:
		switch {
		case answer.Table == nil:
			return "a table", "none"
		case answer.Table.TableStatus == "":
			return "a table with its status", "none"
		case len(answer.Table.KeySchema) == 0:
			return "a table with its primary key", "none"
		}
	case *dynamodb.DescribeTimeToLiveOutput:
		ttl := answer.TimeToLiveDescription
		if ttl == nil {
			return "the status of time to live", "none"
		} else if on := strings.HasPrefix(string(ttl.TimeToLiveStatus), "ENABL"); on && aws.ToString(ttl.AttributeName) == "" {
			return "the attribute by which items expire", "none"
		}
		return known("time to live", ttl.TimeToLiveStatus)
	case *dynamodb.DescribeContinuousBackupsOutput:
		backups := answer.ContinuousBackupsDescription
		if backups == nil || backups.PointInTimeRecoveryDescription == nil {
			return "the status of point-in-time recovery", "none"
		}
		return known("point-in-time recovery", backups.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus)
	case *dynamodb.DescribeKinesisStreamingDestinationOutput:
		if answer.TableName == nil && answer.KinesisDataStreamDestinations == nil {
			return "a list of destinations, which may be empty", "none"
		}
	case *dynamodb.DescribeContributorInsightsOutput:
		return known("Contributor Insights", answer.ContributorInsightsStatus)
	case *dynamodb.GetResourcePolicyOutput:
		if aws.ToString(answer.Policy) == "" {
			return "a policy, or an error that says that there is none", "none"
		}
	case *dynamodb.BatchGetItemOutput:
		if answer.Responses == nil && len(answer.UnprocessedKeys) == 0 {
			return "items by table, which may be none", "none"
		}
	case *dynamodb.ListTablesOutput:
		if answer.TableNames == nil {
			return "a list of tables, which may be empty", "none"
		}
	case *dynamodb.ListTagsOfResourceOutput:
		if answer.Tags == nil {
			return "a list of tags, which may be empty", "none"
		}
	}
	return "", ""
}

// unknown is what an answer says that the SDK does not know.
type unknown struct {
	content []byte
	found   *[]string
}

// asking is the key of an [unknown] in a context.
type asking struct{}

// Unknown asks the answers to requests of this context for what they say that the SDK, and so nobody here, knows of: members, by their
// path, and values of enumerations. AWS adds such at any time.
func Unknown(ctx context.Context, found *[]string) context.Context {
	return context.WithValue(ctx, asking{}, &unknown{found: found})
}

// unlisted are members that DynamoDB has long answered and its reference does not list, with what they hold: the billing mode once more.
var unlisted = map[string]reflect.Type{"TableThroughputModeSummary": reflect.TypeFor[struct {
	TableThroughputMode               types.BillingMode
	LastUpdateToPayPerRequestDateTime float64
}]()}

func (u *unknown) find(answer any) {
	var said any
	_ = input.Exactly(u.content, &said) // the SDK has read it
	u.below("", said, reflect.TypeOf(answer))
	*u.found = lists.Sorted(*u.found)
}

// below compares what is said at a path with the type that the SDK has for it.
func (u *unknown) below(path string, said any, known reflect.Type) {
	for known.Kind() == reflect.Pointer {
		known = known.Elem()
	}
	switch said := said.(type) {
	case map[string]any:
		for name, member := range said {
			at := strings.TrimPrefix(path+"."+name, ".")
			if known.Kind() == reflect.Map {
				u.below(at, member, known.Elem())
			} else if known.Kind() == reflect.Struct {
				if field, is := known.FieldByName(name); is && field.IsExported() {
					u.below(at, member, field.Type)
				} else if unlisted[name] != nil {
					u.below(at, member, unlisted[name])
				} else {
					*u.found = append(*u.found, at)
				}
			}
		}
	case []any:
		for _, element := range said {
			if known.Kind() == reflect.Slice {
				u.below(path, element, known.Elem())
			}
		}
	case string:
		if values := reflect.Zero(known).MethodByName("Values"); known.Kind() == reflect.String && values.IsValid() {
			documented, is := values.Call(nil)[0], false
			for i := range documented.Len() {
				is = is || documented.Index(i).String() == said
			}
			if !is {
				*u.found = append(*u.found, path+" "+strconv.Quote(said))
			}
		}
	}
}

// counted reports whether an answer to a read of many items says how many it holds, and how many were looked at. The SDK
// takes a count that is missing for 0.
func counted(members map[string]json.RawMessage) bool {
	for _, name := range []string{"Count", "ScannedCount"} {
		var count *int
		if input.Exactly(members[name], &count) != nil || count == nil {
			return false
		}
	}
	return true
}

// known says that a status is none of those that DynamoDB documents, of which nobody here knows what it means.
func known[S interface {
	~string
	Values() []S
}](what string, status S) (expected, found string) {
	if slices.Contains(status.Values(), status) {
		return "", ""
	}
	return "the status of " + what, cmp.Or(string(status), "none")
}

// Ends are where the pages of one list have ended.
type Ends map[string]bool

// mostPages bounds the pages of one list: as many tables as an account may have fill a hundred.
const mostPages = 10_000

// Add notes where a page of an operation ended. It fails where one has ended there before, and behind ten thousand: whoever follows such
// pages goes round, or on, for ever.
func (e Ends) Add(operation, end string) error {
	if e[end] {
		return &StrangeAnswer{operation, "a further page, which ends where none has ended before", "one that ends where another did"}
	}
	if len(e) == mostPages {
		return &StrangeAnswer{operation, "a last page, behind " + strconv.Itoa(mostPages) + " at most", "a further one"}
	}
	e[end] = true
	return nil
}

// pages are the members that say where a page ends, by those that say where the next one starts.
var pages = map[string]string{"ExclusiveStartKey": "LastEvaluatedKey", "ExclusiveStartTableName": "LastEvaluatedTableName", "NextToken": "NextToken"}

// unlike says how an answer that lacks nothing does not fit what was asked; "" where it does. Whoever follows a page that ends at the key that it
// starts from asks for the same page for ever.
func unlike(asked, answered any) (expected, found string) {
	for from, to := range pages {
		start, end := reflect.Indirect(reflect.ValueOf(asked)).FieldByName(from), reflect.Indirect(reflect.ValueOf(answered)).FieldByName(to)
		if start.IsValid() && end.IsValid() && !start.IsZero() && reflect.DeepEqual(start.Interface(), end.Interface()) {
			return "a further page, which ends behind the key that it starts from", "one that ends there"
		}
	}
	if expected, found := unasked(asked, answered); expected != "" {
		return expected, found
	}
	switch asked := asked.(type) {
	case *dynamodb.QueryInput:
		page := answered.(*dynamodb.QueryOutput)
		bound, _ := sdk.BoundKeys(asked) // none where DynamoDB would not have taken the condition
		return strayed(page.Items, page.ScannedCount, asked.ExclusiveStartKey, page.LastEvaluatedKey, bound, asked.ProjectionExpression == nil)
	case *dynamodb.ScanInput:
		page := answered.(*dynamodb.ScanOutput)
		return strayed(page.Items, page.ScannedCount, asked.ExclusiveStartKey, page.LastEvaluatedKey, nil, asked.ProjectionExpression == nil)
	case *dynamodb.BatchGetItemInput:
		page := answered.(*dynamodb.BatchGetItemOutput)
		for table := range page.Responses {
			if _, is := asked.RequestItems[table]; !is {
				return "items of the tables that were asked for", "some of another"
			}
		}
		return beside(asked.RequestItems, page.UnprocessedKeys, func(of types.KeysAndAttributes) []accesspatterns.Item { return of.Keys })
	case *dynamodb.BatchWriteItemInput:
		return beside(asked.RequestItems, answered.(*dynamodb.BatchWriteItemOutput).UnprocessedItems, func(of []types.WriteRequest) []accesspatterns.Item {
			var all []accesspatterns.Item
			for _, request := range of {
				switch {
				case request.PutRequest != nil:
					all = append(all, request.PutRequest.Item)
				case request.DeleteRequest != nil:
					all = append(all, request.DeleteRequest.Key)
				}
			}
			return all
		})
	case *dynamodb.DescribeTableInput:
		name, table := aws.ToString(asked.TableName), answered.(*dynamodb.DescribeTableOutput).Table
		_, of, has := strings.Cut(aws.ToString(table.TableArn), ":table/")
		switch {
		case strings.HasPrefix(name, "arn:"):
		case cmp.Or(aws.ToString(table.TableName), name) != name:
			return fmt.Sprintf("a description of table %q", name), "an answer without one"
		case has && of != name:
			return fmt.Sprintf("the ARN of table %q", name), "that of another"
		}
	case *dynamodb.TransactGetItemsInput:
		answers := len(answered.(*dynamodb.TransactGetItemsOutput).Responses)
		if answers != len(asked.TransactItems) {
			return fmt.Sprintf("%d items, each of which may be none", len(asked.TransactItems)), strconv.Itoa(answers)
		}
	}
	return "", ""
}

// unasked says what an answer tells that nobody asked for: attributes of the item that was written, or the capacity that another table, or
// an index that was not read, has consumed.
func unasked(asked, answered any) (expected, found string) {
	writes, _ := sdk.Writes(asked) // none where DynamoDB would not have taken them
	in, out := reflect.Indirect(reflect.ValueOf(asked)), reflect.Indirect(reflect.ValueOf(answered))
	attributes, consumed := out.FieldByName("Attributes"), out.FieldByName("ConsumedCapacity")
	if attributes.IsValid() && attributes.Len() > 0 && len(writes) == 1 && (writes[0].Returns == "" || writes[0].Returns == types.ReturnValueNone) {
		return "no attributes, for which nobody asked", "some"
	}
	tables := tablesOf(asked, writes)
	if !consumed.IsValid() || consumed.IsZero() || len(tables) == 0 {
		return "", ""
	}
	all, is := consumed.Interface().([]types.ConsumedCapacity)
	if !is {
		all = []types.ConsumedCapacity{*consumed.Interface().(*types.ConsumedCapacity)}
	}
	index := in.FieldByName("IndexName")
	for _, of := range all {
		if name := aws.ToString(of.TableName); name != "" && !slices.Contains(tables, dynamo.TableName(name)) {
			return "the capacity that the tables of the request have consumed", "that of another"
		}
		for _, indexes := range []map[string]types.Capacity{of.GlobalSecondaryIndexes, of.LocalSecondaryIndexes} {
			for name := range indexes {
				if len(writes) == 0 && (!index.IsValid() || index.IsNil() || index.Elem().String() != name) {
					return "the capacity that what was read has consumed", "that of another index"
				}
			}
		}
	}
	return "", ""
}

// tablesOf are the names of the tables of a request: those whose items it reads or writes, or the one that it names.
func tablesOf(asked any, writes []sdk.Write) (names []string) {
	lookups, _ := sdk.Lookups(asked) // none where DynamoDB would not have taken them
	names = lists.Map(lookups, func(l sdk.Lookup) string { return l.Table })
	names = append(names, lists.Map(writes, func(w sdk.Write) string { return w.Table })...)
	if one := reflect.Indirect(reflect.ValueOf(asked)).FieldByName("TableName"); len(names) == 0 && one.IsValid() && !one.IsNil() {
		names = append(names, one.Elem().String())
	}
	return lists.Map(names, dynamo.TableName)
}

// strayed says how the end of a page is none of its read: a page ends behind an item of the partition that was asked for, at the
// key of the last item that was inspected, which has the attributes of every page's. whole says that its items have all attributes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html
func strayed(items []accesspatterns.Item, scanned int32, start, end, bound accesspatterns.Item, whole bool) (expected, found string) {
	if len(end) == 0 {
		return "", ""
	}
	for name, value := range bound {
		if !dynamo.Equal(end[name], value) {
			return "a page that ends at a key which the key condition allows", "one that ends at another"
		}
	}
	if start != nil && !slices.Equal(slices.Sorted(maps.Keys(start)), slices.Sorted(maps.Keys(end))) {
		return "a page that ends at a key of the same attributes as the one that it starts from", "one of others"
	}
	if len(items) == 0 || len(items) != int(scanned) {
		return "", "" // the last item that was inspected is not here
	}
	last := items[len(items)-1]
	for name, value := range end {
		if has := last[name]; has == nil && whole || has != nil && !dynamo.Equal(has, value) {
			return "a page that ends at the key of its last item", "one that ends at another"
		}
	}
	return "", ""
}

// beside says what an answer to a batch calls unprocessed that nobody asked for: who sends it again does what nobody wanted, or
// never ends.
func beside[T any](asked, left map[string]T, items func(T) []accesspatterns.Item) (expected, found string) {
	for table, part := range left {
		if len(items(part)) == 0 {
			return "nothing unprocessed, or something of it", "a table without any"
		}
		rest := slices.Clone(items(asked[table]))
		for _, one := range items(part) {
			at := slices.IndexFunc(rest, func(known accesspatterns.Item) bool { // a put may have been given attributes on its way
				for name, value := range known {
					if !dynamo.Equal(value, one[name]) {
						return false
					}
				}
				return true
			})
			if at < 0 {
				return "nothing unprocessed but what was asked for", "more"
			}
			rest = slices.Delete(rest, at, at+1)
		}
	}
	return "", ""
}
