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

// fresh holds one manager for each passphrase. Deriving a key takes some 100 ms of computing, and one key, with a nonce
// for each value, serves every new stack of the process.
var fresh = struct {
	sync.Mutex
	managers map[string]secrets.Manager
}{managers: map[string]secrets.Manager{}}

// forNewStack returns a manager for a stack that has none yet.
func (p passphrases) forNewStack() (secrets.Manager, error) {
	fresh.Lock()
	defer fresh.Unlock()
	if m, ok := fresh.managers[p.phrase]; ok {
		return m, nil
	}
	state, _, err := passphrase.NewPassphraseSecretsManager(p.phrase)
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot derive a key from the passphrase: %w", err)
	}
	// Taking it by its state puts it in Pulumi's own cache, where the engine looks when it reads the state.
	m, err := passphrase.GetPassphraseSecretsManager(p.phrase, state)
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot derive a key from the passphrase: %w", err)
	}
	fresh.managers[p.phrase] = m
	return m, nil
}

// OfType returns the manager of a stack that has one.
func (p passphrases) OfType(_ context.Context, kind string, state json.RawMessage) (secrets.Manager, error) {
	if kind != passphrase.Type {
		return nil, fmt.Errorf("deploy: expected a state whose secrets are protected by a passphrase, found %q: use the pulumi command for this stack", kind)
	}
	var salt struct {
		Salt string `json:"salt"`
	}
	if err := json.Unmarshal(state, &salt); err != nil {
		return nil, fmt.Errorf("deploy: expected the salt of a passphrase in the state: %w", err)
	}
	m, err := passphrase.GetPassphraseSecretsManager(p.phrase, salt.Salt)
	if errors.Is(err, passphrase.ErrIncorrectPassphrase) {
		return nil, errors.New("deploy: the passphrase is not the one that the state was written with: set PULUMI_CONFIG_PASSPHRASE to that one, or use another state folder")
	}
	return m, err
}
