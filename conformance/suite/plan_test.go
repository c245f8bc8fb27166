package suite_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns"
	"dynaproof/accesspatterns/designs"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/replay"
	"dynaproof/conformance/suite"
	"dynaproof/conformance/suite/session"
	"dynaproof/fixtures"
)

var errNotDeployed = errors.New("not deployed, in this test")

// Two designs are on their way at a time. Each selected claim has one verdict, an error where its design could not be
// deployed, and each design that was opened is removed.
func TestDesignsSideBySide(t *testing.T) {
	var mu sync.Mutex
	var opened, removed []string
	decided := map[string]int{}
	meeting := make(chan struct{}) // two designs are open at the same time
	plan := suite.Plan{
		Designs: designs.All(),
		Open: func(_ context.Context, design *accesspatterns.Design) (*session.Session, error) {
			mu.Lock()
			opened = append(opened, design.Name)
			both := len(opened) == 2
			mu.Unlock()
			if both {
				close(meeting)
			}
			<-meeting
			return nil, errNotDeployed
		},
		Close: func(_ context.Context, design *accesspatterns.Design, _ *session.Session) error {
			mu.Lock()
			defer mu.Unlock()
			removed = append(removed, design.Name)
			return nil
		},
		Record: func(result evidence.Result) {
			decided[result.ID]++
			assert.Equal(t, evidence.Error, result.Verdict, "%s: expected an error", result.ID)
		},
	}
	selected := func(claim manifest.Claim) bool {
		return claim.Kind == manifest.KindSchema && claim.Design != "roll-model"
	}
	plan.Replay(t.Context(), t.Context(), 2, selected)
	for _, design := range designs.All() {
		for _, claim := range manifest.Claims(design) {
			assert.Equal(t, map[bool]int{true: 1}[selected(claim)], decided[claim.ID], "%s", claim.ID)
		}
	}
	slices.Sort(opened)
	slices.Sort(removed)
	assert.True(t, !slices.Contains(opened, "roll-model") && slices.Equal(opened, removed),
		"expected no design without a selected claim to be opened, and all others to be removed, found %v and %v", opened, removed)
}

// Behind an interrupt no claim is decided, and nothing is on its way when a design is removed.
func TestInterruptSideBySide(t *testing.T) {
	all := designs.All()[:2]
	ctx, interrupt := context.WithCancel(t.Context())
	var mu sync.Mutex
	open, removed := 0, 0
	plan := suite.Plan{
		Designs: all,
		Open: func(ctx context.Context, _ *accesspatterns.Design) (*session.Session, error) {
			mu.Lock()
			open++
			if open == len(all) {
				interrupt()
			}
			mu.Unlock()
			<-ctx.Done() // a deployment that does not end by itself
			mu.Lock()
			open--
			mu.Unlock()
			return nil, ctx.Err()
		},
		Close: func(context.Context, *accesspatterns.Design, *session.Session) error {
			mu.Lock()
			defer mu.Unlock()
			removed++
			assert.Zero(t, open, "expected no design on its way when one is removed")
			return nil
		},
		Record: func(result evidence.Result) { t.Errorf("expected no verdict, found that of %s", result.ID) },
	}
	plan.Replay(ctx, t.Context(), 2, func(manifest.Claim) bool { return true })
	assert.Equal(t, len(all), removed, "expected both designs to be removed")
}

// A table that nobody writes: its claim holds while the items are as they were loaded,
// and fails when one of them was changed or deleted, or another one written, also where
// that was put back.
func TestUnwritten(t *testing.T) {
	_, design, session := opened(t, replay.Options{
		Designs: []string{"roll-model"}, Documents: documents(), Bounds: impatient,
		Amend: func(d *accesspatterns.Design, _ *fixtures.Set) {
			d.Patterns = slices.DeleteFunc(d.Patterns, func(p accesspatterns.Pattern) bool {
				return slices.ContainsFunc(p.Steps, func(s accesspatterns.Step) bool { return len(s.Write) > 0 })
			})
			d.Tables[0].ReadOnly = &accesspatterns.Promise{Cite: d.Tables[0].Cite}
		},
	})
	decided := func() evidence.Result { return verdictOn(t, design, session, "ledger/unwritten/"+design.Tables[0].ID) }
	if result := decided(); result.Verdict != evidence.Pass || result.Grade != evidence.Library {
		t.Fatalf("expected a pass that rests on the guard, found %s of grade %s: %v", result.Verdict, result.Grade, result.Problems)
	}
	name := tabletest.Must(session.TableName(design.Tables[0].ID))(t)
	added := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "added"}, "SK": &types.AttributeValueMemberS{Value: "added"}}
	tabletest.Must(session.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: added}))(t)
	tabletest.Must(session.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: added}))(t)
	if result := decided(); result.Verdict != evidence.Fail || len(result.Problems) != 2 || !strings.Contains(result.Problems[0].Found, "PutItem") || !strings.Contains(result.Problems[1].Found, "DeleteItem") {
		t.Errorf("expected failures that name the put and the deletion of an item that was not loaded, found %s: %v", result.Verdict, result.Problems)
	}
	at := slices.IndexFunc(session.Fixtures.Items, func(i fixtures.Item) bool { return !i.Held && i.Entity != "" })
	item := &session.Fixtures.Items[at]
	key := map[string]types.AttributeValue{"PK": item.Item["PK"], "SK": item.Item["SK"]}
	_, err := session.Client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &name, Key: key, UpdateExpression: aws.String("SET colour = :c"), ExpressionAttributeValues: map[string]types.AttributeValue{":c": &types.AttributeValueMemberS{Value: "red"}},
	})
	require.NoError(t, err)
	if result := decided(); result.Verdict != evidence.Fail || !strings.Contains(result.Problems[0].Where, item.Name) || !strings.Contains(result.Problems[0].Found, "colour") {
		t.Errorf("expected a failure that names item %s and the attribute colour, found %s: %v", item.Name, result.Verdict, result.Problems)
	}
	tabletest.Must(session.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: key}))(t)
	assert.Equal(t, evidence.Fail, decided().Verdict, "expected a failure without item %s", item.Name)
}
