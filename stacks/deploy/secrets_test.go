package deploy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPassphrase opens a state with the right passphrase, with a wrong one, and one that is protected in another way.
func TestPassphrase(t *testing.T) {
	salt := func() json.RawMessage {
		state, _, err := passphrase.NewPassphraseSecretsManager("right")
		require.NoError(t, err)
		content, err := json.Marshal(map[string]string{"salt": state})
		require.NoError(t, err)
		return content
	}
	for _, row := range []struct {
		name, phrase, kind string
		words              string // of the error; empty when there is none
	}{
		{"right", "right", passphrase.Type, ""},
		{"wrong", "wrong", passphrase.Type, "set PULUMI_CONFIG_PASSPHRASE"},
		{"Pulumi's cloud", "right", "service", `found "service"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := passphrases{row.phrase}.OfType(t.Context(), row.kind, salt())
			if row.words == "" {
				assert.NoError(t, err)
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.words) {
				t.Errorf("expected an error with %q, found %v", row.words, err)
			}
		})
	}
}
