package deploy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/deploy"
)

// life is what happens to a stack on an engine of its own, step by step.
type life struct {
	// Name says what must hold. Design and Environment are those of the program; where there is no design it is orders.
	Name, Design, Environment string
	Steps                     []step
}

// step is one operation on the stack, with what comes before it and what must come of it.
type step struct {
	// From this step on: Knows are what the gate answers for the engine, Forgets is a member of requests that it drops, Loses are
	// operations whose next answer is lost, With are properties of the program's table that differ (null takes one away), Policies
	// are those of orders, Options are the options of the stack that differ, Orders is whether the program is orders in place of the
	// design's, and Moves is whether the engine is at another address.
	Knows    []string
	Forgets  string
	Loses    []string
	With     map[string]any
	Policies []string
	Options  map[string]any
	Moves    bool
	// In this step alone: Orders is whether the program is orders in place of the design's, Refuses are operations that the engine refuses, with the words, and Ignores are those that it takes and does not do.
	Orders  bool
	Refuses map[string]string
	Ignores []string
	// Behind are requests behind Pulumi's back, each by its operation. One that names neither a table nor a resource is of the only table.
	Behind []map[string]map[string]any

	// Do is the operation, and Fails are words of its error, which is one line.
	Do    string
	Fails []string
	// Changes are how many resources it changes; where all stay the same, it shows and warns of nothing.
	Changes map[string]int
	// Differs are the paths that differ, by the operation and the resource's name. Shows are lines of the shown difference, Warns are words of the only warning.
	Differs map[string][]string
	Shows   []string
	Warns   string
	Outputs map[string]any
	// Finds are expressions of jq and what they give of the tables and policies that there are then, and of what was sent. Stays
	// says that the tables and policies are those of before.
	Finds map[string]any
	Stays bool
}

// living is the stack of a life.
type living struct {
	*gate
	t       *testing.T
	engine  string
	options deploy.Options
	given   deploy.Options // as of the first step
	with    map[string]any
	sent    []string
}

func TestLives(t *testing.T) {
	for _, life := range tabletest.Read[[]life](t, "lives.yaml") {
		t.Run(life.Name, func(t *testing.T) {
			engine := startEngine(t)
			l := &living{gate: startGate(t, engine), t: t, engine: engine}
			l.given = options(t, l.URL, orders())
			if life.Design != "" {
				l.given = designOptions(t, l.URL, life.Design, life.Environment)
			}
			l.given.Transforms = []pulumi.ResourceTransform{l.differing}
			l.options = l.given
			for i := range life.Steps {
				l.lives(fmt.Sprintf("step %d, %s", i+1, life.Steps[i].Do), &life.Steps[i])
			}
			assert.Empty(t, l.losing, "expected their answers to be lost")
		})
	}
}

// differing gives each table the properties that differ.
func (l *living) differing(_ context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
	if args.Type != "aws:dynamodb/table:Table" {
		return nil
	}
	for name, value := range l.with {
		if args.Props[name] = pulumi.ToOutput(value); value == nil {
			delete(args.Props, name)
		}
	}
	return &pulumi.ResourceTransformResult{Props: args.Props, Opts: args.Opts}
}

func (l *living) lives(where string, s *step) {
	l.prepare(s)
	before := l.seen()
	var result *deploy.Result
	stack, err := deploy.Open(l.t.Context(), l.options)
	if err == nil && s.Do == "remove" {
		err = stack.Remove(l.t.Context())
	} else if err == nil && s.Do != "" {
		result, err = map[string]func(context.Context) (*deploy.Result, error){"up": stack.Up, "preview": stack.Preview, "refresh": stack.Refresh, "destroy": stack.Destroy}[s.Do](l.t.Context())
	}
	after := l.seen()
	if s.Stays {
		assert.Empty(l.t, cmp.Diff(before, after), "%s: tables and policies (-before +after)", where)
	}
	after["sent"] = l.sent
	tabletest.Finds(l.t, where, after, s.Finds)
	if len(s.Fails) > 0 {
		require.Error(l.t, err, where)
		for _, words := range s.Fails {
			assert.Contains(l.t, err.Error(), words, where)
		}
		assert.NotContains(l.t, err.Error(), "\n", where)
		return
	}
	require.NoError(l.t, err, where)
	if s.Changes != nil {
		changes(l.t, result, s.Changes)
		assert.True(l.t, result.Changed() || result.Diff == "" && len(result.Warnings) == 0, "%s: expected nothing to be shown, found %s %v", where, result.Diff, result.Warnings)
	}
	if s.Differs != nil {
		found := map[string][]string{}
		for _, d := range result.Differences() {
			found[d.Op+" "+d.Name] = d.Properties
		}
		assert.Empty(l.t, cmp.Diff(s.Differs, found), "%s: differences (-want +got)", where)
	}
	for _, line := range s.Shows {
		assert.Contains(l.t, result.Diff, line, where)
	}
	if s.Warns != "" {
		require.Len(l.t, result.Warnings, 1, where)
		assert.Contains(l.t, result.Warnings[0], s.Warns, where)
	}
	if s.Outputs != nil {
		assert.Empty(l.t, cmp.Diff(s.Outputs, result.Outputs), "%s: outputs (-want +got)", where)
	}
}

// prepare does what comes before the operation of a step.
func (l *living) prepare(s *step) {
	for _, what := range s.Knows {
		map[string]func(*gate){"backups": answerBackups, "policies": answerPolicies}[what](l.gate)
	}
	if s.Moves {
		moved := startGate(l.t, l.engine)
		l.Close()
		l.gate, l.given.Endpoint, l.options.Endpoint = moved, moved.URL, moved.URL
	}
	if s.Forgets != "" {
		l.forgets = s.Forgets
	}
	if s.Loses != nil {
		l.lose(s.Loses...)
	}
	if s.With != nil {
		l.with = s.With
	}
	if s.Options != nil {
		l.options = l.given
		l.options.Config = maps.Clone(l.given.Config)
		text := tabletest.Must(json.Marshal(s.Options))(l.t)
		require.NoError(l.t, json.Unmarshal(text, &l.options.Options))
	}
	if s.Policies != nil {
		l.given.Program = orders(s.Policies...)
	}
	l.options.Program = l.given.Program
	if s.Orders {
		l.options.Program = orders()
	}
	l.set(nil)
	for _, request := range s.Behind {
		for operation, input := range request {
			if input["TableName"] == nil && input["ResourceArn"] == nil {
				input["TableName"] = tables(l.t, l.engine)[0]
			}
			l.asks(l.URL, operation, input)
		}
	}
	l.sent = nil
	l.set(func(operation, table string, w http.ResponseWriter) bool {
		l.mu.Lock()
		l.sent = append(l.sent, strings.TrimSpace(operation+" "+table))
		l.mu.Unlock()
		if words, refused := s.Refuses[operation]; refused {
			refuse(w, "ValidationException", words)
			return true
		}
		if slices.Contains(s.Ignores, operation) {
			answer(w, "{}")
			return true
		}
		return false
	})
}

// asks sends a request as nobody's SDK does: what it holds stands in the table of lives.
func (l *living) asks(endpoint, operation string, input map[string]any) (output map[string]any) {
	l.t.Helper()
	text := tabletest.Must(json.Marshal(input))(l.t)
	request := tabletest.Must(http.NewRequestWithContext(l.t.Context(), http.MethodPost, endpoint, strings.NewReader(string(text))))(l.t)
	request.Header = http.Header{
		"X-Amz-Target": {"DynamoDB_20120810." + operation}, "Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Date": {"20260601T000000Z"},
		"Authorization": {"AWS4-HMAC-SHA256 Credential=test/20260601/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00"},
	}
	response := tabletest.Must(http.DefaultClient.Do(request))(l.t)
	defer response.Body.Close()
	require.NoError(l.t, json.NewDecoder(response.Body).Decode(&output))
	require.Equal(l.t, http.StatusOK, response.StatusCode, "%s: %v", operation, output)
	return output
}

// seen are the tables and policies that there are.
func (l *living) seen() map[string]any {
	l.t.Helper()
	tables := map[string]any{}
	for _, name := range l.asks(l.engine, "ListTables", map[string]any{})["TableNames"].([]any) {
		of := map[string]any{"TableName": name}
		table := l.asks(l.engine, "DescribeTable", of)["Table"].(map[string]any)
		table["TimeToLive"] = l.asks(l.engine, "DescribeTimeToLive", of)["TimeToLiveDescription"]
		tables[name.(string)] = table
	}
	policies := map[string]string{}
	for arn, p := range l.policies {
		policies[arn] = p.text
	}
	return map[string]any{"tables": tables, "policies": policies, "backups": maps.Clone(l.backups)}
}
