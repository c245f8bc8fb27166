package deploy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"

	"dynaproof/accesspatterns/input"
)

// EphemeralPassphrase protects the state of a run when PULUMI_CONFIG_PASSPHRASE names none. It is no secret: the state of a loopback
// deployment holds none.
const EphemeralPassphrase = "dynaproof-ephemeral"

// phrase is the passphrase of all stacks of this process.
func phrase() string { return cmp.Or(os.Getenv("PULUMI_CONFIG_PASSPHRASE"), EphemeralPassphrase) }

// passphrases makes the secrets managers of stacks from the passphrase. It never asks on a terminal.
type passphrases struct{}

var _ secrets.Provider = passphrases{}

// ephemeralSalt is the salt of [EphemeralPassphrase], as a state has it. The passphrase is no secret, so a salt for each state would guard nothing.
const ephemeralSalt = "v1:xxN2HS/ZgjU=:v1:vzYAEpD+RrlDJVfn:dCoj1q+mPR+hUNEo1vGMuSB107LQwA=="

// ephemeral is the manager of the stacks under [EphemeralPassphrase]. It derives the key when a value is a secret: a state on loopback holds none.
type ephemeral struct{}

func (ephemeral) Type() string                  { return passphrase.Type }
func (ephemeral) State() json.RawMessage        { return json.RawMessage(`{"salt":"` + ephemeralSalt + `"}`) }
func (e ephemeral) Encrypter() config.Encrypter { return e }
func (e ephemeral) Decrypter() config.Decrypter { return e }

func (ephemeral) EncryptValue(ctx context.Context, plaintext string) (string, error) {
	m, err := derived(EphemeralPassphrase, ephemeralSalt)
	if err != nil {
		return "", err
	}
	return m.Encrypter().EncryptValue(ctx, plaintext)
}

func (ephemeral) DecryptValue(ctx context.Context, ciphertext string) (string, error) {
	m, err := derived(EphemeralPassphrase, ephemeralSalt)
	if err != nil {
		return "", err
	}
	return m.Decrypter().DecryptValue(ctx, ciphertext)
}

func (e ephemeral) BatchEncrypt(ctx context.Context, plaintexts []string) ([]string, error) {
	return config.DefaultBatchEncrypt(ctx, e, plaintexts)
}

func (e ephemeral) BatchDecrypt(ctx context.Context, ciphertexts []string) ([]string, error) {
	return config.DefaultBatchDecrypt(ctx, e, ciphertexts)
}

// forNewStack returns a manager for a stack that has none yet.
func forNewStack() (secrets.Manager, error) {
	if phrase() == EphemeralPassphrase {
		return ephemeral{}, nil
	}
	return fresh()
}

// fresh is the manager of every new stack of the process: deriving a key takes some 100 ms of computing, and one key, with a nonce
// for each value, serves them all.
var fresh = sync.OnceValues(func() (secrets.Manager, error) {
	salt, _, err := passphrase.NewPassphraseSecretsManager(phrase())
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot derive a key from the passphrase: %w", err)
	}
	return derived(phrase(), salt)
})

// OfType returns the manager of a stack that has one.
func (passphrases) OfType(_ context.Context, kind string, state json.RawMessage) (secrets.Manager, error) {
	if kind != passphrase.Type {
		return nil, fmt.Errorf("deploy: expected a state whose secrets are protected by a passphrase, found %q: use the pulumi command for this stack", kind)
	}
	var written struct {
		Salt string `json:"salt"`
	}
	if err := input.Exactly(state, &written); err != nil {
		return nil, fmt.Errorf("deploy: expected the salt of a passphrase in the state: %w", err)
	}
	switch {
	case written.Salt != ephemeralSalt:
		return derived(phrase(), written.Salt)
	case phrase() != EphemeralPassphrase: // Pulumi keeps a manager that was derived for any passphrase
		return nil, errOtherPassphrase
	}
	return ephemeral{}, nil
}

var errOtherPassphrase = errors.New("deploy: the passphrase is not the one that the state was written with: put that one into PULUMI_CONFIG_PASSPHRASE, or use another state folder")

// derived returns the manager of a passphrase and a salt. Pulumi remembers it by the salt.
func derived(phrase, salt string) (secrets.Manager, error) {
	m, err := passphrase.GetPassphraseSecretsManager(phrase, salt)
	if errors.Is(err, passphrase.ErrIncorrectPassphrase) {
		return nil, errOtherPassphrase
	}
	return m, err
}
