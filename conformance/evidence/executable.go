package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// Executable is the entry of [Run.Modules] that holds the digest of the
// executable that ran: "sha256:" and 64 hexadecimal digits. The Pulumi programs
// are compiled into it, so it identifies the programs that were deployed.
const Executable = "executable"

// RecordExecutable notes the digest of the running executable.
func (r *Run) RecordExecutable() error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("digest of the executable: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("digest of the executable: %w", err)
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return fmt.Errorf("digest of the executable: %w", err)
	}
	if r.Modules == nil {
		r.Modules = map[string]string{}
	}
	r.Modules[Executable] = "sha256:" + hex.EncodeToString(digest.Sum(nil))
	return nil
}
