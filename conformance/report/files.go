package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wholefile"
)

// WriteFolder writes all that a run leaves: its evidence, the reports made from it, and the attestation of these.
func WriteFolder(folder string, run *evidence.Run, options HTMLOptions, key *Key) error {
	run = run.Redacted()
	if err := atOnce(
		func() error { return run.Write(filepath.Join(folder, EvidenceFile)) },
		func() error { return WriteFiles(folder, run) },
		func() error { return WriteHTML(filepath.Join(folder, PageFile), run, options) },
	); err != nil {
		return err
	}
	return WriteAttestation(folder, run, key)
}

// WriteFiles writes the evidence in every format of [Formats] to a folder. A file
// appears whole or not at all. A format that cannot be written does not keep the
// others from being written.
func WriteFiles(folder string, run *evidence.Run) error {
	clean := withoutLedger(run)
	var problems []error
	for _, format := range Formats() {
		render := func(w io.Writer) error { return format.write(w, clean) }
		if err := wholefile.Render(filepath.Join(folder, format.File), run.Mode(), render); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", format.File, err))
		}
	}
	return errors.Join(problems...)
}
