package report

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/redact"
)

// shown returns a copy of the evidence as people see it: without names of others, without secrets, and without characters
// that a terminal or a page would obey instead of showing them.
func shown(run *evidence.Run) *evidence.Run {
	return redact.Copy(run.Redacted(), func(text string) string { return redact.Visible(redact.Secrets(text)) })
}

// shownText is [shown] for a text of which no account is known.
func shownText(text string) string {
	return redact.Visible(redact.New(redact.Names{}).Text(text))
}

// atOnce does things side by side, and returns what went wrong, in their order.
func atOnce(things ...func() error) error {
	var work sync.WaitGroup
	problems := make([]error, len(things))
	for i, do := range things {
		work.Go(func() { problems[i] = do() })
	}
	work.Wait()
	return errors.Join(problems...)
}

// withoutLedger returns a copy of the evidence without names of others and secrets, and
// without its ledger, which is most of it and which these formats have no place for.
func withoutLedger(run *evidence.Run) *evidence.Run {
	short := *run.Redacted() // what the ledger tells about names is known before it goes
	short.Ledger = nil
	return shown(&short)
}

func digestOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// The files of a report folder that are not among [Formats].
const (
	EvidenceFile    = "evidence.json.gz"
	PageFile        = "index.html"
	RequestsFile    = "requests.html"
	AttestationFile = "attestation.json"
)
