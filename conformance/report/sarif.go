package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// SARIFOptions say how locations are written.
type SARIFOptions struct {
	// DocumentsURI stands before the documents' file names, such as "designs/".
	// Code scanning shows a result in place when this is the folder of the
	// documents within the repository.
	DocumentsURI string
	// Passed adds the claims that passed, as results of kind "pass".
	Passed bool
}

// designFinding is the rule of the documents' own problems.
const designFinding = "design-finding"

// SARIF writes the claims that did not pass, and the findings of the designs, as
// SARIF 2.1.0. A location is the document's lines; the further lines of a citation
// are related locations. Rule ids are the claim's kind, with the aspect for
// schemas and the ledger ("schema/billing", "pattern"), or "design-finding". They
// and the fingerprint, the claim's id, are stable over runs.
//
// Levels: fail is an error; error and indeterminate are warnings, because nothing
// is known; unsupported is a note; waived is a note that is suppressed with the
// waiver's reason. An open objection of the machine that read the document is a warning. A finding of a design that stands has the level of its severity:
// high is an error, medium a warning, low a note; one that could not be shown is a note.
func SARIF(w io.Writer, run *evidence.Run, options SARIFOptions) error {
	return writeSARIF(w, withoutLedger(run), options)
}

func writeSARIF(w io.Writer, run *evidence.Run, options SARIFOptions) error {
	s := &sarifWriter{options, sarifRun("dynaproof", run.Modules["dynaproof"])}
	s.out.WithColumnKind("unicodeCodePoints")
	invocation := sarif.NewInvocation().WithCommandLine(run.Command).WithExitCode(int(run.ExitCode())).
		WithExecutionSuccessful(run.ExitCode() != evidence.CouldNotTell).
		WithStartTimeUtc(run.Started.UTC().Format(time.RFC3339)).WithEndTimeUtc(run.Finished.UTC().Format(time.RFC3339))
	for design := range lists.Each(run.Designs) {
		if s.design(design); design.Failure != "" {
			invocation.AddToolExecutionNotification(sarif.NewNotification().WithLevel(sarif.LevelError).
				WithMessage(sarif.NewTextMessage(design.Name + " could not be examined: " + design.Failure)))
		}
	}
	s.out.AddInvocation(invocation)
	counts := sarif.NewPropertyBag()
	for verdict, count := range evidence.Count(run.Results()) {
		counts.Add(string(verdict), count)
	}
	s.out.WithProperties(sarif.NewPropertyBag().Add("conclusion", concluded(run).Outcome).Add("verdicts", counts.Properties).Add("engine", engineOf(run)))
	return writeLog(w, s.out)
}

func sarifRun(tool, version string) *sarif.Run {
	run := sarif.NewRun()
	run.Tool = sarif.NewTool().WithDriver(sarif.NewToolComponent().WithName(tool).WithVersion(cmp.Or(version, "unknown")))
	return run
}

func documentAt(uri string) *sarif.Artifact {
	return sarif.NewArtifact().WithMimeType("text/markdown").WithLocation(sarif.NewSimpleArtifactLocation(uri))
}

func placeIn(artifact *sarif.ArtifactLocation, region *sarif.Region) *sarif.Location {
	return sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(artifact).WithRegion(region))
}

func writeLog(w io.Writer, run *sarif.Run) error {
	log := sarif.NewReport()
	log.Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	if err := log.AddRun(run).PrettyWrite(w); err != nil {
		return fmt.Errorf("sarif: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type sarifWriter struct {
	options SARIFOptions
	out     *sarif.Run
}

func (s *sarifWriter) design(design *evidence.Design) {
	if design.Document != "" {
		s.out.Artifacts[s.artifact(design.Document)].WithHashes(map[string]string{"sha-256": design.SHA256})
	}
	results := slices.Clone(design.Results)
	slices.SortStableFunc(results, func(a, b evidence.Result) int { return depth(a) - depth(b) })
	for _, result := range results {
		s.verdict(design, result)
	}
	for _, result := range design.Results {
		if result.Kind == string(manifest.KindFinding) {
			s.finding(result)
		}
	}
	for _, objection := range design.OpenObjections() {
		kind, _, _ := strings.Cut(objection.ID, "/")
		s.add("objection/"+kind, "the document, read by machine, says otherwise than the contract",
			evidence.Result{ID: design.Name + "/" + objection.ID, Cite: placeOf(design.Document, objection)}, sarif.LevelWarning, "objection "+objection.ID+": "+objection.Message).
			WithProperties(sarif.NewPropertyBag().Add("objection", objection.ID))
	}
}

func (s *sarifWriter) verdict(design *evidence.Design, result evidence.Result) {
	level := map[evidence.Verdict]string{
		evidence.Fail: sarif.LevelError, evidence.Error: sarif.LevelWarning, evidence.Indeterminate: sarif.LevelWarning,
		evidence.Unsupported: sarif.LevelNote, evidence.Waived: sarif.LevelNote,
	}[result.Verdict]
	text := fmt.Sprintf("%s %s: %s", result.Verdict, result.ID, result.Title)
	switch result.Verdict {
	case evidence.Pass:
		if !s.options.Passed {
			return
		}
		level = sarif.LevelNone
	case evidence.Shown, evidence.Told:
		return // the finding itself is a result
	case evidence.Waived, evidence.Unsupported:
		text += "\n" + reason(design, result)
	default:
		text += "\n" + said("details", result)
	}
	added := s.add(ruleOf(result), ruleText(result), result, level, text)
	if result.Verdict == evidence.Pass {
		added.WithKind("pass")
	}
	if result.Verdict == evidence.Waived {
		suppression := sarif.NewSuppression().WithKind("external").WithStatus("accepted").WithJustification(reason(design, result))
		added.WithSuppressions([]*sarif.Suppression{suppression})
	}
}

func (s *sarifWriter) finding(result evidence.Result) {
	text, level := "finding "+result.ID+": "+result.Title, sarif.LevelNote
	rule, about := designFinding, "a contradiction, gap or hazard of the document itself"
	if seen := result.Finding; seen != nil {
		rule += "/" + seen.Kind
		about = "a " + seen.Kind + " of the document itself"
		text = fmt.Sprintf("finding %s, severity %s, %s: %s\n\nto the letter: %s\nthis project reads it as: %s", result.ID, seen.Severity, result.Verdict, result.Title, seen.Literal, seen.Resolved)
		if seen.Instead != "" {
			text += "\nto the author: " + seen.Instead
		}
		if result.Verdict.Found() {
			level = map[string]string{"high": sarif.LevelError, "medium": sarif.LevelWarning, "low": sarif.LevelNote}[seen.Severity]
		}
	}
	added := s.add(rule, about, result, level, text)
	if seen := result.Finding; seen != nil {
		added.Properties.Add("severity", seen.Severity)
	}
}

func (s *sarifWriter) add(ruleID, about string, result evidence.Result, level, text string) *sarif.Result {
	if rule := s.out.AddRule(ruleID); rule.ShortDescription == nil {
		rule.WithShortDescription(sarif.NewMultiformatMessageString().WithText(about))
	}
	added := s.out.CreateResultForRule(ruleID).WithLevel(level).WithMessage(sarif.NewTextMessage(strings.TrimSpace(text))).
		WithPartialFingerprints(map[string]string{"dynaproofClaim/v1": ruleID + ":" + result.ID}).
		WithProperties(sarif.NewPropertyBag().Add("claim", result.ID).Add("verdict", string(result.Verdict)).Add("grade", string(result.Grade)))
	file, ranges := cited(result.Cite)
	for i, place := range ranges {
		at := s.artifact(file)
		location := placeIn(sarif.NewSimpleArtifactLocation(*s.out.Artifacts[at].Location.URI).WithIndex(at), sarif.NewRegion().WithStartLine(place.first).WithEndLine(place.last))
		if i == 0 {
			added.AddLocation(location)
			continue
		}
		added.AddRelatedLocation(location.WithID(i))
	}
	return added
}

// AddressOf is the address of a file as a URI, which takes no blank and no number sign.
func AddressOf(file string) string { return (&url.URL{Path: file}).String() }

// artifact is the place of a file among the artifacts, of which it becomes one.
func (s *sarifWriter) artifact(file string) int {
	uri := s.options.DocumentsURI + AddressOf(file)
	at := slices.IndexFunc(s.out.Artifacts, func(known *sarif.Artifact) bool { return *known.Location.URI == uri })
	if at < 0 {
		at = len(s.out.Artifacts)
		s.out.AddArtifact(documentAt(uri))
	}
	return at
}

// ruleOf names the rule that a claim is an instance of.
func ruleOf(result evidence.Result) string {
	switch manifest.Kind(result.Kind) {
	case manifest.KindSchema, manifest.KindLedger:
		return result.Kind + "/" + result.ID[strings.LastIndexByte(result.ID, '/')+1:]
	}
	return result.Kind
}

// ruleText says what a rule asks for, in words that fit all of its claims.
func ruleText(result evidence.Result) string {
	text := manifest.Kind(result.Kind).Asks()
	if rule := ruleOf(result); rule != result.Kind {
		return text + ": " + rule[strings.IndexByte(rule, '/')+1:]
	}
	return text
}
