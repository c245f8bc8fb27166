package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
)

// passphrases makes the secrets managers of stacks from one passphrase. It never asks on a terminal.
type passphrases struct{ phrase string }

var _ secrets.Provider = passphrases{}

// known holds the managers of this process: the one of new stacks by its passphrase, and all by passphrase and salt.
// Deriving a key takes some 100 ms of computing, and one key, with a nonce for each value, serves every new stack of the process.
var known = struct {
	sync.Mutex
	fresh  map[string]secrets.Manager
	salted map[[2]string]secrets.Manager
}{fresh: map[string]secrets.Manager{}, salted: map[[2]string]secrets.Manager{}}

// ephemeralSalt is the salt of [EphemeralPassphrase], as a state has it. The passphrase is no secret, so a salt for each state would guard nothing.
const ephemeralSalt = "v1:xxN2HS/ZgjU=:v1:vzYAEpD+RrlDJVfn:dCoj1q+mPR+hUNEo1vGMuSB107LQwA=="

// ephemeral is the manager of the stacks under [EphemeralPassphrase]. It derives the key when a value is a secret: a state on loopback holds none.
type ephemeral struct{}

// Type implements [secrets.Manager].
func (ephemeral) Type() string { return passphrase.Type }

// State implements [secrets.Manager].
func (ephemeral) State() json.RawMessage { return json.RawMessage(`{"salt":"` + ephemeralSalt + `"}`) }

// Encrypter implements [secrets.Manager].
func (e ephemeral) Encrypter() config.Encrypter { return e }

// Decrypter implements [secrets.Manager].
func (e ephemeral) Decrypter() config.Decrypter { return e }

// EncryptValue implements [config.Encrypter].
func (ephemeral) EncryptValue(ctx context.Context, plaintext string) (string, error) {
	m, err := derived(EphemeralPassphrase, ephemeralSalt)
	if err != nil {
		return "", err
	}
	return m.Encrypter().EncryptValue(ctx, plaintext)
}

// BatchEncrypt implements [config.Encrypter].
func (e ephemeral) BatchEncrypt(ctx context.Context, plaintexts []string) ([]string, error) {
	return config.DefaultBatchEncrypt(ctx, e, plaintexts)
}

// DecryptValue implements [config.Decrypter].
func (ephemeral) DecryptValue(ctx context.Context, ciphertext string) (string, error) {
	m, err := derived(EphemeralPassphrase, ephemeralSalt)
	if err != nil {
		return "", err
	}
	return m.Decrypter().DecryptValue(ctx, ciphertext)
}

// BatchDecrypt implements [config.Decrypter].
func (e ephemeral) BatchDecrypt(ctx context.Context, ciphertexts []string) ([]string, error) {
	return config.DefaultBatchDecrypt(ctx, e, ciphertexts)
}

// forNewStack returns a manager for a stack that has none yet.
func (p passphrases) forNewStack() (secrets.Manager, error) {
	if p.phrase == EphemeralPassphrase {
		return ephemeral{}, nil
	}
	known.Lock()
	defer known.Unlock()
	if m, ok := known.fresh[p.phrase]; ok {
		return m, nil
	}
	salt, m, err := passphrase.NewPassphraseSecretsManager(p.phrase)
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot derive a key from the passphrase: %w", err)
	}
	known.fresh[p.phrase], known.salted[[2]string{p.phrase, salt}] = m, m
	return m, nil
}

// OfType returns the manager of a stack that has one.
func (p passphrases) OfType(_ context.Context, kind string, state json.RawMessage) (secrets.Manager, error) {
	if kind != passphrase.Type {
		return nil, fmt.Errorf("deploy: expected a state whose secrets are protected by a passphrase, found %q: use the pulumi command for this stack", kind)
	}
	var written struct {
		Salt string `json:"salt"`
	}
	if err := json.Unmarshal(state, &written); err != nil {
		return nil, fmt.Errorf("deploy: expected the salt of a passphrase in the state: %w", err)
	}
	switch {
	case written.Salt != ephemeralSalt:
		return derived(p.phrase, written.Salt)
	case p.phrase != EphemeralPassphrase: // Pulumi keeps a manager that was derived for any passphrase
		return nil, errOtherPassphrase
	}
	return ephemeral{}, nil
}

var errOtherPassphrase = errors.New("deploy: the passphrase is not the one that the state was written with: set PULUMI_CONFIG_PASSPHRASE to that one, or use another state folder")

// derived returns the manager of a passphrase and a salt.
func derived(phrase, salt string) (secrets.Manager, error) {
	known.Lock()
	defer known.Unlock()
	if m, ok := known.salted[[2]string{phrase, salt}]; ok {
		return m, nil
	}
	m, err := passphrase.GetPassphraseSecretsManager(phrase, salt)
	if errors.Is(err, passphrase.ErrIncorrectPassphrase) {
		return nil, errOtherPassphrase
	}
	if err == nil {
		known.salted[[2]string{phrase, salt}] = m
	}
	return m, err
}
