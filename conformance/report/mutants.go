package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"dynaproof/accesspatterns/lists"
	"dynaproof/accesspatterns/manifest"
	"dynaproof/conformance/evidence"
	"dynaproof/conformance/internal/paper"
	"dynaproof/conformance/internal/redact"
)

const (
	// longestMessage is the number of bytes of a claim's message that the page shows; mutants.json has it whole.
	longestMessage = 400
	// mutantsShown is how many mutants without a kill the terminal writes out.
	mutantsShown = 20
)

// unexpected says how many claims no mutant expects to fail, by kind.
func unexpected(run *evidence.Mutants) string {
	total := 0
	for _, count := range run.Unexpected {
		total += count
	}
	text := fmt.Sprintf("%d of %d claims are expected by no mutant, so that nothing here shows that they would notice anything", total, run.Claims)
	if total > 0 {
		text += ": " + Figures(run.Unexpected, slices.Sorted(maps.Keys(run.Unexpected)))
	}
	return text
}

// MutantsPaper is the kill matrix. A single mutant is written out with the message of the claim that noticed it.
func MutantsPaper(run *evidence.Mutants) *paper.Paper {
	run = redact.Copy(run, shownText)
	p := &paper.Paper{
		Title: "dynaproof mutants", Conclusion: mutantsConclusion(run),
		Classes: map[string]string{
			string(evidence.Killed): string(evidence.Pass), string(evidence.Equivalent): string(evidence.Waived), string(evidence.Survived): string(evidence.Fail),
			string(evidence.Untried): string(evidence.Unsupported), string(evidence.Unbroken): string(evidence.Error),
		},
		Lead: []string{"Each mutant is one thing broken on purpose. The contract names, before anything runs, the claims of which one must fail. " + run.Command},
		Foot: fmt.Sprintf("Rendered from mutants.json alone. %s, finished %s.", run.Version, run.Finished.Format("2006-01-02 15:04:05 UTC")),
	}
	if run.Engine != "" {
		p.Lead = append(p.Lead, "Answered by "+run.Engine+".")
	}
	if run.Executable != "" {
		p.Lead = append(p.Lead, "Executable "+run.Executable+": evidence of the same program names the same digest.")
	}
	byKind := paper.Section{Figures: true, Columns: slices.Concat([]string{"mutants"}, lists.Texts(evidence.Fates()), []string{"total"})}
	for _, row := range run.ByKind() {
		counts := lists.Map(evidence.Fates(), func(fate evidence.Fate) string { return strconv.Itoa(row.Counts[fate]) })
		byKind.Rows = append(byKind.Rows, slices.Concat([]string{row.Kind}, counts, []string{strconv.Itoa(row.Total)}))
	}
	note := func(text string, is bool) {
		if is {
			byKind.Notes = append(byKind.Notes, text)
		}
	}
	note(fmt.Sprintf("%d of %d mutants were tried", len(run.Mutants), run.Generated), len(run.Mutants) < run.Generated)
	for _, excused := range run.Excused {
		note(fmt.Sprintf("%s: no mutant switches rule %s of the guard off, because %s", excused.Design, excused.Rule, excused.Why), true)
	}
	note(unexpected(run), run.Claims > 0) // which a run of an earlier release does not know
	note("time: "+run.Finished.Sub(run.Started).Round(time.Millisecond).String(), true)
	byKind.Alarms = append(byKind.Alarms, lists.Map(run.Problems, func(problem string) string { return "PROBLEM  " + problem })...)
	p.Sections = append([]paper.Section{byKind, writtenOut(run)}, killMatrix(run)...)
	return p
}

// writtenOut are the mutants that need attention, whole.
func writtenOut(run *evidence.Mutants) paper.Section {
	section, shown := paper.Section{Only: paper.Terminal}, 0
	for mutant := range lists.Each(run.Mutants) {
		if mutant.Fate == evidence.Killed && len(run.Mutants) > 1 || mutant.Fate == evidence.Equivalent {
			continue
		}
		if shown++; shown <= mutantsShown {
			section.Notes = append(section.Notes, strings.TrimSuffix(said("mutant", mutant), "\n"))
		}
	}
	if shown > mutantsShown {
		section.Notes = append(section.Notes, fmt.Sprintf("\n… and %d more; mutants.json has them all", shown-mutantsShown))
	}
	return section
}

// killMatrix counts, for each way to break something, the kinds of the claims that noticed, and lists the mutants. A kind that only
// another release knows has its column too.
func killMatrix(run *evidence.Mutants) []paper.Section {
	kinds := manifest.Kinds()
	for _, mutant := range run.Mutants {
		if mutant.Fate == evidence.Killed {
			kinds = lists.With(kinds, killerKind(mutant.Killer))
		}
	}
	matrix := paper.Section{Heading: "Kill matrix", Only: paper.Page, Figures: true}
	matrix.Columns = slices.Concat([]string{"broken"}, lists.Texts(kinds), []string{"equivalent", "survived"})
	listed := func(heading string, folded bool) paper.Section {
		return paper.Section{Heading: heading, Only: paper.Page, Folded: folded, Columns: []string{"mutant", "what", "fate", "expected to fail", "what it said"}}
	}
	open := listed("Not killed", false)
	var operators []string
	counts, killed := map[string][]int{}, map[string]*paper.Section{}
	for _, mutant := range run.Mutants {
		name := mutant.Kind + ": " + mutant.Operator
		if counts[name] == nil {
			section := listed(name, true)
			operators, counts[name], killed[name] = append(operators, name), make([]int, len(kinds)+2), &section
		}
		into := &open
		switch mutant.Fate {
		case evidence.Killed:
			counts[name][slices.Index(kinds, killerKind(mutant.Killer))]++
			into = killed[name]
		case evidence.Equivalent:
			counts[name][len(kinds)]++
		case evidence.Survived:
			counts[name][len(kinds)+1]++
		}
		said := mutant.Message
		if len(said) > longestMessage {
			said = strings.ToValidUTF8(said[:longestMessage], "") + " …"
		}
		into.Rows = append(into.Rows, []string{mutant.ID, mutant.What, string(mutant.Fate), strings.Join(mutant.Expected, " "), strings.TrimSpace(mutant.Reason + " " + said)})
	}
	sections := []paper.Section{open}
	for _, name := range operators {
		matrix.Rows = append(matrix.Rows, append([]string{name}, lists.Map(counts[name], strconv.Itoa)...))
		if section := killed[name]; len(section.Rows) > 0 {
			section.Heading = fmt.Sprintf("Killed: %s (%d)", name, len(section.Rows))
			sections = append(sections, *section)
		}
	}
	return append([]paper.Section{matrix}, sections...)
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

func mutantsConclusion(run *evidence.Mutants) string {
	rows := run.ByKind()
	counts := rows[len(rows)-1].Counts
	return said("mutants", object("run", run, "noticed", counts[evidence.Killed]+counts[evidence.Survived]+counts[evidence.Unbroken],
		"survived", counts[evidence.Survived], "untried", counts[evidence.Untried], "unbroken", counts[evidence.Unbroken]))
}
