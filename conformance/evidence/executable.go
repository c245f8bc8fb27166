package evidence

import (
	"fmt"
	"os"
	"sync"

	"dynaproof/conformance/target"
)

// Executable is the entry of [Run.Modules] that holds the digest of the
// executable that ran: "sha256:" and 64 hexadecimal digits. The Pulumi programs
// are compiled into it, so it identifies the programs that were deployed.
const Executable = "executable"

// ExecutableDigest returns the SHA-256 of the running executable, as [Run.Modules] holds it.
// It is computed once; call it early, aside, where its time (about half a second)
// would be waited for.
var ExecutableDigest = sync.OnceValues(func() (digest string, err error) {
	path, err := os.Executable()
	if err == nil {
		digest, err = target.FileDigest(path)
	}
	if err != nil {
		return "", fmt.Errorf("digest of the executable: %w", err)
	}
	return digest, nil
})

// RecordExecutable notes the digest of the running executable.
func (r *Run) RecordExecutable() error {
	digest, err := ExecutableDigest()
	if err != nil {
		return err
	}
	if r.Modules == nil {
		r.Modules = map[string]string{}
	}
	r.Modules[Executable] = digest
	return nil
}
