package guard_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/osemladders"
	"dynaproof/accesspatterns/rollmodel"
	"dynaproof/accesspatterns/tabletest"
)

// TestObserveRefusesNothing sends every row: all must be sent, and what Enforce
// refuses must be logged and counted.
func TestObserveRefusesNothing(t *testing.T) {
	type observer struct {
		log     bytes.Buffer
		counter guard.Counter
		counted map[guard.Rule]int
		attach  func(*dynamodb.Options)
	}
	guards := map[string]*observer{}
	for _, r := range rows(t) {
		t.Run(r.Name, func(t *testing.T) {
			wire := answering(`{}`)
			o := guards[r.guarded()]
			if o == nil {
				o = &observer{counted: map[guard.Rule]int{}}
				o.attach = guard.Observe(r.design, append(r.guardOptions(), guard.WithLogger(slog.New(slog.NewJSONHandler(&o.log, nil))), guard.WithCounter(&o.counter))...)
				guards[r.guarded()] = o
			}
			defer o.log.Reset()
			tabletest.Must(designtest.Send(t.Context(), newClient(wire, o.attach), r.input))(t)
			require.Equal(t, int64(1), wire.sent.Load(), "expected it to be sent once")
			var counted map[guard.Rule]int
			require.NoError(t, json.Unmarshal([]byte(o.counter.String()), &counted))
			if r.Rule == "" {
				assert.Zero(t, o.log.Len(), "expected no report, found %s", o.log.String())
				assert.Equal(t, o.counted, counted, "counted")
				return
			}
			var line struct{ Level, Design, Rule, Cite string }
			require.NoError(t, json.Unmarshal(o.log.Bytes(), &line), "expected one line, found %q", o.log.String())
			assert.True(t, line.Level == "WARN" && line.Rule == string(r.Rule) && line.Design == r.design.Name && strings.HasPrefix(line.Cite, r.Cite),
				"expected rule %s at %s, found %s", r.Rule, r.Cite, o.log.String())
			o.counted[r.Rule]++
			assert.Equal(t, o.counted[r.Rule], int(o.counter.Of(r.Rule)), "counted of the rule")
			assert.Equal(t, o.counted, counted, "counted")
			assert.NotContains(t, o.log.String(), "secret-id")
		})
	}
}

// TestSharedGuard lets one guard serve many goroutines with and without logical
// reads; it is for the race detector.
func TestSharedGuard(t *testing.T) {
	var counter guard.Counter
	client := newClient(answering(`{}`), guard.Enforce(osemladders.Design(), guard.ForRole("admin"), guard.InEnvironment("dev"), guard.WithCounter(&counter)))
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			for range 50 {
				ctx, _ := guard.NewRead(t.Context())
				_, err := client.Scan(ctx, scanUsers())
				assert.NoError(t, err)
				if i%2 == 0 {
					_, _ = client.Scan(ctx, scanUsers(func(s *dynamodb.ScanInput) { s.Limit = nil }))
				}
			}
		})
	}
	group.Wait()
	assert.Equal(t, uint64(8*50), counter.Of(guard.RuleLimit), "expected 400 refusals, found %s", counter.String())
}

func TestTableNames(t *testing.T) {
	entries := func(table string) error {
		client := newClient(answering(`{}`), guard.Enforce(rollmodel.Design(), guard.ForRole("athlete"), guard.WithTables(map[string]string{"RollModel": "arn:aws:dynamodb:eu-west-1:1:table/rm"})))
		_, err := client.Query(t.Context(), query(table, prefix, "USER#a", "ENTRY#"))
		return err
	}
	assert.NoError(t, entries("arn:aws:dynamodb:eu-west-1:1:table/rm"))
	mustRefuse(t, entries("RollModel"), guard.RuleTable)
}

func TestOptionsThatDoNotFit(t *testing.T) {
	for name, options := range map[string][]guard.Option{
		"no role":          {},
		"both":             {guard.ForRole("coach"), guard.AnyRole()},
		"an unknown role":  {guard.ForRole("admin")},
		"an unknown table": {guard.ForRole("coach"), guard.WithTables(map[string]string{"Other": "x"})},
	} {
		_, err := guard.New(rollmodel.Design(), options...)
		assert.ErrorContains(t, err, "expected", "%s: expected an error", name)
	}
	without := rollmodel.Design()
	for i := range without.Patterns {
		without.Patterns[i].Roles = nil
	}
	for says, options := range map[string][]guard.Option{
		"guard of roll-model: expected AnyRole, because the design has no roles, found none":                 {},
		"guard of roll-model: expected AnyRole alone, because the design has no roles, found the role coach": {guard.ForRole("coach")},
	} {
		_, err := guard.New(without, options...)
		assert.EqualError(t, err, says, "a design without roles")
	}
	_, err := guard.New(osemladders.Design(), guard.AnyRole(), guard.WithTables(map[string]string{
		"Users": "same", "Teams": "same", "AssessmentPlans": "a", "Assessments": "b", "AssessmentReports": "c", "ConfigVersions": "d"}))
	assert.Error(t, err, "expected two tables under one name to be an error")
}

func TestCounterWritesJSON(t *testing.T) {
	var counter guard.Counter
	assert.Equal(t, "{}", counter.String())
	client := newClient(answering(`{}`), guard.Enforce(rollmodel.Design(), guard.ForRole("athlete"), guard.WithCounter(&counter)))
	_, _ = client.Query(t.Context(), query("Other", prefix, "USER#a", "ENTRY#"))
	assert.Equal(t, `{"table":1}`, counter.String())
}

// transport answers every request with the same body and sends nothing.
type transport struct {
	body []byte
	sent atomic.Int64
}

func (t *transport) Do(*http.Request) (*http.Response, error) {
	t.sent.Add(1)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(t.body)), ContentLength: int64(len(t.body)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}}, nil
}

func answering(body string) *transport { return &transport{body: []byte(body)} }

// config is what a program has from its environment, with the given transport.
func config(t *transport) aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String("http://127.0.0.1:1"), HTTPClient: t,
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	}
}

func newClient(t *transport, options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.NewFromConfig(config(t), append(options, func(o *dynamodb.Options) { o.DisableValidateResponseChecksum = true })...)
}
