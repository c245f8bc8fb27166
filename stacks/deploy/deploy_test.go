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
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/dynamodb"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof"
	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/catalog"
	"dynaproof/stacks/deploy"
	"dynaproof/stacks/environment"
)

const ordersTable = "orders-test"

// orders is the program of most tests: one table with two indexes, TTL and a tag, and the policies of the table and of a role where they are
// given, with %s for the table's ARN.
func orders(policies ...string) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		table, err := dynamodb.NewTable(ctx, "orders", ordersArgs())
		if err != nil {
			return err
		}
		ctx.Export("tableName", table.Name)
		ctx.Export("indexes", pulumi.ToStringArray([]string{"by-state", "by-day"}))
		if len(policies) == 0 {
			return nil
		}
		_, err1 := dynamodb.NewResourcePolicy(ctx, "orders-policy", &dynamodb.ResourcePolicyArgs{
			ResourceArn: table.Arn, Policy: pulumi.Sprintf(policies[0], table.Arn),
		})
		role, err2 := iam.NewPolicy(ctx, "clerk", &iam.PolicyArgs{
			Description: pulumi.String("clerks"), Path: pulumi.String("/orders/"), Policy: pulumi.Sprintf(policies[1], table.Arn),
		})
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		ctx.Export("arn", role.Arn)
		return nil
	}
}

func ordersArgs() *dynamodb.TableArgs {
	return &dynamodb.TableArgs{
		Name: pulumi.String(ordersTable), HashKey: pulumi.String("pk"), RangeKey: pulumi.String("sk"),
		BillingMode: pulumi.String("PAY_PER_REQUEST"),
		Attributes:  environment.Attributes("pk S", "sk S", "state S", "day N"),
		GlobalSecondaryIndexes: dynamodb.TableGlobalSecondaryIndexArray{
			environment.Index("by-state", "ALL", "state", "day"),
			environment.Index("by-day", "KEYS_ONLY", "day"),
		},
		Ttl:  &dynamodb.TableTtlArgs{Enabled: pulumi.Bool(true), AttributeName: pulumi.String("expiresAt")},
		Tags: pulumi.StringMap{"Team": pulumi.String("orders")},
	}
}

func options(t testing.TB, endpoint string, program pulumi.RunFunc) deploy.Options {
	return deploy.Options{Program: program, Options: dynaproof.Options{
		Design: "orders", Environment: "test", Endpoint: endpoint, Region: testRegion, StateDir: t.TempDir(),
	}}
}

func open(t testing.TB, o deploy.Options) *deploy.Stack {
	t.Helper()
	return tabletest.Must(deploy.Open(t.Context(), o))(t)
}

type method func(context.Context) (*deploy.Result, error)

func must(t testing.TB, m method) *deploy.Result {
	t.Helper()
	return tabletest.Must(m(t.Context()))(t)
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
	return tabletest.Must(client(endpoint).DescribeTable(t.Context(), &dynamo.DescribeTableInput{TableName: &name}))(t).Table
}

// nothingToDo fails unless operations find nothing to do, and nothing to say.
func nothingToDo(t testing.TB, methods ...method) {
	t.Helper()
	for i, m := range methods {
		r := must(t, m)
		assert.True(t, !r.Changed() && r.Diff == "" && len(r.Warnings) == 0, "operation %d: expected no change, found %v %v\n%s", i+1, r.Changes, r.Warnings, r.Diff)
	}
}

func switchTTL(t testing.TB, endpoint, table, attribute string, on bool) {
	t.Helper()
	tabletest.Must(client(endpoint).UpdateTimeToLive(t.Context(), &dynamo.UpdateTimeToLiveInput{
		TableName: &table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: &on},
	}))(t)
}

func ttlOf(t testing.TB, endpoint, table string) string {
	t.Helper()
	answer := tabletest.Must(client(endpoint).DescribeTimeToLive(t.Context(), &dynamo.DescribeTimeToLiveInput{TableName: &table}))(t)
	return string(answer.TimeToLiveDescription.TimeToLiveStatus) + " " + aws.ToString(answer.TimeToLiveDescription.AttributeName)
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
	require.True(t, errors.As(err, &failed) && failed.Canceled() && errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "\n"),
		"expected one line that says that the up was canceled, found %v", err)
	t.Log(err)
	left := tables(t, g.URL)
	assert.True(t, len(left) != 0 && len(left) != 20, "expected some of 20 tables after the cancellation, found %d", len(left))
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
	s := tabletest.Must(deploy.Open(ctx, o))(t)
	_, err := s.Preview(ctx)
	assert.ErrorContains(t, err, "canceled; nothing was changed")
	_, err = s.Up(ctx)
	assert.ErrorIs(t, err, context.Canceled, "expected an up with a canceled context to do nothing")
	must(t, s.Destroy)
	assert.NoError(t, s.Remove(t.Context()))
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
	assert.True(t, err == nil && strings.Contains(string(state), `"type":"passphrase"`) && !strings.Contains(string(state), `"word"`),
		"expected a state with secrets under a passphrase, found %v\n%s", err, state)
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
	assert.Empty(t, tabletest.Must(io.ReadAll(read))(t), "expected silence")
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
	answerPolicies(g)
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
	assert.Len(t, g.policies, policies, "policies of tables")
	for _, m := range []func(*deploy.Stack) method{
		func(s *deploy.Stack) method { return s.Up },
		func(s *deploy.Stack) method { return s.Preview },
		func(s *deploy.Stack) method { return s.Refresh },
	} {
		for i, r := range all(m) {
			assert.True(t, !r.Changed() && len(r.Differences()) == 0, "%s: expected no change, found %v\n%s", stacks[i].Name(), r.Changes, r.Diff)
		}
	}
	all(func(s *deploy.Stack) method { return s.Destroy })
	assert.Empty(t, tables(t, g.URL), "expected no table after destroy")
	assert.Equal(t, 0, len(g.policies), "expected no policy after destroy")
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

// Somebody removes the state folder when an operation has looked at the state: it ends with one line that names the folder.
func TestTheStateVanishes(t *testing.T) {
	endpoint := startEngine(t)
	for name, of := range map[string]func(*deploy.Stack) method{
		"up":      func(s *deploy.Stack) method { return s.Up },
		"preview": func(s *deploy.Stack) method { return s.Preview },
		"refresh": func(s *deploy.Stack) method { return s.Refresh },
		"destroy": func(s *deploy.Stack) method { return s.Destroy },
	} {
		o := options(t, endpoint, func(*pulumi.Context) error { return nil })
		stack := open(t, o)
		must(t, stack.Up)
		stack.Vanishes()
		if _, err := of(stack)(t.Context()); err == nil || !strings.Contains(err.Error(), o.StateDir) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: expected a line that names %s, found %v", name, o.StateDir, err)
		}
	}
}
