package flow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	ap "dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/dynamo"
	"dynaproof/accesspatterns/evaluate"
	"dynaproof/accesspatterns/sdk"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/internal/test/tables"
	"dynaproof/conformance/internal/wire"
)

// onEngine returns a runner whose requests pass the wire to the embedded engine,
// with the shop's table deployed.
func onEngine(t *testing.T) (*Runner, *wire.Ledger) {
	t.Helper()
	proxy, err := wire.Start(wire.Options{Upstream: tables.Engine(t)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = proxy.Close(context.Background()) })
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(proxy.URL()), Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	})
	_, err = client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("deployed-Orders"), BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS}},
	})
	require.NoError(t, err)
	return &Runner{
		Design: shop(), Client: client, Poll: time.Millisecond,
		TableName: func(id string) (string, error) { return "deployed-" + id, nil },
	}, proxy.Ledger()
}

// put stores one order under the ids, with a payload.
func put(ctx context.Context, r *Runner, customer, order, payload string) error {
	pattern := &ap.Pattern{ID: "put", Steps: []ap.Step{{Name: "put", Write: []ap.Action{{Kind: ap.Put, Table: "Orders", Item: "order"}}}}}
	_, err := r.Execute(ctx, Execution{Pattern: pattern, Items: func(string) ([]ap.Item, error) {
		return []ap.Item{{
			"PK": &types.AttributeValueMemberS{Value: "C#" + customer}, "SK": &types.AttributeValueMemberS{Value: "ORDER#" + order},
			"payload": &types.AttributeValueMemberS{Value: payload},
		}}, nil
	}})
	return err
}

func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return fmt.Sprint(err)
}

// id draws ids as they come: any Unicode, control characters, the separator, up
// to the length that DynamoDB allows for a partition key (2,048 bytes with its
// prefix) or a sort key (1,024 bytes).
func id(t *rapid.T, name string, most int) string {
	text := rapid.OneOf(
		rapid.StringN(1, 200, most), rapid.StringMatching(`[\x00-\x1f]{1,8}`), rapid.SampledFrom([]string{"#", "##", "a#b", "C#", "{id}", "é", "e\u0301", "\u202e", "\U0001F600", " ", "\u00a0", "\ufeff"}),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"x", "é", "日"}).Draw(t, "letter"), rapid.IntRange(most/3-2, most/3).Draw(t, "length"))
		}),
	).Draw(t, name)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	if text == "" {
		text = "0"
	}
	return text
}

// TestAnyIDIsKeptApart stores orders under any ids and reads each back by its
// own: no id may reach what is stored under another.
func TestAnyIDIsKeptApart(t *testing.T) {
	r, ledger := onEngine(t)
	get := designtest.Get("Orders", designtest.Equals("PK", "C#{id}"), designtest.Is("SK", "ORDER#{order}"))
	query := &ap.Read{Operation: dynamo.Query, Table: "Orders", Partition: designtest.Equals("PK", "C#{id}"), Sort: designtest.BeginsWith("SK", "ORDER#{order}")}
	stored := map[[2]string]string{}
	rapid.Check(t, func(rt *rapid.T) {
		customer, order := id(rt, "customer", 2048-len("C#")), id(rt, "order", 1024-len("ORDER#"))
		payload := fmt.Sprint(len(stored))
		require.NoError(rt, put(t.Context(), r, customer, order, payload))
		stored[[2]string{customer, order}] = payload
		params := ap.Params{"id": customer, "order": order}
		got, err := r.Read(t.Context(), get, []ap.Params{params}, 0)
		require.NoError(rt, err)
		require.Len(rt, got.Items, 1)
		require.Equal(rt, payload, dynamo.ScalarText(got.Items[0]["payload"]), "the order just stored")
		got, err = r.Read(t.Context(), query, []ap.Params{params}, 1)
		require.NoError(rt, err)
		for _, item := range got.Items {
			pk, sk := item["PK"].(*types.AttributeValueMemberS).Value, item["SK"].(*types.AttributeValueMemberS).Value
			// The engine reads a prefix up to a NUL, and without the case of ASCII letters.
			prefix, _, _ := strings.Cut("ORDER#"+order, "\x00")
			if pk != "C#"+customer || len(sk) < len(prefix) || !strings.EqualFold(sk[:len(prefix)], prefix) {
				rt.Fatalf("query for %q, %q: found %q, %q", customer, order, pk, sk)
			}
		}
		last := ledger.Entries(ledger.Len() - 1)[0]
		require.True(rt, last.Failure == "" && !last.Truncated, "expected the wire to record the request whole, found %+v", last)
	})
	for key, payload := range stored {
		got, err := r.Read(t.Context(), get, []ap.Params{{"id": key[0], "order": key[1]}}, 0)
		require.NoError(t, err, "%q", key)
		require.Len(t, got.Items, 1, "%q", key)
		assert.Equal(t, payload, dynamo.ScalarText(got.Items[0]["payload"]), "%q", key)
	}
}

// TestPrefixEndsAtNUL holds the engine to the deviation that TestAnyIDIsKeptApart allows: where it no longer shows, the
// allowance goes.
func TestPrefixEndsAtNUL(t *testing.T) {
	r, _ := onEngine(t)
	require.NoError(t, put(t.Context(), r, "c", "a\x00b", "p"))
	query := &ap.Read{Operation: dynamo.Query, Table: "Orders", Partition: designtest.Equals("PK", "C#{id}"), Sort: designtest.BeginsWith("SK", "ORDER#{order}")}
	got, err := r.Read(t.Context(), query, []ap.Params{{"id": "c", "order": "a\x00c"}}, 0)
	require.NoError(t, err)
	assert.Len(t, got.Items, 1, "expected the pinned engine to return what begins with another prefix behind a NUL, found %v, %v", got, err)
}

// TestKeysAreNotLongerThanDynamoDBAllows tries one byte more.
func TestKeysAreNotLongerThanDynamoDBAllows(t *testing.T) {
	r, _ := onEngine(t)
	for sizes, want := range map[[2]int]string{{2048, 7}: fmt.Sprint(nil), {2049, 7}: "ValidationException", {3, 1024}: fmt.Sprint(nil), {3, 1025}: "ValidationException"} {
		err := put(t.Context(), r, strings.Repeat("x", sizes[0]-len("C#")), strings.Repeat("y", sizes[1]-len("ORDER#")), "p")
		assert.Equal(t, want, code(err), "a partition key of %d bytes and a sort key of %d", sizes[0], sizes[1])
	}
}

// maxItem is DynamoDB's bound on an item, in bytes: 400 KB, names and values.
const maxItem = 400 * 1024

// TestLargeItemsAndPages stores items of the largest size, and reads more than a
// page of 1 MB in one logical read.
func TestLargeItemsAndPages(t *testing.T) {
	r, ledger := onEngine(t)
	size := func(order string) int {
		return len("PK") + len("C#1") + len("SK") + len("ORDER#"+order) + len("payload")
	}
	assert.Equal(t, "ValidationException", code(put(t.Context(), r, "1", "0", strings.Repeat("x", maxItem-size("0")+1))), "expected an item of a byte more than 400 KB to be refused")
	const orders = 9
	for i := range orders {
		order := fmt.Sprint(i)
		require.NoError(t, put(t.Context(), r, "1", order, strings.Repeat("x", maxItem-size(order))), "an item of 400 KB")
	}
	before := ledger.Len()
	got, err := r.Read(t.Context(), &ap.Read{Operation: dynamo.Query, Table: "Orders", Partition: designtest.Equals("PK", "C#{id}"), Order: ap.Ascending}, []ap.Params{{"id": "1"}}, 0)
	require.NoError(t, err)
	assert.Len(t, got.Items, orders)
	assert.GreaterOrEqual(t, got.Pages, 3, "expected %d items in 3 pages or more of 1 MB", orders)
	// A known deviation of dynoxide 1.2.1: where a page ends at 1 MB, it counts
	// the item that did not fit any more as inspected, and again on the next page.
	switch got.Scanned {
	case orders + got.Pages - 1:
	case orders:
		t.Error("the engine counts inspected items right now: remove its deviation from the README and from this test")
	default:
		t.Errorf("expected %d items inspected, or one more for each further page, found %d on %d pages", orders, got.Scanned, got.Pages)
	}
	for i, item := range got.Items {
		assert.Equal(t, fmt.Sprintf("ORDER#%d", i), item["SK"].(*types.AttributeValueMemberS).Value, "expected order %d at its place", i)
	}
	// A client asks again where a connection broke.
	entries := slices.DeleteFunc(ledger.Entries(before), func(e wire.Entry) bool { return e.Failure != "" })
	assert.Equal(t, got.Pages, len(entries), "expected as many answers on the wire as pages")
	for _, entry := range entries {
		assert.LessOrEqual(t, entry.ResponseBytes, 2<<20, "expected a page of about 1 MB on record")
		assert.False(t, entry.Truncated || bytes.Contains(entry.Response, []byte("null")), "expected it whole")
	}
}

// Memory refuses what no table stores as DynamoDB does: a write alone as a request, one of a transaction by its reason. Nothing changes then.
func TestMemoryStoresWhatDynamoDBStores(t *testing.T) {
	m := &Memory{Tables: evaluate.Tables{"t": {}}, Design: &ap.Design{Tables: []ap.Table{{
		ID: "t", PartitionKey: ap.Key{Attribute: "pk", Type: dynamo.String},
		Indexes: []ap.Index{{Name: "by-state", PartitionKey: ap.Key{Attribute: "state", Type: dynamo.String}}},
	}}}}
	for _, row := range tabletest.Read[[]struct {
		Request map[string]any
		Code    string
		Reasons []string
	}](t, "memory.yaml") {
		input, err := designtest.Input(row.Request)
		require.NoError(t, err)
		err = m.Write(t.Context(), input)
		if row.Code == "" {
			require.NoError(t, err, "%v", row.Request)
			continue
		}
		assert.Equal(t, row.Code, code(err), "%v", row.Request)
		var reasons []string
		if cancelled, is := errors.AsType[*types.TransactionCanceledException](err); is {
			for _, reason := range cancelled.CancellationReasons {
				reasons = append(reasons, *reason.Code)
			}
		}
		assert.Equal(t, row.Reasons, reasons, "%v", row.Request)
		require.Empty(t, m.Stored("t"))
	}
	var many []types.TransactWriteItem
	for i := range sdk.MaxTransaction + 1 {
		many = append(many, types.TransactWriteItem{Put: &types.Put{TableName: aws.String("t"), Item: ap.Item{"pk": &types.AttributeValueMemberS{Value: fmt.Sprint(i)}}}})
	}
	require.Equal(t, "ValidationException", code(m.Write(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: many})))
}
