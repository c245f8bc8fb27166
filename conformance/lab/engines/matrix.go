package engines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
)

// Version names the format of the matrix as JSON.
const Version = "dynaproof/engines/v1"

// Answer is what became of a claim on an engine.
type Answer string

// The answers, the best first.
const (
	// Answered: the engine was asked, and the claim holds.
	Answered Answer = "answered"
	// Waived: likewise, by a named exception of the claim.
	Waived Answer = "waived"
	// Emulated: the claim holds by the word of the wire, not of the engine.
	Emulated Answer = "emulated"
	// Static: the claim holds and needs no engine, or the guard refused what it is about before any engine saw it.
	Static Answer = "static"
	// Unsupported: the engine lacks what the claim needs.
	Unsupported Answer = "unsupported"
	// Deviates: the engine does otherwise than AWS, in a way that is known by name.
	Deviates Answer = "deviates"
	// Unexpected: the claim does not hold and no deviation says why.
	Unexpected Answer = "unexpected"
	// Skipped: the engine could not be had.
	Skipped Answer = "skipped"
)

// Answers lists all answers in the order in which reports show them.
func Answers() []Answer {
	return []Answer{Answered, Waived, Emulated, Static, Unsupported, Deviates, Unexpected, Skipped}
}

// Column is one engine of the matrix.
type Column struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Source  string `json:"source,omitempty"`
	Note    string `json:"note,omitempty"`
	// Skipped says why the engine could not be had.
	Skipped string `json:"skipped,omitempty"`
	// Requests counts what passed the wire; Seconds is the time from start to end.
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
}

// Cell is one claim on one engine.
type Cell struct {
	Answer Answer `json:"answer"`
	// Verdict and Grade are those of the evidence; empty when skipped.
	Verdict evidence.Verdict `json:"verdict,omitempty"`
	Grade   evidence.Grade   `json:"grade,omitempty"`
	// Deviations are the names of those that show.
	Deviations []string `json:"deviations,omitempty"`
	// Problems are those that no deviation tells of, or the reason why the engine cannot answer.
	Problems []evidence.Problem `json:"problems,omitempty"`
}

// Row is one claim on all engines.
type Row struct {
	ID     string `json:"id"`
	Design string `json:"design"`
	Kind   string `json:"kind"`
	Title  string `json:"title"`
	Cite   string `json:"cite"`
	// Cells are in the order of the matrix's columns.
	Cells []Cell `json:"cells"`
}

// Matrix is all claims on all engines.
type Matrix struct {
	Version string   `json:"version"`
	Command string   `json:"command,omitempty"`
	Columns []Column `json:"engines"`
	Rows    []Row    `json:"claims"`
	// Deviations are those of the engines that ran.
	Deviations []Deviation `json:"deviations"`
	// Mended are sightings of deviations that no longer show, one line each.
	Mended []string `json:"mended,omitempty"`
	// Broken says which runs did not end as they should, one line each.
	Broken []string `json:"broken,omitempty"`
}

// Seen is what one engine showed.
type Seen struct {
	Engine  Engine
	Run     *evidence.Run // nil when the engine could not be had
	Err     error
	Seconds float64
}

// Judge puts runs side by side and compares them with the known deviations. Claims are those of the manifest that were to
// be examined; one that a run leaves out is unexpected.
func Judge(claims []manifest.Claim, seen []Seen, known []Deviation) *Matrix {
	m := &Matrix{Version: Version, Rows: lists.Map(claims, func(claim manifest.Claim) Row {
		return Row{ID: claim.ID, Design: claim.Design, Kind: string(claim.Kind), Title: claim.Title, Cite: claim.Cite}
	})}
	for _, each := range seen {
		m.add(each, known)
	}
	return m
}

func (m *Matrix) add(seen Seen, known []Deviation) {
	column := Column{Name: seen.Engine.Name, Note: seen.Engine.Note, Seconds: seen.Seconds}
	if seen.Run == nil {
		column.Skipped = oneLine(seen.Err)
		m.Columns = append(m.Columns, column)
		for row := range lists.Each(m.Rows) {
			row.Cells = append(row.Cells, Cell{Answer: Skipped})
		}
		return
	}
	if seen.Err != nil {
		m.Broken = append(m.Broken, column.Name+": "+oneLine(seen.Err))
	}
	column.Version, column.Source, column.Requests = seen.Run.Target.Version, seen.Run.Target.Source, len(seen.Run.Ledger)
	m.Columns = append(m.Columns, column)
	results := lists.Index(seen.Run.Results(), func(r evidence.Result) (string, evidence.Result) { return r.ID, r })
	own := of(known, column.Name)
	m.Deviations = append(m.Deviations, own...)
	for row := range lists.Each(m.Rows) {
		result, examined := results[row.ID]
		if !examined {
			result.Problems = []evidence.Problem{{Expected: row.Title, Found: "not examined", Where: row.ID, Cite: row.Cite}}
			result.Verdict = evidence.Error
		}
		row.Cells = append(row.Cells, judge(result, own))
		m.Mended = append(m.Mended, mended(row.ID, result, own)...)
	}
	for _, d := range own {
		if d.Version != column.Version {
			m.Mended = append(m.Mended, fmt.Sprintf("%s: expected %s %s, found %s: look whether it still does so, and correct the version", d.Name, d.Engine, d.Version, column.Version))
		}
	}
}

// judge decides what a result says about its engine.
func judge(result evidence.Result, own []Deviation) Cell {
	cell := Cell{Verdict: result.Verdict, Grade: result.Grade}
	switch result.Verdict {
	case evidence.Pass, evidence.Shown, evidence.Told:
		without := map[evidence.Grade]Answer{evidence.Static: Static, evidence.Library: Static, evidence.Emulated: Emulated}
		cell.Answer = cmp.Or(without[result.Grade], Answered)
		return cell
	case evidence.Waived:
		cell.Answer = Waived
		return cell
	case evidence.Unsupported:
		cell.Answer, cell.Problems = Unsupported, result.Problems
		return cell
	}
	for _, problem := range result.Problems {
		tell := telling(own, result.ID, problem, true)
		cell.Deviations = append(cell.Deviations, lists.Map(tell, func(d Deviation) string { return d.Name })...)
		if len(tell) == 0 {
			cell.Problems = append(cell.Problems, problem)
		}
	}
	cell.Deviations = lists.Sorted(cell.Deviations)
	cell.Answer = Deviates
	if len(cell.Problems) > 0 || len(cell.Deviations) == 0 {
		cell.Answer = Unexpected
	}
	return cell
}

// mended lists the sightings of a claim that are not among its problems.
func mended(claim string, result evidence.Result, own []Deviation) []string {
	var lines []string
	for _, d := range own {
		for _, s := range d.Shows {
			if s.Claim == claim && !slices.ContainsFunc(result.Problems, s.matches) {
				lines = append(lines, fmt.Sprintf("%s: %s, %s: expected the known deviation %q, found verdict %s without it; mended: remove it from deviations.json",
					d.Name, s.Claim, s.Where, s.Found, result.Verdict))
			}
		}
	}
	return lines
}

// Witnesses returns the names of the engines that answered a claim themselves.
func (m *Matrix) Witnesses(row Row) []string {
	var names []string
	for i, cell := range row.Cells {
		if (cell.Answer == Answered || cell.Answer == Waived) && cell.Grade == evidence.Engine {
			names = append(names, m.Columns[i].Name)
		}
	}
	return names
}

// Alone returns the claims that rest on the word of a single engine.
func (m *Matrix) Alone() []Row {
	return lists.Where(m.Rows, func(row Row) bool { return len(m.Witnesses(row)) == 1 })
}

// Reliance counts claims by the engines that they rest on.
type Reliance struct {
	// On names the engines, joined by " + "; "no engine" where none answered or none was needed.
	On     string `json:"on"`
	Claims int    `json:"claims"`
}

// Reliances lists what the claims rest on, the most engines first.
func (m *Matrix) Reliances() []Reliance {
	var all []Reliance
	sizes := map[string]int{}
	for _, row := range m.Rows {
		names := m.Witnesses(row)
		on := cmp.Or(strings.Join(names, " + "), "no engine")
		at := slices.IndexFunc(all, func(r Reliance) bool { return r.On == on })
		if at < 0 {
			at, all = len(all), append(all, Reliance{On: on})
		}
		all[at].Claims++
		sizes[on] = len(names)
	}
	slices.SortStableFunc(all, func(a, b Reliance) int { return sizes[b.On] - sizes[a.On] })
	return all
}

// Count counts the answers of one engine for one design, or for all when design is empty.
func (m *Matrix) Count(column int, design string) map[Answer]int {
	counts := map[Answer]int{}
	for _, row := range m.Rows {
		if design == "" || row.Design == design {
			counts[row.Cells[column].Answer]++
		}
	}
	return counts
}

// ExitCode decides the process exit code: an unexpected failure or a deviation that no longer shows does not conform; an
// engine that could not be had, or that broke, leaves the matrix without an answer.
func (m *Matrix) ExitCode() evidence.ExitCode {
	failed := len(m.Mended) > 0
	unknown := len(m.Broken) > 0 || slices.ContainsFunc(m.Columns, func(column Column) bool { return column.Skipped != "" })
	for _, row := range m.Rows {
		for _, cell := range row.Cells {
			failed = failed || cell.Answer == Unexpected && cell.Verdict == evidence.Fail
			unknown = unknown || cell.Answer == Unexpected
		}
	}
	switch {
	case failed:
		return evidence.DoesNotConform
	case unknown:
		return evidence.CouldNotTell
	}
	return evidence.Conforms
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
