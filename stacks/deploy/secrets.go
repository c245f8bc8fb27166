package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
)

// passphrases makes the secrets managers of stacks from one passphrase. It never asks on a terminal.
type passphrases struct{ phrase string }

var _ secrets.Provider = passphrases{}

// fresh makes the manager of new stacks, by passphrase. Deriving a key takes some 100 ms of computing, and one key, with a nonce for
// each value, serves every new stack of the process.
var fresh sync.Map

// forNewStack returns a manager for a stack that has none yet.
func (p passphrases) forNewStack() (secrets.Manager, error) {
	derive, _ := fresh.LoadOrStore(p.phrase, sync.OnceValues(func() (secrets.Manager, error) {
		_, m, err := passphrase.NewPassphraseSecretsManager(p.phrase)
		return m, err
	}))
	m, err := derive.(func() (secrets.Manager, error))()
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot derive a key from the passphrase: %w", err)
	}
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
	m, err := passphrase.GetPassphraseSecretsManager(p.phrase, written.Salt)
	if errors.Is(err, passphrase.ErrIncorrectPassphrase) {
		return nil, errors.New("deploy: the passphrase is not the one that the state was written with: set PULUMI_CONFIG_PASSPHRASE to that one, or use another state folder")
	}
	return m, err
}
