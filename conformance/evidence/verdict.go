package evidence

import "slices"

// Verdict is the outcome of one claim.
type Verdict string

// The verdicts.
const (
	// Pass: the claim was observed to hold.
	Pass Verdict = "pass"
	// Fail: the claim was observed not to hold.
	Fail Verdict = "fail"
	// Shown: the document has the problem that the finding describes, and requests of
	// this run have shown it. It says nothing good about the document.
	Shown Verdict = "shown"
	// Told: the document has the problem that the finding describes, as its cited lines
	// say; no request can show it.
	Told Verdict = "told"
	// Waived: the claim holds by a named exception to a rule.
	Waived Verdict = "waived"
	// Unsupported: this engine cannot answer, as its target declared beforehand.
	Unsupported Verdict = "unsupported"
	// Indeterminate: the observation failed, so nothing can be said.
	Indeterminate Verdict = "indeterminate"
	// Error: the harness or the engine broke.
	Error Verdict = "error"
)

// Verdicts lists all verdicts in the order in which reports show them.
func Verdicts() []Verdict {
	return []Verdict{Pass, Fail, Waived, Unsupported, Indeterminate, Error, Shown, Told}
}

// Held reports whether there is nothing to do about a verdict on the deployment: the claim passed or was waived, or is a
// finding of the document that stands as described.
func (v Verdict) Held() bool { return v == Pass || v == Waived || v.Found() }

// Found reports whether the verdict is that a finding stands: the document has the problem.
func (v Verdict) Found() bool { return v == Shown || v == Told }

// Grade is the strength of the evidence behind a verdict.
type Grade string

// The grades, strongest first.
const (
	// AWS: AWS answered.
	AWS Grade = "aws"
	// Engine: an independent engine answered.
	Engine Grade = "engine"
	// Emulated: the project's own overlay or wire answered, because the engine
	// could not. Nothing outside the project confirms it.
	Emulated Grade = "emulated"
	// Library: the project's own guard refused a request in the process that made it.
	// No engine has seen that request; others of the same claim an engine may have answered.
	Library Grade = "library"
	// Static: no request was needed, or none could show it: policies are
	// evaluated, and only AWS enforces them.
	Static Grade = "static"
)

// Grades lists all grades, strongest first.
func Grades() []Grade { return []Grade{AWS, Engine, Emulated, Library, Static} }

// Weakest returns the weakest of some grades: a chain of evidence is as strong as
// that. Of none it is Static, because nothing was asked.
func Weakest(grades ...Grade) Grade {
	weakest := -1
	for _, grade := range grades {
		weakest = max(weakest, slices.Index(Grades(), grade))
	}
	if weakest < 0 {
		return Static
	}
	return Grades()[weakest]
}

// ExitCode is the process exit code of the command line.
type ExitCode int

// The exit codes.
const (
	// Conforms: every claim passed, or was waived by name, or cannot be answered by
	// this target, which declared so beforehand; at least one passed. Findings of the
	// documents change nothing about it.
	Conforms ExitCode = 0
	// DoesNotConform: at least one claim failed.
	DoesNotConform ExitCode = 1
	// WrongUsage: the command line or the configuration is wrong.
	WrongUsage ExitCode = 2
	// CouldNotTell: an observation failed or something broke, and no claim
	// failed.
	CouldNotTell ExitCode = 3
)
