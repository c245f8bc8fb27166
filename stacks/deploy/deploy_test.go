package deploy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	dynamo "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/deploy"
)

const ordersTable = "orders-test"

// orders is the program of most tests: one table with two indexes, TTL and a tag, changed by the caller.
func orders(change ...func(*dynamodb.TableArgs)) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		args := ordersArgs()
		for _, c := range change {
			c(args)
		}
		table, err := dynamodb.NewTable(ctx, "orders", args)
		if err != nil {
			return err
		}
		ctx.Export("tableName", table.Name)
		ctx.Export("indexes", pulumi.ToStringArray([]string{"by-state", "by-day"}))
		return nil
	}
}

func ordersArgs() *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name: pulumi.String(ordersTable), HashKey: pulumi.String("pk"), RangeKey: pulumi.String("sk"),
		BillingMode: pulumi.String("PAY_PER_REQUEST"),
		Attributes: dynamodb.TableAttributeArray{
			attribute("pk", "S"), attribute("sk", "S"), attribute("state", "S"), attribute("day", "N"),
		},
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			index("by-state", "state", "day", "ALL"),
			index("by-day", "day", "", "KEYS_ONLY"),
		},
		Ttl:  &dynamodb.TableTtlArgs{Enabled: pulumi.Bool(true), AttributeName: pulumi.String("expiresAt")},
		Tags: pulumi.StringMap{"Team": pulumi.String("orders")},
	}
}

func attribute(name, kind string) *dynamodb.TableAttributeArgs {
	return &dynamodb.TableAttributeArgs{Name: pulumi.String(name), Type: pulumi.String(kind)}
}

func index(name, hash, rng, projection string) *dynamodb.TableGlobalSecondaryIndexArgs {
	args := &dynamodb.TableGlobalSecondaryIndexArgs{
		Name: pulumi.String(name), HashKey: pulumi.String(hash), ProjectionType: pulumi.String(projection),
	}
	if rng != "" {
		args.RangeKey = pulumi.String(rng)
	}
	return args
}

func options(t testing.TB, endpoint string, program pulumi.RunFunc) deploy.Options {
	return deploy.Options{Program: program, Options: dynaproof.Options{
		Design: "orders", Environment: "test", Endpoint: endpoint, Region: testRegion, StateDir: t.TempDir(),
	}}
}

func open(t testing.TB, o deploy.Options) *deploy.Stack {
	t.Helper()
	stack, err := deploy.Open(t.Context(), o)
	require.NoError(t, err)
	return stack
}

type method func(context.Context) (*deploy.Result, error)

func must(t testing.TB, m method) *deploy.Result {
	t.Helper()
	result, err := m(t.Context())
	require.NoError(t, err)
	return result
}

// mustFail returns the error's line after checking that it is one line and holds all the words.
func mustFail(t testing.TB, m method, words ...string) error {
	t.Helper()
	_, err := m(t.Context())
	require.Error(t, err, "expected an error with %q, found none", words)
	for _, w := range words {
		assert.Contains(t, err.Error(), w)
	}
	t.Log(err)
	assert.NotContains(t, err.Error(), "\n")
	return err
}

func changes(t testing.TB, r *deploy.Result, want map[string]int) {
	t.Helper()
	d := cmp.Diff(want, r.Changes)
	assert.Empty(t, d, "changes (-want +got):\n%s\n%s", d, r.Diff)
}

func describe(t testing.TB, endpoint, name string) *types.TableDescription {
	t.Helper()
	answer, err := client(endpoint).DescribeTable(t.Context(), &dynamo.DescribeTableInput{TableName: &name})
	require.NoError(t, err)
	return answer.Table
}

func indexNames(d *types.TableDescription) map[string]bool {
	names := map[string]bool{}
	for _, g := range d.GlobalSecondaryIndexes {
		names[aws.ToString(g.IndexName)] = true
	}
	return names
}

// nothingToDo fails unless operations find nothing to do, and nothing to say.
func nothingToDo(t testing.TB, methods ...method) {
	t.Helper()
	for i, m := range methods {
		if r := must(t, m); r.Changed() || r.Diff != "" || len(r.Warnings) != 0 {
			t.Errorf("operation %d: expected no change, found %v %v\n%s", i+1, r.Changes, r.Warnings, r.Diff)
		}
	}
}

// theirs makes another table of the name orders-test than the program's.
func theirs(t testing.TB, endpoint string) {
	t.Helper()
	_, err := client(endpoint).CreateTable(t.Context(), &dynamo.CreateTableInput{
		TableName: aws.String(ordersTable), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("theirs"), AttributeType: "N"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("theirs"), KeyType: types.KeyTypeHash}},
	})
	require.NoError(t, err)
}

func switchTTL(t testing.TB, endpoint, table, attribute string, on bool) {
	t.Helper()
	_, err := client(endpoint).UpdateTimeToLive(t.Context(), &dynamo.UpdateTimeToLiveInput{
		TableName: &table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: &on},
	})
	require.NoError(t, err)
}

func ttlOf(t testing.TB, endpoint, table string) string {
	t.Helper()
	answer, err := client(endpoint).DescribeTimeToLive(t.Context(), &dynamo.DescribeTimeToLiveInput{TableName: &table})
	require.NoError(t, err)
	return string(answer.TimeToLiveDescription.TimeToLiveStatus) + " " + aws.ToString(answer.TimeToLiveDescription.AttributeName)
}

// behind changes the table behind Pulumi's back: one index is deleted, TTL is switched off, a tag is added.
func behind(t testing.TB, endpoint string) {
	t.Helper()
	api := client(endpoint)
	_, err1 := api.UpdateTable(t.Context(), &dynamo.UpdateTableInput{
		TableName: aws.String(ordersTable),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{
			{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("by-state")}},
		},
	})
	_, err2 := api.TagResource(t.Context(), &dynamo.TagResourceInput{
		ResourceArn: describe(t, endpoint, ordersTable).TableArn,
		Tags:        []types.Tag{{Key: aws.String("Stray"), Value: aws.String("yes")}},
	})
	require.NoError(t, errors.Join(err1, err2))
	switchTTL(t, endpoint, ordersTable, "expiresAt", false)
}

func TestLife(t *testing.T) {
	endpoint := startEngine(t)
	s := open(t, options(t, endpoint, orders()))

	first := must(t, s.Preview)
	changes(t, first, map[string]int{"create": 2})
	require.Empty(t, tables(t, endpoint), "expected a preview to create nothing")

	created := must(t, s.Up)
	changes(t, created, map[string]int{"create": 2})
	want := map[string]any{"tableName": ordersTable, "indexes": []any{"by-state", "by-day"}}
	assert.Empty(t, cmp.Diff(want, created.Outputs), "outputs (-want +got)")
	d := describe(t, endpoint, ordersTable)
	if got := indexNames(d); len(got) != 2 || d.BillingModeSummary.BillingMode != types.BillingModePayPerRequest {
		t.Errorf("expected two indexes and on-demand billing, found %v %v", got, d.BillingModeSummary)
	}
	assert.Equal(t, "ENABLED expiresAt", ttlOf(t, endpoint, ordersTable), "expected TTL on expiresAt")

	changes(t, must(t, s.Up), map[string]int{"same": 2})
	nothingToDo(t, s.Up, s.Preview, s.Refresh)

	destroyed := must(t, s.Destroy)
	changes(t, destroyed, map[string]int{"delete": 2})
	assert.Empty(t, tables(t, endpoint), "expected destroy to leave nothing")
	changes(t, must(t, s.Destroy), map[string]int{})
	assert.NoError(t, s.Remove(t.Context()))
}

// TestPreviewShowsEveryProperty changes a bit of everything and reads the diff.
func TestPreviewShowsEveryProperty(t *testing.T) {
	endpoint := startEngine(t)
	o := options(t, endpoint, orders())
	must(t, open(t, o).Up)
	o.Program = orders(func(a *dynamodb.TableArgs) {
		a.GlobalSecondaryIndexes = dynamodb.TableGlobalSecondaryIndexArray{
			index("by-state", "state", "", "ALL"), // loses its sort key
			index("by-week", "week", "", "ALL"),   // new, in the place of by-day
		}
		a.Attributes = dynamodb.TableAttributeArray{attribute("pk", "S"), attribute("sk", "S"), attribute("state", "S"), attribute("week", "N")}
		a.Ttl = &dynamodb.TableTtlArgs{Enabled: pulumi.Bool(true), AttributeName: pulumi.String("goneAt")}
		a.Tags = pulumi.StringMap{"Team": pulumi.String("shipping")}
	})
	s := open(t, o)
	r := must(t, s.Preview)
	changes(t, r, map[string]int{"update": 1, "same": 1})
	want := []deploy.Difference{{Op: "update", Type: "aws:dynamodb/table:Table", Name: "orders", Properties: []string{
		"attributes[3]", "globalSecondaryIndexes[0].rangeKey", "globalSecondaryIndexes[1]", "tags.Team", "ttl.attributeName",
	}}}
	assert.Empty(t, cmp.Diff(want, r.Differences()), "differences (-want +got)")
	for _, line := range []string{
		"~ aws:dynamodb/table:Table: (update)",
		`- rangeKey: "day"`,
		`~ name          : "by-day" => "by-week"`,
		`~ name: "day" => "week"`,
		`~ attributeName: "expiresAt" => "goneAt"`,
		`~ Team: "orders" => "shipping"`,
	} {
		assert.Contains(t, r.Diff, line)
	}
	changes(t, must(t, s.Up), map[string]int{"update": 1, "same": 1})
	d := describe(t, endpoint, ordersTable)
	if got := indexNames(d); !got["by-state"] || !got["by-week"] || len(got) != 2 {
		t.Errorf("expected by-state and by-week, found %v", got)
	}
	assert.Equal(t, "ENABLED goneAt", ttlOf(t, endpoint, ordersTable), "expected TTL on goneAt")
	nothingToDo(t, s.Refresh)
}

func TestReplacement(t *testing.T) {
	g := startGate(t, startEngine(t))
	endpoint := g.URL
	var sent []string
	g.set(func(operation, table string, _ http.ResponseWriter) bool {
		if operation == "CreateTable" || operation == "DeleteTable" {
			sent = append(sent, operation+" "+table) // one resource: one request at a time
		}
		return false
	})
	o := options(t, endpoint, orders())
	must(t, open(t, o).Up)
	sent = nil
	o.Program = orders(func(a *dynamodb.TableArgs) { a.Name = pulumi.String("orders-renamed") })
	s := open(t, o)
	if r := must(t, s.Preview); r.Changes["replace"] != 1 || !strings.Contains(r.Diff, `~ name: "orders-test" => "orders-renamed"`) {
		t.Errorf("expected the table to be replaced because of its name, found %v\n%s", r.Changes, r.Diff)
	}
	must(t, s.Up)
	assert.Empty(t, cmp.Diff([]string{"DeleteTable " + ordersTable, "CreateTable orders-renamed"}, sent), "requests of a new name (-the real provider's +found)")
	assert.Empty(t, cmp.Diff([]string{"orders-renamed"}, tables(t, endpoint)), "tables (-want +got)")
	o.Program = orders(func(a *dynamodb.TableArgs) {
		a.Name, a.RangeKey = pulumi.String("orders-renamed"), pulumi.String("day")
		a.Attributes = dynamodb.TableAttributeArray{attribute("pk", "S"), attribute("state", "S"), attribute("day", "N")}
	})
	s = open(t, o)
	r := must(t, s.Up)
	assert.Equal(t, 1, r.Changes["replace"], "expected the table to be replaced because of its sort key, found %v", r.Changes)
	if _, rng := describe(t, endpoint, "orders-renamed").KeySchema[0], describe(t, endpoint, "orders-renamed").KeySchema[1]; aws.ToString(rng.AttributeName) != "day" {
		t.Errorf("expected the sort key day, found %v", aws.ToString(rng.AttributeName))
	}
}

// TestRetypedKey changes the type of an index's key, which AWS's provider overlooks.
func TestRetypedKey(t *testing.T) {
	endpoint := startEngine(t)
	o := options(t, endpoint, orders())
	must(t, open(t, o).Up)
	retyped := func(a *dynamodb.TableArgs) {
		a.Attributes = dynamodb.TableAttributeArray{attribute("pk", "S"), attribute("sk", "S"), attribute("state", "S"), attribute("day", "S")}
	}
	o.Program = orders(retyped)
	mustFail(t, open(t, o).Preview, "attributes[3].type", `expected the type N, which key attribute "day" has`, "another attribute name")
	mustFail(t, open(t, o).Up, "attributes[3].type")
	o.Program = orders(retyped, func(a *dynamodb.TableArgs) { a.Name = pulumi.String("orders-renamed") })
	must(t, open(t, o).Up)
	for _, a := range describe(t, endpoint, "orders-renamed").AttributeDefinitions {
		if aws.ToString(a.AttributeName) == "day" && a.AttributeType != "S" {
			t.Errorf("expected a new table to have the new type, found %s", a.AttributeType)
		}
	}
}

func TestDriftIsSeenAndRepaired(t *testing.T) {
	endpoint := startEngine(t)
	s := open(t, options(t, endpoint, orders()))
	must(t, s.Up)
	behind(t, endpoint)

	r := must(t, s.Refresh)
	changes(t, r, map[string]int{"update": 1, "same": 1})
	want := []deploy.Difference{{Op: "update", Type: "aws:dynamodb/table:Table", Name: "orders", Properties: []string{
		"attributes[2]", "globalSecondaryIndexes[0]", "tags.Stray", "ttl.attributeName", "ttl.enabled",
	}}}
	assert.Empty(t, cmp.Diff(want, r.Differences()), "drift (-want +got)")
	for _, line := range []string{`- name          : "by-state"`, `~ enabled      : true => false`, `+ Stray: "yes"`} {
		assert.Contains(t, r.Diff, line)
	}

	if r := must(t, s.Up); r.Changes["update"] != 1 {
		t.Errorf("expected the up after a drift to repair the table, found %v", r.Changes)
	}
	if got := indexNames(describe(t, endpoint, ordersTable)); !got["by-state"] || !got["by-day"] {
		t.Errorf("expected both indexes after the repair, found %v", got)
	}
	assert.Equal(t, "ENABLED expiresAt", ttlOf(t, endpoint, ordersTable), "expected TTL after the repair")
	nothingToDo(t, s.Refresh)

	// A table that was deleted behind Pulumi's back is created again.
	_, err := client(endpoint).DeleteTable(t.Context(), &dynamo.DeleteTableInput{TableName: aws.String(ordersTable)})
	require.NoError(t, err)
	if r := must(t, s.Refresh); r.Changes["delete"] != 1 || len(r.Differences()) != 1 || r.Differences()[0].Op != "delete" {
		t.Errorf("expected the refresh to see that the table is gone, found %v %v", r.Changes, r.Differences())
	}
	if r := must(t, s.Up); r.Changes["create"] != 1 {
		t.Errorf("expected the table to be created again, found %v", r.Changes)
	}
}

// TestUndeclaredDriftIsSeen switches on what the program does not mention. TTL alone stays, unseen, as with the real provider.
func TestUndeclaredDriftIsSeen(t *testing.T) {
	endpoint := startEngine(t)
	s := open(t, options(t, endpoint, orders(func(a *dynamodb.TableArgs) {
		a.Ttl, a.Tags, a.GlobalSecondaryIndexes = nil, nil, nil
		a.Attributes = dynamodb.TableAttributeArray{attribute("pk", "S"), attribute("sk", "S")}
	})))
	must(t, s.Up)
	api := client(endpoint)
	_, err1 := api.UpdateTable(t.Context(), &dynamo.UpdateTableInput{
		TableName:            aws.String(ordersTable),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("x"), AttributeType: "S"}},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("stray"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("x"), KeyType: types.KeyTypeHash}},
		}}},
	})
	_, err2 := api.UpdateTable(t.Context(), &dynamo.UpdateTableInput{
		TableName:           aws.String(ordersTable),
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly},
	})
	_, err3 := api.UpdateTable(t.Context(), &dynamo.UpdateTableInput{
		TableName: aws.String(ordersTable), DeletionProtectionEnabled: aws.Bool(true),
	})
	require.NoError(t, errors.Join(err1, err2, err3))
	switchTTL(t, endpoint, ordersTable, "y", true)
	mustFail(t, s.Destroy, "orders-test", "rotect")
	r := must(t, s.Refresh)
	want := []string{"attributes[2]", "deletionProtectionEnabled", "globalSecondaryIndexes[0]", "streamEnabled"}
	require.Len(t, r.Differences(), 1, "expected the drift of one table")
	if d := cmp.Diff(want, r.Differences()[0].Properties); d != "" {
		t.Errorf("drift (-want +got):\n%s\n%s", d, r.Diff)
	}
	must(t, s.Up)
	d := describe(t, endpoint, ordersTable)
	if len(d.GlobalSecondaryIndexes) != 0 || aws.ToBool(d.DeletionProtectionEnabled) || d.StreamSpecification != nil && aws.ToBool(d.StreamSpecification.StreamEnabled) {
		t.Errorf("expected index, protection and stream to be gone, found %+v", d)
	}
	assert.Equal(t, "ENABLED y", ttlOf(t, endpoint, ordersTable), "expected TTL to stay as it is")
	must(t, s.Destroy)
}

// A table of the name that somebody has made since the stack's was deleted is theirs, whatever the state says of the name: nothing
// changes or deletes it or its policy, until a refresh forgets the stack's own.
func TestAnotherTableOfTheNameStays(t *testing.T) {
	engine := startEngine(t)
	g := startGate(t, engine)
	attached := answerPolicies(g)
	o := options(t, g.URL, withPolicies(denyScan, allowQuery))
	s := open(t, o)
	must(t, s.Up)
	arn, _ := attached.of(t)
	_, err := client(engine).DeleteTable(t.Context(), &dynamo.DeleteTableInput{TableName: aws.String(ordersTable)})
	require.NoError(t, err)
	theirs(t, engine)
	attached.exchange(arn, "{}")
	before := describe(t, engine, ordersTable)
	unchanged := func(after string) {
		t.Helper()
		assert.Empty(t, cmp.Diff(before, describe(t, engine, ordersTable), cmpopts.IgnoreUnexported(types.TableDescription{}, types.AttributeDefinition{}, types.KeySchemaElement{}, types.BillingModeSummary{}, types.ProvisionedThroughputDescription{})), "%s: their table (-before +after)", after)
		_, policy := attached.of(t)
		assert.Equal(t, "{}", policy, "%s: expected their policy to stay", after)
	}
	changed := o
	changed.Program = withPolicies(strings.Replace(denyScan, "Scan", "Query", 1), allowQuery)
	mustFail(t, open(t, changed).Up, "expected revision", "it was not changed")
	unchanged("an update of the policy")
	changed.Program = withPolicies(denyScan, allowQuery, func(a *dynamodb.TableArgs) { a.Tags = pulumi.StringMap{"Team": pulumi.String("others")} })
	mustFail(t, open(t, changed).Up, "is not the one that this stack made", "was not changed")
	unchanged("an update")
	for range 2 { // an error does not make it the stack's
		mustFail(t, s.Destroy, "is not the one that this stack made", "was not changed")
		unchanged("a destroy")
	}
	must(t, s.Refresh)
	mustFail(t, s.Up, "exists already")
	must(t, s.Destroy)
	unchanged("a refresh and a destroy")
}

func TestCreateThatFailsHalfWayIsHealed(t *testing.T) {
	g := startGate(t, startEngine(t))
	s := open(t, options(t, g.URL, orders()))
	g.on("UpdateTimeToLive", func(w http.ResponseWriter) bool {
		refuse(w, "ValidationException", "no TTL today")
		return true
	})
	mustFail(t, s.Up, "orders", "enable TTL", "no TTL today")
	require.Empty(t, cmp.Diff([]string{ordersTable}, tables(t, g.URL)), "expected the table to exist after the failure (-want +got)")
	g.set(nil)
	r := must(t, s.Up)
	assert.Equal(t, 1, r.Changes["update"], "expected the next up to finish the table, found %v", r.Changes)
	assert.Equal(t, "ENABLED expiresAt", ttlOf(t, g.URL, ordersTable), "expected TTL after the second up")
	changes(t, must(t, s.Up), map[string]int{"same": 2})
}

// TestPointInTimeRecovery meets an engine that does not know the operation, and one that does.
func TestPointInTimeRecovery(t *testing.T) {
	g := startGate(t, startEngine(t))
	s := open(t, options(t, g.URL, orders(func(a *dynamodb.TableArgs) {
		a.PointInTimeRecovery = &dynamodb.TablePointInTimeRecoveryArgs{Enabled: pulumi.Bool(true)}
	})))
	mustFail(t, s.Up, "point-in-time recovery", "does not know this operation", "UpdateContinuousBackups")

	backups := answerBackups(g)
	must(t, s.Up)
	changes(t, must(t, s.Up), map[string]int{"same": 2})
	backups.switchOff(ordersTable)
	if r := must(t, s.Refresh); len(r.Differences()) != 1 || cmp.Diff([]string{"pointInTimeRecovery.enabled"}, r.Differences()[0].Properties) != "" {
		t.Errorf("expected the refresh to see point-in-time recovery off, found %v", r.Differences())
	}
	must(t, s.Up)
	assert.True(t, backups.on(ordersTable), "expected the up to switch point-in-time recovery on again")
}

// A process may be killed at any moment: what stands in the state folder is there whole or not at all. The attributes
// that the backend writes beside a file by default are not.
func TestStateIsPutInPlaceWhole(t *testing.T) {
	o := options(t, "http://127.0.0.1:1", orders())
	mustFail(t, open(t, o).Up, "http://127.0.0.1:1", "connection refused", "start the engine")
	err := filepath.WalkDir(o.StateDir, func(path string, _ fs.DirEntry, err error) error {
		assert.NotEqual(t, ".attrs", filepath.Ext(path), "expected no file that is written bit by bit, found %s", path)
		return err
	})
	require.NoError(t, err)
}

func TestMovedEndpoint(t *testing.T) {
	engine := startEngine(t)
	first, second := startGate(t, engine), startGate(t, engine)
	o := options(t, first.URL, orders())
	must(t, open(t, o).Up)
	first.Close() // the engine comes back at another address
	o.Endpoint = second.URL
	s := open(t, o)
	if r := must(t, s.Refresh); len(r.Differences()) != 1 || r.Differences()[0].Type != "pulumi:providers:aws" {
		t.Errorf("expected nothing but the provider's endpoint to differ at the new address, found %v", r.Differences())
	}
	r := must(t, s.Up)
	assert.Zero(t, r.Changes["replace"]+r.Changes["create"], "expected the same tables at the new address, found %v", r.Changes)
	must(t, s.Destroy)
	assert.Empty(t, tables(t, engine), "expected destroy to reach the new address")
}

func TestCancelInTheMiddle(t *testing.T) {
	g := startGate(t, startEngine(t))
	o := options(t, g.URL, func(ctx *pulumi.Context) error {
		for i := range 20 {
			args := ordersArgs()
			args.Name = pulumi.String(fmt.Sprintf("orders-%02d", i))
			if _, err := dynamodb.NewTable(ctx, fmt.Sprintf("orders-%02d", i), args); err != nil {
				return err
			}
		}
		return nil
	})
	s := open(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	g.on("UpdateTimeToLive", func(http.ResponseWriter) bool {
		cancel()
		return false
	})
	_, err := s.Up(ctx)
	var failed *deploy.Error
	if !errors.As(err, &failed) || !failed.Canceled() || !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("expected one line that says that the up was canceled, found %v", err)
	}
	t.Log(err)
	left := tables(t, g.URL)
	if len(left) == 0 || len(left) == 20 {
		t.Errorf("expected some of 20 tables after the cancellation, found %d", len(left))
	}
	_, err = s.Up(ctx)
	assert.ErrorIs(t, err, context.Canceled, "expected an up with a canceled context to do nothing")
	// Nothing is orphaned: what exists is in the state.
	must(t, s.Destroy)
	assert.Empty(t, tables(t, g.URL), "expected destroy to delete what the canceled up had created")
}

// A stack that was opened is there, also when the opening was canceled: an interrupt
// destroys what was opened.
func TestOpenedWhileCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := options(t, startEngine(t), orders())
	open(t, o) // the folder is a state folder then
	o.Environment = "other"
	s, err := deploy.Open(ctx, o)
	require.NoError(t, err)
	_, err = s.Up(ctx)
	assert.ErrorIs(t, err, context.Canceled, "expected an up with a canceled context to do nothing")
	must(t, s.Destroy)
	assert.NoError(t, s.Remove(t.Context()))
}

func TestOptionsAreRefused(t *testing.T) {
	good := options(t, "http://127.0.0.1:8000", orders())
	for _, row := range []struct {
		name   string
		change func(*deploy.Options)
		words  string
	}{
		{"address of another machine", func(o *deploy.Options) { o.Endpoint = "http://10.0.0.1:8000" }, "loopback"},
		{"AWS", func(o *deploy.Options) { o.Endpoint = "https://dynamodb.eu-west-1.amazonaws.com" }, "loopback"},
		{"name that resolves to loopback", func(o *deploy.Options) { o.Endpoint = "http://localhost.example.com:8000" }, "loopback"},
		{"no endpoint", func(o *deploy.Options) { o.Endpoint = "" }, "expected an endpoint"},
		{"no scheme", func(o *deploy.Options) { o.Endpoint = "127.0.0.1:8000" }, "expected an endpoint"},
		{"no region", func(o *deploy.Options) { o.Region = "" }, "region"},
		{"dot in the environment", func(o *deploy.Options) { o.Environment = "a.b" }, "environment"},
		{"empty design", func(o *deploy.Options) { o.Design = "" }, "design"},
		{"no program", func(o *deploy.Options) { o.Program = nil }, "program"},
		{"no state folder", func(o *deploy.Options) { o.StateDir = "" }, "state folder"},
		{"configuration of aws", func(o *deploy.Options) { o.Config = map[string]string{"aws:region": "x"} }, "aws:region"},
		{"configuration without namespace", func(o *deploy.Options) { o.Config = map[string]string{"namePrefix": "x"} }, "namespace"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := good
			row.change(&o)
			_, err := deploy.Open(t.Context(), o)
			assert.ErrorContains(t, err, row.words)
		})
	}
}

func TestProgramErrorIsTheCause(t *testing.T) {
	s := open(t, options(t, "http://127.0.0.1:1", func(*pulumi.Context) error { return errors.New("no such bill") }))
	mustFail(t, s.Preview, "preview of orders.test", "no such bill")
	s = open(t, options(t, "http://127.0.0.1:1", func(*pulumi.Context) error { panic("out of paper") }))
	mustFail(t, s.Up, "panicked", "out of paper")
}

func TestConfigReachesTheProgram(t *testing.T) {
	o := options(t, "http://127.0.0.1:1", func(ctx *pulumi.Context) error {
		prefix, _ := ctx.GetConfig("dynaproof:namePrefix")
		region, _ := ctx.GetConfig("aws:region")
		ctx.Export("said", pulumi.String(prefix+" "+region+" "+ctx.Stack()+" "+ctx.Project()))
		ctx.Export("hidden", pulumi.ToSecret(pulumi.String("word")))
		return nil
	})
	o.Config = map[string]string{"dynaproof:namePrefix": "x-"}
	s := open(t, o)
	r := must(t, s.Up)
	want := map[string]any{"said": "x- eu-west-1 orders.test dynaproof", "hidden": "word"}
	assert.Empty(t, cmp.Diff(want, r.Outputs), "outputs (-want +got)")
	// Another opening of the same state, with the passphrase alone, reads the same; with another passphrase it does not.
	outputs, err := open(t, o).Outputs(t.Context())
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(want, outputs), "expected the same outputs from the state, found %v %v", outputs, err)
	state, err := os.ReadFile(filepath.Join(o.StateDir, ".pulumi", "stacks", "dynaproof", "orders.test.json"))
	if err != nil || !strings.Contains(string(state), `"type":"passphrase"`) || strings.Contains(string(state), `"word"`) {
		t.Errorf("expected a state with secrets under a passphrase, found %v\n%s", err, state)
	}
}

// TestSilence holds that the engine writes nothing to the process's own output.
func TestSilence(t *testing.T) {
	s := open(t, options(t, "http://127.0.0.1:1", func(ctx *pulumi.Context) error { return ctx.Log.Info("hello", nil) }))
	read, write, err := os.Pipe()
	require.NoError(t, err)
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = write, write
	var errs []error
	for _, m := range []method{s.Preview, s.Up, s.Refresh, s.Destroy} {
		_, err := m(t.Context())
		errs = append(errs, err)
	}
	os.Stdout, os.Stderr = stdout, stderr
	require.NoError(t, errors.Join(append(errs, write.Close())...))
	if said, err := io.ReadAll(read); err != nil || len(said) > 0 {
		t.Errorf("expected silence, found %v %q", err, said)
	}
}

// TestCatalog deploys every design of the project on one engine, all at the same time, twice, with guardrails and without.
func TestCatalog(t *testing.T) {
	for setting, policies := range map[string]int{"enforce": 13, "off": 0} {
		t.Run("guardrails "+setting, func(t *testing.T) { deployCatalog(t, setting, policies) })
	}
}

func deployCatalog(t *testing.T, guardrails string, policies int) {
	g := startGate(t, startEngine(t))
	answerBackups(g)
	attached := answerPolicies(g)
	dir := t.TempDir()
	var stacks []*deploy.Stack
	for _, design := range catalog.Designs() {
		o := designOptions(t, g.URL, design, "dev")
		o.StateDir = dir
		o.Config = map[string]string{"dynaproof:guardrails": guardrails}
		o.Unprotected()
		stacks = append(stacks, open(t, o))
	}
	all := func(m func(*deploy.Stack) method) []*deploy.Result {
		results, errs, done := make([]*deploy.Result, len(stacks)), make([]error, len(stacks)), make(chan struct{})
		for i, s := range stacks {
			go func() {
				results[i], errs[i] = m(s)(t.Context())
				done <- struct{}{}
			}()
		}
		for range stacks {
			<-done
		}
		require.NoError(t, errors.Join(errs...))
		return results
	}
	all(func(s *deploy.Stack) method { return s.Up })
	assert.Len(t, tables(t, g.URL), 13, "expected 13 tables")
	assert.Len(t, attached.attached, policies, "policies of tables")
	for _, m := range []func(*deploy.Stack) method{
		func(s *deploy.Stack) method { return s.Up },
		func(s *deploy.Stack) method { return s.Preview },
		func(s *deploy.Stack) method { return s.Refresh },
	} {
		for i, r := range all(m) {
			if r.Changed() || len(r.Differences()) != 0 {
				t.Errorf("%s: expected no change, found %v\n%s", stacks[i].Name(), r.Changes, r.Diff)
			}
		}
	}
	all(func(s *deploy.Stack) method { return s.Destroy })
	assert.Empty(t, tables(t, g.URL), "expected no table after destroy")
	assert.Equal(t, 0, len(attached.attached), "expected no policy after destroy")
}

// TestBilling switches a table between the billing modes, capacity included. It has no index, because the engine ignores a
// change of an index's capacity; the provider's own tests read that request.
func TestBilling(t *testing.T) {
	endpoint := startEngine(t)
	o := options(t, endpoint, nil)
	billed := func(change func(*dynamodb.TableArgs)) pulumi.RunFunc {
		return orders(func(a *dynamodb.TableArgs) {
			a.GlobalSecondaryIndexes = nil
			a.Attributes = dynamodb.TableAttributeArray{attribute("pk", "S"), attribute("sk", "S")}
		}, change)
	}
	provisioned := func(read, write int) func(*dynamodb.TableArgs) {
		return func(a *dynamodb.TableArgs) {
			a.BillingMode = nil // PROVISIONED is the default
			a.ReadCapacity, a.WriteCapacity = pulumi.Int(read), pulumi.Int(write)
		}
	}
	onDemand := func(*dynamodb.TableArgs) {}
	for _, step := range []struct {
		name        string
		change      func(*dynamodb.TableArgs)
		read, write int64
		properties  []string
	}{
		{"on-demand", onDemand, 0, 0, nil},
		{"provisioned", provisioned(1, 1), 1, 1, []string{"billingMode", "readCapacity", "writeCapacity"}},
		{"more", provisioned(2, 1), 2, 1, []string{"readCapacity"}},
		{"on-demand again", onDemand, 0, 0, []string{"billingMode", "readCapacity", "writeCapacity"}},
	} {
		o.Program = billed(step.change)
		s := open(t, o)
		r := must(t, s.Up)
		var properties []string
		for _, d := range r.Differences() {
			if d.Name == "orders" {
				properties = d.Properties
			}
		}
		assert.Empty(t, cmp.Diff(step.properties, properties), "%s: differences (-want +got)", step.name)
		changes(t, must(t, s.Up), map[string]int{"same": 2})
		nothingToDo(t, s.Refresh)
		d := describe(t, endpoint, ordersTable)
		if got := d.ProvisionedThroughput; aws.ToInt64(got.ReadCapacityUnits) != step.read || aws.ToInt64(got.WriteCapacityUnits) != step.write {
			t.Errorf("%s: expected capacity %d/%d, found %+v", step.name, step.read, step.write, got)
		}
	}
}

// TestProvisionedIndexes creates a provisioned table with provisioned indexes.
func TestProvisionedIndexes(t *testing.T) {
	endpoint := startEngine(t)
	s := open(t, options(t, endpoint, orders(func(a *dynamodb.TableArgs) {
		a.BillingMode = pulumi.String("PROVISIONED")
		a.ReadCapacity, a.WriteCapacity = pulumi.Int(1), pulumi.Int(1)
		for _, i := range a.GlobalSecondaryIndexes.(dynamodb.TableGlobalSecondaryIndexArray) {
			i := i.(*dynamodb.TableGlobalSecondaryIndexArgs)
			i.ReadCapacity, i.WriteCapacity = pulumi.Int(2), pulumi.Int(3)
		}
	})))
	must(t, s.Up)
	changes(t, must(t, s.Up), map[string]int{"same": 2})
	for _, g := range describe(t, endpoint, ordersTable).GlobalSecondaryIndexes {
		if p := g.ProvisionedThroughput; aws.ToInt64(p.ReadCapacityUnits) != 2 || aws.ToInt64(p.WriteCapacityUnits) != 3 {
			t.Errorf("index %s: expected capacity 2/3, found %+v", aws.ToString(g.IndexName), p)
		}
	}
}

// TestIgnoredRequestIsNoticed meets an engine that accepts a request and does nothing.
func TestIgnoredRequestIsNoticed(t *testing.T) {
	g := startGate(t, startEngine(t))
	g.on("UpdateTimeToLive", func(w http.ResponseWriter) bool {
		answer(w, "{}")
		return true
	})
	mustFail(t, open(t, options(t, g.URL, orders())).Up, "enable TTL", "accepted the request and still reports", "does not implement")
}

// TestLostAnswerIsNoFailure cuts the answer to requests that took effect: the SDK sends them again and hears that it is
// done already.
func TestLostAnswerIsNoFailure(t *testing.T) {
	engine := startEngine(t)
	g := startGate(t, engine)
	o := options(t, g.URL, orders())
	s := open(t, o)
	left := g.lose("CreateTable", "UpdateTimeToLive", "DeleteTable", "TagResource", "UntagResource", "UpdateTable")
	must(t, s.Up)
	changes(t, must(t, s.Up), map[string]int{"same": 2})
	changed := options(t, g.URL, orders(func(a *dynamodb.TableArgs) {
		a.Tags = pulumi.StringMap{"Team2": pulumi.String("orders")}
		a.GlobalSecondaryIndexes = dynamodb.TableGlobalSecondaryIndexArray{index("by-day", "day", "", "KEYS_ONLY")}
		a.Attributes = dynamodb.TableAttributeArray{attribute("pk", "S"), attribute("sk", "S"), attribute("day", "N")}
	}))
	changed.StateDir = o.StateDir
	must(t, open(t, changed).Up)
	changes(t, must(t, open(t, changed).Up), map[string]int{"same": 2})
	must(t, s.Destroy)
	assert.Zero(t, left())
	assert.Empty(t, tables(t, engine), "expected six lost answers and no table, found %d not lost and %v", left(), tables(t, engine))
}

// BenchmarkLife measures a whole life of all five designs, one after the other, and prints where the time goes.
func BenchmarkLife(b *testing.B) {
	g := startGate(b, startEngine(b))
	answerBackups(g)
	spent, sent := map[string]time.Duration{}, map[string]int{}
	names := []string{"open", "up", "up again", "preview", "refresh", "destroy"}
	for b.Loop() {
		dir := b.TempDir()
		for _, design := range catalog.Designs() {
			o := designOptions(b, g.URL, design, "bench")
			o.StateDir = dir
			o.Unprotected()
			began := time.Now()
			s := open(b, o)
			spent[names[0]] += time.Since(began)
			for i, m := range []method{s.Up, s.Up, s.Preview, s.Refresh, s.Destroy} {
				spent[names[i+1]] += time.Duration(must(b, m).Seconds * float64(time.Second))
				total, _ := g.taken()
				sent[names[i+1]] += total
			}
		}
	}
	for _, name := range names {
		unit := strings.ReplaceAll(name, " ", "-")
		b.ReportMetric(float64(spent[name].Microseconds())/1000/float64(b.N), unit+"-ms/op")
		b.ReportMetric(float64(sent[name])/float64(b.N), unit+"-requests/op")
	}
}

// TestChangedRegion opens a deployed stack with another region.
func TestChangedRegion(t *testing.T) {
	endpoint := startEngine(t)
	o := options(t, endpoint, orders())
	must(t, open(t, o).Up)
	o.Region = "us-east-2"
	s := open(t, o)
	for _, m := range []method{s.Preview, s.Up, s.Refresh, s.Destroy} {
		mustFail(t, m, "expected region eu-west-1", "found us-east-2", "destroy it with the former region first")
	}
	o.Region = testRegion
	must(t, open(t, o).Destroy)
	o.Region = "us-east-2"
	must(t, open(t, o).Up)
}

// Somebody removes the state folder behind any of an operation's looks at the state: it ends with one line that names the folder.
func TestTheStateVanishes(t *testing.T) {
	endpoint := startEngine(t)
	for name, row := range map[string]struct {
		looks int
		of    func(*deploy.Stack) method
	}{
		"up":      {3, func(s *deploy.Stack) method { return s.Up }},
		"preview": {2, func(s *deploy.Stack) method { return s.Preview }},
		"refresh": {3, func(s *deploy.Stack) method { return s.Refresh }},
		"destroy": {3, func(s *deploy.Stack) method { return s.Destroy }},
	} {
		for behind := 1; behind <= row.looks; behind++ {
			o := options(t, endpoint, func(*pulumi.Context) error { return nil })
			stack := open(t, o)
			must(t, stack.Up)
			stack.Vanishes(behind)
			if _, err := row.of(stack)(t.Context()); err == nil || !strings.Contains(err.Error(), o.StateDir) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, behind look %d: expected a line that names %s, found %v", name, behind, o.StateDir, err)
			}
		}
	}
}
