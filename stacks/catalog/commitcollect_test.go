package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof/accesspatterns/tabletest"
	"dynaproof/stacks/commitcollect"
	"dynaproof/stacks/dryrun"
)

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
	for id := range tabletest.Read[documented](t, "commit-collect.yaml").Tables {
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
	for id := range tabletest.Read[documented](t, "commit-collect.yaml").Tables {
		assert.Equal(t, "", result.TableProviders[id], "%s: expected the default provider", id)
	}
	if got := result.Outputs["region"]; got != "ap-southeast-2" {
		t.Errorf("output region: expected ap-southeast-2, found %v", got)
	}
}
