package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dynaproof/accesspatterns/lists"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/wholefile"
)

// AuditsVersion names the format of audits.json.
const AuditsVersion = "dynaproof/audits/v1"

// The files of an audit: of one environment, and of several in one paper.
const (
	AuditFile  = "audit.json"
	AuditPage  = "audit.html"
	AuditsFile = "audits.json"
	AuditsPage = "audits.html"
)

// Audits is what audits of several environments saw. Each environment's own evidence, with its ledger, is in its folder.
type Audits struct {
	// Version is [AuditsVersion].
	Version string `json:"version"`
	ID      string `json:"id"`
	// Command reproduces the audits.
	Command string `json:"command"`
	// Started and Finished are in UTC.
	Started      time.Time `json:"started"`
	Finished     time.Time `json:"finished"`
	Environments []Audited `json:"environments"`
}

// Audited is one environment.
type Audited struct {
	Name string `json:"name"`
	// Stack is DESIGN.ENV.
	Stack    string `json:"stack"`
	Region   string `json:"region,omitempty"`
	Endpoint string `json:"endpoint,omitempty"`
	// Folder holds audit.json and audit.html, below the report's.
	Folder string `json:"folder"`
	// Code is the exit code of this audit alone.
	Code evidence.ExitCode `json:"code"`
	// Failure says why there was no audit, or why it could not be stored.
	Failure string `json:"failure,omitempty"`
	// Verdicts are those of all claims that were asked, by id.
	Verdicts map[string]evidence.Verdict `json:"verdicts,omitempty"`
	// Since compares with the last audit in the folder; nil where there was none. Lost says why it could not be read.
	Since *Since `json:"since,omitempty"`
	Lost  string `json:"lost,omitempty"`
	// Run is the evidence; it is stored in the folder.
	Run *evidence.Run `json:"-"`
}

// Since says what changed since the last audit of an environment.
type Since struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Comparison
}

// SinceLast compares an audit with the last one.
func SinceLast(last, now *evidence.Run) *Since {
	return &Since{last.ID, last.Started, Compare(last, now)}
}

// Words says the changes in a line.
func (s *Since) Words() string {
	return cmp.Or(strings.Join(s.counts(), ", "), "nothing changed") + " since " + s.Started.Format("2006-01-02 15:04 UTC")
}

// Verdict is the verdict on the environment as a whole.
func (a *Audited) Verdict() evidence.Verdict {
	switch {
	case a.Code == evidence.DoesNotConform:
		return evidence.Fail
	case a.Run == nil || a.Failure != "":
		return evidence.Error
	case a.Code != evidence.Conforms:
		return evidence.Indeterminate
	}
	return evidence.Pass
}

// ExitCode is one code for all: an environment that does not conform decides, then one that could not be told. An entry of the list that
// is wrong decides where nothing else does.
func (a *Audits) ExitCode() evidence.ExitCode {
	for _, code := range []evidence.ExitCode{evidence.DoesNotConform, evidence.CouldNotTell, evidence.WrongUsage} {
		if slices.ContainsFunc(a.Environments, func(e Audited) bool { return e.Code == code }) {
			return code
		}
	}
	return evidence.Conforms
}

// Conclusion says in one line how many conform.
func (a *Audits) Conclusion() string { return said("environments", a) }

// Having counts the environments with a verdict.
func (a *Audits) Having(verdict evidence.Verdict) int {
	return lists.Count(a.Environments, func(e Audited) bool { return e.Verdict() == verdict })
}

// deviation is a root cause, with the environments that have it.
type deviation struct {
	cause
	Risk         risk
	Environments []*Audited
}

// Differences are the root causes over all environments, what is at risk first. The same difference in several environments is one.
func (a *Audits) Differences() []deviation {
	var all []deviation
	for environment := range lists.Each(a.Environments) {
		if environment.Run == nil {
			continue
		}
		run := withoutLedger(environment.Run)
		for _, cause := range rootCauses(run, openClaims(run, nil)) {
			if cause.Claim.Verdict == evidence.Unsupported {
				continue // the target cannot answer, and said so beforehand
			}
			at := slices.IndexFunc(all, func(d deviation) bool {
				return d.Claim.ID == cause.Claim.ID && d.Claim.Verdict == cause.Claim.Verdict && slices.Equal(d.Claim.Problems, cause.Claim.Problems)
			})
			if at < 0 {
				at = len(all)
				all = append(all, deviation{cause: cause, Risk: riskOf(cause.Claim.Result)})
			}
			all[at].Environments = append(all[at].Environments, environment)
		}
	}
	slices.SortStableFunc(all, func(x, y deviation) int { return cmp.Compare(x.Risk.rank, y.Risk.rank) })
	return all
}

// matrix is the claims of one design beside its environments.
type matrix struct {
	Design       string
	Environments []*Audited
	// Open are the claims that do not hold somewhere, or that environments see differently; Same are all others.
	Open, Same []matrixRow
}

type matrixRow struct {
	ID, Title string
	Cells     []matrixCell
}

type matrixCell struct {
	Verdict evidence.Verdict
	Href    template.URL
}

// Matrices are the matrix of environments and claims, one for each design.
func (a *Audits) Matrices() []matrix {
	designOf := func(e Audited) string {
		design, _, _ := strings.Cut(e.Stack, ".")
		return design
	}
	designs := lists.With(nil, lists.Map(a.Environments, designOf)...)
	return lists.Map(designs, func(design string) matrix {
		return newMatrix(design, lists.Which(a.Environments, func(e *Audited) bool { return designOf(*e) == design }))
	})
}

func newMatrix(design string, environments []*Audited) matrix {
	m := matrix{Design: design, Environments: environments}
	rows := map[string]*matrixRow{}
	var order []*matrixRow
	for column, environment := range environments {
		if environment.Run == nil {
			continue
		}
		for _, result := range environment.Run.Results() {
			row := lists.Once(rows, result.ID, func() *matrixRow {
				order = append(order, &matrixRow{ID: result.ID, Title: result.Title, Cells: make([]matrixCell, len(environments))})
				return order[len(order)-1]
			})
			row.Cells[column] = matrixCell{result.Verdict, template.URL(environment.Page()) + claimHref(result.ID)}
		}
	}
	for _, row := range order {
		first := row.Cells[0].Verdict
		differs := slices.ContainsFunc(row.Cells, func(cell matrixCell) bool { return cell.Verdict != first })
		into := &m.Same
		if differs || !first.Held() && first != evidence.Unsupported {
			into = &m.Open
		}
		*into = append(*into, *row)
	}
	return m
}

// Changed says what changed since the last audit of the environment, or why nobody can tell.
func (a *Audited) Changed() string {
	if a.Failure+a.Lost == "" && a.Since != nil {
		return a.Since.Words()
	}
	return cmp.Or(a.Failure, a.Lost, "first audit here")
}

// Page is the address of the environment's own report.
func (a *Audited) Page() string { return escapedPath(a.Folder + "/" + AuditPage) }

// Counts counts the environment's claims by verdict.
func (a *Audited) Counts() map[evidence.Verdict]int {
	if a.Run == nil {
		return nil
	}
	return evidence.Count(a.Run.Results())
}

// HTML writes the paper as one page; it links to the page of each environment beside it.
func (a *Audits) HTML(w io.Writer) error { return auditsPage.Write(w, a) }

// Write writes audits.json and audits.html to a folder. Each appears whole or not at all.
func (a *Audits) Write(folder string) error {
	mode := wholefile.Report
	for e := range lists.Each(a.Environments) {
		if e.Run == nil {
			continue
		}
		e.Verdicts = lists.Index(e.Run.Results(), func(r evidence.Result) (string, evidence.Verdict) { return r.ID, r.Verdict })
		if e.Run.Private {
			mode = wholefile.Private
		}
	}
	text, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := wholefile.Write(filepath.Join(folder, AuditsFile), append(text, '\n'), mode); err != nil {
		return err
	}
	return wholefile.Render(filepath.Join(folder, AuditsPage), mode, a.HTML)
}

// Terminal writes the summary: a line for each environment, then each difference once.
func (a *Audits) Terminal(out io.Writer) {
	if err := writeText(out, "audits", a); err != nil {
		fmt.Fprintln(out, err)
	}
}

// Took is the time that all audits took together.
func (a *Audits) Took() time.Duration { return a.Finished.Sub(a.Started).Round(time.Millisecond) }

func environmentRows(a *Audits) [][]string {
	rows := [][]string{{"environment", "stack", "region", "verdict", "failed", "passed", "since the last audit"}}
	for e := range lists.Each(a.Environments) {
		counts := e.Counts()
		rows = append(rows, []string{e.Name, e.Stack, cmp.Or(e.Region, "-"), string(e.Verdict()), columns.Count(counts[evidence.Fail]), columns.Count(counts[evidence.Pass]), e.Changed()})
	}
	return rows
}

// WriteAudit writes the evidence and the page of an audit to a folder; documents is the folder of the design documents.
func WriteAudit(folder string, run *evidence.Run, documents string) error {
	page := DocumentsIn(documents, run)
	page.Evidence = AuditFile
	return errors.Join(run.Write(filepath.Join(folder, AuditFile)), WriteHTML(filepath.Join(folder, AuditPage), run, page))
}
