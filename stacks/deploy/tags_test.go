package deploy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run's tag stands beside those that a program gives, whatever the form in which they come:
// Pulumi's engine hands a transform another map than the program wrote.
func TestTagsStandBesideTheDocumentedTags(t *testing.T) {
	request := Request{Tags: map[string]string{"run": "this"}}
	want := map[string]string{"App": "osem", "Environment": "dev", "run": "this"}
	for name, row := range map[string]struct {
		documented pulumi.Input
		want       map[string]string
	}{
		"none":          {nil, request.Tags},
		"of texts":      {pulumi.StringMap{"App": pulumi.String("osem"), "Environment": pulumi.String("dev")}, want},
		"of inputs":     {pulumi.Map{"App": pulumi.String("osem"), "Environment": pulumi.String("dev")}, want},
		"of Go's texts": {pulumi.ToStringMap(map[string]string{"App": "osem", "Environment": "dev"}), want},
		"an output":     {pulumi.ToOutput(map[string]string{"App": "osem", "Environment": "dev"}), want},
		"one computed":  {pulumi.Map{"App": pulumi.String("osem").ToStringOutput(), "Environment": pulumi.String("dev")}, want},
		"a run's tag":   {pulumi.Map{"App": pulumi.String("osem"), "Environment": pulumi.String("dev"), "run": pulumi.String("another")}, want},
		"no map":        {pulumi.String("App=osem"), nil},
		"no text":       {pulumi.Map{"App": pulumi.Int(1)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, resource := range []string{"aws:dynamodb/table:Table", "aws:iam/policy:Policy"} {
				args := &pulumi.ResourceTransformArgs{Type: resource, Props: pulumi.Map{}}
				if row.documented != nil {
					args.Props["tags"] = row.documented
				}
				given := request.transforms()[0](t.Context(), args).Props["tags"]
				found, err := internals.UnsafeAwaitOutput(t.Context(), pulumi.ToOutput(given))
				if row.want == nil {
					assert.Error(t, err, "%s: expected an error, found %v", resource, found.Value)
					continue
				}
				if d := cmp.Diff(any(row.want), found.Value); d != "" || err != nil {
					t.Errorf("%s: tags (-want +got):\n%s, %v", resource, d, err)
				}
			}
		})
	}
}

// The plugin finds credentials by itself, and may take those of the account alone that
// the caller was shown; an engine on this machine has no account.
func TestThePluginIsPinnedToTheAccount(t *testing.T) {
	key := config.MustMakeKey("aws", "allowedAccountIds")
	set, err := settings(Options{Cloud: true, Account: "111122223333", Region: "eu-west-1"}, "")
	require.NoError(t, err)
	if pinned, err := set[key].Value(config.NopDecrypter); err != nil || pinned != `["111122223333"]` {
		t.Errorf("expected the account and no other, found %q, %v", pinned, err)
	}
	if _, local := set[config.MustMakeKey("aws", "endpoints")]; local {
		t.Error("expected no endpoints of this machine for an account")
	}
	set, err = settings(Options{Region: "eu-west-1"}, "[]")
	require.NoError(t, err)
	if _, pinned := set[key]; pinned {
		t.Error("expected no account for an engine on this machine")
	}
}
