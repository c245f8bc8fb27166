package report

import (
	"io"

	"dynaproof/conformance/evidence"
)

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
