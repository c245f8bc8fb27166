package guard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/designtest"
	"dynaproof/accesspatterns/guard"
	"dynaproof/accesspatterns/osemladders"
	"dynaproof/accesspatterns/rollmodel"
)

// TestObserveRefusesNothing sends every row: all must be sent, and what Enforce
// refuses must be logged and counted.
func TestObserveRefusesNothing(t *testing.T) {
	for _, r := range rows(t) {
		t.Run(r.Name, func(t *testing.T) {
			var log bytes.Buffer
			var counter guard.Counter
			wire := answering(`{}`)
			options := append(r.guardOptions(), guard.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))), guard.WithCounter(&counter))
			client := newClient(wire, guard.Observe(r.design, options...))
			if _, err := designtest.Send(t.Context(), client, r.input); err != nil || wire.sent.Load() != 1 {
				t.Fatalf("expected it to be sent once, found %d requests and %v", wire.sent.Load(), err)
			}
			if r.Rule == "" {
				if log.Len() > 0 || counter.String() != "{}" {
					t.Errorf("expected no report, found %s and %s", log.String(), counter.String())
				}
				return
			}
			var line struct{ Level, Design, Rule, Cite string }
			require.NoError(t, json.Unmarshal(log.Bytes(), &line), "expected one line, found %q", log.String())
			if line.Level != "WARN" || line.Rule != string(r.Rule) || line.Design != r.design.Name || !strings.HasPrefix(line.Cite, r.Cite) {
				t.Errorf("expected rule %s at %s, found %s", r.Rule, r.Cite, log.String())
			}
			if counter.Of(r.Rule) != 1 || counter.String() != fmt.Sprintf(`{%q:1}`, r.Rule) {
				t.Errorf("expected 1 for %s, found %s", r.Rule, counter.String())
			}
			assert.NotContains(t, log.String(), "secret-id")
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
	if counter.Of(guard.RuleLimit) != 8*50 {
		t.Errorf("expected 400 refusals, found %s", counter.String())
	}
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
		if _, err := guard.New(rollmodel.Design(), options...); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%s: expected an error, found %v", name, err)
		}
	}
	without := rollmodel.Design()
	for i := range without.Patterns {
		without.Patterns[i].Roles = nil
	}
	for says, options := range map[string][]guard.Option{
		"guard of roll-model: expected AnyRole, because the design has no roles, found none":                 {},
		"guard of roll-model: expected AnyRole alone, because the design has no roles, found the role coach": {guard.ForRole("coach")},
	} {
		if _, err := guard.New(without, options...); err == nil || err.Error() != says {
			t.Errorf("a design without roles: expected %q, found %v", says, err)
		}
	}
	if _, err := guard.New(osemladders.Design(), guard.AnyRole(), guard.WithTables(map[string]string{
		"Users": "same", "Teams": "same", "AssessmentPlans": "a", "Assessments": "b", "AssessmentReports": "c", "ConfigVersions": "d"})); err == nil {
		t.Error("expected two tables under one name to be an error")
	}
}

func TestCounterWritesJSON(t *testing.T) {
	var counter guard.Counter
	assert.Equal(t, "{}", counter.String())
	client := newClient(answering(`{}`), guard.Enforce(rollmodel.Design(), guard.ForRole("athlete"), guard.WithCounter(&counter)))
	_, _ = client.Query(t.Context(), query("Other", prefix, "USER#a", "ENTRY#"))
	assert.Equal(t, `{"table":1}`, counter.String())
}
