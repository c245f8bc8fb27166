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

// known holds the managers of this process: the one of new stacks by its passphrase, and all by passphrase and salt.
// Deriving a key takes some 100 ms of computing, and one key, with a nonce for each value, serves every new stack of the process.
var known = struct {
	sync.Mutex
	fresh  map[string]secrets.Manager
	salted map[[2]string]secrets.Manager
}{fresh: map[string]secrets.Manager{}, salted: map[[2]string]secrets.Manager{}}

// forNewStack returns a manager for a stack that has none yet.
func (p passphrases) forNewStack() (secrets.Manager, error) {
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
	known.Lock()
	defer known.Unlock()
	if m, ok := known.salted[[2]string{p.phrase, written.Salt}]; ok {
		return m, nil
	}
	m, err := passphrase.GetPassphraseSecretsManager(p.phrase, written.Salt)
	if errors.Is(err, passphrase.ErrIncorrectPassphrase) {
		return nil, errors.New("deploy: the passphrase is not the one that the state was written with: set PULUMI_CONFIG_PASSPHRASE to that one, or use another state folder")
	}
	if err == nil {
		known.salted[[2]string{p.phrase, written.Salt}] = m
	}
	return m, err
}
