package deploy

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
)

// passphrases makes the secrets managers of stacks from one passphrase. It never asks on a terminal.
type passphrases struct{ phrase string }

var _ secrets.Provider = passphrases{}

// known holds the managers of this process: the one of new stacks by its passphrase, and all by passphrase and state.
// Deriving a key takes some 100 ms of computing, and one key, with a nonce for each value, serves every new stack of the process.
var known = struct {
	sync.Mutex
	fresh   map[string]secrets.Manager
	ofState map[[2]string]secrets.Manager
}{fresh: map[string]secrets.Manager{}, ofState: map[[2]string]secrets.Manager{}}

// ephemeralSalt and ephemeralKey are a salt in Pulumi's notation and the key that Pulumi derives of it and of
// EphemeralPassphrase. Everybody knows that passphrase, so that a key derived anew in each process would be no more of a
// secret, and every short command would wait for it.
const (
	ephemeralSalt = "v1:ZHluYXByb28=:"
	ephemeralKey  = "f01af8d62569ee189c0287438040d26021100b2471f0929569d3985008e6c180"
)

// ephemeral returns the crypter of EphemeralPassphrase and ephemeralSalt.
func ephemeral() config.Crypter {
	key, err := hex.DecodeString(ephemeralKey)
	if err != nil {
		panic(err)
	}
	return config.NewSymmetricCrypter(key)
}

// manager is a secrets manager whose key is known already, in the form that Pulumi's own has in a state.
type manager struct {
	state   json.RawMessage
	crypter config.Crypter
}

func (manager) Type() string                  { return passphrase.Type }
func (m manager) State() json.RawMessage      { return m.state }
func (m manager) Encrypter() config.Encrypter { return m.crypter }
func (m manager) Decrypter() config.Decrypter { return m.crypter }

// check is the word that Pulumi encrypts behind the salt, to tell a wrong passphrase.
const check = "pulumi"

// salted is the state of a manager.
type salted struct {
	Salt string `json:"salt"`
}

// forNewStack returns a manager for a stack that has none yet.
func (p passphrases) forNewStack() (secrets.Manager, error) {
	known.Lock()
	defer known.Unlock()
	if m, ok := known.fresh[p.phrase]; ok {
		return m, nil
	}
	salt, m, err := p.fresh()
	if err != nil {
		return nil, fmt.Errorf("deploy: cannot derive a key from the passphrase: %w", err)
	}
	known.fresh[p.phrase], known.ofState[[2]string{p.phrase, salt}] = m, m
	return m, nil
}

func (p passphrases) fresh() (salt string, m secrets.Manager, err error) {
	if p.phrase != EphemeralPassphrase {
		return passphrase.NewPassphraseSecretsManager(p.phrase)
	}
	crypter := ephemeral()
	encrypted, err := crypter.EncryptValue(context.Background(), check)
	if err != nil {
		return "", nil, err
	}
	salt = ephemeralSalt + encrypted
	state, err := json.Marshal(salted{salt})
	return salt, manager{state, crypter}, err
}

// OfType returns the manager of a stack that has one.
func (p passphrases) OfType(ctx context.Context, kind string, state json.RawMessage) (secrets.Manager, error) {
	if kind != passphrase.Type {
		return nil, fmt.Errorf("deploy: expected a state whose secrets are protected by a passphrase, found %q: use the pulumi command for this stack", kind)
	}
	var written salted
	if err := json.Unmarshal(state, &written); err != nil {
		return nil, fmt.Errorf("deploy: expected the salt of a passphrase in the state: %w", err)
	}
	known.Lock()
	defer known.Unlock()
	if m, ok := known.ofState[[2]string{p.phrase, written.Salt}]; ok {
		return m, nil
	}
	m, err := p.ofState(ctx, written.Salt, state)
	if errors.Is(err, passphrase.ErrIncorrectPassphrase) {
		return nil, errors.New("deploy: the passphrase is not the one that the state was written with: set PULUMI_CONFIG_PASSPHRASE to that one, or use another state folder")
	}
	if err == nil {
		known.ofState[[2]string{p.phrase, written.Salt}] = m
	}
	return m, err
}

func (p passphrases) ofState(ctx context.Context, salt string, state json.RawMessage) (secrets.Manager, error) {
	encrypted, own := strings.CutPrefix(salt, ephemeralSalt)
	switch {
	case !own:
		return passphrase.GetPassphraseSecretsManager(p.phrase, salt)
	case p.phrase != EphemeralPassphrase: // nothing else is written with this salt
		return nil, passphrase.ErrIncorrectPassphrase
	}
	crypter := ephemeral()
	if word, err := crypter.DecryptValue(ctx, encrypted); err != nil || word != check {
		return nil, passphrase.ErrIncorrectPassphrase
	}
	return manager{state, crypter}, nil
}
