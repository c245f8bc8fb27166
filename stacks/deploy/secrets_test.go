package deploy

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dynaproof"
	"dynaproof/accesspatterns/tabletest"
)

// TestPassphrase opens a state with the right passphrase, with a wrong one, and one that is protected in another way.
func TestPassphrase(t *testing.T) {
	salt := func() json.RawMessage {
		state, _, err := passphrase.NewPassphraseSecretsManager("right")
		require.NoError(t, err)
		return tabletest.Must(json.Marshal(map[string]string{"salt": state}))(t)
	}
	for _, row := range []struct {
		name, phrase, kind string
		words              string // of the error; empty when there is none
	}{
		{"right", "right", passphrase.Type, ""},
		{"wrong", "wrong", passphrase.Type, "that one into PULUMI_CONFIG_PASSPHRASE, or"},
		{"Pulumi's cloud", "right", "service", `found "service"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Setenv("PULUMI_CONFIG_PASSPHRASE", row.phrase)
			_, err := passphrases{}.OfType(t.Context(), row.kind, salt())
			if row.words == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, row.words)
		})
	}
}

// TestEphemeralPassphrase holds the manager that derives its key late against Pulumi's own of the same state: each reads what the other has written.
func TestEphemeralPassphrase(t *testing.T) {
	late := tabletest.Must(forNewStack())(t)
	t.Setenv("PULUMI_CONFIG_PASSPHRASE", "another")
	_, err := passphrases{}.OfType(t.Context(), late.Type(), late.State())
	assert.ErrorContains(t, err, "that one into PULUMI_CONFIG_PASSPHRASE, or")
	t.Setenv("PULUMI_CONFIG_PASSPHRASE", "")
	assert.Equal(t, late, tabletest.Must(passphrases{}.OfType(t.Context(), late.Type(), late.State()))(t))
	pulumis := tabletest.Must(passphrase.GetPassphraseSecretsManager(EphemeralPassphrase, ephemeralSalt))(t)
	assert.Equal(t, string(pulumis.State()), string(late.State()))
	for _, managers := range [][2]secrets.Manager{{late, pulumis}, {pulumis, late}, {late, late}} {
		written := tabletest.Must(managers[0].Encrypter().BatchEncrypt(t.Context(), []string{"a word"}))(t)
		assert.Equal(t, []string{"a word"}, tabletest.Must(managers[1].Decrypter().BatchDecrypt(t.Context(), written))(t))
		assert.NotContains(t, written[0], "a word")
	}
}

// Without it the test would wait for an hour.
func TestAnInterruptEndsTheWaitForALock(t *testing.T) {
	defer func(usual time.Duration) { lockPatience = usual }(lockPatience)
	lockPatience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.True(t, outlives(ctx, func() bool { return alive(os.Getpid()) }), "expected this process to live when the wait ends")
}

// TestAnEndedProcessHoldsNoLock: one that has ended, and for which nobody waits, works on nothing.
func TestAnEndedProcessHoldsNoLock(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not tell the state of a process in a file")
	}
	defer func(usual time.Duration) { lockPatience = usual }(lockPatience)
	lockPatience = time.Hour
	command := exec.Command("true")
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	require.NoError(t, err)
	defer func() { _ = command.Wait() }()
	if _, err = io.Copy(io.Discard, output); err != nil { // until it has ended, or is about to
		t.Fatal(err)
	}
	assert.False(t, outlives(t.Context(), func() bool { return alive(command.Process.Pid) }), "process %d has ended, and is taken to work on", command.Process.Pid)
}

// A run's tag stands beside those that a program gives, whatever the form in which they come:
// Pulumi's engine hands a transform another map than the program wrote.
func TestTagsStandBesideTheDocumentedTags(t *testing.T) {
	options := Options{Options: dynaproof.Options{Tags: map[string]string{"run": "this"}}}
	want := map[string]string{"App": "osem", "Environment": "dev", "run": "this"}
	for name, row := range map[string]struct {
		documented pulumi.Input
		want       map[string]string
	}{
		"none":          {nil, options.Tags},
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
				given := options.labels()[0](t.Context(), args).Props["tags"]
				found, err := internals.UnsafeAwaitOutput(t.Context(), pulumi.ToOutput(given))
				if row.want == nil {
					assert.Error(t, err, "%s: expected an error, found %v", resource, found.Value)
					continue
				}
				d := cmp.Diff(any(row.want), found.Value)
				assert.True(t, d == "" && err == nil, "%s: tags (-want +got):\n%s, %v", resource, d, err)
			}
		})
	}
}

// The plugin finds credentials by itself, and may take those of the account alone that
// the caller was shown; an engine on this machine has no account.
func TestThePluginIsPinnedToTheAccount(t *testing.T) {
	key := config.MustMakeKey("aws", "allowedAccountIds")
	set := tabletest.Must(settings(Options{Options: dynaproof.Options{Cloud: true, Account: "111122223333", Region: "eu-west-1"}}))(t)
	assert.Equal(t, `["111122223333"]`, tabletest.Must(set[key].Value(config.NopDecrypter))(t), "expected the account and no other")
	_, local := set[config.MustMakeKey("aws", "endpoints")]
	assert.False(t, local, "expected no endpoints of this machine for an account")
	set = tabletest.Must(settings(Options{Options: dynaproof.Options{Region: "eu-west-1"}}))(t)
	_, pinned := set[key]
	assert.False(t, pinned, "expected no account for an engine on this machine")
}
