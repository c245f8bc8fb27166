package deploy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
)

// TestPassphrase opens a state with the right passphrase, with a wrong one, and one that is protected in another way.
func TestPassphrase(t *testing.T) {
	salt := func() json.RawMessage {
		state, _, err := passphrase.NewPassphraseSecretsManager("right")
		if err != nil {
			t.Fatal(err)
		}
		content, err := json.Marshal(map[string]string{"salt": state})
		if err != nil {
			t.Fatal(err)
		}
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
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.words) {
				t.Errorf("expected an error with %q, found %v", row.words, err)
			}
		})
	}
}

// TestEphemeralKey opens with Pulumi's own code, which derives the key, what the key that is not derived has encrypted.
// A state of an earlier process is opened without a derivation, and one that is damaged is not.
func TestEphemeralKey(t *testing.T) {
	fresh, err := passphrases{EphemeralPassphrase}.forNewStack()
	if err != nil {
		t.Fatal(err)
	}
	encrypted, err := fresh.Encrypter().EncryptValue(t.Context(), "word")
	if err != nil {
		t.Fatal(err)
	}
	var state salted
	if err := json.Unmarshal(fresh.State(), &state); err != nil {
		t.Fatal(err)
	}
	pulumis, err := passphrase.GetPassphraseSecretsManager(EphemeralPassphrase, state.Salt)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := passphrases{EphemeralPassphrase}.ofState(t.Context(), state.Salt, fresh.State())
	if err != nil {
		t.Fatal(err)
	}
	for name, each := range map[string]secrets.Manager{"Pulumi": pulumis, "a later process": earlier} {
		if word, err := each.Decrypter().DecryptValue(t.Context(), encrypted); err != nil || word != "word" {
			t.Errorf("%s: expected word, found %q, %v", name, word, err)
		}
		if string(each.State()) != string(fresh.State()) || each.Type() != fresh.Type() {
			t.Errorf("%s: expected the state %s of type %s, found %s of type %s", name, fresh.State(), fresh.Type(), each.State(), each.Type())
		}
	}
	damaged, err := json.Marshal(salted{state.Salt[:len(state.Salt)-8] + "AAAAAAA="})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (passphrases{EphemeralPassphrase}).OfType(t.Context(), passphrase.Type, damaged); err == nil || !strings.Contains(err.Error(), "set PULUMI_CONFIG_PASSPHRASE") {
		t.Errorf("expected a damaged state to be refused, found %v", err)
	}
	if _, err := (passphrases{"another"}).OfType(t.Context(), passphrase.Type, fresh.State()); err == nil || !strings.Contains(err.Error(), "set PULUMI_CONFIG_PASSPHRASE") {
		t.Errorf("expected another passphrase to be refused, found %v", err)
	}
}
