package deploy

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/stretchr/testify/require"
)

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
