package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dynaproof/conformance/evidence"
)

// Format is a form in which evidence is rendered for machines and pull requests.
type Format struct {
	// Name is the format's name on the command line.
	Name string
	// File is the name of the file in the report folder.
	File string
	// write renders evidence that holds no account id and no secret.
	write func(io.Writer, *evidence.Run) error
}

// Write renders a run. Account ids and secrets are replaced.
func (f Format) Write(w io.Writer, run *evidence.Run) error {
	clean, err := withoutLedger(run)
	if err != nil {
		return err
	}
	return f.write(w, clean)
}

// Formats lists the formats that need nothing but the evidence.
func Formats() []Format {
	return []Format{
		{"junit", "junit.xml", junit},
		{"sarif", "results.sarif", func(w io.Writer, run *evidence.Run) error { return writeSARIF(w, run, SARIFOptions{}) }},
		{"intoto", "attestation.json", inToto},
		{"markdown", "summary.md", markdown},
	}
}

// WriteFiles writes the evidence in every format of [Formats] to a folder. A file
// appears whole or not at all. A format that cannot be written does not keep the
// others from being written.
func WriteFiles(folder string, run *evidence.Run) error {
	clean, err := withoutLedger(run)
	if err != nil {
		return err
	}
	var problems []error
	for _, format := range Formats() {
		problems = append(problems, writeFile(filepath.Join(folder, format.File), clean, format.write))
	}
	return errors.Join(problems...)
}

// withoutLedger returns a copy of the evidence without account ids and secrets, and
// without its ledger, which is most of it and which these formats have no place for.
func withoutLedger(run *evidence.Run) (*evidence.Run, error) {
	short := *run
	short.Ledger = nil
	clean, err := redacted(&short)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return clean, nil
}

func writeFile(path string, run *evidence.Run, write func(io.Writer, *evidence.Run) error) error {
	var text bytes.Buffer
	if err := write(&text, run); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	partial := path + ".partial"
	if err := os.WriteFile(partial, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.Rename(partial, path); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
