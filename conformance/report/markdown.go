package report

import (
	"io"

	"dynaproof/conformance/evidence"
)

// summarize writes a short summary for a pull request: what failed first, from
// cause to consequence, then figures by design, waivers, and what the verdicts
// rest on.
func summarize(w io.Writer, run *evidence.Run) error { return writeText(w, "summary.md.tmpl", run) }
