// Package report renders evidence for people and machines. It decides nothing:
// every figure comes from the evidence.
package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/wholefile"
)

// The files of a report folder that are not among [Formats].
const (
	EvidenceFile    = "evidence.json.gz"
	PageFile        = "index.html"
	RequestsFile    = "requests.html"
	AttestationFile = "attestation.json"
)

// WriteFiles writes the evidence in every format of [Formats], and as pages, to a folder. A file
// appears whole or not at all. A format that cannot be written does not keep the
// others from being written.
func WriteFiles(folder string, run *evidence.Run, options HTMLOptions) error {
	clean := withoutLedger(run)
	files := []func() error{func() error { return WriteHTML(filepath.Join(folder, PageFile), run, options) }}
	for _, format := range Formats() {
		files = append(files, func() error {
			render := func(w io.Writer) error { return format.write(w, clean) }
			if err := wholefile.Render(filepath.Join(folder, format.File), run.Mode(), render); err != nil {
				return fmt.Errorf("%s: %w", format.File, err)
			}
			return nil
		})
	}
	return atOnce(files...)
}

// Format is a form in which evidence is rendered for machines and pull requests.
type Format struct {
	// Name is the format's name on the command line.
	Name string
	// File is the name of the file in the report folder.
	File string
	// write renders evidence that holds no name of others and no secret.
	write func(io.Writer, *evidence.Run) error
}

// Write renders a run. Names of others and secrets are replaced.
func (f Format) Write(w io.Writer, run *evidence.Run) error {
	return f.write(w, withoutLedger(run))
}

// Formats lists the formats that need nothing but the evidence.
func Formats() []Format {
	return []Format{
		{"junit", "junit.xml", junit},
		{"sarif", "results.sarif", func(w io.Writer, run *evidence.Run) error { return writeSARIF(w, run, SARIFOptions{}) }},
		{"markdown", "summary.md", func(w io.Writer, run *evidence.Run) error { return writeText(w, "summary.md.tmpl", run) }},
	}
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

// Attested are the files whose digests the attestation names.
func Attested() []string {
	return append([]string{EvidenceFile, PageFile, RequestsFile}, lists.Map(Formats(), func(format Format) string { return format.File })...)
}
