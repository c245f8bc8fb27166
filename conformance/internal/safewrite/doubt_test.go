package safewrite

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"dynaproof/accesspatterns"
)

type nowhere struct{}

func (nowhere) Announce(...Entry) error { return nil }
func (nowhere) Settle(...Entry) error   { return nil }

func answeredWith(status int) error {
	return &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}}, Err: errors.New("refused")}
}

// A refusal says that nothing was written, of a request that was sent once. Everything else leaves both in doubt: what the key held, and
// what the write makes of it.
func TestWhatAFailureLeavesInDoubt(t *testing.T) {
	key := accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: "a"}}
	item := accesspatterns.Item{"id": key["id"], "v": &types.AttributeValueMemberS{Value: "new"}}
	for _, row := range []struct {
		name    string
		err     error
		retried bool
		doubt   bool
	}{
		{"refused", answeredWith(http.StatusBadRequest), false, false},
		{"refused, of an attempt that was not the first", answeredWith(http.StatusBadRequest), true, true},
		{"a failure of the engine's", answeredWith(http.StatusInternalServerError), false, true},
		{"no answer", errors.New("EOF"), false, true},
	} {
		p := New(Options{Journal: nowhere{}})
		w := &write{change: Put, table: "things", key: key, after: item}
		if err := p.failed([]*write{w}, row.err, row.retried); err != nil || p.isOurs(w.id(), item) != row.doubt {
			t.Errorf("%s: expected the item to be in doubt: %v, found %v, %v", row.name, row.doubt, p.isOurs(w.id(), item), err)
		}
	}
}

// An attempt before has carried a request out when every key holds what it makes, and not one of them.
func TestEveryKeyTellsWhetherARequestLanded(t *testing.T) {
	item := func(id, value string) accesspatterns.Item {
		return accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}, "v": &types.AttributeValueMemberS{Value: value}}
	}
	there := map[string]accesspatterns.Item{"a": item("a", "new")}
	p := New(Options{Journal: nowhere{}, Read: func(_ context.Context, _ string, key accesspatterns.Item) (accesspatterns.Item, error) {
		return there[key["id"].(*types.AttributeValueMemberS).Value], nil
	}})
	var writes []*write
	for _, id := range []string{"a", "b"} {
		writes = append(writes, &write{change: Put, table: "things", key: accesspatterns.Item{"id": &types.AttributeValueMemberS{Value: id}}, after: item(id, "new")})
	}
	failed := &types.TransactionCanceledException{}
	if p.landed(t.Context(), writes, failed) {
		t.Error("expected a request of which one key holds nothing not to have landed")
	}
	there["b"] = item("b", "new")
	if !p.landed(t.Context(), writes, failed) {
		t.Error("expected a request to have landed of which every key holds what it makes")
	}
}
