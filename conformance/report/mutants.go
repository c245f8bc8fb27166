package report

import (
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/columns"
	"dynaproof/conformance/internal/page"
	"dynaproof/conformance/internal/redact"
)

// longestMessage is the number of bytes of a claim's message that the page shows;
// mutants.json has it whole.
const longestMessage = 400

var mutantsLayout = page.New(htmlAsset("mutants.html.tmpl"), "", template.FuncMap{
	"unexpected": unexpected,
	"class": func(fate evidence.Fate) evidence.Verdict {
		return map[evidence.Fate]evidence.Verdict{
			evidence.Killed: evidence.Pass, evidence.Equivalent: evidence.Waived, evidence.Survived: evidence.Fail,
			evidence.Untried: evidence.Unsupported, evidence.Unbroken: evidence.Error,
		}[fate]
	},
	"shown": func(message string) string {
		if len(message) <= longestMessage {
			return message
		}
		return strings.ToValidUTF8(message[:longestMessage], "") + " …"
	},
})

// mutantsPage is what the template shows.
type mutantsPage struct {
	Conclusion string
	Run        *evidence.Mutants
	Fates      []evidence.Fate
	Rows       []mutantsCounts
	Killers    []manifest.Kind
	Operators  []mutantsCounts
	Open       []evidence.Mutant
	Groups     []mutantsGroup
}

type mutantsCounts struct {
	Name   string
	Counts []int
	Total  int
}

type mutantsGroup struct {
	Name    string
	Mutants []evidence.Mutant
}

// unexpected says how many claims no mutant expects to fail, by kind; "" where a run of an earlier release does not know.
func unexpected(run *evidence.Mutants) string {
	if run.Claims == 0 {
		return ""
	}
	total := 0
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(run.Unexpected)) {
		total += run.Unexpected[kind]
		parts = append(parts, fmt.Sprintf("%d %s", run.Unexpected[kind], kind))
	}
	text := fmt.Sprintf("%d of %d claims are expected by no mutant, so that nothing here shows that they would notice anything", total, run.Claims)
	if total > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// MutantsHTML writes the kill matrix as one page that needs nothing else.
func MutantsHTML(w io.Writer, run *evidence.Mutants) error {
	run = redact.Copy(run, shownText)
	view := mutantsPage{
		Conclusion: mutantsConclusion(run), Run: run, Fates: evidence.Fates(),
	}
	for _, row := range run.ByKind() {
		counts := mutantsCounts{Name: row.Kind, Total: row.Total}
		for _, fate := range evidence.Fates() {
			counts.Counts = append(counts.Counts, row.Counts[fate])
		}
		view.Rows = append(view.Rows, counts)
	}
	view.matrix()
	if err := mutantsLayout.Write(w, view); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// matrix counts, for each way to break something, the kinds of the claims that
// noticed. A kind that only another release knows has its column too.
func (p *mutantsPage) matrix() {
	kinds := manifest.Kinds()
	for _, mutant := range p.Run.Mutants {
		if kind := killerKind(mutant.Killer); mutant.Fate == evidence.Killed && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	p.Killers = kinds
	for _, mutant := range p.Run.Mutants {
		name := mutant.Kind + ": " + mutant.Operator
		at := slices.IndexFunc(p.Operators, func(row mutantsCounts) bool { return row.Name == name })
		if at < 0 {
			at = len(p.Operators)
			p.Operators = append(p.Operators, mutantsCounts{Name: name, Counts: make([]int, len(kinds)+2)})
			p.Groups = append(p.Groups, mutantsGroup{Name: name})
		}
		counts := p.Operators[at].Counts
		switch mutant.Fate {
		case evidence.Killed:
			counts[slices.Index(kinds, killerKind(mutant.Killer))]++
			p.Groups[at].Mutants = append(p.Groups[at].Mutants, mutant)
			continue
		case evidence.Equivalent:
			counts[len(kinds)]++
		case evidence.Survived:
			counts[len(kinds)+1]++
		}
		p.Open = append(p.Open, mutant)
	}
	p.Groups = slices.DeleteFunc(p.Groups, func(group mutantsGroup) bool { return len(group.Mutants) == 0 })
}

// killerKind reads the kind off a claim's id: "roll-model/pattern/get-entry". It is
// "unknown" where an id has none.
func killerKind(id string) manifest.Kind {
	_, path, _ := strings.Cut(id, "/")
	switch head, _, _ := strings.Cut(path, "/"); head {
	case "table", "tables":
		return manifest.KindSchema
	case "":
		return "unknown"
	default:
		return manifest.Kind(head)
	}
}

// mutantsShown is how many mutants without a kill the terminal writes out.
const mutantsShown = 20

// TerminalMutants writes mutants by kind, and what was not killed. A single
// mutant is written out with the message of the claim that noticed it.
func TerminalMutants(out io.Writer, run *evidence.Mutants) {
	table := columns.Right(out)
	header := []string{"mutants"}
	for _, fate := range evidence.Fates() {
		header = append(header, string(fate))
	}
	table.Row(append(header, "total")...)
	for _, row := range run.ByKind() {
		cells := []string{row.Kind}
		for _, fate := range evidence.Fates() {
			cells = append(cells, columns.Count(row.Counts[fate]))
		}
		table.Row(append(cells, strconv.Itoa(row.Total))...)
	}
	table.Flush()
	if len(run.Mutants) < run.Generated {
		fmt.Fprintf(out, "%d of %d mutants were tried\n", len(run.Mutants), run.Generated)
	}
	for _, excused := range run.Excused {
		fmt.Fprintf(out, "%s: no mutant switches rule %s of the guard off, because %s\n", excused.Design, excused.Rule, excused.Why)
	}
	shown := 0
	for i := range run.Mutants {
		mutant := &run.Mutants[i]
		if mutant.Fate == evidence.Killed && len(run.Mutants) > 1 || mutant.Fate == evidence.Equivalent {
			continue
		}
		if shown++; shown <= mutantsShown {
			if err := writeText(out, "mutant", mutant); err != nil {
				fmt.Fprintln(out, err)
			}
		}
	}
	if shown > mutantsShown {
		fmt.Fprintf(out, "\n… and %d more; mutants.json has them all\n", shown-mutantsShown)
	}
	if text := unexpected(run); text != "" {
		fmt.Fprintln(out, text)
	}
	for _, problem := range run.Problems {
		fmt.Fprintf(out, "\nPROBLEM  %s\n", problem)
	}
	fmt.Fprintf(out, "\ntime: %s\n\n%s\n", run.Finished.Sub(run.Started).Round(time.Millisecond), mutantsConclusion(run))
}

// mutantsConclusion says the result in one line.
func mutantsConclusion(run *evidence.Mutants) string {
	rows := run.ByKind()
	counts := rows[len(rows)-1].Counts
	noticed := counts[evidence.Killed] + counts[evidence.Survived] + counts[evidence.Unbroken]
	switch run.ExitCode() {
	case evidence.Conforms:
		text := fmt.Sprintf("PASS  all of %d mutants that anything can notice were noticed by what must notice them", noticed)
		if counts[evidence.Untried] > 0 {
			text += fmt.Sprintf("; %d %s not tried", counts[evidence.Untried], either(counts[evidence.Untried], "was", "were"))
		}
		return text
	case evidence.DoesNotConform:
		if counts[evidence.Survived] == 0 {
			return "FAIL  " + Plural(len(run.Problems), "problem") + " of the suite"
		}
		return fmt.Sprintf("FAIL  %d of %d mutants survived: the suite lacks something", counts[evidence.Survived], noticed)
	}
	if run.Interrupted {
		return "COULD NOT TELL  the run was interrupted"
	}
	return "COULD NOT TELL  " + Plural(counts[evidence.Unbroken], "mutant") + " could not be tried"
}
