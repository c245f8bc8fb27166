package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/stacks/commitcollect"
	"dynaproof/stacks/dryrun"
)

// commitCollectTables is what commit-collect.md:22-149 and :195 ask for, written out from the document. An input that is not here is
// not documented.
func commitCollectTables(prefix string) map[string]map[string]any {
	return map[string]map[string]any{
		"CommitCollect":            asked(prefix+"CommitCollect", "PK SK", "PK S, SK S, GSI1PK S", []string{"GSI1 GSI1PK"}),                                                                                       // commit-collect.md:22-30, 80-86
		"CommitCollectSessions":    asked(prefix+"CommitCollectSessions", "PK SK", "PK S, SK S", nil, expires("expiresAtUtc")),                                                                                    // commit-collect.md:90-101
		"CommitCollectAudit":       asked(prefix+"CommitCollectAudit", "PK SK", "PK S, SK S, GSI1PK S, GSI1SK S, GSI2PK S, GSI2SK S", []string{"GSI1 GSI1PK GSI1SK", "GSI2 GSI2PK GSI2SK"}, expires("expiresAt")), // commit-collect.md:116-133
		"CommitCollectIdempotency": asked(prefix+"CommitCollectIdempotency", "IdempotencyKey", "IdempotencyKey S", nil),                                                                                           // commit-collect.md:145-149
	}
}

// southeast is the provider for the region of commit-collect.md:27, where the settings do not name it.
var southeast = []string{"ap-southeast-2"}

var commitCollect = documented{
	registers: []registered{
		{"no configuration", "commit-collect.dev", nil, commitCollectTables(""), southeast},
		{"the names hold no environment", "commit-collect.prod", nil, commitCollectTables(""), southeast},
		{"ephemeral run", "commit-collect.dev", ephemeral, commitCollectTables("run7-"), southeast},
		{"region said outright", "commit-collect.dev", map[string]string{"aws:region": "ap-southeast-2"}, commitCollectTables(""), nil},
	},
	exports: exported{
		stack: "commit-collect.dev", settings: map[string]string{"dynaproof:guardrails": "off"}, region: "ap-southeast-2",
		names: map[string]any{
			"CommitCollect": "CommitCollect", "CommitCollectSessions": "CommitCollectSessions",
			"CommitCollectAudit": "CommitCollectAudit", "CommitCollectIdempotency": "CommitCollectIdempotency",
		},
		indexes: map[string]any{
			"CommitCollect": []any{"GSI1"}, "CommitCollectSessions": []any{}, "CommitCollectAudit": []any{"GSI1", "GSI2"}, "CommitCollectIdempotency": []any{},
		},
	},
	refuses: []refused{
		{"another region", "commit-collect.dev", map[string]string{"aws:region": "us-east-1"}, []string{"expected ap-southeast-2, which commit-collect.md:27 fixes", `found "us-east-1"`}},
		{
			"settings that a provider of its own would not see", "commit-collect.dev", map[string]string{"aws:profile": "prod", "aws:s3UsePathStyle": "true"},
			[]string{"beside aws:profile, aws:s3UsePathStyle", "set aws:region to ap-southeast-2"},
		},
		{"a table name of one's own", "commit-collect.dev", map[string]string{"dynaproof:tableName": "Other"}, []string{"commit-collect.md:22,90,116,145"}},
		{"provisioned capacity", "commit-collect.dev", map[string]string{"dynaproof:billingMode": "PROVISIONED"}, []string{"commit-collect.md:26,195"}},
		{"a stack of another design", "roll-model.dev", nil, []string{"expected a stack of the design commit-collect"}},
	},
}

// TestRegionWithoutConfiguration holds commit-collect.md:27 against a machine that points elsewhere.
func TestRegionWithoutConfiguration(t *testing.T) {
	t.Setenv("AWS_REGION", "us-east-1")
	result, err := dryrun.Run(commitcollect.Program, "commit-collect.dev", nil)
	require.NoError(t, err)
	if len(result.Providers) != 1 || result.Providers["ap-southeast-2"]["region"] != "ap-southeast-2" {
		t.Errorf("expected one provider for ap-southeast-2, found %v", result.Providers)
	}
	if got := len(result.TablePolicies); got != 4 { // commit-collect.md:18, 175: on without being asked for
		t.Errorf("expected a policy for each of the 4 tables, found %d", got)
	}
	for id := range commitCollect.exports.names {
		if ref := result.TableProviders[id]; !strings.Contains(ref, "pulumi:providers:aws::ap-southeast-2::") {
			t.Errorf("%s: expected the provider for ap-southeast-2, found %q", id, ref)
		}
	}
	if got := result.Outputs["region"]; got != "ap-southeast-2" {
		t.Errorf("output region: expected ap-southeast-2, found %v", got)
	}
}

// TestRegionByConfiguration sees that the default provider serves, which is the one that sees all aws:* settings.
func TestRegionByConfiguration(t *testing.T) {
	result, err := dryrun.Run(commitcollect.Program, "commit-collect.dev", map[string]string{
		"aws:region":    "ap-southeast-2",
		"aws:endpoints": `[{"dynamodb":"http://127.0.0.1:8000"}]`,
		"aws:accessKey": "local",
	})
	require.NoError(t, err)
	if len(result.Providers) != 0 {
		t.Errorf("expected the default provider, found %v", result.Providers)
	}
	for id := range commitCollect.exports.names {
		assert.Equal(t, "", result.TableProviders[id], "%s: expected the default provider", id)
	}
	if got := result.Outputs["region"]; got != "ap-southeast-2" {
		t.Errorf("output region: expected ap-southeast-2, found %v", got)
	}
}
